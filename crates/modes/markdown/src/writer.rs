//! Writes the selected nodes of a page as Markdown: CommonMark with the tables, strikethrough, task
//! lists and footnotes of GitHub.
//!
//! One pass over the DOM in document order without recursion. Time and output are proportional to
//! the page: nesting that would be repeated on every line is limited, and so are tables that would
//! be mostly padding.

use std::cell::OnceCell;

use contract::{ExtractionWarning, Heading, MarkdownLinks, TextImage, TextLink};

use crate::node_selection::NodeSelection;
use html::dom::{Dom, NodeId, NodeKind};

mod blocks;
mod code;
mod elements;
mod escape;
mod flanking;
mod footnote;
mod heading;
mod image;
mod line;
mod link;
mod link_references;
mod link_url;
mod list;
mod math;
mod render;
mod table;
mod title;

pub(crate) use link_url::BaseUrl;

use blocks::{BlockKind, BlockStack};
use elements::ElementEnd;
use footnote::Footnotes;
use heading::HeadingLevels;
use line::{InlineLine, InlinePiece, PendingSpace};
use link::{LinkTarget, OpenLink};
use link_references::LinkReferences;
use link_url::UrlResolver;
use list::OpenLists;

/// Maximum number of columns that the cells of a page span in total.
const MAX_SPANNED_COLUMNS: usize = 1_000_000;

/// Markdown with the headings, links and images in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WrittenMarkdown {
    /// Ends with one line feed, unless it is empty.
    pub markdown: String,
    pub headings: Vec<Heading>,
    pub links: Vec<TextLink>,
    pub images: Vec<TextImage>,
    /// Number of words; markup does not count.
    pub words: u64,
    pub warnings: Vec<ExtractionWarning>,
}

/// What links are relative to, and how they are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WriterTarget<'b> {
    pub base: &'b BaseUrl,
    pub links: MarkdownLinks,
}

#[cfg(test)]
impl<'b> WriterTarget<'b> {
    /// Links with their targets in the text.
    pub const fn inline(base: &'b BaseUrl) -> Self {
        Self { base, links: MarkdownLinks::Inline }
    }
}

/// Estimated bytes of Markdown per word, and maximum initial capacity.
const WORD_BYTES: usize = 7;
const MAX_CAPACITY: usize = 1 << 20;

/// Writes the selected nodes of a page; `words` is an estimate of their length.
pub(crate) fn write(
    dom: &Dom<'_>,
    selection: &NodeSelection,
    words: u64,
    target: WriterTarget<'_>,
) -> WrittenMarkdown {
    let mut writer = MarkdownWriter::new(dom, selection, NodeId::ROOT, target.base);
    writer.link_style = target.links;
    let room = usize::try_from(words).unwrap_or(MAX_CAPACITY).saturating_mul(WORD_BYTES);
    writer.out.reserve(room.min(MAX_CAPACITY));
    // From the root: some pages have content before their body.
    writer.walk(NodeId::ROOT);
    writer.flush();
    writer.finish()
}

/// The construct that contains the current text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InlineContext {
    /// Paragraphs in sequence.
    Flow,
    /// A heading, which is one line.
    Heading,
    /// A table cell, which is one line.
    Cell,
}

#[derive(Debug)]
struct MarkdownWriter<'w, 'a> {
    dom: &'w Dom<'a>,
    selection: &'w NodeSelection,
    urls: UrlResolver<'w>,
    out: String,
    line: InlineLine,
    /// Buffer for the pieces of a line.
    piece_buffer: Vec<InlinePiece>,
    inside: InlineContext,
    /// The kind of the current paragraph.
    paragraph: BlockKind,
    blocks: BlockStack,
    lists: OpenLists,
    levels: HeadingLevels,
    link: Option<OpenLink>,
    /// Link targets of the current line by index.
    targets: Vec<LinkTarget>,
    link_style: MarkdownLinks,
    references: LinkReferences,
    footnotes: Footnotes,
    has_math: bool,
    /// Byte offsets of formulas in the page, computed on first use.
    formulas: OnceCell<Vec<usize>>,
    headings: Vec<Heading>,
    links: Vec<TextLink>,
    images: Vec<TextImage>,
    /// The element of the last image.
    last_image: Option<NodeId>,
    /// Words of code blocks; those of lines are counted by the line.
    code_words: u64,
    /// Buffer for the cells of a table.
    cell_texts: String,
    /// Columns that tables may still span.
    spans_left: usize,
    table_truncated: bool,
    too_deep: bool,
}

impl<'w, 'a> MarkdownWriter<'w, 'a> {
    fn new(
        dom: &'w Dom<'a>,
        selection: &'w NodeSelection,
        root: NodeId,
        base: &'w BaseUrl,
    ) -> Self {
        let (footnotes, has_math) = footnote::find_footnotes(dom, selection, root, base);
        Self {
            dom,
            selection,
            urls: UrlResolver::new(base, dom.node_count().saturating_mul(16)),
            out: String::new(),
            line: InlineLine::new(),
            piece_buffer: Vec::new(),
            inside: InlineContext::Flow,
            paragraph: BlockKind::Paragraph,
            blocks: BlockStack::default(),
            lists: OpenLists::default(),
            levels: HeadingLevels::default(),
            link: None,
            targets: Vec::new(),
            link_style: MarkdownLinks::Inline,
            references: LinkReferences::default(),
            footnotes,
            has_math,
            formulas: OnceCell::new(),
            headings: Vec::new(),
            links: Vec::new(),
            images: Vec::new(),
            last_image: None,
            code_words: 0,
            cell_texts: String::new(),
            spans_left: MAX_SPANNED_COLUMNS,
            table_truncated: false,
            too_deep: false,
        }
    }

    fn finish(mut self) -> WrittenMarkdown {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.references.push_definitions(&mut self.out);
        let mut warnings = Vec::new();
        if self.table_truncated {
            warnings.push(ExtractionWarning::TableTruncated);
        }
        if self.urls.exhausted {
            warnings.push(ExtractionWarning::Truncated);
        }
        if self.too_deep {
            warnings.push(ExtractionWarning::TooDeep);
        }
        WrittenMarkdown {
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
        let mut open: Vec<(NodeId, ElementEnd)> = Vec::new();
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
                NodeKind::Text | NodeKind::Raw => self.text(at),
                NodeKind::Document => {}
                NodeKind::Element(element) => {
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
            self.line.gap(PendingSpace::Space);
        }
    }

    /// Ends the current paragraph.
    fn flush(&mut self) {
        match self.inside {
            InlineContext::Heading => self.line.gap(PendingSpace::Space),
            InlineContext::Cell => self.line.gap(PendingSpace::Break),
            InlineContext::Flow => {
                if self.blocks.begins_item() {
                    self.line.drop_bullet();
                }
                if !self.line.is_empty() {
                    self.begin_block(self.paragraph);
                    self.render_line();
                    self.mark_link_written();
                }
                self.line.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests;
