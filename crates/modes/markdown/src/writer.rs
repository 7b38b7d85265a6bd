//! Writes what was chosen of a page as Markdown: CommonMark, with the tables, the struck
//! text, the tasks and the notes of GitHub.
//!
//! The tree is gone through once, in document order, without recursion. Time and output are
//! in proportion to the page, whatever it holds: nesting that would be repeated on every
//! line is cut, and so are tables that would be mostly padding.

use std::cell::OnceCell;

use contract::{ExtractionWarning, Heading, TextImage, TextLink};

use super::selection::Selection;
use html::dom::{Dom, Kind, NodeId};

mod address;
mod blocks;
mod code;
mod elements;
mod escape;
mod flanking;
mod heading;
mod image;
mod line;
mod link;
mod list;
mod math;
mod note;
mod render;
mod table;
mod title;

pub(crate) use address::Base;

use address::Addresses;
use blocks::{Block, Blocks};
use elements::Leave;
use heading::Levels;
use line::{Gap, Line, Piece};
use link::{OpenLink, Target};
use list::Lists;
use note::Notes;

/// How many columns the cells of a page may span, all in all.
const SPAN_WORK: usize = 1_000_000;

/// A text and what stands in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    /// Ends with one line feed, unless it is empty.
    pub markdown: String,
    pub headings: Vec<Heading>,
    pub links: Vec<TextLink>,
    pub images: Vec<TextImage>,
    /// Words of the text; markup does not count.
    pub words: u64,
    pub warnings: Vec<ExtractionWarning>,
}

/// Bytes of Markdown that a word takes, and the most that are made room for in advance.
const WORD_BYTES: usize = 7;
const MAX_ROOM: usize = 1 << 20;

/// Writes what is chosen of a page: about so many words.
pub(crate) fn write(dom: &Dom<'_>, selection: &Selection, words: u64, base: &Base) -> Written {
    let mut writer = Writer::new(dom, selection, NodeId::ROOT, base);
    let room = usize::try_from(words).unwrap_or(MAX_ROOM).saturating_mul(WORD_BYTES);
    writer.out.reserve(room.min(MAX_ROOM));
    // From the root: some pages begin before their body does.
    writer.walk(NodeId::ROOT);
    writer.flush();
    writer.finish()
}

/// What the text at hand stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Paragraphs, one after the other.
    Flow,
    /// A heading: all of it is one line.
    Heading,
    /// The cell of a table: all of it is one line.
    Cell,
}

#[derive(Debug)]
struct Writer<'w, 'a> {
    dom: &'w Dom<'a>,
    selection: &'w Selection,
    addresses: Addresses<'w>,
    out: String,
    line: Line,
    /// Room for the pieces of a line.
    settled: Vec<Piece>,
    inside: Inside,
    /// What the paragraph at hand is.
    paragraph: Block,
    blocks: Blocks,
    lists: Lists,
    levels: Levels,
    link: Option<OpenLink>,
    /// Where the links of the line at hand lead, by number.
    targets: Vec<Target>,
    notes: Notes,
    has_math: bool,
    /// Where formulas begin in the page, once somebody asks.
    formulas: OnceCell<Vec<usize>>,
    headings: Vec<Heading>,
    links: Vec<TextLink>,
    images: Vec<TextImage>,
    /// Words of code blocks; those of lines are counted by the line.
    code_words: u64,
    /// Room for the cells of a table.
    cell_texts: String,
    /// What is left for the spans of tables.
    span_work: usize,
    table_truncated: bool,
    too_deep: bool,
}

impl<'w, 'a> Writer<'w, 'a> {
    fn new(dom: &'w Dom<'a>, selection: &'w Selection, root: NodeId, base: &'w Base) -> Self {
        let (notes, has_math) = note::survey(dom, selection, root);
        Self {
            dom,
            selection,
            addresses: Addresses::new(base, dom.len().saturating_mul(16)),
            out: String::new(),
            line: Line::new(),
            settled: Vec::new(),
            inside: Inside::Flow,
            paragraph: Block::Paragraph,
            blocks: Blocks::default(),
            lists: Lists::default(),
            levels: Levels::default(),
            link: None,
            targets: Vec::new(),
            notes,
            has_math,
            formulas: OnceCell::new(),
            headings: Vec::new(),
            links: Vec::new(),
            images: Vec::new(),
            code_words: 0,
            cell_texts: String::new(),
            span_work: SPAN_WORK,
            table_truncated: false,
            too_deep: false,
        }
    }

    fn finish(mut self) -> Written {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        let mut warnings = Vec::new();
        if self.table_truncated {
            warnings.push(ExtractionWarning::TableTruncated);
        }
        if self.addresses.exhausted {
            warnings.push(ExtractionWarning::Truncated);
        }
        if self.too_deep {
            warnings.push(ExtractionWarning::TooDeep);
        }
        Written {
            markdown: self.out,
            headings: self.headings,
            links: self.links,
            images: self.images,
            words: self.line.words + self.code_words,
            warnings,
        }
    }

    /// Goes through all below a node.
    fn walk(&mut self, root: NodeId) {
        let mut open: Vec<(NodeId, Leave)> = Vec::new();
        let end = self.dom.end(root);
        let mut at = NodeId(root.0 + 1);
        loop {
            while let Some((_, leave)) = open.pop_if(|(end, _)| *end <= at) {
                self.leave(leave);
            }
            if at >= end {
                return;
            }
            match self.dom.kind(at) {
                Kind::Text | Kind::Raw => self.text(at),
                Kind::Document => {}
                Kind::Element(element) => {
                    let after = self.dom.end(at);
                    match self.enter(at, element) {
                        Some(leave) => open.push((after, leave)),
                        None => {
                            at = after;
                            continue;
                        }
                    }
                }
            }
            at = NodeId(at.0 + 1);
        }
    }

    fn text(&mut self, id: NodeId) {
        if self.selection.contains(id) {
            let text = self.dom.text(id);
            self.line.push(&text);
        } else if self.dom.raw_text(id).trim_ascii().is_empty() {
            // Spaces are nobody's choice.
            self.line.gap(Gap::Space);
        }
    }

    /// Ends the paragraph at hand.
    fn flush(&mut self) {
        match self.inside {
            Inside::Heading => self.line.gap(Gap::Space),
            Inside::Cell => self.line.gap(Gap::Break),
            Inside::Flow => {
                if !self.line.is_empty() {
                    self.begin_block(self.paragraph);
                    self.render_line();
                    self.spend_link();
                }
                self.line.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests;
