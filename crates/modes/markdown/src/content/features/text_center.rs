//! The text center of a page: the container with the highest text density, and the one with most of
//! the prose.

use html::dom::Element;

use super::super::segmentation::Segmentation;
use super::container_stats::ContainerStats;

/// Weight of the words of a block for its ancestors, nearest first.
const LEVELS: [f32; 5] = [1.0, 1.0 / 2.0, 1.0 / 4.0, 1.0 / 6.0, 1.0 / 8.0];

/// Share of the prose of a page that counts as most of it.
const MOST: f32 = 0.6;

/// A container from which the position of blocks is measured.
#[derive(Debug)]
pub(crate) struct TextCenter {
    depth: u16,
    /// Its share of the words of the page.
    pub share: f32,
    pub first: u32,
    /// Index just after its last block.
    pub end: u32,
    /// For each container: the depth below the body of its lowest common ancestor with the center.
    common: Vec<u16>,
}

/// The position of a block relative to a center.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CenterOffset {
    /// Levels from the center up to the lowest common ancestor, and down to the block.
    pub up: f32,
    pub down: f32,
    /// 0 inside, 1 before, 2 after.
    pub side: f32,
    /// Number of blocks in between.
    pub gap: f32,
}

impl TextCenter {
    fn at(
        segmentation: &Segmentation<'_>,
        container_stats: &[ContainerStats],
        container: u32,
    ) -> Self {
        let mut on_way = vec![false; container_stats.len()];
        for above in segmentation.upwards(container) {
            on_way[above as usize] = true;
        }
        let mut common = vec![0_u16; container_stats.len()];
        for at in 1..common.len() {
            let above = &segmentation.containers[at];
            common[at] = if on_way[at] { above.depth } else { common[above.parent as usize] };
        }
        let stats = &container_stats[container as usize];
        let total = container_stats.first().map_or(1.0, |body| body.words.max(1.0));
        Self {
            depth: segmentation.container(container).depth,
            share: stats.words / total,
            first: stats.first,
            end: stats.end,
            common,
        }
    }

    /// The container with most words of text blocks close below it, weighted against links.
    pub fn densest(
        segmentation: &Segmentation<'_>,
        elements: &[Element],
        container_stats: &[ContainerStats],
    ) -> Self {
        let mut scores = vec![0.0_f32; container_stats.len()];
        for (block, element) in segmentation.blocks.iter().zip(elements) {
            let words = block.stats.words;
            let is_text = words >= 15
                || (words >= 8
                    && matches!(
                        element,
                        Element::P
                            | Element::Pre
                            | Element::Blockquote
                            | Element::Li
                            | Element::Td
                            | Element::Dd
                    ));
            if is_text {
                let free = (words - block.stats.link_words) as f32;
                let above = segmentation.upwards(segmentation.container(block.container).parent);
                for (above, part) in above.zip(LEVELS) {
                    scores[above as usize] += free * part;
                }
            }
        }
        let mut best = (0.0, 0);
        for (at, (score, stats)) in (0..).zip(scores.iter().zip(container_stats)) {
            let score = score * (1.0 - stats.link_density());
            if score > best.0 {
                best = (score, at);
            }
        }
        Self::at(segmentation, container_stats, best.1)
    }

    /// The deepest container with most of the prose.
    pub fn of_most(segmentation: &Segmentation<'_>, container_stats: &[ContainerStats]) -> Self {
        let needed = MOST * container_stats.first().map_or(0.0, |body| body.prose).max(1.0);
        // At most one sibling can have most of it, so that the last match is the deepest.
        let deepest = container_stats.iter().rposition(|stats| stats.prose >= needed).unwrap_or(0);
        Self::at(segmentation, container_stats, u32::try_from(deepest).unwrap_or(0))
    }

    /// The position of a block relative to the center.
    pub fn offset_of(&self, container: u32, depth: u16, block: u32) -> CenterOffset {
        let common = self.common[container as usize];
        let is_inside = common == self.depth && block >= self.first && block < self.end;
        let (side, gap) = if is_inside {
            (0.0, 0)
        } else if block < self.first {
            (1.0, self.first - block)
        } else {
            (2.0, (block + 1).saturating_sub(self.end))
        };
        CenterOffset {
            up: f32::from(self.depth - common.min(self.depth)),
            down: f32::from(depth.saturating_sub(common)),
            side,
            gap: gap as f32,
        }
    }
}
