//! How each element is written.

use super::blocks::{BlockKind, MarkdownContainer};
use super::line::{InlineMark, PendingSpace};
use super::{InlineContext, MarkdownWriter};
use crate::node_selection::PartMark;
use html::dom::{Element, NodeId};
use html::element_set;

/// Number of ancestors that are searched for other emphasis.
const MAX_SEARCHED: usize = 8;

/// What to do at the end of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementEnd {
    Nothing,
    /// Ends a paragraph or another block.
    Block,
    /// Ends a container of blocks.
    Container,
    Mark(InlineMark),
    Link,
    Heading(NodeId, u8),
    List,
    /// Ends a line of strong text.
    Term,
    /// Writes a closing delimiter.
    Delimiter(&'static str),
}

impl MarkdownWriter<'_, '_> {
    /// Starts an element. `None` if it has no text, or if all of it has been written.
    pub(super) fn enter(&mut self, id: NodeId, element: Element) -> Option<ElementEnd> {
        use Element as E;
        match element {
            // Line breaks are not part of the selection.
            E::Br => {
                self.line_break();
                return None;
            }
            E::Script => {
                self.script(id);
                return None;
            }
            _ if !self.selection.contains(id) => return None,
            _ => {}
        }
        if let Some(note) = self.footnotes.definition(id) {
            return Some(self.begin_container(MarkdownContainer::Footnote(note)));
        }
        match self.selection.mark_of(id) {
            Some(PartMark::Post) if self.inside == InlineContext::Flow => {
                self.flush();
                if !self.out.is_empty() {
                    self.write_rule();
                }
            }
            Some(PartMark::Author) if self.inside == InlineContext::Flow => {
                return Some(self.begin_term());
            }
            Some(PartMark::Post | PartMark::Author) | None => {}
        }
        match element {
            E::B => Some(self.mark(InlineMark::Strong)),
            E::I => Some(self.mark(InlineMark::Em)),
            E::Strong => Some(self.emphasis(id, element, InlineMark::Strong)),
            E::Em => Some(self.emphasis(id, element, InlineMark::Em)),
            E::S | E::Del | E::Strike => Some(self.mark(InlineMark::Strike)),
            E::Sup if self.holds_reference(id) => Some(ElementEnd::Nothing),
            E::Sup => Some(self.mark(InlineMark::Sup)),
            E::Sub => Some(self.mark(InlineMark::Sub)),
            E::Span | E::Div if self.is_rendered_formula(id) => None,
            E::A => self.begin_link(id),
            E::Code | E::Tt | E::Samp | E::Kbd => {
                self.inline_code(id);
                None
            }
            E::Q => {
                self.line.push("“");
                Some(ElementEnd::Delimiter("”"))
            }
            E::Bdo => Some(self.begin_override(id)),
            E::Rt if !self.has_parentheses(id) => {
                self.line.push("(");
                Some(ElementEnd::Delimiter(")"))
            }
            E::Image => {
                self.image(id);
                None
            }
            E::Math => {
                self.formula(id);
                None
            }
            E::H1 | E::H2 | E::H3 | E::H4 | E::H5 | E::H6 if self.is_heading(id) => {
                self.begin_heading();
                Some(ElementEnd::Heading(id, element.heading_level().unwrap_or(6)))
            }
            E::Blockquote => Some(self.begin_container(MarkdownContainer::Quote)),
            E::Ul | E::Ol | E::Menu | E::Dir => Some(self.begin_list(id, element)),
            E::Li => Some(self.begin_item(id)),
            E::Dt | E::Summary => Some(self.begin_term()),
            E::Dd => Some(self.begin_definition()),
            E::Pre | E::Xmp | E::Plaintext => {
                self.code_block(id);
                None
            }
            E::Table => self.table(id),
            E::Td if self.is_code_decoration(id) => None,
            E::Hr => {
                self.flush();
                if self.inside == InlineContext::Flow {
                    self.write_rule();
                }
                None
            }
            E::Button if !self.is_in_title(id) => None,
            E::Template if self.dom.raw_attribute(id, "shadowrootmode").is_none() => None,
            E::Custom if self.is_in_text(id) => Some(ElementEnd::Nothing),
            _ if is_non_text(element) => None,
            _ if is_inline(element) => Some(ElementEnd::Nothing),
            _ => {
                self.flush();
                Some(ElementEnd::Block)
            }
        }
    }

