//! Reads pages and plain texts of a run.

use std::any::Any;

use contract::{ExtractionMethod, LinkType, Mode};
use crawl::{AnyContent, ModeContent, PageExtractor, PageRead, PageSource};

use crate::content_selectors::ContentSelectors;
use crate::markdown_page::MarkdownPage;
use crate::markdown_style::MarkdownStyle;
use crate::plain_text::{is_plain_text, read_plain_text};
use crate::repeated::RepeatedBlocks;

/// Bytes of an encoded block: its fingerprint and its share.
const BLOCK_BYTES: usize = 9;

/// Reads pages with one version of the site's repeated blocks, or whole pages.
#[derive(Debug, Default)]
pub struct MarkdownExtractor {
    repeated: RepeatedBlocks,
    style: MarkdownStyle,
    selectors: ContentSelectors,
}

impl MarkdownExtractor {
    /// Whole pages are read without repeated blocks.
    #[must_use]
    pub fn new(repeated: RepeatedBlocks, style: MarkdownStyle) -> Self {
        let repeated = if style.main_content { repeated } else { RepeatedBlocks::default() };
        Self { repeated, style, selectors: ContentSelectors::default() }
    }

    /// The same for the elements that these selectors choose.
    #[must_use]
    pub fn with_selectors(self, selectors: ContentSelectors) -> Self {
        Self { selectors, ..self }
    }

    #[must_use]
    pub fn repeated_blocks(&self) -> &RepeatedBlocks {
        &self.repeated
    }

    /// Decodes an extractor that another process sent; `None` if the bytes are damaged.
    #[must_use]
    pub fn decode(encoded: &[u8]) -> Option<Self> {
        let (code, mut rest) = encoded.split_first()?;
        let style = MarkdownStyle::of_code(*code)?;
        let selectors = ContentSelectors::decode(&mut rest)?;
        let (blocks, []) = rest.as_chunks::<BLOCK_BYTES>() else { return None };
        let shares = blocks.iter().map(|[block @ .., share]| (u64::from_le_bytes(*block), *share));
        Some(Self { repeated: RepeatedBlocks::new(shares), style, selectors })
    }
}

impl PageExtractor for MarkdownExtractor {
    fn read(&self, source: &PageSource<'_>) -> Option<PageRead> {
        let PageSource { kind, body, head, url, limits } = *source;
        let (page, text) = match kind {
            LinkType::Page => {
                let (style, repeated) = (self.style, &self.repeated);
                MarkdownPage::read_as(style, &self.selectors, body, head, url, limits, repeated)
            }
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
        let mut encoded = vec![self.style.code()];
        self.selectors.encode(&mut encoded);
        encoded.extend(blocks.into_iter().flat_map(bytes));
        encoded
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
    use contract::MarkdownLinks;

    use super::*;

    #[test]
    fn encoded_extractor_is_decoded_with_its_blocks() {
        let blocks = RepeatedBlocks::new([(u64::MAX, 255), (3, 7)]);
        let extractor = MarkdownExtractor::new(blocks, MarkdownStyle::default());
        let encoded = extractor.encode();
        let decoded = MarkdownExtractor::decode(&encoded).expect("it decodes");
        assert_eq!(decoded.repeated, extractor.repeated);
        assert!(MarkdownExtractor::decode(&encoded[1..]).is_none(), "truncated");
        for (main_content, links) in [
            (false, MarkdownLinks::Inline),
            (true, MarkdownLinks::Reference),
            (false, MarkdownLinks::None),
        ] {
            let style = MarkdownStyle { main_content, links };
            let blocks = RepeatedBlocks::new([(3, 7)]);
            let options = contract::Options {
                include_selectors: vec!["article".to_owned(), ".über > p".to_owned()],
                exclude_selectors: vec![".share".to_owned()],
                ..contract::Options::default()
            };
            let selectors = ContentSelectors::of(&options);
            let extractor = MarkdownExtractor::new(blocks, style).with_selectors(selectors.clone());
            let decoded = MarkdownExtractor::decode(&extractor.encode()).expect("it decodes");
            assert_eq!(decoded.style, style);
            assert_eq!(decoded.selectors, selectors);
            assert_eq!(decoded.repeated, extractor.repeated);
        }
        assert!(MarkdownExtractor::decode(&[99]).is_none(), "unknown style");
    }
}
