//! The visible text of a page as lines in reading order, each with its position in the DOM.
//!
//! A line is the text of one block, or of a part of it between line breaks, with inline markup
//! joined. Hidden text is excluded; obfuscated addresses appear as a browser shows them. Lines
//! are limited in number and length.

use std::ops::Range;

use contract::ContactMethod;
use serde_json::Value;

use html::dom::{Dom, Element, NodeId};
use html::structured;

mod element_hints;
mod style;
mod walk;

/// Maximum lines per page.
pub(crate) const MAX_LINES: usize = 20_000;

/// Maximum length of a line in bytes.
pub(crate) const MAX_LINE: usize = 4_000;

/// Level of a line that acts as a heading without being one: bold text, a term of a list, a
/// header cell.
pub(crate) const PSEUDO_HEADING: u8 = 7;

/// The part of the page that contains a line; the innermost counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Zone {
    Main,
    Header,
    Nav,
    Aside,
    Footer,
    /// A quotation, a testimonial, a review.
    Quote,
    Form,
    /// A cookie notice or a dialog.
    Notice,
}

impl Zone {
    /// Whether the zone surrounds the content of the page.
    pub fn is_frame(self) -> bool {
        matches!(self, Self::Footer | Self::Header | Self::Nav | Self::Aside)
    }
}

/// An icon that describes the text after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Icon {
    Phone,
    Mobile,
    Fax,
    Mail,
    Place,
}

/// A part of a line that comes from one node.
#[derive(Debug, Clone)]
pub(crate) struct TextRun {
    pub from: usize,
    pub to: usize,
    pub node: NodeId,
    /// The text was obfuscated and is decoded here.
    pub obfuscated: bool,
}

/// A visible line with its position in the page.
#[derive(Debug, Clone)]
pub(crate) struct TextLine {
    pub text: String,
    /// The innermost block that contains the line.
    pub node: NodeId,
    pub runs: Vec<TextRun>,
    /// Icons with their byte offsets.
    pub icons: Vec<(usize, Icon)>,
    /// The line ends with a line break, not with its block.
    pub ends_with_break: bool,
    /// A blank line or a rule precedes the line.
    pub follows_gap: bool,
    pub zone: Zone,
    /// 1 to 6 for headings, [`PSEUDO_HEADING`] for lines that act as one.
    pub level: Option<u8>,
    /// Line of the heading above; for a heading, the next higher one.
    pub heading: Option<usize>,
}

impl TextLine {
    /// The node of the text at a byte offset.
    pub fn node_at(&self, at: usize) -> NodeId {
        let run = self.runs.iter().find(|run| run.from <= at && at < run.to);
        run.map_or(self.node, |run| run.node)
    }

    /// Whether a part of the line was obfuscated, or is split by markup.
    pub fn is_obfuscated(&self, part: &Range<usize>) -> bool {
        let mut touched = self.runs.iter().filter(|p| p.from < part.end && part.start < p.to);
        touched.clone().any(|run| run.obfuscated) || touched.nth(1).is_some()
    }
}

/// A link with its position on the page.
#[derive(Debug, Clone)]
pub(crate) struct LinkOccurrence {
    pub node: NodeId,
    /// The line in which its text begins; for a link without text, the line before.
    pub line: usize,
    /// Trimmed, with character references resolved.
    pub href: String,
    /// Its text, or the text of its image or label.
    pub text: String,
    pub zone: Zone,
    /// Byte offset in the line.
    pub at: usize,
}

/// The visible lines, links and embedded values of a page.
#[derive(Debug)]
pub(crate) struct VisibleText<'d, 'a> {
    pub dom: &'d Dom<'a>,
    pub lines: Vec<TextLine>,
    pub links: Vec<LinkOccurrence>,
    pub embedded: Vec<EmbeddedValue>,
    /// The values of the JSON-LD scripts of the page.
    pub json_ld: Vec<Value>,
}

impl<'d, 'a> VisibleText<'d, 'a> {
    /// `host` is that of the site, without `www.`.
    pub fn read(dom: &'d Dom<'a>, host: &str) -> Self {
        let walk::WalkResult { lines, links, embedded } = walk::walk(dom, host);
        let json_ld = structured::json_ld(dom, dom.descendants(NodeId::ROOT));
        Self { dom, lines, links, embedded, json_ld }
    }

    /// The headings above a line, the nearest first.
    pub fn headings(&self, line: usize) -> impl Iterator<Item = &str> + '_ {
        let above = move |at: usize| self.lines.get(at).and_then(|line| line.heading);
        std::iter::successors(above(line), move |at| above(*at).filter(|next| next < at))
            .filter_map(|at| self.lines.get(at))
            .map(|line| line.text.as_str())
    }

    /// The nearest of these elements around a node, including the node.
    pub fn nearest(&self, node: NodeId, elements: &[Element]) -> Option<NodeId> {
        self.dom
            .self_and_ancestors(node)
            .find(|id| self.dom.element(*id).is_some_and(|element| elements.contains(&element)))
    }

    /// The lines whose text begins in the subtree of a node.
    pub fn lines_in(&self, node: NodeId) -> Range<usize> {
        let end = self.dom.end(node);
        let first = self.lines.partition_point(|line| line.first_node() < node);
        let last = self.lines.partition_point(|line| line.first_node() < end);
        first..last.max(first)
    }

    /// The label of a position: the text before it in the line, or the previous line if that is
    /// the cell or term beside it or ends with a colon.
    pub fn label_before(&self, line: usize, at: usize) -> String {
        let Some(own) = self.lines.get(line) else { return String::new() };
        let before = own.text.get(..at).unwrap_or_default().trim();
        if before.chars().any(char::is_alphanumeric) {
            return before.to_owned();
        }
        let Some(last) = line.checked_sub(1).and_then(|last| self.lines.get(last)) else {
            return String::new();
        };
        let is_label = last.text.trim_end().ends_with(':') || self.are_beside(last, own);
        if is_label && last.text.len() < 80 { last.text.clone() } else { String::new() }
    }

    /// Whether two lines are cells of one row, or a term and its definition.
    pub fn are_beside(&self, one: &TextLine, other: &TextLine) -> bool {
        use Element as E;
        let cell = |line: &TextLine| self.nearest(line.node, &[E::Td, E::Th, E::Dt, E::Dd]);
        let (Some(one), Some(other)) = (cell(one), cell(other)) else { return false };
        let is_term = self.dom.is(one, E::Dt) && self.dom.is(other, E::Dd);
        let row = |cell| self.dom.parent(cell).filter(|row| self.dom.is(*row, E::Tr));
        one != other && (is_term || (row(one).is_some() && row(one) == row(other)))
    }
}

impl TextLine {
    /// The first node with text of this line.
    pub fn first_node(&self) -> NodeId {
        self.runs.first().map_or(self.node, |run| run.node)
    }
}

/// A value in an attribute or a script, with its position.
#[derive(Debug, Clone)]
pub(crate) struct EmbeddedValue {
    pub node: NodeId,
    pub line: usize,
    /// Byte offset in the line.
    pub at: usize,
    pub text: String,
    pub method: ContactMethod,
}
