//! A page as blocks: runs of text that stand or fall together.
//!
//! One walk over the tree. A block ends where a block element begins or ends and at a line
//! break, and belongs to the lowest element that holds all its text. Hidden text is not
//! left out: whether it is hidden is a property of the block. Every step is bounded by the
//! number of nodes, whatever their nesting.

use html::dom::{Dom, Element, NodeId};

use super::attribute_words::{AttributeWords, Value};
use super::wording::Wording;

mod attributes;
mod element_kind;
mod walk;

pub(crate) use element_kind::{TextFlow, is_one_text};

/// The most blocks that a page has; what stands behind them is not looked at.
pub(crate) const MAX_BLOCKS: usize = 200_000;

/// Why an element does not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub(crate) enum Hidden {
    #[default]
    No,
    /// By its attribute.
    Attribute,
    /// By its style.
    Style,
    /// Only for those who listen to the page.
    Listeners,
    /// It shows where scripts do not run.
    Scripts,
}

/// An element that may hold text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Container {
    pub node: NodeId,
    /// The container above; the first is its own.
    pub parent: u32,
    pub element: Element,
    pub depth: u16,
    pub hidden: Hidden,
    pub class: Value,
    pub id: Value,
    pub role: Value,
    /// What it is called for machines or for those who listen.
    pub label: Value,
}

/// A run of text.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    /// The lowest container of all its text.
    pub container: u32,
    pub wording: Wording,
    /// Its texts, as places in `Outline::texts`.
    pub texts: (u32, u32),
    /// The hashes of its words, as places in `Outline::hashes`.
    pub hashes: (u32, u32),
    /// How many texts with words it consists of.
    pub pieces: u32,
    /// A hash of its text.
    pub fingerprint: u64,
    /// How much of the way from the body it shares with the last heading before, in levels.
    pub with_heading: u16,
}

/// The blocks of a page and the containers around them.
#[derive(Debug, Default)]
pub(crate) struct Outline<'a> {
    pub containers: Vec<Container>,
    pub blocks: Vec<Block>,
    /// The texts of the page in order. What lies between the texts of two blocks is blank,
    /// or signs without a word.
    pub texts: Vec<NodeId>,
    pub hashes: Vec<u32>,
    pub attributes: AttributeWords<'a>,
    /// How many elements of each name there are.
    pub element_counts: Vec<u32>,
    /// Blocks were left out.
    pub truncated: bool,
}

impl<'a> Outline<'a> {
    pub fn of(dom: &Dom<'a>) -> Self {
        walk::Walk::new(dom).run()
    }

    pub fn container(&self, at: u32) -> &Container {
        &self.containers[at as usize]
    }

    /// The container and those above it, the nearest first.
    pub fn upwards(&self, at: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(at), |at| (*at != 0).then(|| self.container(*at).parent))
    }

    pub fn block_hashes(&self, block: &Block) -> &[u32] {
        self.hashes.get(block.hashes.0 as usize..block.hashes.1 as usize).unwrap_or_default()
    }

    #[cfg(any(test, feature = "training"))]
    pub fn block_texts(&self, block: &Block) -> &[NodeId] {
        self.texts.get(block.texts.0 as usize..block.texts.1 as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
