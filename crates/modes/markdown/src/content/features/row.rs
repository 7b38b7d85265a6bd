//! The feature row of one block. Names and order are part of the model format.

use html::dom::Element;

use super::super::attribute_words::AttributeFamily;
use super::super::segmentation::TextBlock;
use super::ancestor_distance::Landmark;
use super::{FeatureContext, TextCenter};

/// Number of ancestors that are considered.
const MAX_ANCESTORS: usize = 9;

/// Rank of an element by its similarity to prose.
fn element_rank(element: Element) -> f32 {
    use Element as E;
    match element {
        E::P => 6.0,
        E::Pre | E::Blockquote => 5.0,
        E::Li => 4.0,
        E::Td | E::Dd => 3.0,
        E::Th | E::Dt | E::Figcaption | E::Summary => 2.0,
        E::Button | E::Label => -1.0,
        _ if element.heading_level().is_some() => 1.0,
        _ => 0.0,
    }
}

impl FeatureContext<'_, '_> {
    /// Emits all features of a block in a fixed order.
    pub fn row(&self, at: usize, put: &mut impl FnMut(&'static str, f32)) {
        let block = &self.segmentation.blocks[at];
        self.text(at, block, put);
        self.position(at, block, put);
        self.ancestor_features(block, put);
        self.center_offsets(at, block, put);
        self.heading(at, block, put);
        self.neighbours(at, put);
    }

    fn text(&self, at: usize, block: &TextBlock, put: &mut impl FnMut(&'static str, f32)) {
        let stats = &block.stats;
        let words = stats.words as f32;
        let characters = stats.characters.max(1) as f32;
        put("words", words);
        put("links", stats.link_share());
        put("sentences", stats.sentence_share());
        put("digits", stats.digits as f32 / characters);
        put("stop_words", stats.stop_words as f32 / words);
        put("pieces", block.pieces as f32);
        let overlap = &self.title_overlaps[at];
        put("title", overlap.title);
        put("of_title", overlap.title_words / words);
        put("description", overlap.description);
    }

    fn position(&self, at: usize, block: &TextBlock, put: &mut impl FnMut(&'static str, f32)) {
        let count = self.segmentation.blocks.len() as f32;
        let container = self.segmentation.container(block.container);
        put("words_before", self.words_before[at].0 / self.words());
        put("index", at as f32);
        put("index_from_end", count - at as f32);
        put("hidden", f32::from(container.hidden as u8));
        let (copies, copy) = self.copies[at];
        put("copies", copies as f32);
        put("copy", copy as f32);
        let element = self.elements[at];
        put("element", element_rank(element));
        put("heading_level", element.heading_level().map_or(0.0, f32::from));
        let distances = &self.distances[block.container as usize];
        let element = |kind: Landmark| f32::from(distances.elements[kind as usize]);
        let family = |family: AttributeFamily| f32::from(distances.families[family as usize]);
        put("in_nav", element(Landmark::Nav));
        put("in_header", element(Landmark::Header));
        put("in_footer", element(Landmark::Footer));
        put("in_aside", element(Landmark::Aside));
        put("in_main", element(Landmark::Main));
        put("in_article", element(Landmark::Article));
        put("in_table", element(Landmark::Table));
        put("in_list", element(Landmark::List));
        put("in_figure", element(Landmark::Figure));
        put("by_navigation", family(AttributeFamily::Navigation));
        put("by_footer", family(AttributeFamily::Footer));
        put("by_comment", family(AttributeFamily::Comment));
        put("by_related", family(AttributeFamily::Related));
        put("by_consent", family(AttributeFamily::Consent));
        put("by_share", family(AttributeFamily::Share));
        put("by_card", family(AttributeFamily::Card));
        put("by_review", family(AttributeFamily::Review));
        put("by_tab", family(AttributeFamily::Tab));
    }

    fn ancestor_features(&self, block: &TextBlock, put: &mut impl FnMut(&'static str, f32)) {
        let mut chain = [0_u32; MAX_ANCESTORS];
        let mut levels = 0;
        for (slot, ancestor) in chain.iter_mut().zip(self.segmentation.upwards(block.container)) {
            *slot = ancestor;
            levels += 1;
        }
        let ancestor = |level: usize| if level < levels { chain[level] as usize } else { 0 };
        let total = self.words();
        let stats = |level| &self.container_stats[ancestor(level)];
        let share = |level| stats(level).words / total;
        let links = |level| stats(level).link_density();
        let length = |level| stats(level).words / stats(level).blocks.max(1.0);
        let prose = |level| stats(level).prose / stats(level).words.max(1.0);
        let blocks = |level| stats(level).blocks;
        let alike = |level| self.siblings[ancestor(level)].count;
        put("level0_length", length(0));
        put("level0_alike", alike(0));
        put("level2_share", share(2));
        put("level3_share", share(3));
        put("level3_links", links(3));
        put("level3_length", length(3));
        put("level3_prose", prose(3));
        put("level4_length", length(4));
        put("level6_links", links(6));
        put("level6_blocks", blocks(6));
        put("level8_links", links(8));
        put("level8_length", length(8));
        let count = self.segmentation.blocks.len() as f32;
        let first = |level| stats(level).first as f32 / count;
        let last = |level| stats(level).end as f32 / count;
        let headings = |level| stats(level).headings;
        put("span1_first", first(1));
        put("span5_last", last(5));
        put("span5_headings", headings(5));
        self.similar_siblings(&chain[..levels.max(1)], put);
    }

    /// The ancestor with most similar siblings.
    fn similar_siblings(&self, chain: &[u32], put: &mut impl FnMut(&'static str, f32)) {
        let mut best = (0.0, 0);
        for &container in chain.iter().take(8) {
            let few = self.container_stats[container as usize].words <= 3.0;
            let count = self.siblings[container as usize].count * if few { 0.3 } else { 1.0 };
            if count >= best.0 {
                best = (count, container as usize);
            }
        }
        let container = best.1;
        let sibling = &self.siblings[container];
        put("alike", sibling.count);
        put("alike_share", sibling.share);
        put("alike_links", sibling.link_density);
        put("alike_words", self.container_stats[container].words);
        let (share, words) = self.groups[chain[0] as usize];
        put("group_share", share);
        put("group_words", words);
    }

    fn center_offsets(
        &self,
        at: usize,
        block: &TextBlock,
        put: &mut impl FnMut(&'static str, f32),
    ) {
        let similarity = &self.similarity[at];
        put("same_blocks", similarity.blocks);
        put("same_share", similarity.words / self.words());
        put("same_length", similarity.words / similarity.blocks.max(1.0));
        let depth = self.segmentation.container(block.container).depth;
        let index = u32::try_from(at).unwrap_or(u32::MAX);
        let offset_of = |center: &TextCenter| center.offset_of(block.container, depth, index);
        let densest = offset_of(&self.densest);
        put("centre_up", densest.up);
        put("centre_down", densest.down);
        put("centre_side", densest.side);
        put("centre_share", self.densest.share);
        let most = offset_of(&self.most);
        put("most_up", most.up);
        put("most_down", most.down);
        put("most_side", most.side);
        put("most_gap", most.gap);
        put("most_share", self.most.share);
    }

    fn heading(&self, at: usize, block: &TextBlock, put: &mut impl FnMut(&'static str, f32)) {
        let since = |heading: u32| at as f32 - heading as f32;
        put("since_title", self.first_heading.map_or(-9_999.0, since));
        let (last, main) = self.headings[at];
        put("since_heading", last.map_or(999.0, since));
        put("since_main_heading", main.map_or(999.0, since));
        let depth = self.segmentation.container(block.container).depth;
        put("with_heading", f32::from(block.with_heading) / f32::from(depth.max(1)));
    }

    fn neighbours(&self, at: usize, put: &mut impl FnMut(&'static str, f32)) {
        let count = self.segmentation.blocks.len();
        let near = |offset: isize| at.checked_add_signed(offset).filter(|at| *at < count);
        let stats = |offset| near(offset).map(|at| &self.segmentation.blocks[at].stats);
        let words = |offset| stats(offset).map_or(-1.0, |stats| stats.words as f32);
        let links = |offset| stats(offset).map_or(-1.0, |stats| stats.link_share());
        let element = |offset| near(offset).map_or(-1.0, |at| element_rank(self.elements[at]));
        put("links_m1", links(-1));
        put("words_p1", words(1));
        put("links_p1", links(1));
        put("element_p1", element(1));
        let within = |reach: usize| {
            let from = self.words_before[at.saturating_sub(reach)];
            let to = self.words_before[(at + reach + 1).min(count)];
            (to.0 - from.0, to.1 - from.1)
        };
        let (near, near_free) = within(4);
        put("near_free", near_free / 9.0);
        put("near_links", (near - near_free) / near.max(1.0));
        put("far_free", within(12).1 / 25.0);
    }
}
