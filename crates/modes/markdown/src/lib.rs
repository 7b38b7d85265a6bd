//! A page as `markdown` mode delivers it: what a reader came for, and nothing else.
//!
//! The bytes are gone through once: for the links of the page and for its tree. What is
//! content is chosen of the tree, and written as Markdown.

use contract::{Extraction, ExtractionMethod, ExtractionWarning, Heading, TextImage, TextLink};
use urls::CanonicalUrl;

use content::{About, Choice, FEW_WORDS};
use html::dom::{Builder, Dom};
use html::{budget, charset};
use page::{Page, PageHead, PageLimits, Shell};

mod content;
mod item;
pub(crate) mod measure;
mod metadata;
mod plain_text;
mod repeated;
pub(crate) mod selection;
mod stated;
mod writer;

#[cfg(feature = "training")]
#[doc(hidden)]
pub use content::training;
pub use plain_text::{is_plain_text, names_plain_text, read_plain_text};
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
        budget::ensure(body.len(), || Self::read_within_budget(body, head, url, limits, repeated))
    }

    fn read_within_budget(
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
        let base = Base::of(&dom, url);
        let choice = content::choose(&dom, &About::read(&dom, url.as_str()), repeated);
        let mut made = Made::of(&dom, choice, &base);
        let shell = Shell::of(&page, body);
        if shell.is_some_and(|shell| shell.text_chars == 0) {
            made = made.emptied(&base);
        }
        if shell.is_some() || made.choice.kept_words < u64::from(FEW_WORDS) {
            made = made.or_stated(&dom, &base);
        }
        let Made { choice, written } = made;
        let said = metadata::metadata(&dom, &page);
        let mut warnings = warnings(&choice, &written);
        let mut warn = |is_so, warning| {
            if is_so && !warnings.contains(&warning) {
                warnings.push(warning);
            }
        };
        warn(dom.truncated, ExtractionWarning::Truncated);
        warn(dom.too_deep, ExtractionWarning::TooDeep);
        warn(shell.is_some(), ExtractionWarning::NeedsJavascript);
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

/// A text as it was chosen and written.
#[derive(Debug)]
struct Made {
    choice: Choice,
    written: Written,
}

impl Made {
    fn of(dom: &Dom<'_>, choice: Choice, base: &Base) -> Self {
        let written = writer::write(dom, &choice.selection, choice.kept_words, base);
        Self { choice, written }
    }

    /// Nothing: what a shell without a text has is a word that it is being loaded, and the plea
    /// to turn scripts on.
    fn emptied(self, base: &Base) -> Self {
        let nothing = Dom::parse("");
        let choice = Choice { blocks: self.choice.blocks, ..content::choose_all(&nothing) };
        Self::of(&nothing, choice, base)
    }

    /// What the page states, where that is much more than what it shows.
    fn or_stated(self, dom: &Dom<'_>, base: &Base) -> Self {
        let Some(html) = stated::text(dom) else { return self };
        let stated = Dom::parse(&html);
        let choice = content::choose_all(&stated);
        let much_more = u64::from(FEW_WORDS).max(2 * self.choice.kept_words);
        if choice.kept_words < much_more {
            return self;
        }
        // What repeats on the pages of a site is learned from what they show.
        let blocks = self.choice.blocks;
        Self::of(&stated, Choice { method: ExtractionMethod::Stated, blocks, ..choice }, base)
    }
}

fn warnings(choice: &Choice, written: &Written) -> Vec<ExtractionWarning> {
    let mut warnings = choice.warnings.clone();
    let more = written.warnings.iter().filter(|warning| !choice.warnings.contains(warning));
    warnings.extend(more);
    warnings
}

#[cfg(test)]
mod tests;
