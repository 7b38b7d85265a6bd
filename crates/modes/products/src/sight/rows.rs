//! Rows of a label and a value: specification tables, lists of terms, and lines such as
//! `SKU: 4711`.

use contract::{Gtin, ProductAttribute, Seller};

use super::super::class_words::Hints;
use super::super::context::Context;
use super::super::draft::MAX_ATTRIBUTES;
use super::super::field::Field;
use super::super::gtin::gtin;
use super::super::phrases::{self, Part};
use super::super::survey::Survey;
use super::lines::Line;
use html::dom::{Dom, Element, NodeId, NodeKind};
use html::prose;

mod reading;

pub(super) use reading::groups;

/// The longest label and the longest value.
const MAX_LABEL: usize = 80;
const MAX_VALUE: usize = 600;

/// Rows that stand together.
#[derive(Debug)]
pub(super) struct Group {
    pub place: NodeId,
    pub rows: Vec<(String, String)>,
    /// A table or a list of terms says by itself what it is.
    pub is_formal: bool,
}

/// The value that a label of the page names.
pub(super) fn value_of(
    field: Field,
    groups: &[Group],
    lines: &[Line],
    survey: &Survey<'_, '_>,
) -> Option<String> {
    let mut best: Option<(u32, String)> = None;
    let heading = survey.heading.map_or(0, |heading| heading.0);
    let rows = groups.iter().flat_map(|group| group.rows.iter().map(move |row| (group.place, row)));
    for (place, (label, value)) in rows {
        if phrases::label(label) == Some(field) && fits(field, value) {
            let distance = place.0.abs_diff(heading);
            if best.as_ref().is_none_or(|(known, _)| distance < *known) {
                best = Some((distance, value.clone()));
            }
        }
    }
    for line in lines {
        let Some(value) = labelled(&line.text, field) else { continue };
        let distance = line.block.0.abs_diff(heading);
        if fits(field, &value) && best.as_ref().is_none_or(|(known, _)| distance < *known) {
            best = Some((distance, value));
        }
    }
    best.map(|(_, value)| value)
}

/// The value in a line such as `SKU: 4711`.
fn labelled(line: &str, field: Field) -> Option<String> {
    // Several may share a line.
    for piece in line.split(['|', '·', '•']) {
        if let Some((label, value)) = piece.split_once([':', '：']) {
            if phrases::label(label) == Some(field) {
                let value = value.trim();
                return (!value.is_empty()).then(|| value.to_owned());
            }
            continue;
        }
        // Without a colon only where the words cannot be part of a sentence; the longest
        // label counts.
        let piece = piece.trim();
        let ends = piece.match_indices(' ').take(4).map(|(at, _)| at);
        let known = ends.filter_map(|at| Some((at, phrases::label(&piece[..at])?))).last();
        if let Some((at, known)) = known
            && known == field
            && matches!(field, Field::Sku | Field::Mpn | Field::Gtin | Field::Seller)
        {
            return Some(piece[at..].trim().to_owned());
        }
    }
    None
}

/// Whether a text can be the value of a field.
fn fits(field: Field, value: &str) -> bool {
    let words = value.split_whitespace().count();
    match field {
        Field::Sku | Field::Mpn => is_number(value),
        Field::Brand | Field::Seller => {
            words <= 6 && value.len() < 80 && value.chars().any(char::is_alphabetic)
        }
        Field::Condition => words <= 5,
        _ => !value.is_empty(),
    }
}

/// Whether a text can be a number of an article: one word or two, with a digit.
pub(super) fn is_number(value: &str) -> bool {
    (1..=40).contains(&value.len())
        && value.split_whitespace().count() <= 2
        && value.chars().any(|letter| letter.is_ascii_digit() || letter.is_ascii_uppercase())
        && !value
            .chars()
            .any(|letter| matches!(letter, '$' | '€' | '£' | '¥' | ',' | '%' | '?' | '!' | '"'))
}

