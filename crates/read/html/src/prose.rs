//! Plain text with paragraphs, from a DOM subtree or from strings that contain markup.

use memchr::memchr2;

use crate::dom::{Dom, Element, NodeId, NodeKind};
use crate::element_set;
use crate::text::Collapsed;

/// Maximum number of nodes of a small element.
const MAX_SHORT_NODES: usize = 60;

/// The separator between two text runs, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ProseBreak {
    None,
    Space,
    Line,
    Paragraph,
}

#[derive(Debug)]
struct ProseWriter {
    text: String,
    gap: ProseBreak,
    limit: usize,
}

impl ProseWriter {
    fn push(&mut self, text: &str) {
        for (number, word) in text.split(char::is_whitespace).enumerate() {
            if number > 0 {
                self.gap = self.gap.max(ProseBreak::Space);
            }
            if word.is_empty() || self.text.len() + word.len() > self.limit {
                continue;
            }
            let gap = match self.gap {
                _ if self.text.is_empty() => "",
                ProseBreak::None => "",
                ProseBreak::Space => " ",
                ProseBreak::Line => "\n",
                ProseBreak::Paragraph => "\n\n",
            };
            self.text.push_str(gap);
            self.text.push_str(word);
            self.gap = ProseBreak::None;
        }
    }

    fn gap(&mut self, gap: ProseBreak) {
        // Two line breaks in a row separate paragraphs.
        let both_lines = gap == ProseBreak::Line && self.gap >= ProseBreak::Line;
        self.gap = if both_lines { ProseBreak::Paragraph } else { self.gap.max(gap) };
    }

    /// A break around a block element; nested blocks cause only one break.
    fn block(&mut self, gap: ProseBreak) {
        self.gap = self.gap.max(gap);
    }
}

/// Whether the content of an element is not part of the text.
fn is_non_text(element: Element) -> bool {
    element_set!(
        Script Style Template Svg Button Select Textarea Iframe Noscript Title Object Video Audio
    )
    .contains(element)
}

/// The text of a subtree with paragraphs, without the nodes for which `skip` returns true.
pub fn prose(
    dom: &Dom<'_>,
    root: NodeId,
    limit: usize,
    leaves_out: impl Fn(NodeId) -> bool,
) -> String {
    let mut writer = ProseWriter { text: String::new(), gap: ProseBreak::None, limit };
    let mut open: Vec<(NodeId, ProseBreak)> = Vec::new();
    let end = dom.end(root);
    let mut at = NodeId(root.0 + 1);
    while at < end && writer.text.len() < limit {
        while let Some((_, gap)) = open.pop_if(|(end, _)| *end <= at) {
            writer.block(gap);
        }
        let mut next = NodeId(at.0 + 1);
        match dom.kind(at) {
            NodeKind::Text => writer.push(&dom.text(at)),
            NodeKind::Element(element) if is_non_text(element) || leaves_out(at) => {
                next = dom.end(at)
            }
            NodeKind::Element(Element::Br) => writer.gap(ProseBreak::Line),
            NodeKind::Element(element) if !element.is_inline() => {
                let gap = match element {
                    Element::Li | Element::Tr | Element::Dt | Element::Dd => ProseBreak::Line,
                    Element::Td | Element::Th => ProseBreak::Space,
                    Element::Image | Element::Input | Element::Link | Element::Meta => {
                        ProseBreak::None
                    }
                    Element::Picture | Element::Source | Element::Custom => ProseBreak::Space,
                    _ => ProseBreak::Paragraph,
                };
                writer.block(gap);
                open.push((dom.end(at), gap));
            }
            NodeKind::Element(_) | NodeKind::Raw | NodeKind::Document => {}
        }
        at = next;
    }
    writer.text
}

