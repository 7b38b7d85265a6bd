//! What every mode knows of a page: title, description, canonical, robots directives, links.

use urls::CanonicalUrl;

use crate::link::Outlink;

/// Limits for reading a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimits {
    /// Maximum number of distinct links.
    pub links: usize,
    /// Maximum bytes of the title and of the first `h1`.
    pub title_bytes: usize,
    /// Maximum bytes of the description.
    pub description_bytes: usize,
    /// Maximum bytes of an anchor text.
    pub anchor_bytes: usize,
    /// Whether images and media are collected as links.
    pub images: bool,
    /// Bytes of visible text that are read for word count, length and hash.
    pub text_bytes: usize,
}

impl Default for PageLimits {
    fn default() -> Self {
        Self {
            links: 5_000,
            title_bytes: 1_024,
            description_bytes: 2_048,
            anchor_bytes: 200,
            images: true,
            text_bytes: usize::MAX,
        }
    }
}

/// The data that was read from a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The content of the `title` element.
    pub title: Option<String>,
    /// The content of the description `<meta>`.
    pub description: Option<String>,
    /// The first `h1` with a text.
    pub h1: Option<String>,
    /// The declared canonical URL.
    pub canonical: Option<CanonicalUrl>,
    /// `hreflang` alternates: a normalised language tag or `x-default`, and the URL. One URL may
    /// serve several languages.
    pub alternates: Vec<(String, CanonicalUrl)>,
    /// The declared language of the document, as written.
    pub language: Option<String>,
    /// A robots directive asks not to index the page.
    pub noindex: bool,
    /// A robots directive asks not to follow the links of the page.
    pub nofollow: bool,
    /// The links of the page, each URL once.
    pub links: Vec<Outlink>,
    /// The anchor texts of all links; see [`Page::anchor`].
    pub anchors: String,
    /// The page has more links than the limit.
    pub links_truncated: bool,
    /// Words of the visible text, up to the limit.
    pub word_count: u64,
    /// Characters of the visible text with collapsed white space; a lower bound for long texts.
    pub text_chars: u64,
    /// Hash of the visible text in 16 hexadecimal digits; markup does not affect it.
    pub content_hash: String,
}

impl Page {
    /// The anchor text of a link: the first one that is not empty.
    #[must_use]
    pub fn anchor(&self, link: &Outlink) -> &str {
        link.anchor.of(&self.anchors)
    }
}
