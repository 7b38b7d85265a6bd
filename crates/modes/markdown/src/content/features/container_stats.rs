//! Aggregates of the blocks of each container.

use html::dom::Element;
use html::element_set;

use super::super::segmentation::{Segmentation, TextBlock};

/// Sums over the blocks within a container.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ContainerStats {
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

impl ContainerStats {
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
pub(crate) fn block_element(segmentation: &Segmentation<'_>, block: &TextBlock) -> Element {
    let texts = element_set!(
        P Li H1 H2 H3 H4 H5 H6 Td Th Pre Dt Dd Figcaption Blockquote Summary Button Label
    );
    let groups = element_set!(Div Section Article Ul Ol Table Tr Body Main);
    for above in segmentation.upwards(block.container).take(4) {
        let element = segmentation.container(above).element;
        if texts.contains(element) {
            return element;
        }
        if groups.contains(element) {
            break;
        }
    }
    Element::Div
}

/// The number of words of a block that are prose.
pub(crate) fn prose(block: &TextBlock, element: Element) -> f32 {
    let stats = &block.stats;
    let is_prose = matches!(element, Element::P | Element::Pre | Element::Blockquote)
        || (stats.words > 15 && stats.sentence_ends > 0);
    if is_prose { (stats.words - stats.link_words) as f32 } else { 0.0 }
}

/// The statistics of all containers; `elements` are those of the blocks.
pub(crate) fn container_stats(
    segmentation: &Segmentation<'_>,
    elements: &[Element],
) -> Vec<ContainerStats> {
    let mut container_stats = vec![ContainerStats::default(); segmentation.containers.len()];
    for ((block, element), at) in segmentation.blocks.iter().zip(elements).zip(0..) {
        container_stats[block.container as usize].add(&ContainerStats {
            words: block.stats.words as f32,
            link_words: block.stats.link_words as f32,
            blocks: 1.0,
            prose: prose(block, *element),
            headings: if element.heading_level().is_some() { 1.0 } else { 0.0 },
            first: at,
            end: at + 1,
        });
    }
    // Parents precede their children: in reverse order every sum is complete when it is added.
    for at in (1..container_stats.len()).rev() {
        let own = container_stats[at];
        container_stats[segmentation.containers[at].parent as usize].add(&own);
    }
    container_stats
}
