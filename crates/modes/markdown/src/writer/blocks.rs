//! Block structure: blank lines, and the prefixes of quotes and lists before each line.
//!
//! A quote or list item is written with its first content, so that an empty one leaves no trace.

use std::fmt::Write as _;

use super::MarkdownWriter;

/// Maximum nesting of quotes and items; deeper content belongs to the last of them.
const MAX_NESTING: usize = 16;

/// The kind of a block, which decides about blank lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    Paragraph,
    /// A paragraph whose definition follows in a list.
    Term,
    Heading,
    Code,
    Table,
    Rule,
    Quote,
    Item,
    Footnote,
}

/// The marker of a list item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemMarker {
    Bullet(char),
    Number(u32, char),
}

/// A block that contains other blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkdownContainer {
    Quote,
    Item {
        marker: ItemMarker,
        /// For a task: whether it is done.
        task: Option<bool>,
        /// The items of its list are not separated by blank lines.
        tight: bool,
        /// It is the first item of its list.
        first: bool,
    },
    /// A footnote by the index of its label.
    Footnote(usize),
}

#[derive(Debug)]
struct OpenContainer {
    container: MarkdownContainer,
    written: bool,
    /// Length of the prefix including this container.
    prefix_end: usize,
    /// The block before the container.
    last: Option<BlockKind>,
}

/// The open containers, and the last block in the innermost one.
#[derive(Debug, Default)]
pub(super) struct BlockStack {
    open: Vec<OpenContainer>,
    /// The prefix of every line.
    prefix: String,
    last: Option<BlockKind>,
    /// Number of open containers beyond the maximum nesting.
    beyond: usize,
}

impl BlockStack {
    pub fn last(&self) -> Option<BlockKind> {
        self.last
    }

    /// Whether the current block is the first one of an item.
    pub fn is_in_item(&self) -> bool {
        matches!(
            self.open.last(),
            Some(OpenContainer { container: MarkdownContainer::Item { .. }, .. })
        )
    }

    /// Whether the current position is in a tight list.
    pub fn is_tight(&self) -> bool {
        matches!(
            self.open.last(),
            Some(OpenContainer { container: MarkdownContainer::Item { tight: true, .. }, .. })
        )
    }

    pub fn is_too_deep(&self) -> bool {
        self.open.len() >= MAX_NESTING
    }

    /// Whether the next line begins with the marker of an item.
    pub fn begins_item(&self) -> bool {
        self.open.last().is_some_and(|open| !open.written)
    }

    fn written_prefix(&self) -> &str {
        let end = self.open.iter().rev().find(|open| open.written).map_or(0, |o| o.prefix_end);
        &self.prefix[..end]
    }
}

impl MarkdownWriter<'_, '_> {
    /// Opens a container. Returns whether it is within the maximum nesting.
    pub(super) fn open_container(&mut self, container: MarkdownContainer) -> bool {
        let blocks = &mut self.blocks;
        if blocks.is_too_deep() {
            blocks.beyond += 1;
            self.too_deep = true;
            return false;
        }
        match container {
            MarkdownContainer::Quote => blocks.prefix.push_str("> "),
            MarkdownContainer::Item { marker: ItemMarker::Bullet(_), .. } => {
                blocks.prefix.push_str("  ")
            }
            MarkdownContainer::Item { marker: ItemMarker::Number(number, _), .. } => {
                let width = number.checked_ilog10().unwrap_or(0) as usize + 3;
                blocks.prefix.extend(std::iter::repeat_n(' ', width));
            }
            MarkdownContainer::Footnote(_) => blocks.prefix.push_str("    "),
        }
        let last = blocks.last.take();
        let prefix_end = blocks.prefix.len();
        blocks.open.push(OpenContainer { container, written: false, prefix_end, last });
        true
    }

    /// Closes the innermost container. Returns whether it had content.
    pub(super) fn close_container(&mut self) -> bool {
        let blocks = &mut self.blocks;
        let Some(open) = blocks.open.pop() else { return false };
        let end = blocks.open.last().map_or(0, |outer| outer.prefix_end);
        blocks.prefix.truncate(end);
        blocks.last = if open.written {
            Some(match open.container {
                MarkdownContainer::Quote => BlockKind::Quote,
                MarkdownContainer::Item { .. } => BlockKind::Item,
                MarkdownContainer::Footnote(_) => BlockKind::Footnote,
            })
        } else {
            open.last
        };
        open.written
    }

