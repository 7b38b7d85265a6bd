//! What a run keeps of the page of an item besides the item: files of the page, and the response that
//! they were made from. The engine passes it on with the item.

use contract::{Millis, PageFileFormat};

/// Maximum bytes of the files of one page.
pub const KEPT_PAGE_BYTES: usize = 16 << 20;

/// The files of a page, with the response of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptPage {
    pub response: KeptResponse,
    /// Each format at most once.
    pub files: Vec<KeptFile>,
    /// Which files are missing and why, as messages for the client.
    pub warnings: Vec<String>,
}

/// Status and headers of the response that a page was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptResponse {
    /// The URL after redirects.
    pub url: String,
    pub status: u16,
    /// As received, without cookies. Bytes that are not ASCII are the characters of Latin-1.
    pub headers: Vec<(String, String)>,
    pub fetched_at: Millis,
    /// Whether a browser rendered the page: the raw file is then the document, not the response.
    pub rendered: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFile {
    pub format: PageFileFormat,
    pub content_type: String,
    pub body: Vec<u8>,
}

impl KeptPage {
    /// A page of which no file is kept.
    #[must_use]
    pub fn new(response: KeptResponse) -> Self {
        Self { response, files: Vec::new(), warnings: Vec::new() }
    }

    /// Adds a file, unless the page has too many bytes with it.
    pub fn add(&mut self, file: KeptFile) {
        let bytes: usize = self.files.iter().map(|file| file.body.len()).sum();
        if bytes + file.body.len() > KEPT_PAGE_BYTES {
            let most = KEPT_PAGE_BYTES >> 20;
            let format = file.format;
            self.warnings.push(format!("{format}: the files of a page exceed {most} MiB"));
        } else {
            self.files.push(file);
        }
    }

    /// Removes all files, for a cause that each of them gets as a warning.
    pub fn discard_files(&mut self, cause: &str) {
        let files = self.files.drain(..).map(|file| format!("{}: {cause}", file.format));
        self.warnings.extend(files);
    }

    /// Whether there is nothing to tell the client.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.warnings.is_empty()
    }

    /// Approximate memory, in bytes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let headers = self.response.headers.iter().map(|(name, value)| name.len() + value.len());
        let files = self.files.iter().map(|file| 64 + file.body.len());
        let warnings = self.warnings.iter().map(String::len);
        200 + self.response.url.len() + headers.chain(files).chain(warnings).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_beyond_the_limit_of_a_page_become_warnings() {
        let response = KeptResponse {
            url: "https://a.test/".to_owned(),
            status: 200,
            headers: Vec::new(),
            fetched_at: Millis(0),
            rendered: false,
        };
        let mut page = KeptPage::new(response);
        let file = |format, bytes| KeptFile {
            format,
            content_type: "text/html".to_owned(),
            body: vec![b'x'; bytes],
        };
        page.add(file(PageFileFormat::Html, KEPT_PAGE_BYTES - 1));
        page.add(file(PageFileFormat::RawHtml, 2));
        page.add(file(PageFileFormat::Screenshot, 1));
        let kept: Vec<_> = page.files.iter().map(|file| file.format).collect();
        assert_eq!(kept, [PageFileFormat::Html, PageFileFormat::Screenshot]);
        assert_eq!(page.warnings, ["raw_html: the files of a page exceed 16 MiB"]);
        page.discard_files("withheld");
        assert!(page.files.is_empty() && !page.is_empty());
        assert_eq!(page.warnings[1..], ["html: withheld", "screenshot: withheld"]);
    }
}
