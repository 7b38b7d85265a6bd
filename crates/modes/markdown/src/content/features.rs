//! Features of a block: its text, position and surroundings.
//!
//! A [`FeatureContext`] aggregates the page in a few passes over its containers, so that the
//! features of a block take constant time at any depth.

use hashbrown::HashMap;

use html::dom::Element;

use super::head_features::HeadFeatures;
use super::segmentation::{Segmentation, TextBlock};

mod ancestor_distance;
mod container_stats;
mod row;
mod siblings;
mod text_center;
mod title_overlap;

use ancestor_distance::AncestorDistances;
pub(crate) use container_stats::ContainerStats;
use siblings::Sibling;
pub(crate) use text_center::TextCenter;
use title_overlap::{TitleOverlap, title_overlaps};

/// Aggregates over blocks with the same three-level path signature.
#[derive(Debug, Clone, Copy, Default)]
struct SimilarityStats {
    blocks: f32,
    words: f32,
    link_words: f32,
}

/// Aggregates of a page from which the features of its blocks are computed.
#[derive(Debug)]
pub(crate) struct FeatureContext<'o, 'a> {
    pub segmentation: &'o Segmentation<'a>,
    /// The element of each block.
    pub elements: Vec<Element>,
    pub container_stats: Vec<ContainerStats>,
    pub densest: TextCenter,
    pub most: TextCenter,
    siblings: Vec<Sibling>,
    /// For each container: the largest share of a group of at least three siblings around it, and
    /// the words per member of the innermost one.
    groups: Vec<(f32, f32)>,
    distances: Vec<AncestorDistances>,
    /// For each block: aggregates over similar blocks.
    similarity: Vec<SimilarityStats>,
    /// For each block: number of blocks with the same text, and how many precede it.
    copies: Vec<(u32, u32)>,
    title_overlaps: Vec<TitleOverlap>,
    /// For each block: the last heading before it, and the last main heading.
    headings: Vec<(Option<u32>, Option<u32>)>,
    /// The `h1` that is most similar to the title.
    first_heading: Option<u32>,
    /// Prefix sums over blocks: words, words outside of links.
    words_before: Vec<(f32, f32)>,
}

impl<'o, 'a> FeatureContext<'o, 'a> {
    pub fn of(segmentation: &'o Segmentation<'a>, head: &HeadFeatures<'_>) -> Self {
        let elements: Vec<_> = segmentation
            .blocks
            .iter()
            .map(|block| container_stats::block_element(segmentation, block))
            .collect();
        let container_stats = container_stats::container_stats(segmentation, &elements);
        let signatures = siblings::signatures(segmentation);
        let siblings = siblings::siblings(segmentation, &signatures, &container_stats);
        let groups = groups(segmentation, &siblings, &container_stats);
        let densest = TextCenter::densest(segmentation, &elements, &container_stats);
        let most = TextCenter::of_most(segmentation, &container_stats);
        let title_overlaps = title_overlaps(segmentation, head);
        let first_heading = first_heading(&elements, &title_overlaps);
        Self {
            segmentation,
            densest,
            most,
            groups,
            distances: ancestor_distance::distances(segmentation),
            similarity: similarity(segmentation, &signatures),
            copies: copies(&segmentation.blocks),
            headings: headings(&elements),
            first_heading,
            title_overlaps,
            words_before: words_before(&segmentation.blocks),
            elements,
            container_stats,
            siblings,
        }
    }

    pub fn words(&self) -> f32 {
        self.container_stats.first().map_or(1.0, |body| body.words.max(1.0))
    }

    /// The last heading before a block, and the last main heading.
    pub fn headings_of(&self, at: usize) -> (Option<u32>, Option<u32>) {
        self.headings[at]
    }

    /// Number of blocks with the text of a block, itself included.
    pub fn copies(&self, at: usize) -> u32 {
        self.copies[at].0
    }

    /// The `h1` that is most similar to the title.
    pub fn title_heading(&self) -> Option<usize> {
        self.first_heading.map(|at| at as usize)
    }

