//! How each element is written.

use super::blocks::{Block, Container};
use super::line::{Gap, Mark};
use super::{Inside, Writer};
use html::dom::{Element, NodeId};

/// Number of ancestors that are searched for other emphasis.
const MAX_LOOK: usize = 8;

/// What to do at the end of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leave {
    Nothing,
    /// Ends a block.
    Block,
    /// Ends a container of blocks.
    Container,
    Mark(Mark),
    Link,
    Heading(NodeId, u8),
    List,
    Item,
    /// Ends a line of strong text.
    Term,
    Explanation,
    /// Writes a closing delimiter.
    Sign(&'static str),
}

impl Writer<'_, '_> {
    /// Starts an element. `None` if it has no text, or if all of it has been written.
    pub(super) fn enter(&mut self, id: NodeId, element: Element) -> Option<Leave> {
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
        if let Some(note) = self.notes.definition(id) {
            return self.begin_note(note);
        }
        match element {
            E::B => Some(self.mark(Mark::Strong)),
            E::I => Some(self.mark(Mark::Em)),
            E::Strong => Some(self.emphasis(id, element, Mark::Strong)),
            E::Em => Some(self.emphasis(id, element, Mark::Em)),
            E::S | E::Del | E::Strike => Some(self.mark(Mark::Strike)),
            E::Sup if self.holds_reference(id) => Some(Leave::Nothing),
            E::Sup => Some(self.mark(Mark::Sup)),
            E::Sub => Some(self.mark(Mark::Sub)),
            E::Span | E::Div if self.is_drawn_formula(id) => None,
            E::A => self.begin_link(id),
            E::Code | E::Tt | E::Samp | E::Kbd => {
                self.inline_code(id);
                None
            }
            E::Q => {
                self.line.push("“");
                Some(Leave::Sign("”"))
            }
            E::Bdo => Some(self.begin_override(id)),
            E::Rt if !self.has_parentheses(id) => {
                self.line.push("(");
                Some(Leave::Sign(")"))
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
                Some(Leave::Heading(id, element.heading_level().unwrap_or(6)))
            }
            E::Blockquote => Some(self.begin_container(Container::Quote)),
            E::Ul | E::Ol | E::Menu | E::Dir => Some(self.begin_list(id, element)),
            E::Li => Some(self.begin_item(id)),
            E::Dt | E::Summary => Some(self.begin_term()),
            E::Dd => Some(self.begin_explanation()),
            E::Pre | E::Xmp | E::Plaintext => {
                self.code_block(id);
                None
            }
            E::Table => self.table(id),
            E::Td if self.is_beside_code(id) => None,
            E::Hr => {
                self.flush();
                if self.inside == Inside::Flow {
                    self.write_rule();
                }
                None
            }
            E::Button if !self.is_in_title(id) => None,
            E::Template if self.dom.raw_attribute(id, "shadowrootmode").is_none() => None,
            _ if is_never_text(element) => None,
            _ if is_inline(element) => Some(Leave::Nothing),
            _ => {
                self.flush();
                Some(Leave::Block)
            }
        }
    }

    pub(super) fn leave(&mut self, leave: Leave) {
        match leave {
            Leave::Nothing => {}
            Leave::Block => self.flush(),
            Leave::Container => {
                self.flush();
                self.close_container();
            }
            Leave::Mark(mark) => self.line.close(mark),
            Leave::Link => self.end_link(),
            Leave::Heading(id, level) => self.end_heading(id, level),
            Leave::List => self.end_list(),
            Leave::Item => self.end_item(),
            Leave::Term => self.end_term(),
            Leave::Explanation => self.end_explanation(),
            Leave::Sign(sign) => self.line.push(sign),
        }
    }

    fn mark(&mut self, mark: Mark) -> Leave {
        if self.line.open(mark) { Leave::Mark(mark) } else { Leave::Nothing }
    }

    /// Semantic emphasis within emphasis is nested; presentational emphasis is not.
    fn emphasis(&mut self, id: NodeId, element: Element, mark: Mark) -> Leave {
        let mut around = self.dom.ancestors(id).take(MAX_LOOK);
        let again = self.line.is_marked(mark) && around.any(|above| self.dom.is(above, element));
        if again && self.line.open_within(mark) { Leave::Mark(mark) } else { self.mark(mark) }
    }

    pub(super) fn begin_container(&mut self, container: Container) -> Leave {
        self.flush();
        if self.inside == Inside::Flow && self.open_container(container) {
            Leave::Container
        } else {
            Leave::Block
        }
    }

    /// A line break; two of them start a new paragraph.
    fn line_break(&mut self) {
        match self.inside {
            Inside::Heading => self.line.gap(Gap::Space),
            Inside::Flow if self.line.pending_gap() == Gap::Break => self.flush(),
            Inside::Flow | Inside::Cell => {
                if !self.line.is_empty() {
                    self.line.gap(Gap::Break);
                }
            }
        }
    }

    /// `bdo`: text with an overridden direction keeps it.
    fn begin_override(&mut self, id: NodeId) -> Leave {
        let direction = self.dom.raw_attribute(id, "dir").unwrap_or_default().trim();
        let sign = if direction.eq_ignore_ascii_case("rtl") { "\u{202e}" } else { "\u{202d}" };
        self.line.push(sign);
        Leave::Sign("\u{202c}")
    }

    /// Whether a `ruby` annotation has its own parentheses.
    fn has_parentheses(&self, id: NodeId) -> bool {
        let Some(ruby) = self.dom.parent(id) else { return false };
        self.dom.children(ruby).take(64).any(|child| self.dom.is(child, Element::Rp))
    }

    /// Whether a button is the heading of an accordion.
    fn is_in_title(&self, id: NodeId) -> bool {
        self.inside == Inside::Heading
            || self.dom.ancestors(id).take(4).any(|above| {
                matches!(self.dom.element(above), Some(Element::Summary | Element::Dt))
            })
    }

    fn begin_term(&mut self) -> Leave {
        self.flush();
        match self.inside {
            Inside::Flow => {
                self.paragraph = Block::Term;
                self.line.open(Mark::Strong);
                Leave::Term
            }
            Inside::Heading | Inside::Cell => Leave::Block,
        }
    }

    fn end_term(&mut self) {
        self.flush();
        self.line.close(Mark::Strong);
        self.paragraph = Block::Paragraph;
    }
}

/// Elements whose content is never written.
fn is_never_text(element: Element) -> bool {
    use Element as E;
    matches!(
        element,
        E::Applet
            | E::Area
            | E::Audio
            | E::Base
            | E::Canvas
            | E::Col
            | E::Colgroup
            | E::Datalist
            | E::Embed
            | E::Frame
            | E::Frameset
            | E::Head
            | E::Iframe
            | E::Input
            | E::Keygen
            | E::Link
            | E::Map
            | E::Meta
            | E::Meter
            | E::Noembed
            | E::Noframes
            | E::Object
            | E::Optgroup
            | E::Option
            | E::Param
            | E::Progress
            | E::Select
            | E::Source
            | E::Style
            | E::Svg
            | E::Textarea
            | E::Title
            | E::Track
            | E::Video
            | E::Wbr
    )
}

fn is_inline(element: Element) -> bool {
    use Element as E;
    element.is_inline()
        || matches!(
            element,
            E::Rb
                | E::Rp
                | E::Rt
                | E::Rtc
                | E::Picture
                | E::Noscript
                | E::Slot
                | E::Output
                | E::Blink
                | E::Other
        )
}
