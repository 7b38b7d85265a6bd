//! Reads pages and plain texts of a run.

use std::any::Any;

use contract::{ExtractionMethod, LinkType, Mode};
use crawl::{AnyContent, ModeContent, PageExtractor, PageRead, PageSource};

use crate::markdown_page::MarkdownPage;
use crate::plain_text::{is_plain_text, read_plain_text};
use crate::repeated::RepeatedBlocks;

/// Bytes of an encoded block: its fingerprint and its share.
const BLOCK_BYTES: usize = 9;

/// The byte after the blocks of an encoded extractor that reads whole pages.
const WHOLE_PAGES: &[u8] = &[0];

/// Reads pages with one version of the site's repeated blocks, or whole pages.
#[derive(Debug, Default)]
pub struct MarkdownExtractor {
    repeated: RepeatedBlocks,
    whole_pages: bool,
}

impl MarkdownExtractor {
    /// Selects the main content of pages.
    #[must_use]
    pub fn new(repeated: RepeatedBlocks) -> Self {
        Self { repeated, whole_pages: false }
    }

    /// Reads whole pages without navigation and footer, for `main_content: false`.
    #[must_use]
    pub fn of_whole_pages() -> Self {
        Self { repeated: RepeatedBlocks::default(), whole_pages: true }
    }

    #[must_use]
    pub fn repeated_blocks(&self) -> &RepeatedBlocks {
        &self.repeated
    }

    /// Decodes an extractor that another process sent; `None` if the bytes are damaged.
    #[must_use]
    pub fn decode(encoded: &[u8]) -> Option<Self> {
        let (blocks, rest) = encoded.as_chunks::<BLOCK_BYTES>();
        let shares = blocks.iter().map(|[block @ .., share]| (u64::from_le_bytes(*block), *share));
        let repeated = RepeatedBlocks::new(shares);
        let whole_pages = rest == WHOLE_PAGES;
        (rest.is_empty() || whole_pages).then_some(Self { repeated, whole_pages })
    }
}

impl PageExtractor for MarkdownExtractor {
    fn read(&self, source: &PageSource<'_>) -> Option<PageRead> {
        let PageSource { kind, body, head, url, limits } = *source;
        let (page, text) = match kind {
            LinkType::Page if self.whole_pages => MarkdownPage::read_whole(body, head, url, limits),
            LinkType::Page => MarkdownPage::read(body, head, url, limits, &self.repeated),
            LinkType::Image | LinkType::File | LinkType::Other
                if is_plain_text(head.content_type, body, url.path()) =>
            {
                read_plain_text(body, head, url.path())
            }
            _ => return None,
        };
        Some(PageRead { page: Some(page), content: Box::new(MarkdownContent::of(text)) })
    }

    fn mode(&self) -> Mode {
        Mode::Markdown
    }

    fn encode(&self) -> Vec<u8> {
        let mut blocks: Vec<_> = self.repeated.shares().collect();
        blocks.sort_unstable();
        let bytes = |(block, share): (u64, u8)| block.to_le_bytes().into_iter().chain([share]);
        let end = if self.whole_pages { WHOLE_PAGES } else { &[] };
        blocks.into_iter().flat_map(bytes).chain(end.iter().copied()).collect()
    }
}

/// The text of a page, until an item is made of it, and the blocks from which the run learns.
#[derive(Debug, Clone)]
pub(crate) struct MarkdownContent {
    pub text: Option<Box<MarkdownPage>>,
    pub blocks: Vec<u64>,
}

impl MarkdownContent {
    fn of(mut text: MarkdownPage) -> Self {
        let blocks = std::mem::take(&mut text.blocks);
        Self { text: Some(Box::new(text)), blocks }
    }

    pub fn of_page(content: &AnyContent) -> Option<&Self> {
        (content as &dyn Any).downcast_ref()
    }

    pub fn of_page_mut(content: &mut AnyContent) -> Option<&mut Self> {
        (content as &mut dyn Any).downcast_mut()
    }
}

impl ModeContent for MarkdownContent {
    /// A plain text needs no JavaScript.
    fn is_complete(&self) -> bool {
        let method = self.text.as_ref().map(|text| text.extraction.method);
        method == Some(ExtractionMethod::PlainText)
    }

    fn text(&self) -> Option<&str> {
        self.text.as_ref().map(|text| text.markdown.as_str())
    }

    fn bytes(&self) -> usize {
        self.text.as_ref().map_or(0, |text| {
            text.markdown.len() + 100 * (text.links.len() + text.images.len() + text.headings.len())
        })
    }

    fn clone_boxed(&self) -> Box<AnyContent> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_extractor_is_decoded_with_its_blocks() {
        let extractor = MarkdownExtractor::new(RepeatedBlocks::new([(u64::MAX, 255), (3, 7)]));
        let encoded = extractor.encode();
        let decoded = MarkdownExtractor::decode(&encoded).expect("it decodes");
        assert_eq!(decoded.repeated, extractor.repeated);
        assert!(MarkdownExtractor::decode(&encoded[1..]).is_none(), "truncated");
        let whole = MarkdownExtractor::of_whole_pages();
        let decoded = MarkdownExtractor::decode(&whole.encode()).expect("it decodes");
        assert!(decoded.whole_pages && !extractor.whole_pages);
    }
}
