//! How a page of a `markdown` run was met: what its item needs besides what stands on it.

use contract::{MarkdownItem, Millis};
use site::CanonicalUrl;

use crate::{MarkdownPage, Page};

/// Where, when and how a page was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// The address that it is known by.
    pub url: String,
    /// Where it led, when that differs.
    pub final_url: Option<String>,
    /// Clicks from the start.
    pub depth: Option<u32>,
    pub status_code: u16,
    /// The language that it was judged to be in.
    pub language: Option<String>,
    /// It was read as a browser shows it.
    pub rendered: bool,
    pub fetched_at: Millis,
}

impl Sighting {
    /// The item of a page.
    #[must_use]
    pub fn item(self, page: &Page, text: MarkdownPage) -> MarkdownItem {
        MarkdownItem {
            url: self.url,
            title: text.title,
            markdown: text.markdown,
            final_url: self.final_url,
            canonical_url: page.canonical.as_ref().map(CanonicalUrl::to_string),
            description: page.description.clone(),
            language: self.language,
            author: text.author,
            published_at: text.published_at,
            modified_at: text.modified_at,
            depth: self.depth,
            status_code: self.status_code,
            word_count: text.word_count,
            token_estimate: text.token_estimate,
            headings: text.headings,
            links: text.links,
            images: text.images,
            content_hash: text.content_hash,
            extraction: text.extraction,
            rendered: self.rendered,
            fetched_at: self.fetched_at,
        }
    }
}
