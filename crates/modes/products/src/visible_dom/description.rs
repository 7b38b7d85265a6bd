//! Finds the element with the description of the product.
//!
//! Four signals count: the text begins like the description of the structured data, a class hint, a
//! heading before it, and the length of its prose.

use hashbrown::HashMap;

use super::features::follows;
use super::rows::section_before;
use super::visible_lines::block_of;
use crate::class_hints::ElementHints;
use crate::dom_index::DomIndex;
use crate::letters::letters;
use crate::phrases::{self, PageSection};
use crate::source_record::MAX_DESCRIPTION;
use html::dom::{Element, NodeId, NodeKind};
use html::element_set;
use html::prose;

/// The minimum length of a description without and with a hint or heading, in bytes.
const MIN_PROSE: usize = 60;
const MIN_ANNOUNCED: usize = 12;

/// Longer texts do not increase the score, in bytes.
const MAX_SCORED: usize = 3_000;

/// How many headings may announce the description.
const MAX_HEADINGS: usize = 400;

/// How many letters of the stated description are compared.
const STATED_LETTERS: usize = 28;

/// The element with the description. `stated` is the description of the structured data.
pub(super) fn container(index: &DomIndex<'_, '_>, stated: Option<&str>) -> Option<NodeId> {
    let mut containers: HashMap<NodeId, f32> = HashMap::new();
    // Texts for search engines begin with the name and the price.
    let stated = stated
        .filter(|stated| !is_advertisement(stated, &index.heading_text))
        .map(|stated| first_letters(stated, STATED_LETTERS))
        .filter(|stated| stated.chars().count() > 12);
    add_prose_containers(index, stated.as_deref(), &mut containers);
    for id in index.hinted_as(ElementHints::DESCRIPTION) {
        if fits(index, id) {
            let short = index.own(id).intersects(ElementHints::SHORT);
            *containers.entry(id).or_default() += if short { 1.0 } else { 5.0 };
        }
    }
    for &heading in index.headings.iter().take(MAX_HEADINGS) {
        if phrases::section(&prose::line(index.dom, heading, 80)) == Some(PageSection::Description)
            && let Some(id) = announced_by(index, heading).filter(|id| fits(index, *id))
        {
            *containers.entry(id).or_default() += 6.0;
        }
    }
    let mut best: Option<(f32, NodeId)> = None;
    for (&id, &named) in &containers {
        let length = prose_length(index, id);
        let least = if named >= 5.0 { MIN_ANNOUNCED } else { MIN_PROSE };
        if length < least {
            continue;
        }
        let score = named + length.min(MAX_SCORED) as f32 / 250.0;
        let better = best
            .is_none_or(|(known, container)| score > known || (score == known && id < container));
        if better {
            best = Some((score, id));
        }
    }
    best.map(|(_, id)| id)
}

/// Whether a stated description is only the name, or an advertisement with a price.
pub(crate) fn is_advertisement(text: &str, name: &str) -> bool {
    let begin = &text[..text.floor_char_boundary(200)];
    let has_price = begin.chars().any(|letter| matches!(letter, '€' | '$' | '£' | '₽' | '¥'))
        && begin.bytes().any(|byte| byte.is_ascii_digit());
    let is_name = first_letters(text, 400) == first_letters(name, 400);
    is_name || (has_price && text.len() < 400)
}

/// Whether an element can be the container of a description.
fn fits(index: &DomIndex<'_, '_>, id: NodeId) -> bool {
    let is_block = index.dom.element(id).is_some_and(|element| {
        !element_set!(A Button Meta Input Label Image Ul Nav).contains(element)
    });
    is_block
        && !index.has_heading(id)
        && !index.all(id).intersects(ElementHints::OTHER_CONTENT)
        && index.links_to_others(id) < 4
        && !index.is_teaser(id)
}

/// The text of a container, without tables, feature lists and headings of sections.
pub(super) fn text(index: &DomIndex<'_, '_>, container: NodeId) -> Option<String> {
    let dom = index.dom;
    let is_excluded = |id: NodeId| {
        matches!(dom.element(id), Some(Element::Table | Element::Form | Element::Dl))
            || is_list_of_features(index, id)
            || index.own(id).intersects(ElementHints::OTHER_CONTENT)
            || (dom.element(id).and_then(Element::heading_level).is_some()
                && phrases::section(&prose::line(dom, id, 80)).is_some())
    };
    let text = prose::prose(dom, container, MAX_DESCRIPTION, is_excluded);
    Some(text).filter(|text| !text.is_empty())
}

/// Whether a list has the features of the product.
fn is_list_of_features(index: &DomIndex<'_, '_>, id: NodeId) -> bool {
    matches!(index.dom.element(id), Some(Element::Ul | Element::Ol))
        && (index.own(id).intersects(ElementHints::FEATURES)
            || (section_before(index, id) == Some(PageSection::Features) && follows(index, id)))
}

