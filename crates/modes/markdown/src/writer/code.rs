//! Code blocks with their language and exact white space, and inline code.

use text::vocabulary::TermList;

use super::blocks::BlockKind;
use super::line::PendingSpace;
use super::{ElementEnd, InlineContext, MarkdownWriter};
use html::dom::{Element, NodeId, NodeKind};

mod language;

/// Maximum number of elements between a cell and its code, and of nodes between two cells.
const MAX_GUTTER_DEPTH: usize = 3;

/// Classes of line numbers and copy buttons.
static CODE_DECORATION: TermList = word_list!("code_decoration_classes.txt");

impl MarkdownWriter<'_, '_> {
    /// Writes a code block with its language.
    pub(super) fn code_block(&mut self, id: NodeId) {
        let language = language::of(self.dom, id);
        let code = self.code_text(id);
        if self.is_gutter(id, &code) {
            return;
        }
        self.write_code(&code, language.as_deref());
    }

    /// Whether the lines of a code block in a table cell are the numbers of the lines in the next cell.
    fn is_gutter(&self, id: NodeId, code: &str) -> bool {
        let mut numbers = code.lines().map(|line| line.trim().parse::<u32>().map(u64::from));
        let Some(Ok(first)) = numbers.next() else { return false };
        if !numbers.zip(first + 1..).all(|(number, next)| number == Ok(next)) {
            return false;
        }
        let mut around = self.dom.ancestors(id).take(MAX_GUTTER_DEPTH);
        let Some(cell) = around.find(|above| self.dom.is(*above, Element::Td)) else {
            return false;
        };
        let mut after = (self.dom.end(cell).0..).map(NodeId).take(MAX_GUTTER_DEPTH);
        let next = after
            .find(|next| next.index() < self.dom.node_count() && self.dom.is(*next, Element::Td));
        next.is_some_and(|next| {
            self.dom.parent(next) == self.dom.parent(cell)
                && self.dom.find(next, Element::Pre).is_some()
        })
    }

    pub(super) fn write_code(&mut self, code: &str, language: Option<&str>) {
        self.flush();
        let code = code.strip_suffix('\n').unwrap_or(code);
        if code.trim().is_empty() {
            return;
        }
        if self.inside != InlineContext::Flow {
            let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
            self.line.push_code(&code);
            self.flush();
            return;
        }
        self.code_words += code.split_whitespace().count() as u64;
        self.begin_block(BlockKind::Code);
        let fence = longest_backticks(code).max(2) + 1;
        let push_fence = |out: &mut String| out.extend(std::iter::repeat_n('`', fence));
        push_fence(&mut self.out);
        self.out.push_str(language.unwrap_or_default());
        for line in code.split('\n') {
            self.out.push('\n');
            if line.is_empty() {
                self.push_blank_prefix();
            } else {
                self.push_prefix();
                self.out.push_str(line);
            }
        }
        self.next_line();
        push_fence(&mut self.out);
    }

    /// The text of a code block, with line breaks for elements that are lines.
    pub(super) fn code_text(&self, id: NodeId) -> String {
        let mut code = String::new();
        let end = self.dom.end(id);
        let mut at = NodeId(id.0 + 1);
        // Ends of the open elements that are lines.
        let mut lines: Vec<NodeId> = Vec::new();
        let mut is_first = true;
        while at < end {
            while lines.pop_if(|end| *end <= at).is_some() {
                end_line(&mut code);
            }
            let mut next = NodeId(at.0 + 1);
            match self.dom.kind(at) {
                NodeKind::Text | NodeKind::Raw if self.selection.contains(at) => {
                    let text = self.dom.text(at);
                    let mut text = &*text;
                    if std::mem::take(&mut is_first) && self.dom.parent(at) == Some(id) {
                        // The HTML parser drops the first line feed of `pre`.
                        let bare = text.strip_prefix('\r').unwrap_or(text);
                        text = bare.strip_prefix('\n').unwrap_or(bare);
                    }
                    push_code_text(&mut code, text);
                }
                NodeKind::Text | NodeKind::Raw | NodeKind::Document => {
                    let text = self.dom.raw_text(at);
                    if text.trim_ascii().is_empty() && !is_first {
                        push_code_text(&mut code, text);
                    }
                }
                NodeKind::Element(element) => {
                    is_first = false;
                    match element {
                        Element::Br => code.push('\n'),
                        Element::Button
                        | Element::Script
                        | Element::Style
                        | Element::Svg
                        | Element::Template
                        | Element::Textarea
                        | Element::Select => next = self.dom.end(at),
                        _ if self.is_code_decoration(at) => next = self.dom.end(at),
                        _ if self.is_code_line(at, element) => {
                            end_line(&mut code);
                            lines.push(self.dom.end(at));
                        }
                        _ => {}
                    }
                }
            }
            at = next;
        }
        if !lines.is_empty() {
            end_line(&mut code);
        }
        code
    }

