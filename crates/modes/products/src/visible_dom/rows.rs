//! Labelled values: specification tables, definition lists, and lines such as `SKU: 4711`.

use contract::{Gtin, ProductAttribute, Seller};

use super::visible_lines::VisibleLine;
use crate::class_hints::ElementHints;
use crate::dom_index::DomIndex;
use crate::field::ProductField;
use crate::gtin::gtin;
use crate::letters::letters;
use crate::page_context::PageContext;
use crate::page_subject::SubjectMatch;
use crate::phrases::{self, PageSection};
use crate::source_record::MAX_ATTRIBUTES;
use html::dom::{Dom, Element, NodeId, NodeKind};
use html::prose;

mod line_rows;
mod row_groups;

pub(super) use row_groups::groups;

/// The maximum lengths of a label and a value, in bytes.
const MAX_LABEL: usize = 80;
const MAX_VALUE: usize = 600;

/// The maximum mean lengths of the labels and values of a group that is no specification, in bytes.
const MAX_MEAN_LABEL: usize = 40;
const MAX_MEAN_VALUE: usize = 120;

/// The maximum number of groups, and of rows per group.
const MAX_GROUPS: usize = 200;
const MAX_ROWS: usize = 400;

/// The maximum size of a row, in nodes.
const MAX_ROW_NODES: u32 = 40;

/// Labels and their values.
type LabelledRows = Vec<(String, String)>;

/// Labelled values of one table or list.
#[derive(Debug)]
pub(super) struct RowGroup {
    pub node: NodeId,
    pub rows: Vec<(String, String)>,
    /// The rows with the label of a field, by their position.
    pub fields: Vec<(usize, ProductField)>,
    /// Whether it is a table or a definition list.
    pub is_formal: bool,
}

impl RowGroup {
    fn new(node: NodeId, rows: Vec<(String, String)>, is_formal: bool) -> Self {
        let fields = rows.iter().enumerate();
        let fields =
            fields.filter_map(|(at, (label, _))| Some((at, phrases::labelled_field(label)?)));
        Self { node, fields: fields.collect(), rows, is_formal }
    }

    /// The labels and values of a field.
    pub fn of_field(&self, field: ProductField) -> impl Iterator<Item = &(String, String)> {
        let named = self.fields.iter().filter(move |(_, known)| *known == field);
        named.filter_map(|(at, _)| self.rows.get(*at))
    }
}

/// The value of a field with a label: of several the nearest to the heading.
pub(super) fn value_of(
    field: ProductField,
    groups: &[RowGroup],
    lines: &[VisibleLine],
    index: &DomIndex<'_, '_>,
) -> Option<String> {
    // A label with other meanings counts only without a clear one.
    let mut best: Option<((bool, u32), String)> = None;
    let heading = index.heading.map_or(0, |heading| heading.0);
    let mut add = |label: &str, value: &str, node: NodeId| {
        let is_weak = phrases::is_ambiguous_label(label);
        let rank = (is_weak, node.0.abs_diff(heading));
        let value = value_of_field(field, value);
        if fits(field, value)
            && (!is_weak || value.bytes().any(|byte| byte.is_ascii_digit()) && !is_year(value))
            && best.as_ref().is_none_or(|(known, _)| rank < *known)
        {
            best = Some((rank, value.to_owned()));
        }
    };
    for group in groups {
        for (label, value) in group.of_field(field) {
            add(label, value, group.node);
        }
    }
    for line in lines {
        if let Some((label, value)) = value_after_label(&line.text, field) {
            add(label, value, line.block);
        }
    }
    best.map(|(_, value)| value)
}

/// Whether a value is a year, as in `Model: 2010`.
fn is_year(value: &str) -> bool {
    value.len() == 4 && (value.starts_with("19") || value.starts_with("20"))
}

/// The part of a value that belongs to the field: a number may have an explanation after it.
fn value_of_field(field: ProductField, value: &str) -> &str {
    match field {
        ProductField::Sku | ProductField::Mpn => {
            value.split(['(', '|', ';']).next().unwrap_or_default().trim()
        }
        _ => value,
    }
}

