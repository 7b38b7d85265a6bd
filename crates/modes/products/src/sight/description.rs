//! Where the page describes the product at length.
//!
//! Four things speak for a place: the data of the page begins like it, its class names it, a
//! heading announces it, and it holds the longest prose of the product's own part.

use hashbrown::HashMap;

use super::super::class_words::Hints;
use super::super::draft::MAX_DESCRIPTION;
use super::super::phrases::{self, Part};
use super::super::survey::Survey;
use super::features::follows;
use super::lines::block_of;
use super::rows::part_before;
use html::dom::{Element, NodeId, NodeKind};
use html::prose;

/// A text shorter than this is no description, unless its place says so.
const MIN_PROSE: usize = 60;
const MIN_NAMED: usize = 12;

/// More text than this makes a place no likelier.
const ENOUGH: usize = 3_000;

/// How many letters of what the data tells are looked for.
const TOLD_LETTERS: usize = 28;

/// Where the description stands. `told` is what the data of the page says.
pub(super) fn place(survey: &Survey<'_, '_>, told: Option<&str>) -> Option<NodeId> {
    let mut places: HashMap<NodeId, f32> = HashMap::new();
    let told =
        told.map(|told| squeezed(told, TOLD_LETTERS)).filter(|told| told.chars().count() > 12);
    prose_places(survey, told.as_deref(), &mut places);
    for &id in survey.hinted.iter().filter(|id| survey.own(**id).has(Hints::DESCRIPTION)) {
        if fits(survey, id) {
            let short = survey.own(id).has(Hints::SHORT);
            *places.entry(id).or_default() += if short { 1.0 } else { 5.0 };
        }
    }
    for &heading in &survey.headings {
        if phrases::part(&prose::line(survey.dom, heading, 80)) == Some(Part::Description)
            && let Some(id) = behind(survey, heading).filter(|id| fits(survey, *id))
        {
            *places.entry(id).or_default() += 6.0;
        }
    }
    let mut best: Option<(f32, NodeId)> = None;
    for (&id, &named) in &places {
        let length = length(survey, id);
        let least = if named >= 5.0 { MIN_NAMED } else { MIN_PROSE };
        if length < least {
            continue;
        }
        let score = named + length.min(ENOUGH) as f32 / 250.0;
        let better =
            best.is_none_or(|(known, place)| score > known || (score == known && id < place));
        if better {
            best = Some((score, id));
        }
    }
    best.map(|(_, id)| id)
}

/// Whether a place is no larger than a description.
fn fits(survey: &Survey<'_, '_>, id: NodeId) -> bool {
    let aside = Hints::FRAME | Hints::TEASER | Hints::REVIEW;
    let is_block = survey.dom.element(id).is_some_and(|element| {
        !matches!(
            element,
            Element::A
                | Element::Button
                | Element::Meta
                | Element::Input
                | Element::Label
                | Element::Image
                | Element::Ul
                | Element::Nav
        )
    });
    is_block
        && !survey.holds_heading(id)
        && !survey.all(id).has(aside)
        && survey.leads_elsewhere(id) < 4
        && !survey.is_teaser(id)
}

/// The text of a place. Tables are rows of the specification, and what has its own heading
/// about something else is something else.
pub(super) fn text(survey: &Survey<'_, '_>, place: NodeId) -> Option<String> {
    let dom = survey.dom;
    let aside = Hints::FRAME | Hints::TEASER | Hints::REVIEW;
    let leaves_out = |id: NodeId| {
        matches!(dom.element(id), Some(Element::Table | Element::Form | Element::Dl))
            || is_list_of_features(survey, id)
            || survey.own(id).has(aside)
            || (dom.element(id).and_then(Element::heading_level).is_some()
                && phrases::part(&prose::line(dom, id, 80)).is_some())
    };
    let text = prose::prose(dom, place, MAX_DESCRIPTION, leaves_out);
    Some(text).filter(|text| !text.is_empty())
}

/// A list under a heading of its own is a field of its own.
fn is_list_of_features(survey: &Survey<'_, '_>, id: NodeId) -> bool {
    matches!(survey.dom.element(id), Some(Element::Ul | Element::Ol))
        && (survey.own(id).has(Hints::FEATURES)
            || (part_before(survey, id) == Some(Part::Features) && follows(survey, id)))
}

