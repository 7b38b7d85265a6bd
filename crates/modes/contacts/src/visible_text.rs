//! A page as the reader of contacts sees it: its visible lines in reading order, each with
//! its place, and the mailboxes and numbers in them.
//!
//! A line is the text of one block, or of a part of it between line breaks, with the markup
//! inside it joined. What is hidden from readers is not in it; what is hidden from
//! harvesters is, as readers see it. Lines, mailboxes and numbers are bounded.

use std::ops::Range;

use contract::ContactMethod;

use html::dom::{Dom, Element, NodeId};

mod element_hints;
mod style;
mod walk;

/// How many lines of a page are read.
pub(crate) const MAX_LINES: usize = 20_000;

/// How long a line grows, in bytes.
pub(crate) const MAX_LINE: usize = 4_000;

/// The level of a line that stands over others without being a heading: all of it is bold,
/// or it is the term of a list, or the head of a row.
pub(crate) const PSEUDO_HEADING: u8 = 7;

/// The part of the page that a line stands in. The nearest counts.
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
    /// A notice about cookies, a window over the page.
    Notice,
}

/// A small picture that says what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Icon {
    Phone,
    Mobile,
    Fax,
    Mail,
    Place,
}

/// A run of a line's text that one node gave.
#[derive(Debug, Clone)]
pub(crate) struct TextRun {
    pub from: usize,
    pub to: usize,
    pub node: NodeId,
    /// It was hidden from harvesters, and is here as a reader sees it.
    pub obfuscated: bool,
}

/// A visible line.
#[derive(Debug, Clone)]
pub(crate) struct TextLine {
    pub text: String,
    /// The innermost block that holds it.
    pub node: NodeId,
    pub runs: Vec<TextRun>,
    /// Where in the text small pictures stand.
    pub icons: Vec<(usize, Icon)>,
    /// It ends with a line break, not with its block.
    pub breaks: bool,
    /// A blank line or a rule stands before it.
    pub is_parted: bool,
    pub zone: Zone,
    /// 1 to 6 for headings, [`PSEUDO_HEADING`] for what stands over others.
    pub level: Option<u8>,
    /// The heading that stands over it; of a heading, the next higher one.
    pub heading: Option<usize>,
}

impl TextLine {
    /// The node that gave the text at a place.
    pub fn node_at(&self, at: usize) -> NodeId {
        let run = self.runs.iter().find(|run| run.from <= at && at < run.to);
        run.map_or(self.node, |run| run.node)
    }

    /// Whether a part of it was hidden from harvesters, or is cut up by markup.
    pub fn is_obfuscated(&self, part: &Range<usize>) -> bool {
        let mut touched = self.runs.iter().filter(|p| p.from < part.end && part.start < p.to);
        touched.clone().any(|run| run.obfuscated) || touched.nth(1).is_some()
    }
}

/// A link that leads somewhere, with its place.
#[derive(Debug, Clone)]
pub(crate) struct LinkOccurrence {
    pub node: NodeId,
    /// The line that its text begins in; of a link without text, the one before it.
    pub line: usize,
    /// As it stands, references resolved, trimmed.
    pub href: String,
    /// Its text, or what its picture or its label says.
    pub text: String,
    pub zone: Zone,
    /// Where in the line's text it begins.
    pub at: usize,
}

/// A page as it is seen.
#[derive(Debug)]
pub(crate) struct VisibleText<'d, 'a> {
    pub dom: &'d Dom<'a>,
    pub lines: Vec<TextLine>,
    pub links: Vec<LinkOccurrence>,
    pub embedded: Vec<EmbeddedValue>,
    /// Scripts that describe the page, as JSON-LD.
    pub described: Vec<NodeId>,
}

impl<'d, 'a> VisibleText<'d, 'a> {
    pub fn read(dom: &'d Dom<'a>) -> Self {
        let walk::WalkResult { lines, links, embedded, described } = walk::walk(dom);
        Self { dom, lines, links, embedded, described }
    }

    /// The headings over a line, the nearest first, as texts.
    pub fn headings(&self, line: usize) -> impl Iterator<Item = &str> + '_ {
        let above = move |at: usize| self.lines.get(at).and_then(|line| line.heading);
        std::iter::successors(above(line), move |at| above(*at).filter(|next| next < at))
            .filter_map(|at| self.lines.get(at))
            .map(|line| line.text.as_str())
    }

    /// The nearest element of one of these names around a node.
    pub fn nearest(&self, node: NodeId, elements: &[Element]) -> Option<NodeId> {
        std::iter::once(node)
            .chain(self.dom.ancestors(node))
            .find(|id| self.dom.element(*id).is_some_and(|element| elements.contains(&element)))
    }

    /// The lines whose block stands in the subtree of a node.
    pub fn lines_in(&self, node: NodeId) -> Range<usize> {
        let end = self.dom.end(node);
        let first = self.lines.partition_point(|line| line.first_node() < node);
        let last = self.lines.partition_point(|line| line.first_node() < end);
        first..last.max(first)
    }

    /// What stands before a place, as a label would: the text of the line up to it, or the
    /// line before when that is a cell or a term beside it, or ends with a colon.
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

    /// Whether two lines stand beside each other: cells of a row, a term and its definition.
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
    /// The first node that gave text to it.
    pub fn first_node(&self) -> NodeId {
        self.runs.first().map_or(self.node, |run| run.node)
    }
}

/// A value that an attribute or a script holds, with its place.
#[derive(Debug, Clone)]
pub(crate) struct EmbeddedValue {
    pub node: NodeId,
    pub line: usize,
    /// Where in the line's text it stands.
    pub at: usize,
    pub text: String,
    pub method: ContactMethod,
}