/// The label and the value in a line such as `SKU: 4711`.
fn value_after_label(line: &str, field: ProductField) -> Option<(&str, &str)> {
    // Several values may share a line.
    for piece in line.split(['|', '·', '•']) {
        if let Some((label, value)) = piece.split_once([':', '：']) {
            if phrases::labelled_field(label) == Some(field) {
                let value = value.trim();
                return (!value.is_empty()).then_some((label, value));
            }
            continue;
        }
        // Without a colon only labels of numbers and sellers count; the longest label wins.
        let piece = piece.trim();
        let ends = piece.match_indices(' ').take(4).map(|(at, _)| at);
        let known = ends.filter_map(|at| Some((at, phrases::labelled_field(&piece[..at])?))).last();
        if let Some((at, known)) = known
            && known == field
            && matches!(
                field,
                ProductField::Sku | ProductField::Mpn | ProductField::Gtin | ProductField::Seller
            )
        {
            let (label, value) = (&piece[..at], piece[at..].trim());
            let is_number =
                field == ProductField::Seller || value.bytes().any(|byte| byte.is_ascii_digit());
            return is_number.then_some((label, value));
        }
    }
    None
}

/// Whether a text can be the value of a field.
fn fits(field: ProductField, value: &str) -> bool {
    let words = value.split_whitespace().count();
    // The next label is no value.
    if phrases::labelled_field(value).is_some() || phrases::is_placeholder(value) {
        return false;
    }
    match field {
        ProductField::Sku | ProductField::Mpn => is_article_number(value),
        ProductField::Brand | ProductField::Seller => {
            words <= 6 && value.len() < 80 && value.chars().any(char::is_alphabetic)
        }
        ProductField::Condition => words <= 5,
        _ => !value.is_empty(),
    }
}

/// Whether a text can be an article number: at most two words, with a digit or capital. A third
/// word must have a digit, and no small letters are among them.
fn is_article_number(value: &str) -> bool {
    let words = value.split_whitespace().count();
    let is_long_number = words == 3
        && value.rsplit(' ').next().is_some_and(|last| last.bytes().any(|b| b.is_ascii_digit()))
        && !value.chars().any(char::is_lowercase);
    (1..=40).contains(&value.len())
        && (words <= 2 || is_long_number)
        && value.chars().any(|letter| letter.is_ascii_digit() || letter.is_ascii_uppercase())
        && !value
            .chars()
            .any(|letter| matches!(letter, '$' | '€' | '£' | '¥' | ',' | '%' | '?' | '!' | '"'))
}

/// An article number with a class hint and without a label.
pub(super) fn article_number(index: &DomIndex<'_, '_>) -> Option<String> {
    for id in index.hinted_as(ElementHints::NUMBER).filter(|id| index.size(*id) < 10) {
        let text = prose::line(index.dom, id, 60);
        let text = match text.split_once([':', '：']) {
            Some((label, value)) if phrases::labelled_field(label) == Some(ProductField::Sku) => {
                value.trim().to_owned()
            }
            // The label belongs to another field.
            Some((label, _)) if phrases::labelled_field(label).is_some() => continue,
            _ => text,
        };
        let first = text.split_whitespace().next().unwrap_or_default();
        if first.len() < text.len() && phrases::labelled_field(first).is_some() {
            continue;
        }
        let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
        if has_digit && is_article_number(&text) && index.is_main(id) && gtin(&text).is_none() {
            return Some(text);
        }
    }
    None
}

pub(super) fn gtins(groups: &[RowGroup], lines: &[VisibleLine]) -> Vec<Gtin> {
    let mut found: Vec<Gtin> = Vec::new();
    let stated = groups.iter().flat_map(|group| group.of_field(ProductField::Gtin));
    let values = stated.map(|(_, value)| value.clone());
    let in_lines = lines.iter().filter_map(|line| {
        value_after_label(&line.text, ProductField::Gtin).map(|(_, value)| value.to_owned())
    });
    for value in values.chain(in_lines).take(16) {
        let number = gtin(&value);
        found.extend(number.filter(|number| !found.contains(number)));
    }
    found
}

