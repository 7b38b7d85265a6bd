//! Aggregates of the blocks of each container.

use html::dom::Element;

use super::super::segmentation::{Block, Outline};

/// Sums over the blocks within a container.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Holding {
    pub words: f32,
    pub link_words: f32,
    pub blocks: f32,
    /// Words of prose outside of links.
    pub prose: f32,
    pub headings: f32,
    pub first: u32,
    /// Index just after the last block.
    pub end: u32,
}

impl Holding {
    fn add(&mut self, other: &Self) {
        if other.blocks == 0.0 {
            return;
        }
        self.first = if self.blocks == 0.0 { other.first } else { self.first.min(other.first) };
        self.end = self.end.max(other.end);
        self.words += other.words;
        self.link_words += other.link_words;
        self.blocks += other.blocks;
        self.prose += other.prose;
        self.headings += other.headings;
    }

    pub fn link_density(&self) -> f32 {
        self.link_words / self.words.max(1.0)
    }
}

/// The element that determines the role of a block.
pub(crate) fn block_element(outline: &Outline<'_>, block: &Block) -> Element {
    use Element as E;
    for above in outline.upwards(block.container).take(4) {
        match outline.container(above).element {
            element @ (E::P
            | E::Li
            | E::H1
            | E::H2
            | E::H3
            | E::H4
            | E::H5
            | E::H6
            | E::Td
            | E::Th
            | E::Pre
            | E::Dt
            | E::Dd
            | E::Figcaption
            | E::Blockquote
            | E::Summary
            | E::Button
            | E::Label) => return element,
            E::Div
            | E::Section
            | E::Article
            | E::Ul
            | E::Ol
            | E::Table
            | E::Tr
            | E::Body
            | E::Main => return E::Div,
            _ => {}
        }
    }
    E::Div
}

/// The number of words of a block that are prose.
pub(crate) fn prose(block: &Block, element: Element) -> f32 {
    let wording = &block.wording;
    let is_prose = matches!(element, Element::P | Element::Pre | Element::Blockquote)
        || (wording.words > 15 && wording.sentence_ends > 0);
    if is_prose { (wording.words - wording.link_words) as f32 } else { 0.0 }
}

/// The statistics of all containers; `elements` are those of the blocks.
pub(crate) fn holdings(outline: &Outline<'_>, elements: &[Element]) -> Vec<Holding> {
    let mut holdings = vec![Holding::default(); outline.containers.len()];
    for ((block, element), at) in outline.blocks.iter().zip(elements).zip(0..) {
        holdings[block.container as usize].add(&Holding {
            words: block.wording.words as f32,
            link_words: block.wording.link_words as f32,
            blocks: 1.0,
            prose: prose(block, *element),
            headings: if element.heading_level().is_some() { 1.0 } else { 0.0 },
            first: at,
            end: at + 1,
        });
    }
    // Parents precede their children: in reverse order every sum is complete when it is added.
    for at in (1..holdings.len()).rev() {
        let own = holdings[at];
        holdings[outline.containers[at].parent as usize].add(&own);
    }
    holdings
}
