//! The short lines of text in the main part of the page.

use crate::dom_index::DomIndex;
use html::dom::{Dom, Element, NodeId, NodeKind};
use html::element_set;
use html::prose;
use html::text::Collapsed;

/// The maximum length of a line in bytes, and of its block in nodes.
const MAX_LINE: usize = 240;
const MAX_NODES: u32 = 40;

/// The maximum number of lines of a page.
const MAX_LINES: usize = 5_000;

/// A line of text and the element that contains it.
#[derive(Debug)]
pub(super) struct VisibleLine {
    pub block: NodeId,
    pub text: String,
}

/// The lines in document order.
pub(super) fn lines(index: &DomIndex<'_, '_>) -> Vec<VisibleLine> {
    let dom = index.dom;
    let mut lines: Vec<VisibleLine> = Vec::new();
    let mut last = None;
    for id in dom.descendants(dom.body()) {
        if dom.kind(id) != NodeKind::Text || dom.raw_text(id).trim().is_empty() {
            continue;
        }
        let Some(block) = block_of(dom, id) else { continue };
        if last == Some(block) || lines.len() >= MAX_LINES {
            continue;
        }
        if !index.is_main(id) {
            continue;
        }
        let whole = match index.size(block) {
            0..=MAX_NODES if is_one_line(dom, block) => prose::line(dom, block, MAX_LINE + 1),
            _ => String::new(),
        };
        if !whole.is_empty() && whole.len() <= MAX_LINE {
            last = Some(block);
            lines.push(VisibleLine { block, text: whole });
            continue;
        }
        // A text node within a large block is a separate line.
        let text = Collapsed::of(&dom.text(id), MAX_LINE + 1);
        if text.len() <= MAX_LINE {
            lines.push(VisibleLine { block: id, text });
        }
    }
    lines
}

/// Whether a block contains no other block.
fn is_one_line(dom: &Dom<'_>, block: NodeId) -> bool {
    dom.descendants(block).all(|id| {
        dom.element(id).is_none_or(|element| {
            use Element as E;
            element.is_inline()
                || element_set!(Br Image Input Button Svg Meta Link).contains(element)
                || matches!(element, E::Other | E::Custom | E::Script)
        })
    })
}

/// The nearest block ancestor of a text; a label also counts as a block.
pub(super) fn block_of(dom: &Dom<'_>, id: NodeId) -> Option<NodeId> {
    dom.ancestors(id).find(|above| {
        dom.element(*above)
            .is_none_or(|element| !element.is_inline() || matches!(element, Element::Label))
    })
}