/// Adds the containers of blocks of prose.
fn add_prose_containers(
    index: &DomIndex<'_, '_>,
    stated: Option<&str>,
    containers: &mut HashMap<NodeId, f32>,
) {
    let dom = index.dom;
    let mut last = None;
    let mut is_found = false;
    for id in dom.descendants(dom.body()) {
        if dom.kind(id) != NodeKind::Text {
            continue;
        }
        let raw = dom.raw_text(id);
        if raw.len() < 24 && !(stated.is_some() && raw.len() > 3) {
            continue;
        }
        let Some(block) = block_of(dom, id) else { continue };
        if last == Some(block) {
            continue;
        }
        if index.all(id).intersects(ElementHints::OTHER_CONTENT) {
            continue;
        }
        last = Some(block);
        let begins_as_stated = !is_found
            && stated.is_some_and(|stated| {
                let text = prose::line(dom, block, 6 * STATED_LETTERS);
                let text = first_letters(&text, STATED_LETTERS);
                text.chars().count() > 12 && (stated.starts_with(&text) || text.starts_with(stated))
            });
        if raw.len() < 24 && !begins_as_stated {
            continue;
        }
        if !begins_as_stated && !is_sentence(raw) {
            continue;
        }
        let Some(container) =
            prose_container(index, block).filter(|container| fits(index, *container))
        else {
            continue;
        };
        let known = containers.entry(container).or_default();
        if begins_as_stated {
            *known += 12.0;
            is_found = true;
        }
        let hints = index.all(container);
        if hints.intersects(ElementHints::HIDDEN) {
            *known -= 0.5;
        }
        if hints.intersects(
            ElementHints::DELIVERY
                | ElementHints::STOCK
                | ElementHints::OPTIONS
                | ElementHints::PRICE,
        ) {
            *known -= 1.0;
        }
    }
}

/// Whether a text is a sentence and not a label, an amount or an address.
fn is_sentence(text: &str) -> bool {
    let text = text.trim_end();
    let words = text.split_whitespace().count();
    let ends = text.ends_with(['.', '!', '?', '。', '！', '？', '…', ':', '”', '"', ')']);
    (words >= 5 && ends) || words >= 9 || (text.contains('。') && text.chars().count() > 8)
}

/// The element that contains a block of prose and the blocks that continue it.
fn prose_container(index: &DomIndex<'_, '_>, block: NodeId) -> Option<NodeId> {
    let dom = index.dom;
    let texts = element_set!(P Li Ul Ol Blockquote H2 H3 H4 H5 Td Tr);
    let mut container = block;
    while dom.is_any(container, &texts) {
        let parent = dom.parent(container)?;
        if index.has_heading(parent) || dom.is(parent, Element::Body) {
            break;
        }
        container = parent;
    }
    Some(container)
}

/// The element that a heading announces: the next one after it or after its wrapper.
fn announced_by(index: &DomIndex<'_, '_>, heading: NodeId) -> Option<NodeId> {
    let dom = index.dom;
    let mut container = heading;
    for _ in 0..3 {
        let parent = dom.parent(container)?;
        let limit = dom.end(parent);
        let mut next = dom.end(container);
        let mut skipped = 0;
        while next < limit {
            let is_text = dom.kind(next) == NodeKind::Text;
            if is_text && !dom.raw_text(next).trim().is_empty() {
                return Some(parent).filter(|parent| !index.has_heading(*parent));
            }
            if dom.element(next).is_some_and(|element| {
                !matches!(element, Element::Br | Element::Hr | Element::Script | Element::Style)
            }) {
                // An article number may precede the text.
                if skipped < 3 && dom.end(next) < limit && is_number_line(index, next) {
                    skipped += 1;
                    next = dom.end(next);
                    continue;
                }
                // Consecutive paragraphs have their parent as container.
                let is_paragraph = dom.is(next, Element::P) && !index.has_heading(parent);
                return Some(if is_paragraph { parent } else { next });
            }
            next = dom.end(next);
        }
        container = parent;
    }
    None
}

/// Whether an element has nothing but a number with its label.
fn is_number_line(index: &DomIndex<'_, '_>, id: NodeId) -> bool {
    let is_heading = index.dom.element(id).and_then(Element::heading_level).is_some();
    let text = prose::line(index.dom, id, MIN_PROSE);
    !is_heading
        && (1..MIN_PROSE / 2).contains(&text.len())
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && !text.ends_with(['.', '!', '?'])
}

/// The length of the prose of a subtree, without links, tables and forms.
fn prose_length(index: &DomIndex<'_, '_>, root: NodeId) -> usize {
    let dom = index.dom;
    let others = element_set!(A Script Style Table Button Form Select Dl Nav Noscript);
    let end = dom.end(root);
    let mut at = NodeId(root.0 + 1);
    let mut length = 0;
    // The number of visited nodes is bounded as well.
    while at < end.min(NodeId(root.0.saturating_add(4_000))) && length < MAX_SCORED {
        let mut next = NodeId(at.0 + 1);
        match dom.kind(at) {
            NodeKind::Text => length += dom.raw_text(at).trim().len(),
            NodeKind::Element(element) if others.contains(element) => next = dom.end(at),
            _ => {}
        }
        at = next;
    }
    length
}

/// The first letters and digits of a text, in lower case.
fn first_letters(text: &str, most: usize) -> String {
    letters(text).take(most).collect()
}
