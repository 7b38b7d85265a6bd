//! Headings: levels without gaps, and their fragments.

use contract::Heading;

use super::blocks::BlockKind;
use super::line::{InlineMark, InlinePiece};
use super::{InlineContext, MarkdownWriter};
use html::dom::{Element, NodeId};

/// A heading with more nodes is an element that was not closed.
const MAX_NODES: u32 = 200;

/// The levels of the headings that were written.
#[derive(Debug, Default)]
pub(super) struct HeadingLevels {
    /// Levels in the page and in the text of the last heading and its ancestors.
    above: Vec<(u8, u8)>,
}

impl HeadingLevels {
    /// The level to write: one below the parent heading, or unchanged without one.
    fn next(&mut self, level: u8) -> u8 {
        while self.above.pop_if(|(known, _)| *known >= level).is_some() {}
        let written = self.above.last().map_or(level, |(_, written)| (written + 1).min(6));
        self.above.push((level, written));
        written
    }
}

impl MarkdownWriter<'_, '_> {
    /// Whether a heading element is a heading: it contains no blocks.
    pub(super) fn is_heading(&self, id: NodeId) -> bool {
        use Element as E;
        self.inside == InlineContext::Flow
            && self.dom.end(id).0 - id.0 <= MAX_NODES
            && !self.dom.descendants(id).any(|below| {
                matches!(
                    self.dom.element(below),
                    Some(E::Ul | E::Ol | E::Table | E::Pre | E::Blockquote | E::Dl | E::Hr)
                )
            })
    }

    pub(super) fn begin_heading(&mut self) {
        self.flush();
        self.inside = InlineContext::Heading;
        self.open_waiting_link();
    }

    pub(super) fn end_heading(&mut self, id: NodeId, level: u8) {
        self.line.end();
        if !self.line.is_empty() {
            self.unmark_whole_line();
            let text = self.plain_line();
            let level = self.levels.next(level);
            self.begin_block(BlockKind::Heading);
            let start = self.out.len();
            self.out.extend(std::iter::repeat_n('#', level.into()));
            self.out.push(' ');
            self.render_line();
            self.guard_closing_sign(start + usize::from(level));
            if !text.trim().is_empty() {
                let anchor = self.heading_anchor(id);
                self.headings.push(Heading { level, text, anchor });
            }
        }
        self.line.clear();
        self.inside = InlineContext::Flow;
        self.mark_link_written();
    }

    /// Removes strong marks around a whole heading, which have no effect.
    fn unmark_whole_line(&mut self) {
        let pieces = &mut self.line.pieces;
        let strong = InlineMark::Strong;
        if pieces.first() == Some(&InlinePiece::Open(strong))
            && pieces.iter().position(|piece| *piece == InlinePiece::Close(strong)).map(|at| at + 1)
                == Some(pieces.len())
        {
            let last = pieces.len() - 1;
            pieces[0] = InlinePiece::Nothing;
            pieces[last] = InlinePiece::Nothing;
        }
    }

    /// Escapes `#` at the end of a heading, which would close it.
    fn guard_closing_sign(&mut self, start: usize) {
        let line = &self.out[start..];
        let bare = line.trim_end_matches('#');
        if bare.len() < line.len() && bare.ends_with(' ') {
            let last = self.out.len() - 1;
            self.out.insert(last, '\\');
        }
    }

    /// The fragment of a heading: its id, that of a descendant, that of the section that it
    /// begins, or the target of its link.
    fn heading_anchor(&self, id: NodeId) -> Option<String> {
        let name = |id: NodeId| {
            let name = self.dom.attribute(id, "id").filter(|name| !name.is_empty());
            name.or_else(|| self.dom.attribute(id, "name").filter(|_| self.dom.is(id, Element::A)))
        };
        let within = || self.dom.descendants(id).find_map(name);
        let link = || {
            self.dom.descendants(id).find_map(|below| {
                let href = self.dom.attribute(below, "href")?;
                href.strip_prefix('#').map(|fragment| fragment.to_owned().into())
            })
        };
        let around = || {
            let parent = self.dom.parent(id)?;
            let begins = self.dom.is(parent, Element::Section) || self.dom.is(parent, Element::Div);
            let first = self.dom.children(parent).find(|child| self.dom.element(*child).is_some());
            if begins && first == Some(id) { name(parent) } else { None }
        };
        let found = name(id).or_else(within).or_else(link).or_else(around)?;
        let found = found.trim();
        (!found.is_empty() && found.len() <= 512).then(|| found.to_owned())
    }
}
