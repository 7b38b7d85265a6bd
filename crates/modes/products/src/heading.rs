//! The text of the main heading: the name of the product, without prices, links, buttons and text
//! for screen readers.

use crate::class_hints::{self, ElementHints};
use html::dom::{Dom, Element, NodeId, NodeKind};
use html::text::Collapsed;
use html::{element_set, prose, style};

/// The maximum length of a heading in bytes, and the maximum number of nodes that are read.
const MAX_TEXT: usize = 512;
const MAX_NODES: u32 = 200;

/// Marks between the name and other parts of a heading.
const SEPARATORS: &[char] = &['·', '•', '|', '-', '–', '—', ':', '/'];

/// The text of a heading. If nothing but links and prices remains, all of it.
pub(super) fn text(dom: &Dom<'_>, heading: NodeId) -> String {
    let mut line = Collapsed::new(MAX_TEXT);
    let end = dom.end(heading).min(NodeId(heading.0.saturating_add(MAX_NODES)));
    let mut at = NodeId(heading.0 + 1);
    while at < end {
        let mut next = NodeId(at.0 + 1);
        match dom.kind(at) {
            NodeKind::Text => {
                let text = dom.text(at);
                line.push(&text.chars().filter(|letter| !is_icon(*letter)).collect::<String>());
            }
            NodeKind::Element(_) if is_other_part(dom, at) => next = dom.end(at),
            NodeKind::Element(element) if !element.is_inline() || is_new_part(dom, at) => {
                line.gap()
            }
            NodeKind::Element(_) | NodeKind::Raw | NodeKind::Document => {}
        }
        at = next;
    }
    let line = without_prices(&line.take());
    if line.chars().any(char::is_alphanumeric) { line } else { prose::line(dom, heading, MAX_TEXT) }
}

/// Whether a heading contains breadcrumbs or the logo of the site.
pub(super) fn is_trail(dom: &Dom<'_>, heading: NodeId) -> bool {
    hints(dom, heading).intersects(ElementHints::BREADCRUMBS)
        || dom.ancestors(heading).take(3).any(|above| dom.is(above, Element::Nav))
}

fn hints(dom: &Dom<'_>, id: NodeId) -> ElementHints {
    let values = ["class", "id"].iter().filter_map(|key| dom.raw_attribute(id, key));
    values.map(class_hints::hints).fold(ElementHints::empty(), |all, one| all | one)
}

/// Whether an element within a heading is no part of the name.
fn is_other_part(dom: &Dom<'_>, id: NodeId) -> bool {
    let others = element_set!(A Button Small Script Style Template Svg Select Noscript);
    let is_hidden = style::hides(dom.raw_attribute(id, "hidden"), dom.raw_attribute(id, "style"));
    let hinted = ElementHints::PRICE | ElementHints::SCREEN_READER | ElementHints::HIDDEN;
    dom.is_any(id, &others) || is_hidden || hints(dom, id).intersects(hinted)
}

/// Whether an element follows right after another one: style sheets separate them.
fn is_new_part(dom: &Dom<'_>, id: NodeId) -> bool {
    let is_part = |id: NodeId| {
        let marks = element_set!(Sup Sub Wbr Br);
        dom.element(id).is_some() && !dom.is_any(id, &marks)
    };
    let parent = dom.parent(id);
    let before =
        parent.and_then(|parent| dom.children(parent).take_while(|child| *child < id).last());
    is_part(id) && before.is_some_and(is_part)
}

/// Icons of fonts have letters for private use.
fn is_icon(letter: char) -> bool {
    matches!(letter, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')
}

/// A text without amounts of money at its ends that a mark separates from the rest.
fn without_prices(text: &str) -> String {
    let is_mark = |letter: char| SEPARATORS.contains(&letter) || letter.is_whitespace();
    let mut text = text.trim_matches(is_mark);
    let is_separated = |at: usize| text_mark(text, at);
    if let Some((at, mark)) = text.char_indices().find(|(at, _)| is_separated(*at))
        && is_amount(&text[..at])
    {
        text = text[at + mark.len_utf8()..].trim_start_matches(is_mark);
    }
    if let Some((at, _)) = text.char_indices().rev().find(|(at, _)| text_mark(text, *at))
        && is_amount(&text[at..])
    {
        text = text[..at].trim_end_matches(is_mark);
    }
    text.to_owned()
}

/// Whether a separator with a space before it is at this place.
fn text_mark(text: &str, at: usize) -> bool {
    text[at..].starts_with(|letter| SEPARATORS.contains(&letter)) && text[..at].ends_with(' ')
}

/// Whether a text is an amount with a currency sign.
fn is_amount(text: &str) -> bool {
    let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
    let has_sign = text.chars().any(|letter| matches!(letter, '$' | '€' | '£' | '¥' | '₹' | '₽'));
    text.bytes().any(|byte| byte.is_ascii_digit()) && has_sign && letters <= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heading_is_the_name_without_other_parts() {
        for (html, name) in [
            ("<h1>Blue Kettle</h1>", "Blue Kettle"),
            ("<h1><a href=/p>Blue Kettle</a></h1>", "Blue Kettle"),
            ("<h1><span class=visually-hidden>Details of</span> Blue Kettle</h1>", "Blue Kettle"),
            (
                "<h1><span>Blue Kettle</span> - <span class=price>£18</span> <small>(Leeds)</small></h1>",
                "Blue Kettle",
            ),
            ("<h1><a href=/login>Log in</a> $60 · Blue Kettle</h1>", "Blue Kettle"),
            ("<h1>Blue Kettle - $60</h1>", "Blue Kettle"),
            (
                "<h1><div>KETO</div><span class=a>Kettle, blue</span><span class=b>2 l</span></h1>",
                "KETO Kettle, blue 2 l",
            ),
            ("<h1>Kettle - Blue</h1>", "Kettle - Blue"),
            ("<h1>T<b>urbo</b> 5</h1>", "Turbo 5"),
            ("<h1>Kettle »Blue«</h1>", "Kettle »Blue«"),
        ] {
            let dom = Dom::parse(html);
            let heading = dom.find(NodeId::ROOT, Element::H1).expect("a heading");
            assert_eq!(text(&dom, heading), name, "{html}");
        }
    }
}