/// An article number that only its class names.
pub(super) fn number(survey: &Survey<'_, '_>) -> Option<String> {
    let named = survey.hinted.iter().copied().filter(|id| survey.own(*id).has(Hints::NUMBER));
    for id in named.filter(|id| survey.size(*id) < 10) {
        let text = prose::line(survey.dom, id, 60);
        let text = match text.split_once([':', '：']) {
            Some((label, value)) if phrases::label(label) == Some(Field::Sku) => {
                value.trim().to_owned()
            }
            // Another number has another label.
            Some((label, _)) if phrases::label(label).is_some() => continue,
            _ => text,
        };
        let first = text.split_whitespace().next().unwrap_or_default();
        if first.len() < text.len() && phrases::label(first).is_some() {
            continue;
        }
        let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
        if has_digit && is_number(&text) && survey.is_main(id) && gtin(&text).is_none() {
            return Some(text);
        }
    }
    None
}

pub(super) fn gtins(groups: &[Group], lines: &[Line], survey: &Survey<'_, '_>) -> Vec<Gtin> {
    let mut found: Vec<Gtin> = Vec::new();
    let rows = groups.iter().flat_map(|group| &group.rows);
    let stated = rows.filter(|(label, _)| phrases::label(label) == Some(Field::Gtin));
    let values = stated.map(|(_, value)| value.clone());
    let in_lines = lines.iter().filter_map(|line| labelled(&line.text, Field::Gtin));
    for value in values.chain(in_lines).take(16) {
        let number = gtin(&value);
        found.extend(number.filter(|number| !found.contains(number)));
    }
    let _ = survey;
    found
}

/// A brand that only its class names: a link or a word near the heading.
pub(super) fn brand(survey: &Survey<'_, '_>, context: &Context<'_>) -> Option<String> {
    let heading = survey.heading?;
    let mut best: Option<(u32, String)> = None;
    for &id in survey.hinted.iter().filter(|id| survey.own(**id).has(Hints::BRAND)) {
        if survey.size(id) > 14 || survey.own(id).has(Hints::LOGO) || !survey.is_main(id) {
            continue;
        }
        let mut text = prose::line(survey.dom, id, 80);
        if text.is_empty()
            && let Some(image) = survey.dom.find(id, Element::Image)
        {
            text = survey.dom.attribute(image, "alt").unwrap_or_default().trim().to_owned();
        }
        if let Some((label, value)) = text.split_once([':', '：'])
            && phrases::label(label).is_some()
        {
            text = value.trim().to_owned();
        } else if let Some((first, rest)) = text.split_once(' ')
            && (phrases::label(first) == Some(Field::Brand) || first.eq_ignore_ascii_case("von"))
        {
            text = rest.trim().to_owned();
        }
        let is_label = phrases::label(&text).is_some();
        let distance = id.0.abs_diff(heading.0);
        if !is_label
            && distance < 400
            && fits(Field::Brand, &text)
            && text != survey.heading_text
            && best.as_ref().is_none_or(|(known, _)| distance < *known)
        {
            best = Some((distance, text));
        }
    }
    best.map(|(_, text)| text).or_else(|| beside_heading(survey, context))
}

/// A short name right before or behind the heading, which is where shops put the brand.
fn beside_heading(survey: &Survey<'_, '_>, context: &Context<'_>) -> Option<String> {
    let dom = survey.dom;
    let heading = survey.heading?;
    let parent = dom.parent(heading)?;
    let elements: Vec<NodeId> =
        dom.children(parent).filter(|id| dom.element(*id).is_some()).collect();
    // The heading may have a wrapper of its own.
    let (elements, at) = match elements.len() {
        1 => {
            let above = dom.parent(parent)?;
            let around: Vec<NodeId> =
                dom.children(above).filter(|id| dom.element(*id).is_some()).collect();
            let at = around.iter().position(|id| *id == parent)?;
            (around, at)
        }
        _ => {
            let at = elements.iter().position(|id| *id == heading)?;
            (elements, at)
        }
    };
    let beside = [at.checked_sub(1), Some(at + 1)];
    let beside = beside.into_iter().flatten().filter_map(|at| elements.get(at));
    let mut names = beside.filter(|id| survey.size(**id) < 6).filter_map(|id| {
        let hints = survey.own(*id);
        let other = Hints::PRICE
            | Hints::STOCK
            | Hints::RATING
            | Hints::TRAIL
            | Hints::SHORT
            | Hints::DESCRIPTION
            | Hints::BUY
            | Hints::FRAME
            | Hints::DELIVERY
            | Hints::HIDDEN;
        let text = prose::line(dom, *id, 60);
        (!hints.has(other) && is_proper_name(&text, context)).then_some(text)
    });
    names.next()
}