/// A brand with a class hint: a link or a word near the heading.
pub(super) fn brand(index: &DomIndex<'_, '_>, context: &PageContext<'_>) -> Option<String> {
    let heading = index.heading?;
    let mut best: Option<(u32, String)> = None;
    for id in index.hinted_as(ElementHints::BRAND) {
        if index.size(id) > 14 || index.own(id).intersects(ElementHints::LOGO) || !index.is_main(id)
        {
            continue;
        }
        let mut text = prose::line(index.dom, id, 80);
        if text.is_empty()
            && let Some(image) = index.dom.find(id, Element::Image)
        {
            text = index.dom.attribute(image, "alt").unwrap_or_default().trim().to_owned();
        }
        if let Some((label, value)) = text.split_once([':', '：'])
            && phrases::labelled_field(label).is_some()
        {
            text = value.trim().to_owned();
        } else if let Some((first, rest)) = text.split_once(' ')
            && (phrases::labelled_field(first) == Some(ProductField::Brand)
                || first.eq_ignore_ascii_case("von"))
        {
            text = rest.trim().to_owned();
        }
        text = phrases::brand_name(&text).to_owned();
        let is_label = phrases::labelled_field(&text).is_some();
        let distance = id.0.abs_diff(heading.0);
        if !is_label
            && distance < 400
            && fits(ProductField::Brand, &text)
            && text != index.heading_text
            && best.as_ref().is_none_or(|(known, _)| distance < *known)
        {
            best = Some((distance, text));
        }
    }
    best.map(|(_, text)| text).or_else(|| beside_heading(index, context))
}

/// A short name right before or after the heading, where shops put the brand.
fn beside_heading(index: &DomIndex<'_, '_>, context: &PageContext<'_>) -> Option<String> {
    let dom = index.dom;
    let heading = index.heading?;
    let parent = dom.parent(heading)?;
    let elements_of = |id: NodeId| -> Vec<NodeId> {
        dom.children(id).filter(|id| dom.element(*id).is_some()).collect()
    };
    let mut elements = elements_of(parent);
    let mut named = heading;
    // The heading may have a wrapper.
    if elements.len() == 1 {
        (elements, named) = (elements_of(dom.parent(parent)?), parent);
    }
    let at = elements.iter().position(|id| *id == named)?;
    let beside = [at.checked_sub(1), Some(at + 1)];
    let beside = beside.into_iter().flatten().filter_map(|at| elements.get(at));
    let mut names = beside.filter(|id| index.size(**id) < 6).filter_map(|id| {
        let hints = index.own(*id);
        let other = ElementHints::PRICE
            | ElementHints::STOCK
            | ElementHints::RATING
            | ElementHints::BREADCRUMBS
            | ElementHints::SHORT
            | ElementHints::DESCRIPTION
            | ElementHints::BUY
            | ElementHints::SITE_FRAME
            | ElementHints::DELIVERY
            | ElementHints::HIDDEN;
        let text = prose::line(dom, *id, 60);
        // A link beside the heading leads to the brand if its address names it.
        let link = dom.descendants(*id).chain([*id]).find(|id| dom.is(*id, Element::A));
        let is_named = link.is_none_or(|link| {
            let href = dom.raw_attribute(link, "href").unwrap_or_default();
            let address: String = letters(href).collect();
            address.contains(&letters(&text).collect::<String>())
        });
        (is_named && !hints.intersects(other) && is_proper_name(&text, context)).then_some(text)
    });
    names.next()
}

