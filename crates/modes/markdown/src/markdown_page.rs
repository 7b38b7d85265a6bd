//! Reads a page in `markdown` mode: its main content as Markdown, with metadata.

use contract::{Extraction, ExtractionMethod, ExtractionWarning, Heading, TextImage, TextLink};
use urls::CanonicalUrl;

use crate::content::{self, ContentSelection, HeadFeatures, MIN_CONTENT_WORDS};
use crate::content_selectors::ContentSelectors;
use crate::markdown_style::MarkdownStyle;
use crate::repeated::RepeatedBlocks;
use crate::writer::{self, BaseUrl, WriterTarget, WrittenMarkdown};
use crate::{json_ld_text, measure, metadata};
use html::dom::{Builder, Dom};
use html::{budget, charset};
use page::{Page, PageHead, PageLimits, Shell};

/// The main content of a page as Markdown, with metadata.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkdownPage {
    /// The title without the name of the site.
    pub title: Option<String>,
    /// The main content as Markdown.
    pub markdown: String,
    /// The authors, separated by commas.
    pub author: Option<String>,
    /// Publication as a W3C date or datetime.
    pub published_at: Option<String>,
    /// Last change as a W3C date or datetime.
    pub modified_at: Option<String>,
    /// Number of words; markup does not count.
    pub word_count: u64,
    /// Estimated number of language model tokens.
    pub token_estimate: u64,
    pub headings: Vec<Heading>,
    pub links: Vec<TextLink>,
    pub images: Vec<TextImage>,
    /// Hash of the words in 16 hexadecimal digits; markup does not affect it.
    pub content_hash: String,
    /// The extraction method, its warnings and the kept share of the text.
    pub extraction: Extraction,
    /// Fingerprints of all blocks of the page without duplicates, from which a run learns repeated
    /// blocks.
    pub blocks: Vec<u64>,
}

/// Bytes of visible text that are read for [`Page`]: enough to recognise JavaScript shells and bot
/// protection. The content itself is not limited by it.
const PAGE_TEXT_BYTES: usize = 8 * 1_024;

impl MarkdownPage {
    /// Reads the page at `url` in one pass: its links and head as in mode `links`, except for the
    /// statistics of its whole text, and its main content.
    #[must_use]
    pub fn read(
        body: &[u8],
        head: &PageHead<'_>,
        url: &CanonicalUrl,
        limits: &PageLimits,
        repeated: &RepeatedBlocks,
    ) -> (Page, Self) {
        let (style, selectors) = (MarkdownStyle::default(), ContentSelectors::default());
        Self::read_as(style, &selectors, body, head, url, limits, repeated)
    }

    /// Reads the elements of the page at `url` that the selectors choose, and writes them in a style.
    /// Whole pages need no repeated blocks.
    #[must_use]
    pub fn read_as(
        style: MarkdownStyle,
        selectors: &ContentSelectors,
        body: &[u8],
        head: &PageHead<'_>,
        url: &CanonicalUrl,
        limits: &PageLimits,
        repeated: &RepeatedBlocks,
    ) -> (Page, Self) {
        budget::ensure(body.len(), || {
            let html = charset::decode(body, head.content_type);
            let mut builder = Builder::new(&html);
            let limits = PageLimits { text_bytes: PAGE_TEXT_BYTES, ..*limits };
            let page = page::read_page_text(&html, head, url, &limits, &mut builder);
            let dom = builder.finish();
            let base = BaseUrl::of(&dom, url);
            let features = HeadFeatures::read(&dom, url.as_str());
            let part = page::selected_nodes(&dom, &selectors.include, &selectors.exclude);
            let part = part.as_ref().unwrap_or(&dom);
            let selected = match style.main_content {
                _ if !selectors.include.is_empty() => content::select_visible(part, &features),
                true => content::select(part, &features, repeated),
                false => content::select_whole_page(part, &features),
            };
            let target = WriterTarget { base: &base, links: style.links };
            let mut extracted = ExtractedContent::of(part, selected, target);
            let shell = Shell::of(&page, body);
            if shell.is_some_and(|shell| shell.text_chars == 0) {
                extracted = extracted.emptied(target);
            }
            let is_short = extracted.selected.kept_words < u64::from(MIN_CONTENT_WORDS);
            // The JSON-LD has the text of the whole page.
            if (shell.is_some() || is_short) && selectors.is_empty() {
                extracted = extracted.or_json_ld_text(&dom, target);
            }
            let ExtractedContent { selected, written } = extracted;
            let meta = metadata::metadata(&dom, &page);
            let mut warnings = warnings(&selected, &written);
            let mut warn = |is_so, warning| {
                if is_so && !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            };
            warn(dom.truncated, ExtractionWarning::Truncated);
            warn(dom.too_deep, ExtractionWarning::TooDeep);
            warn(shell.is_some(), ExtractionWarning::NeedsJavascript);
            warn(measure::is_badly_decoded(&html), ExtractionWarning::BadEncoding);
            let text = Self {
                title: meta.title,
                author: meta.author,
                published_at: meta.published_at,
                modified_at: meta.modified_at,
                word_count: written.words,
                token_estimate: measure::tokens(&written.markdown),
                content_hash: format!("{:016x}", selected.words_hash),
                markdown: written.markdown,
                headings: written.headings,
                links: written.links,
                images: written.images,
                extraction: Extraction {
                    method: selected.method,
                    kept_ratio: measure::share(selected.kept_words, selected.visible_words),
                    warnings,
                },
                blocks: selected.blocks,
            };
            (page, text)
        })
    }
}

/// Selected content and its Markdown.
#[derive(Debug)]
struct ExtractedContent {
    selected: ContentSelection,
    written: WrittenMarkdown,
}

impl ExtractedContent {
    fn of(dom: &Dom<'_>, selected: ContentSelection, target: WriterTarget<'_>) -> Self {
        let written = writer::write(dom, &selected.selection, selected.kept_words, target);
        Self { selected, written }
    }

    /// Drops the content: the only text of a shell is a loading message and a request to enable
    /// JavaScript.
    fn emptied(self, target: WriterTarget<'_>) -> Self {
        let nothing = Dom::parse("");
        let selected =
            ContentSelection { blocks: self.selected.blocks, ..content::select_all(&nothing) };
        Self::of(&nothing, selected, target)
    }

    /// Uses the text of the JSON-LD if it is much longer than the visible one.
    fn or_json_ld_text(self, dom: &Dom<'_>, target: WriterTarget<'_>) -> Self {
        let Some(html) = json_ld_text::text(dom) else { return self };
        let stated_dom = Dom::parse(&html);
        let selected = content::select_all(&stated_dom);
        let much_more = u64::from(MIN_CONTENT_WORDS).max(2 * self.selected.kept_words);
        if selected.kept_words < much_more {
            return self;
        }
        // Repeated blocks are learned from the visible text.
        let blocks = self.selected.blocks;
        Self::of(
            &stated_dom,
            ContentSelection { method: ExtractionMethod::Stated, blocks, ..selected },
            target,
        )
    }
}

fn warnings(selected: &ContentSelection, written: &WrittenMarkdown) -> Vec<ExtractionWarning> {
    let mut warnings = selected.warnings.clone();
    let more = written.warnings.iter().filter(|warning| !selected.warnings.contains(warning));
    warnings.extend(more);
    warnings
}

#[cfg(test)]
mod tests;
