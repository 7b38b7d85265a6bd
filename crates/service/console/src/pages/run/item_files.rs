//! Links to the files that a run has kept of the page of an item.

use contract::ItemFiles;
use maud::{Markup, html};

/// The links, and why files are missing.
pub(super) fn item_files(files: Option<&ItemFiles>) -> Markup {
    let Some(files) = files else { return html! {} };
    let links =
        [("HTML", &files.html), ("raw HTML", &files.raw_html), ("picture", &files.screenshot)];
    html! {
        @for (label, file) in links {
            @if let Some(file) = file {
                a href=(file.url) rel="noreferrer nofollow" target="_blank" { (label) } " "
            }
        }
        @for warning in &files.warnings { span.hint { (warning) } " " }
    }
}

#[cfg(test)]
mod tests {
    use contract::{Millis, PageFile};

    use super::*;

    #[test]
    fn links_and_warnings_are_shown_as_text() {
        let file = PageFile {
            url: "https://service.test/page-files/a".to_owned(),
            content_type: "text/html".to_owned(),
            bytes: 1,
            expires_at: Millis(0),
        };
        let files = ItemFiles {
            html: Some(file),
            warnings: vec!["screenshot: <failed>".to_owned()],
            ..ItemFiles::default()
        };
        let shown = item_files(Some(&files)).into_string();
        assert!(shown.contains("href=\"https://service.test/page-files/a\""), "{shown}");
        assert!(shown.contains("screenshot: &lt;failed&gt;"), "{shown}");
        assert_eq!(item_files(None).into_string(), "");
    }
}
