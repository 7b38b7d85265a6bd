//! Pages as training sees them: the same features as in production, dumped.

use crate::repeated::RepeatedBlocks;
use html::dom::{Dom, Element};
use html::text::Collapsed;

use super::classifier::block_probabilities;
use super::features::FeatureContext;
use super::hashed_features::{
    around_slots, close_slots, heading_slots, main_heading_slots, text_slots,
};
use super::head_features::HeadFeatures;
use super::kept_nodes::select_nodes;
use super::model::Model;
use super::model_inputs::{inputs_hash, row_names};
use super::page_features::{head_slots, page_row};
use super::segmentation::{Segmentation, TextBlock};
use super::{decide, decide_by, dropped_text};

mod outline;

pub use outline::page_outline;

/// Maximum number of ancestors of a block in a dump.
pub const CHAIN: usize = 9;

/// A block with all features of the model.
#[derive(Debug)]
pub struct TrainingBlock {
    pub text: String,
    pub row: Vec<f32>,
    pub structure: Vec<u16>,
    pub words: Vec<u16>,
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
    /// The ranges of the blocks of code, table rows, list items and quotes.
    pub structures: Vec<(u32, u32)>,
    /// The probability of each block by the stored model; empty without a model.
    pub probabilities: Vec<f32>,
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
    pub structures: Vec<PageStructure>,
    /// Whether notable text beside the selection was dropped.
    pub drops_text: bool,
    pub blocks: usize,
}

/// Kinds of structure whose recall is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StructureKind {
    Code,
    Row,
    Item,
    Quote,
}

/// A code block, table row, list item or quote of a page.
#[derive(Debug)]
pub struct PageStructure {
    pub kind: StructureKind,
    pub text: String,
    /// Lines of code, or cells of a row; otherwise 1.
    pub size: usize,
    /// The range of its blocks.
    pub blocks: (u32, u32),
}

impl ScoredPage {
    /// Reads the page at `url`, with the probabilities of its blocks by another model if given;
    /// those of further pages may follow.
    #[must_use]
    pub fn read(html: &str, url: &str, probabilities: Option<&[f32]>) -> Self {
        let dom = Dom::parse(html);
        let head = HeadFeatures::read(&dom, url);
        let segmentation = Segmentation::of(&dom);
        let context = FeatureContext::of(&segmentation, &head);
        let repeated = RepeatedBlocks::default();
        let decision = match probabilities {
            Some(given) => {
                let own = given.get(..segmentation.blocks.len()).unwrap_or_default();
                let given = (!own.is_empty()).then(|| own.to_vec());
                decide_by(&context, given, &repeated)
            }
            None => decide(&context, &head, &repeated),
        };
        let kept = select_nodes(&dom, &context, &decision.keep);
        let structures = structures(&dom, &context);
        let drops_text = dropped_text::is_notable(&context, &kept.blocks);
        let kept = segmentation.blocks.iter().zip(kept.blocks).filter(|(_, kept)| *kept);
        Self {
            kept: kept.map(|(block, _)| block_text(&dom, &segmentation, block)).collect(),
            method: decision.method,
            has_little: decision.has_little,
            structures,
            drops_text,
            blocks: segmentation.blocks.len(),
        }
    }
}

fn structures(dom: &Dom<'_>, context: &FeatureContext<'_, '_>) -> Vec<PageStructure> {
    let segmentation = context.segmentation;
    let mut structures = Vec::new();
    for (container, stats) in segmentation.containers.iter().zip(&context.container_stats) {
        let below = |element| dom.descendants(container.node).any(|id| dom.is(id, element));
        let kind = match container.element {
            Element::Pre => StructureKind::Code,
            Element::Tr if !below(Element::Tr) => StructureKind::Row,
            Element::Li if !below(Element::Li) => StructureKind::Item,
            Element::Blockquote => StructureKind::Quote,
            _ => continue,
        };
        let blocks = &segmentation.blocks[stats.first as usize..stats.end as usize];
        let texts: Vec<_> =
            blocks.iter().map(|block| block_text(dom, segmentation, block)).collect();
        let size = match kind {
            StructureKind::Code => dom.inner_text(container.node).trim().lines().count(),
            StructureKind::Row => texts.len(),
            StructureKind::Item | StructureKind::Quote => 1,
        };
        let blocks = (stats.first, stats.end);
        structures.push(PageStructure { kind, text: texts.join("\n"), size, blocks });
    }
    structures
}

