//! From selected blocks to selected nodes: texts, separators between them, images, and whole code
//! blocks and table rows.

use crate::selection::Selection;
use html::dom::{Dom, Element, Kind, NodeId};

use super::features::Landscape;
use super::segmentation::Outline;

/// Share of selected words from which a code block or table is selected as a whole.
const MOST_OF_CODE: f32 = 0.5;
const MOST_OF_TABLE: f32 = 0.6;

/// Maximum distance to a selected ancestor for an image beside the content.
const CLOSE: usize = 2;

/// The selected nodes of a page.
#[derive(Debug)]
pub(crate) struct Kept {
    pub selection: Selection,
    /// The selected blocks, including those of completed code and tables.
    pub blocks: Vec<bool>,
    pub words: u64,
}

/// Converts selected blocks into selected nodes.
pub(crate) fn keep(dom: &Dom<'_>, landscape: &Landscape<'_, '_>, chosen: &[bool]) -> Kept {
    let outline = landscape.outline;
    let (blocks, wholes) = with_wholes(landscape, chosen);
    let mut selection = Selection::none(dom);
    add_all(dom, wholes, &mut selection);
    let mut words = 0;
    for (at, block) in outline.blocks.iter().enumerate().filter(|(at, _)| blocks[*at]) {
        words += u64::from(block.wording.words);
        let mut to = block.texts.1;
        if blocks.get(at + 1) == Some(&true) {
            // White space and punctuation between two consecutive selected blocks.
            to = outline.blocks.get(at + 1).map_or(to, |next| next.texts.0);
        }
        let texts = outline.texts.get(block.texts.0 as usize..to as usize).unwrap_or_default();
        for id in texts {
            selection.add(dom, *id);
        }
    }
    add_pictures(dom, outline, &blocks, &mut selection);
    Kept { selection, blocks, words }
}

/// Adds nodes with their descendants, given in document order. Nodes inside of an added one are
/// skipped.
fn add_all(dom: &Dom<'_>, nodes: impl IntoIterator<Item = NodeId>, selection: &mut Selection) {
    let mut added = NodeId::ROOT;
    for id in nodes {
        if id >= added {
            selection.add_subtree(dom, id);
            added = dom.end(id);
        }
    }
}

/// Completes code blocks and table rows: the blocks, and the nodes that are selected as a whole.
fn with_wholes(landscape: &Landscape<'_, '_>, chosen: &[bool]) -> (Vec<bool>, Vec<NodeId>) {
    let outline = landscape.outline;
    let mut kept_words = vec![0.0_f32; outline.containers.len()];
    for (block, _) in outline.blocks.iter().zip(chosen).filter(|(_, chosen)| **chosen) {
        kept_words[block.container as usize] += block.wording.words as f32;
    }
    // Whether each container contains a table, itself excluded.
    let mut holds_table = vec![false; outline.containers.len()];
    for at in (1..outline.containers.len()).rev() {
        let container = &outline.containers[at];
        let parent = container.parent as usize;
        kept_words[parent] += kept_words[at];
        holds_table[parent] |= holds_table[at] || container.element == Element::Table;
    }
    let share = |at: usize| kept_words[at] / landscape.holdings[at].words.max(1.0);
    let is_first = |at: usize| {
        let holding = &landscape.holdings[at];
        let mut above = outline.upwards(outline.containers[at].parent).take(2);
        above.any(|table| {
            outline.container(table).element == Element::Table
                && landscape.holdings[table as usize].first == holding.first
        })
    };
    // Whether each container is inside of a table that is mostly selected.
    let mut in_table: Vec<bool> = Vec::with_capacity(outline.containers.len());
    let (mut keep, mut wholes) = (chosen.to_vec(), Vec::new());
    for (at, container) in outline.containers.iter().enumerate() {
        let around = in_table.get(container.parent as usize).copied().unwrap_or(false);
        // A table that contains tables is used for layout.
        let here = match container.element {
            Element::Table => !holds_table[at] && share(at) >= MOST_OF_TABLE,
            _ => around,
        };
        in_table.push(here);
        let is_whole = match container.element {
            Element::Pre => share(at) >= MOST_OF_CODE,
            // The first row and the caption describe the others.
            Element::Tr => around && (kept_words[at] > 0.0 || is_first(at)),
            Element::Thead | Element::Caption => around,
            _ => false,
        };
        if is_whole {
            wholes.push(container.node);
            let holding = &landscape.holdings[at];
            if let Some(blocks) = keep.get_mut(holding.first as usize..holding.end as usize) {
                blocks.fill(true);
            }
        }
    }
    (keep, wholes)
}

/// Adds images and players inside, between or next to selected blocks.
fn add_pictures(dom: &Dom<'_>, outline: &Outline<'_>, blocks: &[bool], selection: &mut Selection) {
    let first_text = |at: usize| {
        let block = outline.blocks.get(at)?;
        outline.texts.get(block.texts.0 as usize)
    };
    // Number of blocks that begin before the node.
    let mut begun = 0;
    let kept = |at: Option<usize>| at.and_then(|at| blocks.get(at)).copied().unwrap_or(false);
    let mut pictures = Vec::new();
    for id in dom.descendants(NodeId::ROOT) {
        match dom.kind(id) {
            Kind::Text if first_text(begun) == Some(&id) => begun += 1,
            Kind::Element(element) if is_picture(element) => {
                let between = kept(begun.checked_sub(1)) && kept(Some(begun));
                let beside = || {
                    let mut above = dom.ancestors(id).take(CLOSE);
                    above.any(|id| selection.contains(id) && !is_page(dom, id))
                };
                if between || beside() {
                    pictures.push(id);
                }
            }
            Kind::Element(_) | Kind::Text | Kind::Document | Kind::Raw => {}
        }
    }
    add_all(dom, pictures, selection);
}

/// Whether a node spans the whole page, so that it says nothing about its content.
fn is_page(dom: &Dom<'_>, id: NodeId) -> bool {
    matches!(dom.element(id), None | Some(Element::Html | Element::Body))
}

fn is_picture(element: Element) -> bool {
    matches!(
        element,
        Element::Image | Element::Picture | Element::Video | Element::Audio | Element::Iframe
    )
}
