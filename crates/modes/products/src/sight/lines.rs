//! The short lines of the product's own part of the page.

use super::super::survey::Survey;
use html::dom::{Dom, Element, NodeId, NodeKind};
use html::prose;
use html::text::Collapsed;

/// A line is shorter than this, and its block has fewer nodes.
const MAX_LINE: usize = 240;
const MAX_NODES: u32 = 40;

/// How many lines are kept.
const MAX_LINES: usize = 5_000;

/// A line.
#[derive(Debug)]
pub(super) struct Line {
    /// The element whose text it is.
    pub block: NodeId,
    pub text: String,
}

/// The lines, in the order of the page.
pub(super) fn lines(survey: &Survey<'_, '_>) -> Vec<Line> {
    let dom = survey.dom;
    let mut lines: Vec<Line> = Vec::new();
    let mut last = None;
    for id in dom.descendants(dom.body()) {
        if dom.kind(id) != NodeKind::Text || dom.raw_text(id).trim().is_empty() {
            continue;
        }
        let Some(block) = block_of(dom, id) else { continue };
        if last == Some(block) || lines.len() >= MAX_LINES {
            continue;
        }
        if !survey.is_main(id) {
            continue;
        }
        let whole = match survey.size(block) {
            0..=MAX_NODES if is_one_line(dom, block) => prose::line(dom, block, MAX_LINE + 1),
            _ => String::new(),
        };
        if !whole.is_empty() && whole.len() <= MAX_LINE {
            last = Some(block);
            lines.push(Line { block, text: whole });
            continue;
        }
        // A large block may hold bare lines of its own.
        let text = Collapsed::of(&dom.text(id), MAX_LINE + 1);
        if text.len() <= MAX_LINE {
            lines.push(Line { block: id, text });
        }
    }
    lines
}

/// Whether a block holds no other blocks.
fn is_one_line(dom: &Dom<'_>, block: NodeId) -> bool {
    dom.descendants(block).all(|id| {
        dom.element(id).is_none_or(|element| {
            use Element as E;
            element.is_inline()
                || matches!(
                    element,
                    E::Br | E::Image | E::Input | E::Button | E::Svg | E::Meta | E::Link
                )
                || matches!(element, E::Other | E::Custom | E::Script)
        })
    })
}

/// The nearest element above a text that is no part of a line.
pub(super) fn block_of(dom: &Dom<'_>, id: NodeId) -> Option<NodeId> {
    dom.ancestors(id).find(|above| {
        dom.element(*above)
            .is_none_or(|element| !element.is_inline() || matches!(element, Element::Label))
    })
}

/// The text in an element, buttons included.
pub(super) fn inner(dom: &Dom<'_>, id: NodeId, limit: usize) -> String {
    let mut text = Collapsed::new(limit);
    for below in dom.descendants(id).take(60) {
        match dom.kind(below) {
            NodeKind::Text => text.push(&dom.text(below)),
            NodeKind::Element(element) if !element.is_inline() => text.gap(),
            _ => {}
        }
    }
    text.take()
}