    /// Whether an element is a line of code. Custom elements mark tokens, unless their class says
    /// otherwise.
    fn is_code_line(&self, id: NodeId, element: Element) -> bool {
        match element {
            Element::Custom => {
                self.dom.raw_attribute(id, "class").is_some_and(|class| class.contains("line"))
            }
            _ => is_line(element),
        }
    }

    pub(super) fn is_code_decoration(&self, id: NodeId) -> bool {
        let class = self.dom.raw_attribute(id, "class").unwrap_or_default();
        // A cheap test, because most classes are for highlighting and there are many.
        let speaks = ["ine", "utter", "num", "ln-n", "opy", "lipboard"];
        if class.is_empty() || !speaks.iter().any(|part| class.contains(part)) {
            return false;
        }
        class.split_ascii_whitespace().filter(|word| word.len() < 48).any(|word| {
            let word = word.to_ascii_lowercase();
            CODE_DECORATION.iter().any(|known| word.contains(known))
        })
    }

    /// Writes inline code. A link around or inside of all of it is kept.
    pub(super) fn inline_code(&mut self, id: NodeId) {
        let link = self.only_link(id);
        let leave = link.and_then(|link| self.begin_link(link));
        let mut code = String::new();
        // Pending white space, and whether it is only spaces: at the ends of code, spaces belong to
        // it, while line breaks are layout.
        let (mut gap, mut is_spaces) = (false, true);
        for below in self.dom.descendants(id) {
            let text = match self.dom.kind(below) {
                NodeKind::Text | NodeKind::Raw if self.selection.contains(below) => {
                    self.dom.text(below)
                }
                NodeKind::Element(element) if is_line(element) || element == Element::Br => {
                    " ".into()
                }
                _ => continue,
            };
            for character in text.chars() {
                match character {
                    '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' => {}
                    _ if character.is_whitespace() => {
                        is_spaces &= matches!(character, ' ' | '\u{a0}');
                        gap = true;
                    }
                    _ if character.is_control() => {}
                    _ => {
                        let belongs = std::mem::replace(&mut is_spaces, true);
                        if std::mem::take(&mut gap) {
                            if belongs && self.line.pending_gap() == PendingSpace::None
                                || !code.is_empty()
                            {
                                code.push(' ');
                            } else {
                                self.line.gap(PendingSpace::Space);
                            }
                        }
                        code.push(character);
                    }
                }
            }
        }
        if !code.is_empty() {
            if gap && is_spaces {
                code.push(' ');
                gap = false;
            }
            self.line.push_code(&code);
        }
        if gap {
            self.line.gap(PendingSpace::Space);
        }
        if let Some(ElementEnd::Link) = leave {
            self.end_link();
        }
    }

    /// The link that contains all of the code.
    fn only_link(&self, id: NodeId) -> Option<NodeId> {
        let mut children = self.dom.children(id);
        let only = children.next().filter(|child| self.dom.is(*child, Element::A))?;
        children.next().is_none().then_some(only)
    }
}

/// Whether an element is a line of code.
fn is_line(element: Element) -> bool {
    let within = matches!(
        element,
        Element::Br | Element::Image | Element::Other | Element::Td | Element::Th | Element::Slot
    );
    !element.is_inline() && !within
}

fn end_line(code: &mut String) {
    if !code.is_empty() && !code.ends_with('\n') {
        code.push('\n');
    }
}

/// Appends code with `
/// ` line ends, ordinary spaces and without invisible characters.
fn push_code_text(code: &mut String, text: &str) {
    let odd = |c: char| {
        matches!(c, '\r' | '\u{a0}' | '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
            || (c.is_ascii_control() && c != '\n' && c != '\t')
    };
    if !text.contains(odd) {
        code.push_str(text);
        return;
    }
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' => code.push('\n'),
            '\u{a0}' => code.push(' '),
            _ if odd(character) => {}
            _ => code.push(character),
        }
    }
}

/// The length of the longest run of backticks, which a fence must exceed.
pub(super) fn longest_backticks(code: &str) -> usize {
    code.split(|c: char| c != '`').map(str::len).max().unwrap_or(0)
}