/// Whether a text can be a brand name: one to four capitalized words, no badge.
fn is_proper_name(text: &str, context: &PageContext<'_>) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let begins = |word: &&str| {
        word.chars().next().is_some_and(|first| {
            first.is_uppercase() || first == '&' || !first.is_lowercase() && first.is_alphabetic()
        })
    };
    // Scripts without capitals do not distinguish names from other words.
    let most = if text.chars().any(char::is_uppercase) { 4 } else { 2 };
    (1..=most).contains(&words.len())
        && (2..=32).contains(&text.chars().count())
        && words.first().is_some_and(begins)
        && words.last().is_some_and(begins)
        && !text.chars().any(|letter| {
            letter.is_ascii_digit()
                || matches!(letter, '!' | '?' | '%' | ':' | '€' | '$' | '/' | '.' | ',' | '(' | '"')
        })
        && phrases::labelled_field(text).is_none()
        && phrases::availability(text).is_none()
        && phrases::section(text).is_none()
        && !phrases::is_badge(text)
        && !phrases::is_buy_button(text)
        && context.subject.match_name(text) == SubjectMatch::Different
}

pub(super) fn seller(
    groups: &[RowGroup],
    lines: &[VisibleLine],
    index: &DomIndex<'_, '_>,
) -> Option<Seller> {
    let by_label = value_of(ProductField::Seller, groups, lines, index);
    let by_class = || {
        let named = index.hinted_as(ElementHints::SELLER);
        named.filter(|id| index.size(*id) < 10 && index.is_main(*id)).find_map(|id| {
            let text = prose::line(index.dom, id, 80);
            value_after_label(&text, ProductField::Seller).map(|(_, name)| name.to_owned())
        })
    };
    by_label.or_else(by_class).map(|name| Seller { name, url: None })
}

/// The attributes of the specification.
pub(super) fn attributes(groups: &[RowGroup], index: &DomIndex<'_, '_>) -> Vec<ProductAttribute> {
    let mut attributes: Vec<ProductAttribute> = Vec::new();
    for group in groups {
        let hints = index.all(group.node);
        let announced = section_before(index, group.node) == Some(PageSection::Specification);
        let is_specification = hints.intersects(ElementHints::SPECIFICATION) || announced;
        // A group with only numbers and stock is the buy box.
        let of_offer = |(_, field): &(usize, ProductField)| {
            matches!(
                field,
                ProductField::Sku
                    | ProductField::Gtin
                    | ProductField::Availability
                    | ProductField::Price
            )
        };
        let is_identity = group.fields.len() == group.rows.len()
            && !announced
            && (group.rows.len() < 3 || group.fields.iter().any(of_offer));
        let is_side = hints
            .intersects(ElementHints::DELIVERY | ElementHints::OPTIONS | ElementHints::PRICE)
            && !is_specification;
        let least = if is_specification { 2 } else { 3 };
        let is_loose = !group.is_formal && group.rows.len() < least;
        let is_prose = !group.is_formal && !is_specification && is_prose(&group.rows);
        if is_identity || is_side || is_loose || is_prose {
            continue;
        }
        for (name, value) in &group.rows {
            let row = ProductAttribute { name: name.clone(), value: value.clone() };
            let is_known = |known: &ProductAttribute| {
                known.name == row.name
                    && (known.value == row.value || known.value.contains(&row.value))
            };
            if attributes.len() < MAX_ATTRIBUTES && !attributes.iter().any(is_known) {
                attributes.push(row);
            }
        }
    }
    attributes
}

/// Whether the rows of a group are questions and answers or paragraphs with headings.
fn is_prose(rows: &[(String, String)]) -> bool {
    let labels: usize = rows.iter().map(|(label, _)| label.len()).sum();
    let values: usize = rows.iter().map(|(_, value)| value.len()).sum();
    labels > MAX_MEAN_LABEL * rows.len()
        || values > MAX_MEAN_VALUE * rows.len()
        || rows.iter().any(|(label, _)| label.ends_with(['?', '!']))
}

/// The section that the last heading before a node announces.
pub(super) fn section_before(index: &DomIndex<'_, '_>, node: NodeId) -> Option<PageSection> {
    let before = index.headings.partition_point(|heading| *heading < node);
    let heading = *index.headings.get(before.checked_sub(1)?)?;
    let text = prose::line(index.dom, heading, 120);
    // The main heading announces no section.
    if Some(heading) == index.heading { None } else { phrases::section(&text) }
}

/// The element children of a node; `None` if it also has text or too many children.
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
