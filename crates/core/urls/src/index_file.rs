//! Index files: `/docs/index.html` and `/docs/` are one page on most servers and two on some. Only their
//! contents decide.

use crate::CanonicalUrl;

const STEMS: [&str; 2] = ["index", "default"];
const ENDINGS: [&str; 10] =
    ["html", "htm", "php", "shtml", "xhtml", "asp", "aspx", "jsp", "cfm", "phtml"];

/// The URL of the folder, if this URL is its index file.
#[must_use]
pub fn folder_of_index(url: &CanonicalUrl) -> Option<CanonicalUrl> {
    let (folder, name) = url.path().rsplit_once('/')?;
    let (stem, ending) = name.rsplit_once('.')?;
    let known =
        |list: &[&str], word: &str| list.iter().any(|known| known.eq_ignore_ascii_case(word));
    if url.query().is_some() || !known(&STEMS, stem) || !known(&ENDINGS, ending) {
        return None;
    }
    url.join(&format!("{folder}/")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_of_an_index_file_is_returned() {
        for (url, folder) in [
            ("https://a.test/index.html", Some("https://a.test/")),
            ("https://a.test/docs/Index.PHP", Some("https://a.test/docs/")),
            ("https://a.test/docs/default.aspx", Some("https://a.test/docs/")),
            ("https://a.test/docs/index.html?page=2", None),
            ("https://a.test/docs/index", None),
            ("https://a.test/docs/my-index.html", None),
            ("https://a.test/docs/index.pdf", None),
            ("https://a.test/docs/", None),
        ] {
            let url = CanonicalUrl::parse(url).unwrap();
            let found = folder_of_index(&url);
            assert_eq!(found.as_ref().map(CanonicalUrl::as_str), folder, "{url}");
        }
    }
}