/// Whether a text can be a name: one to four words that begin as names do, no badge.
fn is_proper_name(text: &str, context: &Context<'_>) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let begins = |word: &&str| {
        word.chars().next().is_some_and(|first| {
            first.is_uppercase() || first == '&' || !first.is_lowercase() && first.is_alphabetic()
        })
    };
    (1..=4).contains(&words.len())
        && (2..=32).contains(&text.chars().count())
        && words.first().is_some_and(begins)
        && words.last().is_some_and(begins)
        && !text.chars().any(|letter| {
            letter.is_ascii_digit()
                || matches!(letter, '!' | '?' | '%' | ':' | '€' | '$' | '/' | '.' | ',' | '(' | '"')
        })
        && phrases::label(text).is_none()
        && phrases::availability(text).is_none()
        && phrases::part(text).is_none()
        && !phrases::is_badge(text)
        && !phrases::buys(text)
        && context.subject.names_it(text) == super::super::subject::Likeness::Other
}

pub(super) fn seller(groups: &[Group], lines: &[Line], survey: &Survey<'_, '_>) -> Option<Seller> {
    let by_label = value_of(Field::Seller, groups, lines, survey);
    let by_class = || {
        let named = survey.hinted.iter().copied().filter(|id| survey.own(*id).has(Hints::SELLER));
        named.filter(|id| survey.size(*id) < 10 && survey.is_main(*id)).find_map(|id| {
            let text = prose::line(survey.dom, id, 80);
            labelled(&text, Field::Seller)
        })
    };
    by_label.or_else(by_class).map(|name| Seller { name, url: None })
}

/// The rows of the specification.
pub(super) fn attributes(
    groups: &[Group],
    survey: &Survey<'_, '_>,
    described: Option<NodeId>,
) -> Vec<ProductAttribute> {
    let mut attributes: Vec<ProductAttribute> = Vec::new();
    let inside =
        |id: NodeId| described.is_some_and(|place| place < id && id < survey.dom.end(place));
    for group in groups {
        let hints = survey.all(group.place);
        let announced = part_before(survey, group.place) == Some(Part::Specification);
        let is_specification = hints.has(Hints::SPECIFICATION) || announced;
        // What only names numbers and stock is the buy box.
        let identity =
            group.rows.iter().filter(|(label, _)| phrases::label(label).is_some()).count();
        let is_identity = identity == group.rows.len() && !announced;
        let is_side =
            hints.has(Hints::DELIVERY | Hints::OPTIONS | Hints::PRICE) && !is_specification;
        let is_loose = !group.is_formal && !is_specification && group.rows.len() < 3;
        if is_identity || is_side || is_loose || (inside(group.place) && !group.is_formal) {
            continue;
        }
        for (name, value) in &group.rows {
            let row = ProductAttribute { name: name.clone(), value: value.clone() };
            if attributes.len() < MAX_ATTRIBUTES && !attributes.contains(&row) {
                attributes.push(row);
            }
        }
    }
    attributes
}

/// What the last heading before a place announces, if it belongs to it.
pub(super) fn part_before(survey: &Survey<'_, '_>, place: NodeId) -> Option<Part> {
    let before = survey.headings.partition_point(|heading| *heading < place);
    let heading = *survey.headings.get(before.checked_sub(1)?)?;
    let text = prose::line(survey.dom, heading, 120);
    // The heading of the page announces all of it.
    if Some(heading) == survey.heading { None } else { phrases::part(&text) }
}

/// The element children of a node; none when it also has a text of its own.
fn element_children(dom: &Dom<'_>, id: NodeId, most: usize) -> Option<Vec<NodeId>> {
    let mut elements = Vec::new();
    for child in dom.children(id) {
        match dom.kind(child) {
            NodeKind::Element(Element::Br | Element::Script | Element::Style) => {}
            NodeKind::Element(_) => elements.push(child),
            NodeKind::Text if dom.raw_text(child).trim().is_empty() => {}
            NodeKind::Text if matches!(dom.raw_text(child).trim(), ":" | "：" | "-" | "–") => {}
            _ => return None,
        }
        if elements.len() > most {
            return None;
        }
    }
    Some(elements)
}
