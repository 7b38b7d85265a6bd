//! Ways to name a place of a page so that the same place is found on the next page of the site.
//!
//! Every element has several names, from narrow to wide: its id, its classes, those of the
//! elements above it, its position under the nearest named element, the label beside it. A
//! name is kept as its hash together with what is read there. Digits in ids and classes count
//! as one sign, because they number products.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::page_text::{PageText, is_hidden};
use crate::field::Field;
use crate::gtin::gtin;
use html::dom::{Dom, Element, NodeId, NodeKind};

/// What is read of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Source<'a> {
    /// Its text.
    Text,
    /// Its text behind a label and a colon.
    BehindColon,
    /// An attribute as it stands.
    Attribute(&'a str, &'a str),
    /// Its first part, and the rest of it.
    Row,
    /// Its text, and that of the element behind it.
    Pair,
}

/// The name of a place and what is read there.
pub(super) type Key = u64;

/// What a value looks like, in the low bits of the key of its place: whether it may be a value
/// of a field at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Look(u64);

impl Look {
    /// The bits of a key that are not its own.
    pub const ALL: u64 = 7;
    const LONG: u64 = 1;
    const DIGITS: u64 = 2;
    const ARTICLE_NUMBER: u64 = 4;

    /// Of the letters of a value.
    pub fn of(letters: &str) -> Self {
        let mut look = 0;
        if letters.len() >= 40 {
            look |= Self::LONG;
        }
        if letters.len() <= 200 && letters.bytes().any(|byte| byte.is_ascii_digit()) {
            look |= Self::DIGITS;
            if gtin(letters).is_some() {
                look |= Self::ARTICLE_NUMBER;
            }
        }
        Self(look)
    }

    /// The place with its look.
    pub fn mark(self, key: Key) -> Key {
        key | self.0
    }

    pub fn of_marked(key: Key) -> Self {
        Self(key & Self::ALL)
    }

    /// Whether it may be a value of this field.
    pub fn suits(self, field: Field) -> bool {
        match field {
            Field::Description => self.0 & Self::LONG != 0,
            Field::Price | Field::RegularPrice | Field::Rating => self.0 & Self::DIGITS != 0,
            Field::Gtin => self.0 & Self::ARTICLE_NUMBER != 0,
            _ => true,
        }
    }
}

/// How many letters a value that is read as text has at most.
const MAX_LETTERS: usize = 20_000;
/// A label has at most so many letters.
const MAX_LABEL: usize = 48;
/// Classes of an element that are looked at.
const MAX_CLASSES: usize = 8;
/// How far up a position is counted from the nearest named element.
const MAX_STEPS: usize = 5;
/// How many nodes are looked through for a label.
const MAX_NODES: usize = 60;
/// Elements that are named; pages of shops have a tenth of them.
const MAX_ELEMENTS: usize = 40_000;

/// Attributes that hold values: of images and links, and of whatever carries data.
const ATTRIBUTES: &[&str] =
    &["src", "href", "content", "value", "srcset", "datetime", "alt", "title"];

/// What is known of an element while its names are made.
#[derive(Debug, Clone, Copy, Default)]
struct Sign {
    /// Its tag with its id, or with its classes, or alone.
    whole: u64,
    is_named: bool,
    /// Its tag and its number among its siblings of that tag.
    step: u64,
}

/// Tells every name of every place of a page, places in document order. For one place and one
/// source the names follow each other.
pub(super) fn places<'a>(
    dom: &Dom<'a>,
    text: &PageText,
    mut tell: impl FnMut(NodeId, Source<'a>, &[Key]),
) {
    let signs = signs(dom);
    let mut keys = Vec::new();
    // The body itself shows everything, and nothing in particular.
    let mut at = dom.body().0 + 1;
    let end = dom.end(dom.body()).0;
    let mut count = 0;
    while at < end && count < MAX_ELEMENTS {
        let id = NodeId(at);
        at += 1;
        let Some(element) = dom.element(id) else { continue };
        if is_hidden(element) {
            at = dom.end(id).0.max(at);
            continue;
        }
        count += 1;
        let names = names(dom, &signs, id, element);
        let length = text.of_node(id).len();
        let label = label_beside(dom, text, id, element);
        if (1..=MAX_LETTERS).contains(&length) {
            fill(&mut keys, &names, label, 1);
            let heading = own_heading(dom, text, id, element);
            keys.extend(heading.map(|heading| heading & !Look::ALL));
            tell(id, Source::Text, &keys);
            if let Some(label) = own_label(dom, text, id) {
                fill(&mut keys, &[], Some(mix(label, &[tag(element)])), 2);
                tell(id, Source::BehindColon, &keys);
            }
            if length <= 600 {
                lists(dom, text, id, &names, &mut keys, &mut tell);
            }
        }
        for attribute in dom.attributes(id) {
            let name = attribute.name;
            let is_value = name.starts_with("data-") || ATTRIBUTES.contains(&name);
            if is_value && (1..=600).contains(&attribute.value.len()) {
                let kind = mix(xxh3_64(name.as_bytes()), &[5]);
                fill(&mut keys, &names, label, kind);
                tell(id, Source::Attribute(name, attribute.value), &keys);
            }
        }
    }
}

