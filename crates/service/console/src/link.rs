//! Links to crawled sites.

use maud::{Markup, html};

/// A link to an http or https URL; other schemes are shown as text. The target gets no referrer.
pub(crate) fn link(url: &str) -> Markup {
    link_as(url, url)
}

/// A link with another text.
pub(crate) fn link_as(url: &str, shown: &str) -> Markup {
    html! {
        @if is_web(url) {
            a href=(url) rel="noopener noreferrer nofollow" target="_blank" { (shown) }
        } @else {
            span { (shown) }
        }
    }
}

/// Whether the URL is http or https.
pub(crate) fn is_web(url: &str) -> bool {
    url::Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_http_urls_become_links() {
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
