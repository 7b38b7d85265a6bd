//! Segmentation of a page into text blocks.
//!
//! One walk over the DOM. A block ends at the start or end of a block element and at a line break,
//! and belongs to the lowest element that contains all its text. Hidden text is included; whether
//! it is hidden is a property of the block. All work is bounded by the number of nodes at any
//! depth.

use html::dom::{Dom, Element, NodeId};

use super::attribute_words::{AttributeValue, AttributeWords};
use super::text_stats::TextStats;

mod attributes;
mod element_kind;
mod shortcode;
mod walk;

pub(crate) use element_kind::{TextFlow, is_one_text};

/// Maximum number of blocks; text after them is ignored.
pub(crate) const MAX_BLOCKS: usize = 200_000;

/// Why an element is not visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub(crate) enum HiddenBy {
    #[default]
    No,
    /// By the `hidden` attribute.
    Attribute,
    /// By `display:none` or `visibility:hidden` in its `style`.
    Style,
    /// By `aria-hidden`: hidden from screen readers only.
    Aria,
    /// By `noscript`: visible only with scripts disabled.
    Noscript,
}

/// An element that may contain text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextContainer {
    pub node: NodeId,
    /// Index of the parent container; the first one is its own.
    pub parent: u32,
    pub element: Element,
    pub depth: u16,
    pub hidden: HiddenBy,
    pub class: AttributeValue,
    pub id: AttributeValue,
    pub role: AttributeValue,
    /// Words of `itemprop`, `aria-label` or a test id.
    pub label: AttributeValue,
}

/// A run of text that is selected as a whole.
#[derive(Debug, Clone)]
pub(crate) struct TextBlock {
    /// The lowest container of all its text.
    pub container: u32,
    pub stats: TextStats,
    /// Its range in `Segmentation::texts`.
    pub texts: (u32, u32),
    /// The range of its word hashes in `Segmentation::hashes`.
    pub hashes: (u32, u32),
    /// Number of text nodes with words.
    pub pieces: u32,
    /// Hash of its text, equal on all pages of a site.
    pub fingerprint: u64,
    /// Depth of the lowest common ancestor with the heading before it.
    pub with_heading: u16,
}

/// The blocks of a page and their containers.
#[derive(Debug, Default)]
pub(crate) struct Segmentation<'a> {
    pub containers: Vec<TextContainer>,
    pub blocks: Vec<TextBlock>,
    /// The text nodes of the page in order. Nodes between those of two blocks are blank or have no
    /// words.
    pub texts: Vec<NodeId>,
    pub hashes: Vec<u32>,
    pub attributes: AttributeWords<'a>,
    /// Number of elements by name.
    pub element_counts: Vec<u32>,
    /// The page has more blocks than [`MAX_BLOCKS`].
    pub truncated: bool,
}

impl<'a> Segmentation<'a> {
    pub fn of(dom: &Dom<'a>) -> Self {
        walk::SegmentationWalk::new(dom).run()
    }

    pub fn container(&self, at: u32) -> &TextContainer {
        &self.containers[at as usize]
    }

    /// The container and its ancestors, nearest first.
    pub fn upwards(&self, at: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(at), |at| (*at != 0).then(|| self.container(*at).parent))
    }

    pub fn block_hashes(&self, block: &TextBlock) -> &[u32] {
        self.hashes.get(block.hashes.0 as usize..block.hashes.1 as usize).unwrap_or_default()
    }

    #[cfg(any(test, feature = "training"))]
    pub fn block_texts(&self, block: &TextBlock) -> &[NodeId] {
        self.texts.get(block.texts.0 as usize..block.texts.1 as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
