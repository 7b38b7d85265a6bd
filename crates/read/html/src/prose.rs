//! Plain text with paragraphs, of a part of the page and of texts that hold markup.

use memchr::memchr2;

use crate::dom::{Dom, Element, Kind, NodeId};
use crate::text::Collapsed;

/// What stands between two pieces of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Space,
    Line,
    Paragraph,
}

#[derive(Debug)]
struct Writer {
    text: String,
    gap: Gap,
    limit: usize,
}

impl Writer {
    fn push(&mut self, text: &str) {
        for (number, word) in text.split(char::is_whitespace).enumerate() {
            if number > 0 {
                self.gap = self.gap.max(Gap::Space);
            }
            if word.is_empty() || self.text.len() + word.len() > self.limit {
                continue;
            }
            let gap = match self.gap {
                _ if self.text.is_empty() => "",
                Gap::None => "",
                Gap::Space => " ",
                Gap::Line => "\n",
                Gap::Paragraph => "\n\n",
            };
            self.text.push_str(gap);
            self.text.push_str(word);
            self.gap = Gap::None;
        }
    }

    fn gap(&mut self, gap: Gap) {
        // Two line ends in a row are the gap between paragraphs.
        let both_lines = gap == Gap::Line && self.gap >= Gap::Line;
        self.gap = if both_lines { Gap::Paragraph } else { self.gap.max(gap) };
    }

    /// The same for blocks: one within the other makes one gap.
    fn block(&mut self, gap: Gap) {
        self.gap = self.gap.max(gap);
    }
}

/// Whether nothing in it is part of a text.
fn is_no_text(element: Element) -> bool {
    use Element as E;
    matches!(
        element,
        E::Script
            | E::Style
            | E::Template
            | E::Svg
            | E::Button
            | E::Select
            | E::Textarea
            | E::Iframe
            | E::Noscript
            | E::Title
            | E::Object
            | E::Video
            | E::Audio
    )
}

/// The text below a node, with the nodes that are left out left out.
pub fn prose(
    dom: &Dom<'_>,
    root: NodeId,
    limit: usize,
    leaves_out: impl Fn(NodeId) -> bool,
) -> String {
    let mut writer = Writer { text: String::new(), gap: Gap::None, limit };
    let mut open: Vec<(NodeId, Gap)> = Vec::new();
    let end = dom.end(root);
    let mut at = NodeId(root.0 + 1);
    while at < end && writer.text.len() < limit {
        while let Some((_, gap)) = open.pop_if(|(end, _)| *end <= at) {
            writer.block(gap);
        }
        let mut next = NodeId(at.0 + 1);
        match dom.kind(at) {
            Kind::Text => writer.push(&dom.text(at)),
            Kind::Element(element) if is_no_text(element) || leaves_out(at) => next = dom.end(at),
            Kind::Element(Element::Br) => writer.gap(Gap::Line),
            Kind::Element(element) if !element.is_inline() => {
                let gap = match element {
                    Element::Li | Element::Tr | Element::Dt | Element::Dd => Gap::Line,
                    Element::Td | Element::Th => Gap::Space,
                    Element::Image | Element::Input | Element::Link | Element::Meta => Gap::None,
                    Element::Picture | Element::Source | Element::Custom => Gap::Space,
                    _ => Gap::Paragraph,
                };
                writer.block(gap);
                open.push((dom.end(at), gap));
            }
            Kind::Element(_) | Kind::Raw | Kind::Document => {}
        }
        at = next;
    }
    writer.text
}

/// The text below a node on one line.
pub fn line(dom: &Dom<'_>, root: NodeId, limit: usize) -> String {
    let mut text = Collapsed::new(limit);
    let end = dom.end(root);
    let mut at = NodeId(root.0 + 1);
    let mut nodes = 0;
    while at < end && nodes < 400 {
        nodes += 1;
        let mut next = NodeId(at.0 + 1);
        match dom.kind(at) {
            Kind::Text => text.push(&dom.text(at)),
            Kind::Element(element) if is_no_text(element) => next = dom.end(at),
            Kind::Element(element) if !element.is_inline() => text.gap(),
            Kind::Element(_) | Kind::Raw | Kind::Document => {}
        }
        at = next;
    }
    text.take()
}

/// A text of the page's data as plain text: markup in it is taken for what it means.
pub fn plain(text: &str, limit: usize) -> String {
    let text = &text[..text.floor_char_boundary(4 * limit)];
    let once = unwrapped(text, limit);
    // Some are escaped twice.
    if once.contains("</") || once.contains("<br") { unwrapped(&once, limit) } else { once }
}

fn unwrapped(text: &str, limit: usize) -> String {
    if has_markup(text) {
        let dom = Dom::parse(text);
        let plain = prose(&dom, NodeId::ROOT, limit, |_| false);
        // A text without blocks keeps its lines.
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

/// Lines with one blank line at the most between two.
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

/// A text of the page's data as one line.
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
    fn markup_becomes_paragraphs() {
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
