//! A page of the documentation.

/// A heading below the title of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocsHeading {
    /// 2 for the parts of a page, 3 and more for parts of them.
    pub level: u8,
    pub anchor: String,
    pub text: String,
}

/// A page of the documentation.
#[derive(Debug, Clone)]
pub struct DocsPage {
    /// The path on the server, such as `/docs/webhooks`.
    pub url: String,
    pub title: String,
    /// One line about the content; empty for pages that no list has.
    pub about: String,
    /// The Markdown, with root-relative links to other pages.
    pub markdown: String,
    pub html: String,
    pub headings: Vec<DocsHeading>,
}

impl DocsPage {
    /// The Markdown with links to `base`, the public URL of the service without a final slash.
    #[must_use]
    pub fn markdown_at(&self, base: &str) -> String {
        with_base(&self.markdown, base)
    }
}

/// Markdown whose root-relative links to pages are absolute.
pub(crate) fn with_base(markdown: &str, base: &str) -> String {
    markdown.replace("](/docs", &format!("]({base}/docs"))
}
