//! A page as `markdown` mode delivers it: what a reader came for, and nothing else.
//!
//! The bytes are gone through once: for the links of the page and for its tree. What is
//! content is chosen of the tree, and written as Markdown.

use contract::{Extraction, ExtractionWarning, Heading, TextImage, TextLink};
use site::CanonicalUrl;

use crate::content::{self, About, Choice};
use crate::dom::Builder;
use crate::{Page, PageHead, PageLimits, charset};

pub(crate) mod measure;
mod metadata;
mod repeated;
pub(crate) mod selection;
mod writer;

pub use repeated::RepeatedBlocks;
use writer::{Base, Written};

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

/// Bytes of the visible text that the page itself is read for: enough to tell one that says
/// something from one that does not. The rest is read for the sake of the content alone.
const TELLING_BYTES: usize = 8 * 1_024;

impl MarkdownPage {
    /// Reads the page that was found at `url`: what a `links` run would know of it, apart from
    /// its text as a whole, and its content. The bytes are gone through once for both.
    #[must_use]
    pub fn read(
        body: &[u8],
        head: &PageHead<'_>,
        url: &CanonicalUrl,
        limits: &PageLimits,
        repeated: &RepeatedBlocks,
    ) -> (Page, Self) {
        let html = charset::decode(body, head.content_type);
        let mut builder = Builder::new(&html);
        let limits = PageLimits { text_bytes: TELLING_BYTES, ..*limits };
        let page = Page::read_text(&html, head, url, &limits, &mut builder);
        let dom = builder.finish();
        let choice = content::choose(&dom, &About::read(&dom, url.as_str()), repeated);
        let base = Base::of(&dom, url);
        let written = writer::write(&dom, &choice.selection, choice.kept_words, &base);
        let said = metadata::metadata(&dom, &page);
        let mut warnings = warnings(&choice, &written);
        let mut warn = |is_so, warning| {
            if is_so && !warnings.contains(&warning) {
                warnings.push(warning);
            }
        };
        warn(dom.truncated, ExtractionWarning::Truncated);
        warn(dom.too_deep, ExtractionWarning::TooDeep);
        warn(measure::is_garbled(&html), ExtractionWarning::BadEncoding);
        let text = Self {
            title: said.title,
            author: said.author,
            published_at: said.published_at,
            modified_at: said.modified_at,
            word_count: written.words,
            token_estimate: measure::tokens(&written.markdown),
            content_hash: format!("{:016x}", choice.words_hash),
            markdown: written.markdown,
            headings: written.headings,
            links: written.links,
            images: written.images,
            extraction: Extraction {
                method: choice.method,
                kept_ratio: measure::share(choice.kept_words, choice.visible_words),
                warnings,
            },
            blocks: choice.blocks,
        };
        (page, text)
    }
}

fn warnings(choice: &Choice, written: &Written) -> Vec<ExtractionWarning> {
    let mut warnings = choice.warnings.clone();
    let more = written.warnings.iter().filter(|warning| !choice.warnings.contains(warning));
    warnings.extend(more);
    warnings
}
