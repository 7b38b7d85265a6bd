//! The numbers of one block, each under its name.

use crate::dom::Element;

use super::super::segmentation::Block;
use super::{Centre, Landscape};

/// How many levels up likeness of siblings is looked for.
const REACH: usize = 9;

fn flag(is: bool) -> f32 {
    f32::from(u8::from(is))
}

/// One number for what a block is, in the order of how much it is like prose.
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
    /// Tells every number of a block, always in the same order.
    pub fn row(&self, at: usize, put: &mut impl FnMut(&'static str, f32)) {
        let block = &self.outline.blocks[at];
        self.text(at, block, put);
        self.place(at, block, put);
        self.above(at, block, put);
        self.bearings(at, block, put);
        self.heading(at, block, put);
        self.neighbours(at, put);
    }

    fn text(&self, at: usize, block: &Block, put: &mut impl FnMut(&'static str, f32)) {
        let wording = &block.wording;
        let words = wording.words as f32;
        let characters = wording.characters.max(1) as f32;
        put("words", words);
        put("characters_per_word", characters / words);
        put("links", wording.link_share());
        put("link_count", block.links as f32);
        put("commas", wording.commas as f32 / words);
        put("sentences", wording.sentence_share());
        put("ending", f32::from(wording.ending as u8));
        put("digits", wording.digits as f32 / characters);
        put("capitals", wording.capitals as f32 / characters);
        put("capital_runs", wording.capital_runs as f32 / wording.runs.max(1) as f32);
        put("stop_words", wording.stop_words as f32 / words);
        put("bold", wording.bold_words as f32 / words);
        put("images", block.images as f32);
        put("pieces", block.pieces as f32);
        put("starts_small", flag(wording.starts_small));
        put("price", flag(wording.has_price));
        let mentioned = &self.mentioned[at];
        put("title", mentioned.title);
        put("of_title", mentioned.title_words / words);
        put("description", mentioned.description);
        put("of_description", mentioned.description_words / words);
    }

    fn place(&self, at: usize, block: &Block, put: &mut impl FnMut(&'static str, f32)) {
        let count = self.outline.blocks.len() as f32;
        let container = self.outline.container(block.container);
        put("depth", f32::from(container.depth));
        put("place", at as f32 / count);
        put("words_before", self.words_before[at].0 / self.words());
        put("index", at as f32);
        put("index_from_end", count - at as f32);
        put("hidden", f32::from(container.hidden as u8));
        let (copies, copy) = self.copies[at];
        put("copies", copies as f32);
        put("copy", copy as f32);
        let element = self.elements[at];
        put("element", element_rank(element));
        put("element_link", flag(container.element == Element::A));
        put("element_span", flag(container.element == Element::Span));
        put("element_div", flag(container.element == Element::Div));
        put("heading_level", element.heading_level().map_or(0.0, f32::from));
        let distances = &self.distances[block.container as usize];
        let element = |kind: usize| f32::from(distances.elements[kind]);
        let family = |family: usize| f32::from(distances.families[family]);
        put("in_nav", element(0));
        put("in_header", element(1));
        put("in_footer", element(2));
        put("in_aside", element(3));
        put("in_form", element(4));
        put("in_main", element(5));
        put("in_article", element(6));
        put("in_section", element(7));
        put("in_table", element(8));
        put("in_list", element(9));
        put("in_terms", element(10));
        put("in_figure", element(11));
        put("in_quote", element(12));
        put("in_item", element(13));
        put("in_link", element(14));
        put("in_button", element(15));
        put("by_navigation", family(0));
        put("by_footer", family(1));
        put("by_side", family(2));
        put("by_comment", family(3));
        put("by_related", family(4));
        put("by_consent", family(5));
        put("by_share", family(6));
        put("by_facts", family(7));
        put("by_form", family(8));
        put("by_ad", family(9));
        put("by_hidden", family(10));
        put("by_card", family(11));
        put("by_article", family(12));
        put("by_body", family(13));
        put("by_product", family(14));
        put("by_review", family(15));
        put("by_message", family(16));
        put("by_tab", family(17));
        put("by_header", family(18));
        put("by_price", family(19));
    }

    fn above(&self, at: usize, block: &Block, put: &mut impl FnMut(&'static str, f32)) {
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
        put("level0_share", share(0));
        put("level0_links", links(0));
        put("level0_length", length(0));
        put("level0_prose", prose(0));
        put("level0_blocks", blocks(0));
        put("level0_alike", alike(0));
        put("level1_share", share(1));
        put("level1_links", links(1));
        put("level1_length", length(1));
        put("level1_prose", prose(1));
        put("level1_blocks", blocks(1));
        put("level1_alike", alike(1));
        put("level2_share", share(2));
        put("level2_links", links(2));
        put("level2_length", length(2));
        put("level2_prose", prose(2));
        put("level2_blocks", blocks(2));
        put("level2_alike", alike(2));
        put("level3_share", share(3));
        put("level3_links", links(3));
        put("level3_length", length(3));
        put("level3_prose", prose(3));
        put("level3_blocks", blocks(3));
        put("level3_alike", alike(3));
        put("level4_share", share(4));
        put("level4_links", links(4));
        put("level4_length", length(4));
        put("level4_prose", prose(4));
        put("level4_blocks", blocks(4));
        put("level4_alike", alike(4));
        put("level6_share", share(6));
        put("level6_links", links(6));
        put("level6_length", length(6));
        put("level6_prose", prose(6));
        put("level6_blocks", blocks(6));
        put("level6_alike", alike(6));
        put("level8_share", share(8));
        put("level8_links", links(8));
        put("level8_length", length(8));
        put("level8_prose", prose(8));
        put("level8_blocks", blocks(8));
        put("level8_alike", alike(8));
        let count = self.outline.blocks.len() as f32;
        let first = |level| holding(level).first as f32 / count;
        let last = |level| holding(level).end as f32 / count;
        let place = |level| (at as f32 - holding(level).first as f32) / blocks(level).max(1.0);
        let headings = |level| holding(level).headings;
        put("span1_first", first(1));
        put("span1_last", last(1));
        put("span1_place", place(1));
        put("span1_headings", headings(1));
        put("span3_first", first(3));
        put("span3_last", last(3));
        put("span3_place", place(3));
        put("span3_headings", headings(3));
        put("span5_first", first(5));
        put("span5_last", last(5));
        put("span5_place", place(5));
        put("span5_headings", headings(5));
        self.repetition(&chain[..levels.max(1)], put);
    }

    /// The container of which there are most alike.
    fn repetition(&self, chain: &[u32], put: &mut impl FnMut(&'static str, f32)) {
        let mut best = (0.0, 0, 0);
        for (level, &container) in chain.iter().enumerate().take(8) {
            let few = self.holdings[container as usize].words <= 3.0;
            let count = self.siblings[container as usize].count * if few { 0.3 } else { 1.0 };
            if count >= best.0 {
                best = (count, level, container as usize);
            }
        }
        let (_, level, container) = best;
        let sibling = &self.siblings[container];
        put("alike", sibling.count);
        put("alike_level", level as f32);
        put("alike_share", sibling.share);
        put("alike_links", sibling.link_density);
        put("alike_index", sibling.index);
        put("alike_words", self.holdings[container].words);
        put("alike_headings", self.holdings[container].headings);
        let (share, words) = self.groups[chain[0] as usize];
        put("group_share", share);
        put("group_words", words);
    }

    fn bearings(&self, at: usize, block: &Block, put: &mut impl FnMut(&'static str, f32)) {
        let likeness = &self.likeness[at];
        put("same_blocks", likeness.blocks);
        put("same_share", likeness.words / self.words());
        put("same_length", likeness.words / likeness.blocks.max(1.0));
        put("same_links", likeness.link_words / likeness.words.max(1.0));
        let depth = self.outline.container(block.container).depth;
        let index = u32::try_from(at).unwrap_or(u32::MAX);
        let bearing = |centre: &Centre| centre.bearing(block.container, depth, index);
        let densest = bearing(&self.densest);
        put("centre_up", densest.up);
        put("centre_down", densest.down);
        put("centre_side", densest.side);
        put("centre_gap", densest.gap);
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
        let level = last.and_then(|last| self.elements[last as usize].heading_level());
        put("last_heading_level", level.map_or(0.0, f32::from));
        let depth = self.outline.container(block.container).depth;
        put("with_heading", f32::from(block.with_heading) / f32::from(depth.max(1)));
    }

    fn neighbours(&self, at: usize, put: &mut impl FnMut(&'static str, f32)) {
        let count = self.outline.blocks.len();
        let near = |offset: isize| at.checked_add_signed(offset).filter(|at| *at < count);
        let wording = |offset| near(offset).map(|at| &self.outline.blocks[at].wording);
        let words = |offset| wording(offset).map_or(-1.0, |wording| wording.words as f32);
        let links = |offset| wording(offset).map_or(-1.0, |wording| wording.link_share());
        let sentences = |offset| wording(offset).map_or(-1.0, |wording| wording.sentence_share());
        let level = |at: usize| self.elements[at].heading_level().map_or(0.0, f32::from);
        let heading = |offset| near(offset).map_or(-1.0, level);
        let element = |offset| near(offset).map_or(-1.0, |at| element_rank(self.elements[at]));
        put("words_m3", words(-3));
        put("links_m3", links(-3));
        put("sentences_m3", sentences(-3));
        put("heading_m3", heading(-3));
        put("element_m3", element(-3));
        put("words_m2", words(-2));
        put("links_m2", links(-2));
        put("sentences_m2", sentences(-2));
        put("heading_m2", heading(-2));
        put("element_m2", element(-2));
        put("words_m1", words(-1));
        put("links_m1", links(-1));
        put("sentences_m1", sentences(-1));
        put("heading_m1", heading(-1));
        put("element_m1", element(-1));
        put("words_p1", words(1));
        put("links_p1", links(1));
        put("sentences_p1", sentences(1));
        put("heading_p1", heading(1));
        put("element_p1", element(1));
        put("words_p2", words(2));
        put("links_p2", links(2));
        put("sentences_p2", sentences(2));
        put("heading_p2", heading(2));
        put("element_p2", element(2));
        put("words_p3", words(3));
        put("links_p3", links(3));
        put("sentences_p3", sentences(3));
        put("heading_p3", heading(3));
        put("element_p3", element(3));
        for (reach, free_name, links_name) in
            [(4, "near_free", "near_links"), (12, "far_free", "far_links")]
        {
            let from = self.words_before[at.saturating_sub(reach)];
            let to = self.words_before[(at + reach + 1).min(count)];
            let (words, free) = (to.0 - from.0, to.1 - from.1);
            put(free_name, free / (2 * reach + 1) as f32);
            put(links_name, (words - free) / words.max(1.0));
        }
    }
}