    /// Starts a block: a new line, a blank line before it if needed, and the prefix.
    pub(super) fn begin_block(&mut self, block: BlockKind) {
        if !self.out.is_empty() {
            self.out.push('\n');
            let prefix = self.blocks.written_prefix();
            if self.needs_blank_line(block) {
                self.out.push_str(prefix.trim_end());
                self.out.push('\n');
            }
            self.out.push_str(prefix);
        }
        for open in self.blocks.open.iter_mut().filter(|open| !open.written) {
            open.written = true;
            // Writing to a String cannot fail.
            let _ = match open.container {
                MarkdownContainer::Quote => write!(self.out, "> "),
                MarkdownContainer::Item { marker: ItemMarker::Bullet(sign), .. } => {
                    write!(self.out, "{sign} ")
                }
                MarkdownContainer::Item { marker: ItemMarker::Number(number, sign), .. } => {
                    write!(self.out, "{number}{sign} ")
                }
                MarkdownContainer::Footnote(label) => {
                    let label = self.footnotes.label(label);
                    write!(self.out, "[^{label}]: ")
                }
            };
            if let MarkdownContainer::Item { task: Some(done), .. } = open.container {
                self.out.push_str(if done { "[x] " } else { "[ ] " });
            }
        }
        self.blocks.last = Some(block);
    }

    /// Starts the next line of the current block.
    pub(super) fn next_line(&mut self) {
        self.out.push('\n');
        self.push_prefix();
    }

    /// Writes the prefix of a line within a block.
    pub(super) fn push_prefix(&mut self) {
        self.out.push_str(&self.blocks.prefix);
    }

    /// Writes the prefix of a blank line within a block.
    pub(super) fn push_blank_prefix(&mut self) {
        self.out.push_str(self.blocks.prefix.trim_end());
    }

    fn needs_blank_line(&self, block: BlockKind) -> bool {
        use BlockKind as B;
        // Compares the outermost container that begins here with the block before it.
        let begins = self.blocks.open.iter().position(|open| !open.written);
        let (outer, last) = match begins {
            Some(at) => (at.checked_sub(1), self.blocks.open[at].last),
            None => (self.blocks.open.len().checked_sub(1), self.blocks.last),
        };
        let container = begins.map(|at| self.blocks.open[at].container);
        let inside_tight = outer.is_some_and(|at| {
            matches!(self.blocks.open[at].container, MarkdownContainer::Item { tight: true, .. })
        });
        let next = match container {
            None => block,
            Some(MarkdownContainer::Quote) => B::Quote,
            Some(MarkdownContainer::Footnote(_)) => B::Footnote,
            Some(MarkdownContainer::Item { tight, first: false, .. }) if last == Some(B::Item) => {
                return !tight;
            }
            Some(MarkdownContainer::Item { marker, .. }) => {
                // Lists with another start number do not interrupt a paragraph.
                let interrupts = matches!(marker, ItemMarker::Bullet(_) | ItemMarker::Number(1, _));
                return !(interrupts
                    && (last == Some(B::Term) || inside_tight && last == Some(B::Paragraph)));
            }
        };
        let joins = matches!(
            (last, next),
            (Some(B::Paragraph), B::Code | B::Heading | B::Quote | B::Rule)
                | (Some(B::Quote | B::Item), B::Code | B::Heading | B::Rule)
                | (
                    Some(B::Code | B::Heading | B::Rule),
                    B::Paragraph | B::Code | B::Heading | B::Quote | B::Rule
                )
        );
        !(inside_tight && joins)
    }

    /// Writes a thematic break.
    pub(super) fn write_rule(&mut self) {
        // After an item marker, or directly below a line of text, dashes have another meaning.
        let rule = if self.blocks.begins_item() || self.blocks.is_tight() { "___" } else { "---" };
        self.begin_block(BlockKind::Rule);
        self.out.push_str(rule);
    }
}
