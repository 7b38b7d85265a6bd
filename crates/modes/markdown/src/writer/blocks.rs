//! Where blocks begin: blank lines, and the signs of quotes and lists before each line.
//!
//! A quote or an item that begins is written with its first content, so that one without
//! content leaves no trace.

use std::fmt::Write as _;

use super::Writer;

/// How many quotes and items stand in each other at most; what is deeper is written as if
/// it were in the last of them.
const MAX_NESTING: usize = 16;

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    Paragraph,
    /// A paragraph whose explanation follows in a list.
    Term,
    Heading,
    Code,
    Table,
    Rule,
    Quote,
    Item,
    Note,
}

/// How an item is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bullet {
    Sign(char),
    Number(u32, char),
}

/// What blocks stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Quote,
    Item {
        bullet: Bullet,
        /// Of a task: whether it is done.
        task: Option<bool>,
        /// Nothing stands between the items of its list.
        tight: bool,
        /// The first of its list.
        first: bool,
    },
    /// A note, by its number among the labels.
    Note(usize),
}

#[derive(Debug)]
struct Open {
    container: Container,
    written: bool,
    /// Where the signs of lines in it end in the prefix.
    prefix_end: usize,
    /// What stood before it.
    last: Option<Block>,
}

/// The containers that are open, and the last block in the innermost of them.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    open: Vec<Open>,
    /// The signs before every line.
    prefix: String,
    last: Option<Block>,
    /// How many containers were too deep.
    beyond: usize,
}

impl Blocks {
    pub fn last(&self) -> Option<Block> {
        self.last
    }

    /// Whether the block at hand is the first of an item.
    pub fn is_in_item(&self) -> bool {
        matches!(self.open.last(), Some(Open { container: Container::Item { .. }, .. }))
    }

    /// Whether what stands here stands in a list without blank lines.
    pub fn is_tight(&self) -> bool {
        matches!(
            self.open.last(),
            Some(Open { container: Container::Item { tight: true, .. }, .. })
        )
    }

    pub fn is_too_deep(&self) -> bool {
        self.open.len() >= MAX_NESTING
    }

    /// The line that comes begins with the sign of an item.
    fn begins_item(&self) -> bool {
        self.open.last().is_some_and(|open| !open.written)
    }

    fn written_prefix(&self) -> &str {
        let end = self.open.iter().rev().find(|open| open.written).map_or(0, |o| o.prefix_end);
        &self.prefix[..end]
    }
}

impl Writer<'_, '_> {
    /// Begins a container. Whether it is one, or too deep.
    pub(super) fn open_container(&mut self, container: Container) -> bool {
        let blocks = &mut self.blocks;
        if blocks.is_too_deep() {
            blocks.beyond += 1;
            self.too_deep = true;
            return false;
        }
        match container {
            Container::Quote => blocks.prefix.push_str("> "),
            Container::Item { bullet: Bullet::Sign(_), .. } => blocks.prefix.push_str("  "),
            Container::Item { bullet: Bullet::Number(number, _), .. } => {
                let width = number.checked_ilog10().unwrap_or(0) as usize + 3;
                blocks.prefix.extend(std::iter::repeat_n(' ', width));
            }
            Container::Note(_) => blocks.prefix.push_str("    "),
        }
        let last = blocks.last.take();
        let prefix_end = blocks.prefix.len();
        blocks.open.push(Open { container, written: false, prefix_end, last });
        true
    }

    /// Ends the innermost container. Whether there was anything in it.
    pub(super) fn close_container(&mut self) -> bool {
        let blocks = &mut self.blocks;
        let Some(open) = blocks.open.pop() else { return false };
        let end = blocks.open.last().map_or(0, |outer| outer.prefix_end);
        blocks.prefix.truncate(end);
        blocks.last = if open.written {
            Some(match open.container {
                Container::Quote => Block::Quote,
                Container::Item { .. } => Block::Item,
                Container::Note(_) => Block::Note,
            })
        } else {
            open.last
        };
        open.written
    }

    /// Goes to where a block begins: a new line, a blank one before it if need be, and the
    /// signs of what it stands in.
    pub(super) fn begin_block(&mut self, block: Block) {
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
                Container::Quote => write!(self.out, "> "),
                Container::Item { bullet: Bullet::Sign(sign), .. } => write!(self.out, "{sign} "),
                Container::Item { bullet: Bullet::Number(number, sign), .. } => {
                    write!(self.out, "{number}{sign} ")
                }
                Container::Note(label) => {
                    let label = self.notes.label(label);
                    write!(self.out, "[^{label}]: ")
                }
            };
            if let Container::Item { task: Some(done), .. } = open.container {
                self.out.push_str(if done { "[x] " } else { "[ ] " });
            }
        }
        self.blocks.last = Some(block);
    }

    /// Goes to the next line of the block at hand.
    pub(super) fn next_line(&mut self) {
        self.out.push('\n');
        self.push_prefix();
    }

    /// The signs before a line within a block.
    pub(super) fn push_prefix(&mut self) {
        self.out.push_str(&self.blocks.prefix);
    }

    /// The signs of a blank line within a block.
    pub(super) fn push_blank_prefix(&mut self) {
        self.out.push_str(self.blocks.prefix.trim_end());
    }

    fn needs_blank_line(&self, block: Block) -> bool {
        use Block as B;
        // What meets is the outermost thing that begins here, and what stood before it.
        let begins = self.blocks.open.iter().position(|open| !open.written);
        let (outer, last) = match begins {
            Some(at) => (at.checked_sub(1), self.blocks.open[at].last),
            None => (self.blocks.open.len().checked_sub(1), self.blocks.last),
        };
        let container = begins.map(|at| self.blocks.open[at].container);
        let inside_tight = outer.is_some_and(|at| {
            matches!(self.blocks.open[at].container, Container::Item { tight: true, .. })
        });
        let next = match container {
            None => block,
            Some(Container::Quote) => B::Quote,
            Some(Container::Note(_)) => B::Note,
            Some(Container::Item { tight, first: false, .. }) if last == Some(B::Item) => {
                return !tight;
            }
            Some(Container::Item { bullet, .. }) => {
                // Any other number does not end a paragraph.
                let interrupts = matches!(bullet, Bullet::Sign(_) | Bullet::Number(1, _));
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

    /// A line between two parts.
    pub(super) fn write_rule(&mut self) {
        // Behind the sign of an item, or right under a line of text, dashes mean other things.
        let rule = if self.blocks.begins_item() || self.blocks.is_tight() { "___" } else { "---" };
        self.begin_block(Block::Rule);
        self.out.push_str(rule);
    }
}
