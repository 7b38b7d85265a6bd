//! The visible letters of a page in one string with the span of each node, and helpers that read
//! the text of a node.
//!
//! Only letters and digits count, in lower case, so that texts with different punctuation and spaces
//! are equal.

use html::dom::{Dom, Element, NodeId, NodeKind};
use html::element_set;
use html::text::Collapsed;

/// The maximum length of a value, in bytes.
const MAX_VALUE: usize = 20_000;

/// The visible letters and digits of a page, in lower case.
#[derive(Debug)]
pub(super) struct PageText {
    letters: String,
    /// By node, the start and end of its letters.
    spans: Vec<(u32, u32)>,
}

/// The letters and digits of a text, in lower case.
pub(super) fn letters(text: &str) -> String {
    let mut letters = String::new();
    push_letters(&mut letters, text);
    letters
}

fn push_letters(letters: &mut String, text: &str) {
    for c in text.chars().filter(|c| c.is_alphanumeric()) {
        if c.is_ascii() {
            letters.push(c.to_ascii_lowercase());
        } else {
            letters.extend(c.to_lowercase());
        }
    }
}

/// Whether the content of an element is not shown as text.
pub(super) fn is_hidden(element: Element) -> bool {
    element_set!(Script Style Template Noscript Head Svg Option Textarea).contains(element)
}

impl PageText {
    pub fn of(dom: &Dom<'_>) -> Self {
        let mut text = Self { letters: String::new(), spans: vec![(0, 0); dom.node_count()] };
        let mut at = 0_u32;
        // The open elements, the innermost last.
        let mut open: Vec<NodeId> = Vec::new();
        while (at as usize) < dom.node_count() {
            let id = NodeId(at);
            while let Some(last) = open.pop_if(|last| dom.end(*last).0 <= at) {
                text.close(last);
            }
            at += 1;
            match dom.kind(id) {
                NodeKind::Element(element) if is_hidden(element) => {
                    let here = text.position();
                    text.spans[id.index()] = (here, here);
                    at = dom.end(id).0.max(at);
                }
                NodeKind::Element(_) | NodeKind::Document => {
                    text.spans[id.index()].0 = text.position();
                    open.push(id);
                }
                NodeKind::Text => {
                    let from = text.position();
                    push_letters(&mut text.letters, &dom.text(id));
                    text.spans[id.index()] = (from, text.position());
                }
                NodeKind::Raw => {}
            }
        }
        while let Some(last) = open.pop() {
            text.close(last);
        }
        text
    }

    fn close(&mut self, id: NodeId) {
        self.spans[id.index()].1 = self.position();
    }

    fn position(&self) -> u32 {
        u32::try_from(self.letters.len()).unwrap_or(u32::MAX)
    }

    pub fn of_node(&self, id: NodeId) -> &str {
        let (from, to) = self.spans.get(id.index()).copied().unwrap_or_default();
        self.letters.get(from as usize..to as usize).unwrap_or_default()
    }
}

/// The text of a node as one line.
pub(super) fn line(dom: &Dom<'_>, id: NodeId) -> String {
    line_without(dom, id, is_hidden)
}

/// The text of a node as one line, without struck-through elements.
pub(super) fn line_without_struck(dom: &Dom<'_>, id: NodeId) -> String {
    line_without(dom, id, |element| {
        is_hidden(element) || matches!(element, Element::S | Element::Del | Element::Strike)
    })
}

fn line_without(dom: &Dom<'_>, id: NodeId, is_excluded: impl Fn(Element) -> bool) -> String {
    let mut text = Collapsed::new(MAX_VALUE);
    let mut at = id.0 + 1;
    if matches!(dom.kind(id), NodeKind::Text) {
        text.push(&dom.text(id));
    }
    while at < dom.end(id).0 {
        let node = NodeId(at);
        at += 1;
        match dom.kind(node) {
            NodeKind::Element(element) if is_excluded(element) => at = dom.end(node).0.max(at),
            NodeKind::Element(element) if is_block(element) => text.gap(),
            NodeKind::Text => text.push(&dom.text(node)),
            NodeKind::Element(_) | NodeKind::Raw | NodeKind::Document => {}
        }
    }
    text.take()
}

/// The text of a node from the node `from` on, with a blank line between paragraphs.
pub(super) fn paragraphs(dom: &Dom<'_>, id: NodeId, from: u32) -> String {
    let mut written = String::new();
    let mut text = Collapsed::new(MAX_VALUE);
    let mut joint = "";
    let mut at = from;
    let mut flush = |text: &mut Collapsed, joint: &mut &'static str, next: &'static str| {
        let line = text.take();
        if !line.is_empty() && written.len() < MAX_VALUE {
            written.push_str(if written.is_empty() { "" } else { joint });
            written.push_str(&line);
            *joint = next;
        } else if next.len() > joint.len() {
            *joint = next;
        }
    };
    // The ends of the open lines and paragraphs.
    let mut ends: Vec<(u32, &'static str)> = Vec::new();
    while at < dom.end(id).0 {
        while let Some((_, next)) = ends.pop_if(|(end, _)| *end <= at) {
            flush(&mut text, &mut joint, next);
        }
        let node = NodeId(at);
        at += 1;
        match dom.kind(node) {
            NodeKind::Element(element) if is_hidden(element) => at = dom.end(node).0.max(at),
            NodeKind::Element(element) if is_block(element) => {
                let next = if is_line(element) { "\n" } else { "\n\n" };
                flush(&mut text, &mut joint, next);
                ends.push((dom.end(node).0, next));
            }
            NodeKind::Text => text.push(&dom.text(node)),
            NodeKind::Element(_) | NodeKind::Raw | NodeKind::Document => {}
        }
    }
    flush(&mut text, &mut joint, "");
    written
}

fn is_line(element: Element) -> bool {
    element_set!(Li Br Tr Dt Dd).contains(element)
}

fn is_block(element: Element) -> bool {
    element_set!(
        P Div Ul Ol Li Br Dl Dt Dd Table Tbody Tr Td Th Section Article H1 H2 H3 H4 H5 H6 Pre
        Address Blockquote Hr Header Footer Aside Main Figure
    )
    .contains(element)
}

/// The heading that an element begins with.
pub(super) fn leading_heading(dom: &Dom<'_>, id: NodeId) -> Option<NodeId> {
    let blank =
        |child: &NodeId| dom.element(*child).is_none() && dom.raw_text(*child).trim().is_empty();
    let first = dom.children(id).take(8).find(|child| !blank(child))?;
    let element = dom.element(first)?;
    element_set!(H1 H2 H3 H4 H5 H6 Summary Legend).contains(element).then_some(first)
}

/// The next sibling element.
pub(super) fn next_element(dom: &Dom<'_>, id: NodeId) -> Option<NodeId> {
    let parent = dom.parent(id)?;
    let end = dom.end(parent).0;
    let mut at = dom.end(id).0;
    while at < end {
        if dom.element(NodeId(at)).is_some() {
            return Some(NodeId(at));
        }
        at = dom.end(NodeId(at)).0.max(at + 1);
    }
    None
}
