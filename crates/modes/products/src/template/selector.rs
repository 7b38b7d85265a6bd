//! Selectors: ways to find the same element on another page of the site.
//!
//! An element has several selectors, from specific to general: its id, its classes, those of its
//! ancestors, its position below the nearest element with id or class, the label beside it. A
//! selector is stored as a hash together with what is read at the element. Runs of digits in ids
//! and classes count as one character, because they number products.
//!
//! The hashes are part of the stored format of templates.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::page_text::{PageText, is_hidden, leading_heading, letters, next_element};
use crate::field::ProductField;
use crate::gtin::gtin;
use html::dom::{Dom, Element, NodeId, NodeKind};

/// What is read at an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ValueSource<'a> {
    Text,
    /// Its text after a label and a colon.
    AfterColon,
    /// An attribute: its name and raw value.
    Attribute(&'a str, &'a str),
    /// Its first child as a name, and the others as the value.
    Row,
    /// Its text as a name, and that of the next element as the value.
    Pair,
}

/// The hash of a selector and of what is read there. The lowest three bits are zero.
pub(super) type SelectorKey = u64;

/// Traits of a value that decide whether it may be the value of a field. They are stored in the
/// lowest bits of a selector key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ValueTraits(u64);

impl ValueTraits {
    /// The bits of a key that are used for traits.
    pub const ALL: u64 = 7;
    const LONG: u64 = 1;
    const DIGITS: u64 = 2;
    const ARTICLE_NUMBER: u64 = 4;

    /// The traits of a value, from its letters and digits.
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

    /// The key with these traits.
    pub fn mark(self, key: SelectorKey) -> SelectorKey {
        key | self.0
    }

    pub fn of_marked(key: SelectorKey) -> Self {
        Self(key & Self::ALL)
    }

    /// Whether a value with these traits may be one of this field.
    pub fn suits(self, field: ProductField) -> bool {
        match field {
            ProductField::Description => self.0 & Self::LONG != 0,
            ProductField::Price | ProductField::RegularPrice | ProductField::Rating => {
                self.0 & Self::DIGITS != 0
            }
            ProductField::Gtin => self.0 & Self::ARTICLE_NUMBER != 0,
            _ => true,
        }
    }
}

/// The maximum number of letters of a value that is read as text.
const MAX_LETTERS: usize = 20_000;
/// The maximum number of letters of a label.
const MAX_LABEL: usize = 48;
/// The maximum number of classes that get their own selector.
const MAX_CLASSES: usize = 8;
/// The maximum distance to the nearest ancestor with id or class.
const MAX_STEPS: usize = 5;
/// How many nodes are searched for a label.
const MAX_NODES: usize = 60;
/// The maximum number of elements with selectors. Shop pages have a tenth of it.
const MAX_ELEMENTS: usize = 40_000;

/// Attributes that may have values, besides `data-` attributes.
const ATTRIBUTES: &[&str] =
    &["src", "href", "content", "value", "srcset", "datetime", "alt", "title"];

/// The parts of an element from which selectors are made.
#[derive(Debug, Clone, Copy, Default)]
struct ElementSignature {
    /// The hash of its tag with its id or classes.
    whole: u64,
    /// Whether it has an id or class.
    is_named: bool,
    /// The hash of its tag and its number among siblings of that tag.
    step: u64,
}

/// Calls `visit` with the selectors of every element and value source, in document order.
pub(super) fn each_match<'a>(
    dom: &Dom<'a>,
    text: &PageText,
    mut visit: impl FnMut(NodeId, ValueSource<'a>, &[SelectorKey]),
) {
    let signatures = signatures(dom);
    let mut keys = Vec::new();
    // The body itself has no selectors: it contains everything.
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
        let selectors = selectors(dom, &signatures, id, element);
        let length = text.of_node(id).len();
        let label = label_beside(dom, text, id, element);
        if (1..=MAX_LETTERS).contains(&length) {
            fill(&mut keys, &selectors, label, 1);
            let heading = own_heading(dom, text, id, element);
            keys.extend(heading.map(|heading| heading & !ValueTraits::ALL));
            visit(id, ValueSource::Text, &keys);
            if let Some(label) = own_label(dom, text, id) {
                fill(&mut keys, &[], Some(mix(label, &[tag(element)])), 2);
                visit(id, ValueSource::AfterColon, &keys);
            }
            if length <= 600 {
                visit_rows(dom, text, id, &selectors, &mut keys, &mut visit);
            }
        }
        for attribute in dom.attributes(id) {
            let name = attribute.name;
            let is_value = name.starts_with("data-") || ATTRIBUTES.contains(&name);
            if is_value && (1..=600).contains(&attribute.value.len()) {
                let kind = mix(xxh3_64(name.as_bytes()), &[5]);
                fill(&mut keys, &selectors, label, kind);
                visit(id, ValueSource::Attribute(name, attribute.value), &keys);
            }
        }
    }
}

/// Visits an element as a row and as a pair of label and value.
fn visit_rows<'a>(
    dom: &Dom<'a>,
    text: &PageText,
    id: NodeId,
    selectors: &[u64],
    keys: &mut Vec<SelectorKey>,
    visit: &mut impl FnMut(NodeId, ValueSource<'a>, &[SelectorKey]),
) {
    let has_text = |child: &NodeId| !text.of_node(*child).is_empty();
    if dom.children(id).filter(has_text).nth(1).is_some() {
        fill(keys, selectors, None, 3);
        visit(id, ValueSource::Row, keys);
    }
    let next = next_element(dom, id).filter(|next| !text.of_node(*next).is_empty());
    if next.is_some() && text.of_node(id).len() <= 2 * MAX_LABEL {
        fill(keys, selectors, None, 4);
        visit(id, ValueSource::Pair, keys);
    }
}