/// The text of a subtree on one line.
pub fn line(dom: &Dom<'_>, root: NodeId, limit: usize) -> String {
    let mut text = Collapsed::new(limit);
    let end = dom.end(root);
    let mut at = NodeId(root.0 + 1);
    let mut nodes = 0;
    while at < end && nodes < 400 {
        nodes += 1;
        let mut next = NodeId(at.0 + 1);
        match dom.kind(at) {
            NodeKind::Text => text.push(&dom.text(at)),
            NodeKind::Element(element) if is_non_text(element) => next = dom.end(at),
            NodeKind::Element(element) if !element.is_inline() => text.gap(),
            NodeKind::Element(_) | NodeKind::Raw | NodeKind::Document => {}
        }
        at = next;
    }
    text.take()
}

/// The text of a small element on one line, with that of its buttons and options.
pub fn short_line(dom: &Dom<'_>, root: NodeId, limit: usize) -> String {
    let mut text = Collapsed::new(limit);
    for id in dom.descendants(root).take(MAX_SHORT_NODES) {
        match dom.kind(id) {
            NodeKind::Text => text.push(&dom.text(id)),
            NodeKind::Element(element) if !element.is_inline() => text.gap(),
            NodeKind::Element(_) | NodeKind::Raw | NodeKind::Document => {}
        }
    }
    text.take()
}

/// A string of structured data as plain text, with its markup interpreted.
pub fn plain(text: &str, limit: usize) -> String {
    let text = &text[..text.floor_char_boundary(4 * limit)];
    let once = unwrapped(text, limit);
    // Some strings are escaped twice.
    if once.contains("</") || once.contains("<br") { unwrapped(&once, limit) } else { once }
}

fn unwrapped(text: &str, limit: usize) -> String {
    if has_markup(text) {
        let dom = Dom::parse(text);
        let plain = prose(&dom, NodeId::ROOT, limit, |_| false);
        // A string without block elements keeps its line breaks.
        if plain.contains('\n') || !text.contains('\n') || text.contains("</") {
            return plain;
        }
        let lines =
            text.lines().map(|line| prose(&Dom::parse(line), NodeId::ROOT, limit, |_| false));
        return paragraphs(lines);
    }
    let mut plain = paragraphs(text.lines().map(|line| Collapsed::of(line, limit)));
    plain.truncate(plain.floor_char_boundary(limit));
    plain
}

/// Joins lines with at most one blank line in between.
fn paragraphs(lines: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    let mut blank = false;
    for line in lines {
        if line.is_empty() {
            blank = true;
            continue;
        }
        if !text.is_empty() {
            text.push_str(if blank { "\n\n" } else { "\n" });
        }
        text.push_str(&line);
        blank = false;
    }
    text
}

fn has_markup(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(found) = memchr2(b'<', b'&', &bytes[at..]) {
        at += found + 1;
        if bytes
            .get(at)
            .is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'#'))
        {
            return true;
        }
    }
    false
}

/// A string of structured data as one line of plain text.
pub fn plain_line(text: &str, limit: usize) -> String {
    if has_markup(text) {
        let dom = Dom::parse(&text[..text.floor_char_boundary(8 * limit)]);
        line(&dom, NodeId::ROOT, limit)
    } else {
        Collapsed::of(text, limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_elements_become_paragraphs() {
        for (text, meant) in [
            ("<p>One.</p>\n<p>Two<br>three.</p>", "One.\n\nTwo\nthree."),
            ("One.<br><br>\nTwo.", "One.\n\nTwo."),
            ("<div><div>One.</div></div><ul><li>a</li><li>b</li></ul>", "One.\n\na\nb"),
            ("a &amp; b", "a & b"),
            ("One.\n\n\n Two.\nThree.", "One.\n\nTwo.\nThree."),
            ("&lt;p&gt;One.&lt;/p&gt;&lt;p&gt;Two.&lt;/p&gt;", "One.\n\nTwo."),
            ("5 < 6 & 7", "5 < 6 & 7"),
            ("Fish &amp; chips\nPeas", "Fish & chips\nPeas"),
        ] {
            assert_eq!(plain(text, 1_000), meant, "{text}");
        }
    }
}
