//! Web archives: the raw pages of a run as WARC 1.1, as WACZ, or as the CDXJ index of the WARC file.
//!
//! The records of a run have the same bytes in each of its WARC files, so that the index of one export
//! fits the file of another. One page is in memory at a time. The index and the list of pages are
//! spooled to temporary files, because they follow the records.

mod cdxj;
mod sorted_lines;
mod surt;
mod wacz;
mod warc;

use std::io;

use contract::{ExportFormat, JobId, Millis, Mode};

use crate::{ExportError, ExportFailure, ExportSink, FileKind};
use cdxj::CdxjIndex;
use warc::WarcWriter;

/// The program in `warcinfo` and in the description of a WACZ file.
const SOFTWARE: &str = concat!("Trawl/", env!("CARGO_PKG_VERSION"));

/// The format of a web archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArchiveFormat {
    /// A WARC file with one gzip member per record.
    Warc,
    /// A ZIP file with the WARC file, its index, the list of pages, and digests of all of them.
    Wacz,
    /// The index of the WARC file.
    Cdxj,
}

impl ArchiveFormat {
    /// `None` for formats that have the items of a run.
    #[must_use]
    pub fn of(format: ExportFormat) -> Option<Self> {
        match format {
            ExportFormat::Warc => Some(Self::Warc),
            ExportFormat::Wacz => Some(Self::Wacz),
            ExportFormat::Cdxj => Some(Self::Cdxj),
            ExportFormat::Xlsx
            | ExportFormat::Csv
            | ExportFormat::Json
            | ExportFormat::Md
            | ExportFormat::Xml
            | ExportFormat::Jsonl
            | ExportFormat::Parquet
            | ExportFormat::LlmsTxt
            | ExportFormat::LlmsFullTxt => None,
        }
    }
}

/// The run of a web archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveSubject {
    pub job: JobId,
    pub mode: Mode,
    /// The start URL of the run.
    pub url: Option<String>,
    /// When the job was created: the date of `warcinfo`.
    pub created_at: Millis,
}

impl ArchiveSubject {
    /// The name of the WARC file, which its index contains.
    #[must_use]
    pub fn warc_name(&self) -> String {
        format!("{}.{}", self.job, FileKind::Warc.extension())
    }
}

/// A page of a web archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedPage {
    /// The number of its item in the results.
    pub item: u64,
    pub title: Option<String>,
    /// The URL after redirects.
    pub url: String,
    pub status: u16,
    /// Bytes that are not ASCII are the characters of Latin-1.
    pub headers: Vec<(String, String)>,
    pub fetched_at: Millis,
    /// Whether the body is the document of a browser, not the response of the site.
    pub rendered: bool,
    /// Without content and transfer encoding.
    pub body: Vec<u8>,
    /// Messages about the page, for its `metadata` record.
    pub warnings: Vec<String>,
}

impl ArchivedPage {
    fn header(&self, wanted: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.as_str())
    }

    /// The media type without parameters.
    fn media_type(&self) -> Option<&str> {
        let value = self.header("content-type")?;
        let end = value.find(|c: char| c == ';' || c.is_whitespace()).unwrap_or(value.len());
        Some(&value[..end]).filter(|media_type| !media_type.is_empty())
    }

    /// Whether a person can open it as a page: the list of pages has no errors and no files.
    fn is_document(&self) -> bool {
        let html = ["text/html", "application/xhtml+xml"];
        let is_html = |found: &str| html.iter().any(|html| found.eq_ignore_ascii_case(html));
        (200..300).contains(&self.status) && self.media_type().is_some_and(is_html)
    }
}

/// Writes pages of a run as a web archive to `sink`.
///
/// # Errors
/// [`ExportFailure`] when a page cannot be read or written.
pub fn write_archive<E>(
    pages: impl IntoIterator<Item = Result<ArchivedPage, E>>,
    format: ArchiveFormat,
    subject: &ArchiveSubject,
    mut sink: impl ExportSink,
) -> Result<(), ExportFailure<E>> {
    let mut pages = pages.into_iter().peekable();
    // Before the first byte, so that the client gets an error instead of a broken file.
    if let Some(Err(error)) = pages.next_if(Result::is_err) {
        return Err(ExportFailure::Read(error));
    }
    match format {
        ArchiveFormat::Warc => {
            sink.start(FileKind::Warc);
            let mut warc = WarcWriter::begin(&mut sink, subject, &subject.warc_name())
                .map_err(ExportError::from)?;
            for page in pages {
                let page = page.map_err(ExportFailure::Read)?;
                warc.write(&page).map_err(ExportError::from)?;
            }
        }
        ArchiveFormat::Cdxj => {
            sink.start(FileKind::Cdxj);
            let name = subject.warc_name();
            let mut index = CdxjIndex::new(&name);
            let mut warc =
                WarcWriter::begin(io::sink(), subject, &name).map_err(ExportError::from)?;
            for page in pages {
                let page = page.map_err(ExportFailure::Read)?;
                let record = warc.write(&page).map_err(ExportError::from)?;
                index.push(&page, &record).map_err(ExportError::from)?;
            }
            index.write_to(&mut sink).map_err(ExportError::from)?;
        }
        ArchiveFormat::Wacz => {
            sink.start(FileKind::Wacz);
            wacz::write(pages, subject, &mut sink)?;
        }
    }
    Ok(sink.flush().map_err(ExportError::from)?)
}

#[cfg(test)]
mod tests;