/// Replaces `keys` by the keys of the selectors for one kind of value source.
fn fill(keys: &mut Vec<SelectorKey>, selectors: &[u64], label: Option<u64>, kind: u64) {
    keys.clear();
    keys.extend(selectors.iter().chain(&label).map(|name| mix(*name, &[kind]) & !ValueTraits::ALL));
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

/// The signatures of all elements, by node.
fn signatures(dom: &Dom<'_>) -> Vec<ElementSignature> {
    let mut signatures = vec![ElementSignature::default(); dom.node_count()];
    // By open element, the number of children of each tag.
    let mut open: Vec<(u32, Vec<(Element, u64)>)> = Vec::new();
    for at in 0..u32::try_from(dom.node_count()).unwrap_or(u32::MAX) {
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
        let classes = class_hashes(dom, id);
        let whole = match id_hash(dom, id) {
            Some(word) => mix(tag, &[7, word]),
            None if classes.is_empty() => mix(tag, &[8]),
            None => mix(tag, &classes),
        };
        let is_named = !classes.is_empty() || id_hash(dom, id).is_some();
        signatures[id.index()] = ElementSignature { whole, is_named, step: mix(tag, &[9, nth]) };
    }
    signatures
}

/// The selectors of an element, the most specific first.
fn selectors(
    dom: &Dom<'_>,
    signatures: &[ElementSignature],
    id: NodeId,
    element: Element,
) -> Vec<u64> {
    let signature = |id: NodeId| signatures.get(id.index()).copied().unwrap_or_default();
    let own = signature(id);
    let above: Vec<NodeId> = dom.ancestors(id).take(MAX_STEPS + 1).collect();
    let over = |at: usize| above.get(at).map_or(0, |id| signature(*id).whole);
    let mut selectors = vec![mix(own.whole, &[20, over(0)])];
    if own.is_named {
        selectors.push(mix(own.whole, &[21]));
    }
    selectors.push(mix(own.whole, &[22, over(0), over(1)]));
    let mut classes = class_hashes(dom, id);
    classes.truncate(MAX_CLASSES);
    if classes.len() > 1 {
        selectors.extend(classes.iter().map(|class| mix(tag(element), &[23, *class])));
    }
    // The position below the nearest ancestor with id or class.
    let mut path = Vec::new();
    let mut here = id;
    for parent in above {
        path.push(signature(here).step);
        if signature(parent).is_named {
            selectors.push(mix(signature(parent).whole, &path));
            break;
        }
        here = parent;
    }
    // Any descendant of the nearest ancestor with id or class.
    let named = dom.ancestors(id).take(8).find(|above| signature(*above).is_named);
    if let Some(named) = named.filter(|_| !own.is_named) {
        selectors.push(mix(signature(named).whole, &[24, own.whole]));
    }
    selectors
}

/// The hash of the id of an element, with digits masked.
fn id_hash(dom: &Dom<'_>, id: NodeId) -> Option<u64> {
    let word = dom.raw_attribute(id, "id").filter(|word| !word.is_empty() && word.len() <= 100)?;
    Some(masked_hash(word))
}

/// The hashes of the classes of an element, sorted.
fn class_hashes(dom: &Dom<'_>, id: NodeId) -> Vec<u64> {
    let Some(value) = dom.raw_attribute(id, "class") else { return Vec::new() };
    let words = value.split_ascii_whitespace().filter(|word| word.len() <= 80).take(16);
    let mut classes: Vec<u64> = words.map(masked_hash).collect();
    classes.sort_unstable();
    classes.dedup();
    classes
}

/// The hash of a word with every run of digits replaced by `#`.
fn masked_hash(word: &str) -> u64 {
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

/// The hash of the label before an element: the text or element right before it.
fn label_beside(dom: &Dom<'_>, text: &PageText, id: NodeId, element: Element) -> Option<u64> {
    let parent = dom.parent(id)?;
    let mut before = None;
    // A label is among the first children.
    for child in dom.children(parent).take(64) {
        if child == id {
            break;
        }
        let has_text = matches!(dom.kind(child), NodeKind::Text | NodeKind::Element(_));
        if has_text && !text.of_node(child).is_empty() {
            before = Some(child);
        }
    }
    label_hash(text.of_node(before?), &[30, tag(element)])
}

/// The hash of a label and its kind, if the text is short enough for a label.
fn label_hash(label: &str, kind: &[u64]) -> Option<u64> {
    (2..=MAX_LABEL).contains(&label.len()).then(|| mix(xxh3_64(label.as_bytes()), kind))
}

/// The hash of the heading that an element begins with.
fn own_heading(dom: &Dom<'_>, text: &PageText, id: NodeId, element: Element) -> Option<u64> {
    let first = leading_heading(dom, id)?;
    label_hash(text.of_node(first), &[33, tag(element)])
}

/// The hash of the label before the colon in the text of an element.
fn own_label(dom: &Dom<'_>, text: &PageText, id: NodeId) -> Option<u64> {
    let whole = text.of_node(id);
    if whole.len() > 160 {
        return None;
    }
    let mut count = 0;
    let nodes = dom.descendants(id).take(MAX_NODES);
    for node in nodes.filter(|node| matches!(dom.kind(*node), NodeKind::Text)) {
        let raw = dom.raw_text(node);
        let Some(colon) = raw.find([':', '：']) else {
            count += text.of_node(node).len();
            continue;
        };
        count += letters(raw.get(..colon).unwrap_or_default()).len();
        return label_hash(whole.get(..count)?, &[31]).filter(|_| count < whole.len());
    }
    None
}