/// Rows of tables and lists of terms.
fn lists<'a>(
    dom: &Dom<'a>,
    text: &PageText,
    id: NodeId,
    names: &[u64],
    keys: &mut Vec<Key>,
    tell: &mut impl FnMut(NodeId, Source<'a>, &[Key]),
) {
    let told = |child: &NodeId| !text.of_node(*child).is_empty();
    if dom.children(id).filter(told).nth(1).is_some() {
        fill(keys, names, None, 3);
        tell(id, Source::Row, keys);
    }
    let next = following(dom, id).filter(|next| !text.of_node(*next).is_empty());
    if next.is_some() && text.of_node(id).len() <= 2 * MAX_LABEL {
        fill(keys, names, None, 4);
        tell(id, Source::Pair, keys);
    }
}

fn fill(keys: &mut Vec<Key>, names: &[u64], label: Option<u64>, kind: u64) {
    keys.clear();
    keys.extend(names.iter().chain(&label).map(|name| mix(*name, &[kind]) & !Look::ALL));
}

/// The element behind another, below the same parent.
pub(super) fn following(dom: &Dom<'_>, id: NodeId) -> Option<NodeId> {
    let parent = dom.parent(id)?;
    let end = dom.end(parent).0;
    let mut at = dom.end(id).0;
    while at < end {
        if dom.element(NodeId(at)).is_some() {
            return Some(NodeId(at));
        }
        at = dom.end(NodeId(at)).0.max(at + 1);
    }
    None
}

fn mix(first: u64, rest: &[u64]) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(&first.to_le_bytes());
    for part in rest {
        hasher.update(&part.to_le_bytes());
    }
    hasher.digest()
}

fn tag(element: Element) -> u64 {
    match element.name() {
        "" => 1,
        name => xxh3_64(name.as_bytes()),
    }
}

/// The signs of all elements, by node.
fn signs(dom: &Dom<'_>) -> Vec<Sign> {
    let mut signs = vec![Sign::default(); dom.len()];
    // By open element, how many children of each tag it has had.
    let mut open: Vec<(u32, Vec<(Element, u64)>)> = Vec::new();
    for at in 0..u32::try_from(dom.len()).unwrap_or(u32::MAX) {
        let id = NodeId(at);
        let Some(element) = dom.element(id) else { continue };
        while open.pop_if(|(end, _)| *end <= at).is_some() {}
        let nth = match open.last_mut() {
            Some((_, seen)) => match seen.iter_mut().find(|(known, _)| *known == element) {
                Some((_, count)) => {
                    *count += 1;
                    *count
                }
                None => {
                    seen.push((element, 1));
                    1
                }
            },
            None => 1,
        };
        open.push((dom.end(id).0, Vec::new()));
        let tag = tag(element);
        let classes = classes(dom, id);
        let whole = match id_word(dom, id) {
            Some(word) => mix(tag, &[7, word]),
            None if classes.is_empty() => mix(tag, &[8]),
            None => mix(tag, &classes),
        };
        let is_named = !classes.is_empty() || id_word(dom, id).is_some();
        signs[id.index()] = Sign { whole, is_named, step: mix(tag, &[9, nth]) };
    }
    signs
}