    pub(super) fn leave(&mut self, leave: ElementEnd) {
        match leave {
            ElementEnd::Nothing => {}
            ElementEnd::Block => self.flush(),
            ElementEnd::Container => {
                self.flush();
                self.close_container();
            }
            ElementEnd::Mark(mark) => self.line.close(mark),
            ElementEnd::Link => self.end_link(),
            ElementEnd::Heading(id, level) => self.end_heading(id, level),
            ElementEnd::List => self.end_list(),
            ElementEnd::Term => self.end_term(),
            ElementEnd::Delimiter(sign) => self.line.push(sign),
        }
    }

    fn mark(&mut self, mark: InlineMark) -> ElementEnd {
        if self.line.open(mark) { ElementEnd::Mark(mark) } else { ElementEnd::Nothing }
    }

    /// Semantic emphasis within emphasis is nested; presentational emphasis is not.
    fn emphasis(&mut self, id: NodeId, element: Element, mark: InlineMark) -> ElementEnd {
        let mut around = self.dom.ancestors(id).take(MAX_SEARCHED);
        let again = self.line.is_marked(mark) && around.any(|above| self.dom.is(above, element));
        if again && self.line.open_within(mark) { ElementEnd::Mark(mark) } else { self.mark(mark) }
    }

    pub(super) fn begin_container(&mut self, container: MarkdownContainer) -> ElementEnd {
        self.flush();
        if self.inside == InlineContext::Flow && self.open_container(container) {
            ElementEnd::Container
        } else {
            ElementEnd::Block
        }
    }

    /// A line break; two of them start a new paragraph.
    fn line_break(&mut self) {
        match self.inside {
            InlineContext::Heading => self.line.gap(PendingSpace::Space),
            InlineContext::Flow if self.line.pending_gap() == PendingSpace::Break => self.flush(),
            InlineContext::Flow | InlineContext::Cell => {
                if !self.line.is_empty() {
                    self.line.gap(PendingSpace::Break);
                }
            }
        }
    }

    /// `bdo`: text with an overridden direction keeps it.
    fn begin_override(&mut self, id: NodeId) -> ElementEnd {
        let direction = self.dom.raw_attribute(id, "dir").unwrap_or_default().trim();
        let sign = if direction.eq_ignore_ascii_case("rtl") { "\u{202e}" } else { "\u{202d}" };
        self.line.push(sign);
        ElementEnd::Delimiter("\u{202c}")
    }

    /// Whether a `ruby` annotation has its own parentheses.
    fn has_parentheses(&self, id: NodeId) -> bool {
        let Some(ruby) = self.dom.parent(id) else { return false };
        self.dom.children(ruby).take(64).any(|child| self.dom.is(child, Element::Rp))
    }

    /// Whether an element is within a paragraph, heading or code.
    fn is_in_text(&self, id: NodeId) -> bool {
        let mut around = self.dom.ancestors(id).take(MAX_SEARCHED);
        around.any(|above| self.dom.element(above).is_some_and(Element::is_text_line))
    }

    /// Whether a button is the heading of an accordion.
    fn is_in_title(&self, id: NodeId) -> bool {
        self.inside == InlineContext::Heading
            || self.dom.ancestors(id).take(4).any(|above| {
                matches!(self.dom.element(above), Some(Element::Summary | Element::Dt))
            })
    }

    fn begin_term(&mut self) -> ElementEnd {
        self.flush();
        match self.inside {
            InlineContext::Flow => {
                self.paragraph = BlockKind::Term;
                self.line.open(InlineMark::Strong);
                ElementEnd::Term
            }
            InlineContext::Heading | InlineContext::Cell => ElementEnd::Block,
        }
    }

    fn end_term(&mut self) {
        self.flush();
        self.line.close(InlineMark::Strong);
        self.paragraph = BlockKind::Paragraph;
    }
}

/// Elements whose content is never written.
fn is_non_text(element: Element) -> bool {
    element_set!(
        Applet Area Audio Base Canvas Col Colgroup Datalist Embed Frame Frameset Head Iframe Input
        Keygen Link Map Meta Meter Noembed Noframes Object Optgroup Option Param Progress Select
        Source Style Svg Textarea Title Track Video Wbr
    )
    .contains(element)
}

fn is_inline(element: Element) -> bool {
    element.is_inline()
        || element_set!(Rb Rp Rt Rtc Picture Noscript Slot Output Blink Other).contains(element)
}
