//! The feature row of one block. Names and order are part of the model format.

use html::dom::Element;

use super::super::attribute_words::Family;
use super::super::segmentation::Block;
use super::surroundings::Landmark;
use super::{Centre, Landscape};

/// Number of ancestors that are considered.
const REACH: usize = 9;

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

impl Landscape<'_, '_> {
    /// Emits all features of a block in a fixed order.
    pub fn row(&self, at: usize, put: &mut impl FnMut(&'static str, f32)) {
        let block = &self.outline.blocks[at];
        self.text(at, block, put);
        self.place(at, block, put);
        self.above(block, put);
        self.bearings(at, block, put);
        self.heading(at, block, put);
        self.neighbours(at, put);
    }

    fn text(&self, at: usize, block: &Block, put: &mut impl FnMut(&'static str, f32)) {
        let wording = &block.wording;
        let words = wording.words as f32;
        let characters = wording.characters.max(1) as f32;
        put("words", words);
        put("links", wording.link_share());
        put("sentences", wording.sentence_share());
        put("digits", wording.digits as f32 / characters);
        put("stop_words", wording.stop_words as f32 / words);
        put("pieces", block.pieces as f32);
        let mentioned = &self.mentioned[at];
        put("title", mentioned.title);
        put("of_title", mentioned.title_words / words);
        put("description", mentioned.description);
    }

    fn place(&self, at: usize, block: &Block, put: &mut impl FnMut(&'static str, f32)) {
        let count = self.outline.blocks.len() as f32;
        let container = self.outline.container(block.container);
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
        let family = |family: Family| f32::from(distances.families[family as usize]);
        put("in_nav", element(Landmark::Nav));
        put("in_header", element(Landmark::Header));
        put("in_footer", element(Landmark::Footer));
        put("in_aside", element(Landmark::Aside));
        put("in_main", element(Landmark::Main));
        put("in_article", element(Landmark::Article));
        put("in_table", element(Landmark::Table));
        put("in_list", element(Landmark::List));
        put("in_figure", element(Landmark::Figure));
        put("by_navigation", family(Family::Navigation));
        put("by_footer", family(Family::Footer));
        put("by_comment", family(Family::Comment));
        put("by_related", family(Family::Related));
        put("by_consent", family(Family::Consent));
        put("by_share", family(Family::Share));
        put("by_card", family(Family::Card));
        put("by_review", family(Family::Review));
        put("by_tab", family(Family::Tab));
    }

    fn above(&self, block: &Block, put: &mut impl FnMut(&'static str, f32)) {
        let mut chain = [0_u32; REACH];
        let mut levels = 0;
        for (slot, above) in chain.iter_mut().zip(self.outline.upwards(block.container)) {
            *slot = above;
            levels += 1;
        }
        let above = |level: usize| if level < levels { chain[level] as usize } else { 0 };
        let total = self.words();
        let holding = |level| &self.holdings[above(level)];
        let share = |level| holding(level).words / total;
        let links = |level| holding(level).link_density();
        let length = |level| holding(level).words / holding(level).blocks.max(1.0);
        let prose = |level| holding(level).prose / holding(level).words.max(1.0);
        let blocks = |level| holding(level).blocks;
        let alike = |level| self.siblings[above(level)].count;
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
        let count = self.outline.blocks.len() as f32;
        let first = |level| holding(level).first as f32 / count;
        let last = |level| holding(level).end as f32 / count;
        let headings = |level| holding(level).headings;
        put("span1_first", first(1));
        put("span5_last", last(5));
        put("span5_headings", headings(5));
        self.repetition(&chain[..levels.max(1)], put);
    }

    /// The ancestor with most similar siblings.
    fn repetition(&self, chain: &[u32], put: &mut impl FnMut(&'static str, f32)) {
        let mut best = (0.0, 0);
        for &container in chain.iter().take(8) {
            let few = self.holdings[container as usize].words <= 3.0;
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
        put("alike_words", self.holdings[container].words);
        let (share, words) = self.groups[chain[0] as usize];
        put("group_share", share);
        put("group_words", words);
    }

    fn bearings(&self, at: usize, block: &Block, put: &mut impl FnMut(&'static str, f32)) {
        let likeness = &self.likeness[at];
        put("same_blocks", likeness.blocks);
        put("same_share", likeness.words / self.words());
        put("same_length", likeness.words / likeness.blocks.max(1.0));
        let depth = self.outline.container(block.container).depth;
        let index = u32::try_from(at).unwrap_or(u32::MAX);
        let bearing = |centre: &Centre| centre.bearing(block.container, depth, index);
        let densest = bearing(&self.densest);
        put("centre_up", densest.up);
        put("centre_down", densest.down);
        put("centre_side", densest.side);
        put("centre_share", self.densest.share);
        let most = bearing(&self.most);
        put("most_up", most.up);
        put("most_down", most.down);
        put("most_side", most.side);
        put("most_gap", most.gap);
        put("most_share", self.most.share);
    }

    fn heading(&self, at: usize, block: &Block, put: &mut impl FnMut(&'static str, f32)) {
        let since = |heading: u32| at as f32 - heading as f32;
        put("since_title", self.first_heading.map_or(-9_999.0, since));
        let (last, main) = self.headings[at];
        put("since_heading", last.map_or(999.0, since));
        put("since_main_heading", main.map_or(999.0, since));
        let depth = self.outline.container(block.container).depth;
        put("with_heading", f32::from(block.with_heading) / f32::from(depth.max(1)));
    }

    fn neighbours(&self, at: usize, put: &mut impl FnMut(&'static str, f32)) {
        let count = self.outline.blocks.len();
        let near = |offset: isize| at.checked_add_signed(offset).filter(|at| *at < count);
        let wording = |offset| near(offset).map(|at| &self.outline.blocks[at].wording);
        let words = |offset| wording(offset).map_or(-1.0, |wording| wording.words as f32);
        let links = |offset| wording(offset).map_or(-1.0, |wording| wording.link_share());
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
