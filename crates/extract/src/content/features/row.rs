//! The numbers of one block, each under its name.

use crate::dom::Element;

use super::super::segmentation::Block;
use super::{Centre, Landscape};

/// The names of what is told of a container above.
macro_rules! level {
    ($level:literal) => {
        [
            concat!("level", $level, "_share"),
            concat!("level", $level, "_links"),
            concat!("level", $level, "_length"),
            concat!("level", $level, "_prose"),
            concat!("level", $level, "_blocks"),
            concat!("level", $level, "_alike"),
        ]
    };
}

/// Containers that are looked at: how many levels up, and their names.
const LEVELS: [(usize, [&str; 6]); 7] = [
    (0, level!("0")),
    (1, level!("1")),
    (2, level!("2")),
    (3, level!("3")),
    (4, level!("4")),
    (6, level!("6")),
    (8, level!("8")),
];

/// Containers whose ends are looked at.
macro_rules! span {
    ($level:literal) => {
        [
            concat!("span", $level, "_first"),
            concat!("span", $level, "_last"),
            concat!("span", $level, "_place"),
            concat!("span", $level, "_headings"),
        ]
    };
}

const SPANS: [(usize, [&str; 4]); 3] = [(1, span!("1")), (3, span!("3")), (5, span!("5"))];

/// How many levels up likeness of siblings is looked for.
const REACH: usize = 9;

macro_rules! neighbour {
    ($place:literal) => {
        [
            concat!("words_", $place),
            concat!("links_", $place),
            concat!("sentences_", $place),
            concat!("heading_", $place),
            concat!("element_", $place),
        ]
    };
}

const NEIGHBOURS: [(isize, [&str; 5]); 6] = [
    (-3, neighbour!("m3")),
    (-2, neighbour!("m2")),
    (-1, neighbour!("m1")),
    (1, neighbour!("p1")),
    (2, neighbour!("p2")),
    (3, neighbour!("p3")),
];

const ELEMENT_NAMES: [&str; 16] = [
    "in_nav", "in_header", "in_footer", "in_aside", "in_form", "in_main", "in_article",
    "in_section", "in_table", "in_list", "in_terms", "in_figure", "in_quote", "in_item", "in_link",
    "in_button",
];

const FAMILY_NAMES: [&str; 20] = [
    "by_navigation", "by_footer", "by_side", "by_comment", "by_related", "by_consent", "by_share",
    "by_facts", "by_form", "by_ad", "by_hidden", "by_card", "by_article", "by_body", "by_product",
    "by_review", "by_message", "by_tab", "by_header", "by_price",
];

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
        put("links", wording.link_words as f32 / words);
        put("link_count", block.links as f32);
        put("commas", wording.commas as f32 / words);
        put("sentences", wording.sentence_ends as f32 / words);
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
        for (name, distance) in ELEMENT_NAMES.into_iter().zip(distances.elements) {
            put(name, f32::from(distance));
        }
        for (name, distance) in FAMILY_NAMES.into_iter().zip(distances.families) {
            put(name, f32::from(distance));
        }
    }

    fn above(&self, at: usize, block: &Block, put: &mut impl FnMut(&'static str, f32)) {
        let mut chain = [0_u32; REACH];
        let mut length = 0;
        for (slot, above) in chain.iter_mut().zip(self.outline.upwards(block.container)) {
            *slot = above;
            length += 1;
        }
        let above = |level: usize| if level < length { chain[level] as usize } else { 0 };
        let total = self.words();
        for (level, [share, links, size, prose, blocks, alike]) in LEVELS {
            let container = above(level);
            let holding = &self.holdings[container];
            put(share, holding.words / total);
            put(links, holding.link_density());
            put(size, holding.words / holding.blocks.max(1.0));
            put(prose, holding.prose / holding.words.max(1.0));
            put(blocks, holding.blocks);
            put(alike, self.siblings[container].count);
        }
        let count = self.outline.blocks.len() as f32;
        for (level, [first, last, place, headings]) in SPANS {
            let holding = &self.holdings[above(level)];
            put(first, holding.first as f32 / count);
            put(last, holding.end as f32 / count);
            put(place, (at as f32 - holding.first as f32) / holding.blocks.max(1.0));
            put(headings, holding.headings);
        }
        self.repetition(&chain[..length.max(1)], put);
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
        for (offset, [words, links, sentences, heading, element]) in NEIGHBOURS {
            let place = at.checked_add_signed(offset);
            let Some((block, at)) = place.and_then(|at| Some((self.outline.blocks.get(at)?, at)))
            else {
                for name in [words, links, sentences, heading, element] {
                    put(name, -1.0);
                }
                continue;
            };
            let wording = &block.wording;
            put(words, wording.words as f32);
            put(links, wording.link_words as f32 / wording.words as f32);
            put(sentences, wording.sentence_ends as f32 / wording.words as f32);
            put(heading, self.elements[at].heading_level().map_or(0.0, f32::from));
            put(element, element_rank(self.elements[at]));
        }
        for (reach, free_name, links_name) in
            [(4, "near_free", "near_links"), (12, "far_free", "far_links")]
        {
            let from = self.words_before[at.saturating_sub(reach)];
            let to = self.words_before[(at + reach + 1).min(self.outline.blocks.len())];
            let (words, free) = (to.0 - from.0, to.1 - from.1);
            put(free_name, free / (2 * reach + 1) as f32);
            put(links_name, (words - free) / words.max(1.0));
        }
    }
}
