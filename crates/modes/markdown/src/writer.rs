//! Writes the selected nodes of a page as Markdown: CommonMark with the tables, strikethrough, task
//! lists and footnotes of GitHub.
//!
//! One pass over the DOM in document order without recursion. Time and output are proportional to
//! the page: nesting that would be repeated on every line is limited, and so are tables that would
//! be mostly padding.

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

/// Maximum number of columns that the cells of a page span in total.
const SPAN_WORK: usize = 1_000_000;

/// Markdown with the headings, links and images in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    /// Ends with one line feed, unless it is empty.
    pub markdown: String,
    pub headings: Vec<Heading>,
    pub links: Vec<TextLink>,
    pub images: Vec<TextImage>,
    /// Number of words; markup does not count.
    pub words: u64,
    pub warnings: Vec<ExtractionWarning>,
}

/// Estimated bytes of Markdown per word, and maximum initial capacity.
const WORD_BYTES: usize = 7;
const MAX_ROOM: usize = 1 << 20;

/// Writes the selected nodes of a page; `words` is an estimate of their length.
pub(crate) fn write(dom: &Dom<'_>, selection: &Selection, words: u64, base: &Base) -> Written {
    let mut writer = Writer::new(dom, selection, NodeId::ROOT, base);
    let room = usize::try_from(words).unwrap_or(MAX_ROOM).saturating_mul(WORD_BYTES);
    writer.out.reserve(room.min(MAX_ROOM));
    // From the root: some pages have content before their body.
    writer.walk(NodeId::ROOT);
    writer.flush();
    writer.finish()
}

/// The construct that contains the current text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Paragraphs in sequence.
    Flow,
    /// A heading, which is one line.
    Heading,
    /// A table cell, which is one line.
    Cell,
}

#[derive(Debug)]
struct Writer<'w, 'a> {
    dom: &'w Dom<'a>,
    selection: &'w Selection,
    addresses: Addresses<'w>,
    out: String,
    line: Line,
    /// Buffer for the pieces of a line.
    settled: Vec<Piece>,
    inside: Inside,
    /// The kind of the current paragraph.
    paragraph: Block,
    blocks: Blocks,
    lists: Lists,
    levels: Levels,
    link: Option<OpenLink>,
    /// Link targets of the current line by index.
    targets: Vec<Target>,
    notes: Notes,
    has_math: bool,
    /// Byte offsets of formulas in the page, computed on first use.
    formulas: OnceCell<Vec<usize>>,
    headings: Vec<Heading>,
    links: Vec<TextLink>,
    images: Vec<TextImage>,
    /// Words of code blocks; those of lines are counted by the line.
    code_words: u64,
    /// Buffer for the cells of a table.
    cell_texts: String,
    /// Columns that tables may still span.
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

    /// Writes all descendants of a node.
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
            // White space is not part of the selection, but separates words.
            self.line.gap(Gap::Space);
        }
    }

    /// Ends the current paragraph.
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
