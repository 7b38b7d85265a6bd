//! A page as `markdown` mode delivers it: what a reader came for, and nothing else.

#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the extraction of content is being built upon it")
)]
pub(crate) mod metadata;
#[expect(dead_code, reason = "the extraction of content is being built upon it")]
pub(crate) mod selection;
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the extraction of content is being built upon it")
)]
pub(crate) mod writer;

use contract::{Extraction, Heading, TextImage, TextLink};
use site::CanonicalUrl;

use crate::{Page, PageHead, PageLimits};

/// What the pages of one site have in common: blocks that stand on many of them.
/// A frozen version of it goes along with every page that is read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RepeatedBlocks {
    /// By fingerprint, on how many of the pages a block stands, in 255ths.
    shares: hashbrown::HashMap<u64, u8>,
}

impl RepeatedBlocks {
    /// Of blocks and the share of the pages on which each stands, in 255ths.
    #[must_use]
    pub fn new(shares: impl IntoIterator<Item = (u64, u8)>) -> Self {
        Self { shares: shares.into_iter().collect() }
    }

    /// The share of the pages that hold this block, from 0 to 1.
    #[must_use]
    pub fn share(&self, block: u64) -> f32 {
        self.shares.get(&block).map_or(0.0, |share| f32::from(*share) / 255.0)
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shares.is_empty()
    }
}

/// The text of a page and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkdownPage {
    /// The page's own title, without the name of the site.
    pub title: Option<String>,
    /// The main content.
    pub markdown: String,
    /// Who wrote it.
    pub author: Option<String>,
    /// A W3C date or date and time.
    pub published_at: Option<String>,
    /// The same of its last change.
    pub modified_at: Option<String>,
    /// Words of the text.
    pub word_count: u64,
    /// About how many tokens a language model makes of it.
    pub token_estimate: u64,
    pub headings: Vec<Heading>,
    pub links: Vec<TextLink>,
    pub images: Vec<TextImage>,
    /// The words of the text in 16 hexadecimal digits; markup does not count.
    pub content_hash: String,
    /// How it was made.
    pub extraction: Extraction,
    /// Fingerprints of the blocks of the page, each once, kept or not: what a run learns
    /// repeated blocks from.
    pub blocks: Vec<u64>,
}

impl MarkdownPage {
    /// Reads the page that was found at `url`: what a `links` run would know of it, and its
    /// text. The bytes are gone through once for both.
    #[must_use]
    pub fn read(
        body: &[u8],
        head: &PageHead<'_>,
        url: &CanonicalUrl,
        limits: &PageLimits,
        repeated: &RepeatedBlocks,
    ) -> (Page, Self) {
        let _ = repeated;
        let page = Page::read(body, head, url, limits);
        let html = crate::charset::decode(body, head.content_type);
        let markdown = crate::text::Collapsed::of(&html, usize::MAX);
        let text = Self {
            title: page.title.clone(),
            author: None,
            published_at: None,
            modified_at: None,
            word_count: page.word_count,
            token_estimate: page.word_count,
            headings: Vec::new(),
            links: Vec::new(),
            images: Vec::new(),
            content_hash: page.content_hash.clone(),
            extraction: Extraction {
                method: contract::ExtractionMethod::Visible,
                kept_ratio: 1.0,
                warnings: Vec::new(),
            },
            blocks: Vec::new(),
            markdown,
        };
        (page, text)
    }
}