/// The names of an element, the most telling first.
fn names(dom: &Dom<'_>, signs: &[Sign], id: NodeId, element: Element) -> Vec<u64> {
    let sign = |id: NodeId| signs.get(id.index()).copied().unwrap_or_default();
    let own = sign(id);
    let above: Vec<NodeId> = dom.ancestors(id).take(MAX_STEPS + 1).collect();
    let over = |at: usize| above.get(at).map_or(0, |id| sign(*id).whole);
    let mut names = vec![mix(own.whole, &[20, over(0)])];
    if own.is_named {
        names.push(mix(own.whole, &[21]));
    }
    names.push(mix(own.whole, &[22, over(0), over(1)]));
    let mut classes = classes(dom, id);
    classes.truncate(MAX_CLASSES);
    if classes.len() > 1 {
        names.extend(classes.iter().map(|class| mix(tag(element), &[23, *class])));
    }
    // The position under the nearest element that has a name.
    let mut path = Vec::new();
    let mut here = id;
    for parent in above {
        path.push(sign(here).step);
        if sign(parent).is_named {
            names.push(mix(sign(parent).whole, &path));
            break;
        }
        here = parent;
    }
    // And under any element of the nearest name, whatever lies between.
    let named = dom.ancestors(id).take(8).find(|above| sign(*above).is_named);
    if let Some(named) = named.filter(|_| !own.is_named) {
        names.push(mix(sign(named).whole, &[24, own.whole]));
    }
    names
}

/// The id of an element, its digits made one sign.
fn id_word(dom: &Dom<'_>, id: NodeId) -> Option<u64> {
    let word = dom.raw_attribute(id, "id").filter(|word| !word.is_empty() && word.len() <= 100)?;
    Some(masked(word))
}

/// The classes of an element in an order of their own.
fn classes(dom: &Dom<'_>, id: NodeId) -> Vec<u64> {
    let Some(value) = dom.raw_attribute(id, "class") else { return Vec::new() };
    let words = value.split_ascii_whitespace().filter(|word| word.len() <= 80).take(16);
    let mut classes: Vec<u64> = words.map(masked).collect();
    classes.sort_unstable();
    classes.dedup();
    classes
}

fn masked(word: &str) -> u64 {
    let mut kept = String::with_capacity(word.len());
    for c in word.chars() {
        match c {
            '0'..='9' if kept.ends_with('#') => {}
            '0'..='9' => kept.push('#'),
            _ => kept.push(c),
        }
    }
    xxh3_64(kept.as_bytes())
}

/// The label before an element: the text or the element that stands right before it.
fn label_beside(dom: &Dom<'_>, text: &PageText, id: NodeId, element: Element) -> Option<u64> {
    let parent = dom.parent(id)?;
    let mut before = None;
    // Children that lie far apart are no label and value.
    for child in dom.children(parent).take(64) {
        if child == id {
            break;
        }
        let is_told = matches!(dom.kind(child), NodeKind::Text | NodeKind::Element(_));
        if is_told && !text.of_node(child).is_empty() {
            before = Some(child);
        }
    }
    let label = text.of_node(before?);
    (2..=MAX_LABEL)
        .contains(&label.len())
        .then(|| mix(xxh3_64(label.as_bytes()), &[30, tag(element)]))
}

/// The heading that an element begins with.
fn own_heading(dom: &Dom<'_>, text: &PageText, id: NodeId, element: Element) -> Option<u64> {
    let first = super::value::heading(dom, id)?;
    let label = text.of_node(first);
    (2..=MAX_LABEL)
        .contains(&label.len())
        .then(|| mix(xxh3_64(label.as_bytes()), &[33, tag(element)]))
}

/// The label before the colon in an element's own text.
fn own_label(dom: &Dom<'_>, text: &PageText, id: NodeId) -> Option<u64> {
    let whole = text.of_node(id);
    if whole.len() > 160 {
        return None;
    }
    let mut letters = 0;
    let nodes = dom.descendants(id).take(MAX_NODES);
    for node in nodes.filter(|node| matches!(dom.kind(*node), NodeKind::Text)) {
        let raw = dom.raw_text(node);
        let Some(colon) = raw.find([':', '：']) else {
            letters += text.of_node(node).len();
            continue;
        };
        letters += super::page_text::letters(raw.get(..colon).unwrap_or_default()).len();
        let label = whole.get(..letters)?;
        let is_label = (2..=MAX_LABEL).contains(&label.len()) && letters < whole.len();
        return is_label.then(|| mix(xxh3_64(label.as_bytes()), &[31]));
    }
    None
}