    /// Share of a block's words that also occur in the title.
    pub fn shared_with_title(&self, at: usize) -> f32 {
        self.title_overlaps[at].title_words / self.segmentation.blocks[at].stats.words.max(1) as f32
    }

    /// Share of the title's words that also occur in a block.
    pub fn title_share(&self, at: usize) -> f32 {
        self.title_overlaps[at].title
    }

    /// The group of siblings with most words: members, share of the page, link density.
    pub fn largest_group(&self) -> (f32, f32, f32) {
        let groups = self.siblings.iter().filter(|sibling| sibling.count >= 3.0);
        let largest = groups.max_by(|a, b| a.share.total_cmp(&b.share));
        largest.map_or((0.0, 0.0, 0.0), |group| (group.count, group.share, group.link_density))
    }
}

fn groups(
    segmentation: &Segmentation<'_>,
    siblings: &[Sibling],
    container_stats: &[ContainerStats],
) -> Vec<(f32, f32)> {
    let mut groups: Vec<(f32, f32)> = Vec::with_capacity(siblings.len());
    for (at, sibling) in siblings.iter().enumerate() {
        let above = groups.get(segmentation.containers[at].parent as usize).copied();
        let (share, words) = above.unwrap_or_default();
        groups.push(if sibling.count >= 3.0 && sibling.share > 0.15 {
            (share.max(sibling.share), container_stats[at].words)
        } else {
            (share, words)
        });
    }
    groups
}

fn similarity(segmentation: &Segmentation<'_>, signatures: &[u32]) -> Vec<SimilarityStats> {
    let mut known: HashMap<u64, u32> = HashMap::new();
    let mut sums: Vec<SimilarityStats> = Vec::new();
    let mut member = Vec::with_capacity(segmentation.blocks.len());
    for block in &segmentation.blocks {
        let signature = siblings::path_signature(segmentation, signatures, block.container);
        let next = u32::try_from(sums.len()).unwrap_or(u32::MAX);
        let group = *known.entry(signature).or_insert(next);
        if group == next {
            sums.push(SimilarityStats::default());
        }
        let sum = &mut sums[group as usize];
        sum.blocks += 1.0;
        sum.words += block.stats.words as f32;
        sum.link_words += block.stats.link_words as f32;
        member.push(group);
    }
    member.into_iter().map(|group| sums[group as usize]).collect()
}

fn copies(blocks: &[TextBlock]) -> Vec<(u32, u32)> {
    let mut seen: HashMap<u64, u32> = HashMap::with_capacity(blocks.len());
    let mut copies: Vec<_> = Vec::with_capacity(blocks.len());
    for block in blocks {
        let count = seen.entry(block.fingerprint).or_insert(0);
        copies.push((0, *count));
        *count += 1;
    }
    for (block, copy) in blocks.iter().zip(&mut copies) {
        copy.0 = seen.get(&block.fingerprint).copied().unwrap_or(1);
    }
    copies
}

fn headings(elements: &[Element]) -> Vec<(Option<u32>, Option<u32>)> {
    let (mut last, mut main) = (None, None);
    let mut headings = Vec::with_capacity(elements.len());
    for (element, at) in elements.iter().zip(0..) {
        headings.push((last, main));
        if let Some(level) = element.heading_level() {
            last = Some(at);
            main = if level <= 2 { Some(at) } else { main };
        }
    }
    headings
}

fn first_heading(elements: &[Element], title_overlaps: &[TitleOverlap]) -> Option<u32> {
    let mut best: Option<(u32, f32)> = None;
    for ((element, overlap), at) in elements.iter().zip(title_overlaps).zip(0..) {
        if *element == Element::H1 && best.is_none_or(|(_, similarity)| overlap.title > similarity)
        {
            best = Some((at, overlap.title));
        }
    }
    best.map(|(at, _)| at)
}

fn words_before(blocks: &[TextBlock]) -> Vec<(f32, f32)> {
    let (mut words, mut free) = (0.0, 0.0);
    let mut sums = vec![(words, free)];
    for block in blocks {
        words += block.stats.words as f32;
        free += (block.stats.words - block.stats.link_words) as f32;
        sums.push((words, free));
    }
    sums
}
