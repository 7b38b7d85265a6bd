//! Pages as training sees them: the same features as in production, dumped.

use crate::RepeatedBlocks;
use html::dom::Dom;
use html::text::Collapsed;

use super::about::About;
use super::decide;
use super::features::Landscape;
use super::judgement::{inputs_hash, judge, row_names};
use super::keeping::keep;
use super::model::Model;
use super::page_shape::{head_slots, page_row};
use super::segmentation::{Block, Outline};
use super::tables::{around_slots, close_slots, heading_slots, main_heading_slots, text_slots};

/// Maximum number of ancestors of a block in a dump.
pub const CHAIN: usize = 9;

/// A block with all features of the model.
#[derive(Debug)]
pub struct TrainingBlock {
    pub text: String,
    pub row: Vec<f32>,
    pub structure: Vec<u16>,
    pub wording: Vec<u16>,
    pub heading: Vec<u16>,
    /// Its containers, nearest first.
    pub chain: [u32; CHAIN],
}

/// A page with all features of the model.
#[derive(Debug)]
pub struct TrainingPage {
    pub row: Vec<f32>,
    pub head: Vec<u16>,
    pub blocks: Vec<TrainingBlock>,
    pub page_names: Vec<&'static str>,
    /// The probability of each block by the stored model; empty without a model.
    pub likely: Vec<f32>,
}

/// The names of the features of a block, and the hash of all input names.
#[must_use]
pub fn inputs() -> (Vec<&'static str>, u64) {
    (row_names(), inputs_hash())
}

/// A page with its selected content.
#[derive(Debug)]
pub struct ScoredPage {
    /// The texts of the selected blocks.
    pub kept: Vec<String>,
    pub method: contract::ExtractionMethod,
    pub has_little: bool,
}

impl ScoredPage {
    /// Reads the page at `url`.
    #[must_use]
    pub fn read(html: &str, url: &str) -> Self {
        let dom = Dom::parse(html);
        let about = About::read(&dom, url);
        let outline = Outline::of(&dom);
        let landscape = Landscape::of(&outline, &about);
        let verdict = decide(&landscape, &about, &RepeatedBlocks::default());
        let kept = keep(&dom, &landscape, &verdict.keep);
        let kept = outline.blocks.iter().zip(kept.blocks).filter(|(_, kept)| *kept);
        Self {
            kept: kept.map(|(block, _)| block_text(&dom, &outline, block)).collect(),
            method: verdict.method,
            has_little: verdict.has_little,
        }
    }
}

/// Parses and selects a page; `timed` is called after each step.
#[must_use]
pub fn choose_words(html: &str, url: &str, timed: &mut dyn FnMut(&str)) -> u64 {
    let dom = Dom::parse(html);
    timed("tree");
    let about = About::read(&dom, url);
    timed("about");
    let outline = Outline::of(&dom);
    timed("blocks");
    let landscape = Landscape::of(&outline, &about);
    timed("landscape");
    let verdict = decide(&landscape, &about, &RepeatedBlocks::default());
    timed("decision");
    let kept = keep(&dom, &landscape, &verdict.keep);
    timed("selection");
    kept.words
}

impl TrainingPage {
    /// Reads the page at `url`.
    #[must_use]
    pub fn read(html: &str, url: &str) -> Self {
        let dom = Dom::parse(html);
        let about = About::read(&dom, url);
        let outline = Outline::of(&dom);
        let landscape = Landscape::of(&outline, &about);
        let (mut page_names, mut row) = (Vec::new(), Vec::new());
        page_row(&landscape, &about, &mut |name, value| {
            page_names.push(name);
            row.push(value);
        });
        let mut blocks = Vec::new();
        for (at, block) in outline.blocks.iter().enumerate() {
            let mut row = Vec::new();
            landscape.row(at, &mut |_, value| row.push(value));
            blocks.push(training_block(&dom, &landscape, at, block, row));
        }
        let likely = Model::stored().map(|model| judge(&landscape, &about, model));
        let likely = likely.unwrap_or_default();
        Self { row, head: head_slots(&about), blocks, page_names, likely }
    }
}

fn training_block(
    dom: &Dom<'_>,
    landscape: &Landscape<'_, '_>,
    at: usize,
    block: &Block,
    row: Vec<f32>,
) -> TrainingBlock {
    let outline = landscape.outline;
    let mut structure = around_slots(outline, block);
    close_slots(outline, block, &mut structure);
    let mut wording = Vec::new();
    text_slots(outline.block_hashes(block), &mut wording);
    let mut heading = Vec::new();
    let (last, main) = landscape.headings_of(at);
    let hashes = |at: u32| outline.block_hashes(&outline.blocks[at as usize]);
    if let Some(last) = last {
        heading_slots(hashes(last), &mut heading);
    }
    if let Some(main) = main {
        main_heading_slots(hashes(main), &mut heading);
    }
    let mut chain = [0; CHAIN];
    for (slot, above) in chain.iter_mut().zip(outline.upwards(block.container)) {
        *slot = above;
    }
    let text = block_text(dom, outline, block);
    TrainingBlock { text, row, structure, wording, heading, chain }
}

fn block_text(dom: &Dom<'_>, outline: &Outline<'_>, block: &Block) -> String {
    let mut text = Collapsed::new(usize::MAX);
    for id in outline.block_texts(block) {
        text.push(&dom.text(*id));
    }
    text.take()
}

/// Number of DOM nodes of a page.
#[must_use]
pub fn nodes_of(html: &str) -> usize {
    Dom::parse(html).len()
}