/// Blocks of prose, their lengths credited to what holds them together.
fn prose_places(survey: &Survey<'_, '_>, told: Option<&str>, places: &mut HashMap<NodeId, f32>) {
    let dom = survey.dom;
    let mut last = None;
    let mut is_found = false;
    for id in dom.descendants(dom.body()) {
        if dom.kind(id) != NodeKind::Text {
            continue;
        }
        let raw = dom.raw_text(id);
        if raw.len() < 24 && !(told.is_some() && raw.len() > 3) {
            continue;
        }
        let Some(block) = block_of(dom, id) else { continue };
        if last == Some(block) {
            continue;
        }
        let aside = Hints::FRAME | Hints::TEASER | Hints::REVIEW;
        if survey.all(id).has(aside) {
            continue;
        }
        last = Some(block);
        let begins_as_told = !is_found
            && told.is_some_and(|told| {
                let text = prose::line(dom, block, 6 * TOLD_LETTERS);
                let text = squeezed(&text, TOLD_LETTERS);
                text.chars().count() > 12 && (told.starts_with(&text) || text.starts_with(told))
            });
        if raw.len() < 24 && !begins_as_told {
            continue;
        }
        if !begins_as_told && !is_sentence(raw) {
            continue;
        }
        let Some(place) = holder(survey, block).filter(|place| fits(survey, *place)) else {
            continue;
        };
        let known = places.entry(place).or_default();
        if begins_as_told {
            *known += 12.0;
            is_found = true;
        }
        let hints = survey.all(place);
        if hints.has(Hints::HIDDEN) {
            *known -= 0.5;
        }
        if hints.has(Hints::DELIVERY | Hints::STOCK | Hints::OPTIONS | Hints::PRICE) {
            *known -= 1.0;
        }
    }
}

/// Whether a text says something: labels, amounts and addresses do not end as it does.
fn is_sentence(text: &str) -> bool {
    let text = text.trim_end();
    let words = text.split_whitespace().count();
    let ends = text.ends_with(['.', '!', '?', '。', '！', '？', '…', ':', '”', '"', ')']);
    (words >= 5 && ends) || words >= 9 || (text.contains('。') && text.chars().count() > 8)
}

/// What holds a block of prose together with those that continue it.
fn holder(survey: &Survey<'_, '_>, block: NodeId) -> Option<NodeId> {
    use Element as E;
    let dom = survey.dom;
    let mut place = block;
    while let Some(
        E::P
        | E::Li
        | E::Ul
        | E::Ol
        | E::Blockquote
        | E::H2
        | E::H3
        | E::H4
        | E::H5
        | E::Td
        | E::Tr,
    ) = dom.element(place)
    {
        let parent = dom.parent(place)?;
        if survey.holds_heading(parent) || dom.is(parent, E::Body) {
            break;
        }
        place = parent;
    }
    Some(place)
}

/// The element that a heading announces: what follows it, or what follows its wrapper.
fn behind(survey: &Survey<'_, '_>, heading: NodeId) -> Option<NodeId> {
    let dom = survey.dom;
    let mut place = heading;
    for _ in 0..3 {
        let parent = dom.parent(place)?;
        let limit = dom.end(parent);
        let mut next = dom.end(place);
        while next < limit {
            let is_text = dom.kind(next) == NodeKind::Text;
            if is_text && !dom.raw_text(next).trim().is_empty() {
                return Some(parent).filter(|parent| !survey.holds_heading(*parent));
            }
            if dom.element(next).is_some_and(|element| {
                !matches!(element, Element::Br | Element::Hr | Element::Script | Element::Style)
            }) {
                // Paragraphs that follow each other are held together by what is above them.
                let is_paragraph = dom.is(next, Element::P) && !survey.holds_heading(parent);
                return Some(if is_paragraph { parent } else { next });
            }
            next = dom.end(next);
        }
        place = parent;
    }
    None
}

/// How much prose there is below a node: links do not count.
fn length(survey: &Survey<'_, '_>, root: NodeId) -> usize {
    let dom = survey.dom;
    let end = dom.end(root);
    let mut at = NodeId(root.0 + 1);
    let mut length = 0;
    // Markup without text is bounded as well.
    while at < end.min(NodeId(root.0.saturating_add(4_000))) && length < ENOUGH {
        let mut next = NodeId(at.0 + 1);
        match dom.kind(at) {
            NodeKind::Text => length += dom.raw_text(at).trim().len(),
            NodeKind::Element(
                Element::A
                | Element::Script
                | Element::Style
                | Element::Table
                | Element::Button
                | Element::Form
                | Element::Select
                | Element::Dl
                | Element::Nav
                | Element::Noscript,
            ) => next = dom.end(at),
            _ => {}
        }
        at = next;
    }
    length
}

/// The first letters and digits of a text.
fn squeezed(text: &str, most: usize) -> String {
    let letters = text.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).take(most).collect()
}