/// Parses and selects a page; `timed` is called after each step.
#[must_use]
pub fn select_words(html: &str, url: &str, timed: &mut dyn FnMut(&str)) -> u64 {
    let dom = Dom::parse(html);
    timed("tree");
    let head = HeadFeatures::read(&dom, url);
    timed("head");
    let segmentation = Segmentation::of(&dom);
    timed("blocks");
    let context = FeatureContext::of(&segmentation, &head);
    timed("features");
    let decision = decide(&context, &head, &RepeatedBlocks::default());
    timed("decision");
    let kept = select_nodes(&dom, &context, &decision.keep);
    timed("selection");
    kept.words
}

impl TrainingPage {
    /// Reads the page at `url`.
    #[must_use]
    pub fn read(html: &str, url: &str) -> Self {
        let dom = Dom::parse(html);
        let head = HeadFeatures::read(&dom, url);
        let segmentation = Segmentation::of(&dom);
        let context = FeatureContext::of(&segmentation, &head);
        let (mut page_names, mut row) = (Vec::new(), Vec::new());
        page_row(&context, &head, &mut |name, value| {
            page_names.push(name);
            row.push(value);
        });
        let mut blocks = Vec::new();
        for (at, block) in segmentation.blocks.iter().enumerate() {
            let mut row = Vec::new();
            context.row(at, &mut |_, value| row.push(value));
            blocks.push(training_block(&dom, &context, at, block, row));
        }
        let probabilities =
            Model::stored().map(|model| block_probabilities(&context, &head, model));
        let probabilities = probabilities.unwrap_or_default();
        let structures = structures(&dom, &context);
        let structures = structures.iter().map(|structure| structure.blocks).collect();
        Self { row, head: head_slots(&head), blocks, page_names, structures, probabilities }
    }
}

fn training_block(
    dom: &Dom<'_>,
    context: &FeatureContext<'_, '_>,
    at: usize,
    block: &TextBlock,
    row: Vec<f32>,
) -> TrainingBlock {
    let segmentation = context.segmentation;
    let mut structure = around_slots(segmentation, block);
    close_slots(segmentation, block, &mut structure);
    let mut words = Vec::new();
    text_slots(segmentation.block_hashes(block), &mut words);
    let mut heading = Vec::new();
    let (last, main) = context.headings_of(at);
    let hashes = |at: u32| segmentation.block_hashes(&segmentation.blocks[at as usize]);
    if let Some(last) = last {
        heading_slots(hashes(last), &mut heading);
    }
    if let Some(main) = main {
        main_heading_slots(hashes(main), &mut heading);
    }
    let mut chain = [0; CHAIN];
    for (slot, above) in chain.iter_mut().zip(segmentation.upwards(block.container)) {
        *slot = above;
    }
    let text = block_text(dom, segmentation, block);
    TrainingBlock { text, row, structure, words, heading, chain }
}

fn block_text(dom: &Dom<'_>, segmentation: &Segmentation<'_>, block: &TextBlock) -> String {
    let mut text = Collapsed::new(usize::MAX);
    for id in segmentation.block_texts(block) {
        text.push(&dom.text(*id));
    }
    text.take()
}

/// Number of DOM nodes of a page.
#[must_use]
pub fn nodes_of(html: &str) -> usize {
    Dom::parse(html).node_count()
}
