//! From selected blocks to selected nodes: texts, separators between them, images, and whole code
//! blocks and table rows.

use crate::node_selection::NodeSelection;
use html::dom::{Dom, Element, NodeId, NodeKind};

use super::features::FeatureContext;
use super::segmentation::Segmentation;

/// Share of selected words from which a code block or table is selected as a whole.
const CODE_SHARE: f32 = 0.5;
const TABLE_SHARE: f32 = 0.45;

/// Maximum distance to a selected ancestor for an image beside the content.
const MAX_ANCESTORS: usize = 2;

/// The selected nodes of a page.
#[derive(Debug)]
pub(crate) struct KeptNodes {
    pub selection: NodeSelection,
    /// The selected blocks, including those of completed code and tables.
    pub blocks: Vec<bool>,
    pub words: u64,
}

/// Converts selected blocks into selected nodes.
pub(crate) fn select_nodes(
    dom: &Dom<'_>,
    context: &FeatureContext<'_, '_>,
    selected: &[bool],
) -> KeptNodes {
    let segmentation = context.segmentation;
    let (blocks, wholes) = complete_code_and_tables(context, selected);
    let mut selection = NodeSelection::none(dom);
    add_all(dom, wholes, &mut selection);
    let mut words = 0;
    for (at, block) in segmentation.blocks.iter().enumerate().filter(|(at, _)| blocks[*at]) {
        words += u64::from(block.stats.words);
        let mut to = block.texts.1;
        if blocks.get(at + 1) == Some(&true) {
            // White space and punctuation between two consecutive selected blocks.
            to = segmentation.blocks.get(at + 1).map_or(to, |next| next.texts.0);
        }
        let texts = segmentation.texts.get(block.texts.0 as usize..to as usize).unwrap_or_default();
        for id in texts {
            selection.add(dom, *id);
        }
    }
    add_images(dom, segmentation, &blocks, &mut selection);
    KeptNodes { selection, blocks, words }
}

/// Adds nodes with their descendants, given in document order. Nodes inside of an added one are
/// skipped.
fn add_all(dom: &Dom<'_>, nodes: impl IntoIterator<Item = NodeId>, selection: &mut NodeSelection) {
    let mut added = NodeId::ROOT;
    for id in nodes {
        if id >= added {
            selection.add_subtree(dom, id);
            added = dom.end(id);
        }
    }
}

/// Completes code blocks and table rows: the blocks, and the nodes that are selected as a whole.
fn complete_code_and_tables(
    context: &FeatureContext<'_, '_>,
    selected: &[bool],
) -> (Vec<bool>, Vec<NodeId>) {
    let segmentation = context.segmentation;
    let mut kept_words = vec![0.0_f32; segmentation.containers.len()];
    for (block, _) in segmentation.blocks.iter().zip(selected).filter(|(_, selected)| **selected) {
        kept_words[block.container as usize] += block.stats.words as f32;
    }
    // Whether each container contains a table, itself excluded.
    let mut holds_table = vec![false; segmentation.containers.len()];
    for at in (1..segmentation.containers.len()).rev() {
        let container = &segmentation.containers[at];
        let parent = container.parent as usize;
        kept_words[parent] += kept_words[at];
        holds_table[parent] |= holds_table[at] || container.element == Element::Table;
    }
    let share = |at: usize| kept_words[at] / context.container_stats[at].words.max(1.0);
    let is_first = |at: usize| {
        let stats = &context.container_stats[at];
        let mut above = segmentation.upwards(segmentation.containers[at].parent).take(2);
        above.any(|table| {
            segmentation.container(table).element == Element::Table
                && context.container_stats[table as usize].first == stats.first
        })
    };
    // Whether each container is inside of a table that is mostly selected.
    let mut in_table: Vec<bool> = Vec::with_capacity(segmentation.containers.len());
    let (mut keep, mut wholes) = (selected.to_vec(), Vec::new());
    for (at, container) in segmentation.containers.iter().enumerate() {
        let around = in_table.get(container.parent as usize).copied().unwrap_or(false);
        // A table that contains tables is used for layout.
        let here = match container.element {
            Element::Table => !holds_table[at] && share(at) >= TABLE_SHARE,
            _ => around,
        };
        in_table.push(here);
        let is_whole = match container.element {
            Element::Pre => share(at) >= CODE_SHARE,
            // The first row and the caption describe the others.
            Element::Tr => around && (kept_words[at] > 0.0 || is_first(at)),
            Element::Thead | Element::Caption => around,
            _ => false,
        };
        if is_whole {
            wholes.push(container.node);
            let stats = &context.container_stats[at];
            if let Some(blocks) = keep.get_mut(stats.first as usize..stats.end as usize) {
                blocks.fill(true);
            }
        }
    }
    (keep, wholes)
}

/// Adds images and players inside, between or next to selected blocks.
fn add_images(
    dom: &Dom<'_>,
    segmentation: &Segmentation<'_>,
    blocks: &[bool],
    selection: &mut NodeSelection,
) {
    let first_text = |at: usize| {
        let block = segmentation.blocks.get(at)?;
        segmentation.texts.get(block.texts.0 as usize)
    };
    // Number of blocks that begin before the node.
    let mut begun = 0;
    let kept = |at: Option<usize>| at.and_then(|at| blocks.get(at)).copied().unwrap_or(false);
    let mut pictures = Vec::new();
    for id in dom.descendants(NodeId::ROOT) {
        match dom.kind(id) {
            NodeKind::Text if first_text(begun) == Some(&id) => begun += 1,
            NodeKind::Element(element) if is_image(element) => {
                let between = kept(begun.checked_sub(1)) && kept(Some(begun));
                let beside = || {
                    let mut above = dom.ancestors(id).take(MAX_ANCESTORS);
                    above.any(|id| selection.contains(id) && !is_page(dom, id))
                };
                if between || beside() {
                    pictures.push(id);
                }
            }
            NodeKind::Element(_) | NodeKind::Text | NodeKind::Document | NodeKind::Raw => {}
        }
    }
    add_all(dom, pictures, selection);
}

/// Whether a node spans the whole page, so that it says nothing about its content.
fn is_page(dom: &Dom<'_>, id: NodeId) -> bool {
    matches!(dom.element(id), None | Some(Element::Html | Element::Body))
}

fn is_image(element: Element) -> bool {
    matches!(
        element,
        Element::Image | Element::Picture | Element::Video | Element::Audio | Element::Iframe
    )
}
