//! Addresses of crawled sites, as links.

use maud::{Markup, html};

/// A link to somewhere on the web; whatever else an address says is shown and cannot be
/// clicked. The site that it leads to learns nothing of this page.
pub(crate) fn link(url: &str) -> Markup {
    link_as(url, url)
}

/// The same under another name.
pub(crate) fn link_as(url: &str, shown: &str) -> Markup {
    html! {
        @if is_web(url) {
            a href=(url) rel="noopener noreferrer nofollow" target="_blank" { (shown) }
        } @else {
            span { (shown) }
        }
    }
}

/// Whether an address is one of the web: no script, no data, nothing of this machine.
pub(crate) fn is_web(url: &str) -> bool {
    url::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_web_can_be_clicked() {
        let shown = link("https://a.example/?a=1&b=\"><script>").into_string();
        assert!(
            shown.starts_with("<a href=\"https://a.example/?a=1&amp;b=&quot;&gt;&lt;script&gt;\"")
        );
        for url in [
            "javascript:alert(1)",
            "JAVASCRIPT:alert(1)",
            " javascript:alert(1)",
            "java\nscript:alert(1)",
            "data:text/html,<script>alert(1)</script>",
            "vbscript:x",
            "file:///etc/passwd",
            "//evil.example",
            "/runs",
        ] {
            assert!(!link(url).into_string().contains("href"), "{url:?}");
        }
    }
}
