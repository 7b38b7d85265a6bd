//! The item of a page in `markdown` mode.

use contract::MarkdownItem;
use page::{FetchContext, Page};
use urls::CanonicalUrl;

use crate::markdown_page::MarkdownPage;

impl MarkdownPage {
    /// The item of a page in `markdown` mode.
    #[must_use]
    pub fn into_item(self, page: &Page, fetched: FetchContext) -> MarkdownItem {
        MarkdownItem {
            url: fetched.url,
            title: self.title,
            markdown: self.markdown,
            final_url: fetched.final_url,
            canonical_url: page.canonical.as_ref().map(CanonicalUrl::to_string),
            description: page.description.clone(),
            language: fetched.language,
            author: self.author,
            published_at: self.published_at,
            modified_at: self.modified_at,
            depth: fetched.depth,
            status_code: fetched.status_code,
            word_count: self.word_count,
            token_estimate: self.token_estimate,
            headings: self.headings,
            links: self.links,
            images: self.images,
            content_hash: self.content_hash,
            extraction: self.extraction,
            rendered: fetched.rendered,
            fetched_at: fetched.fetched_at,
            files: None,
        }
    }
}
