//! Choices on the visible page: select fields, radio buttons, and lists of swatches, buttons or
//! links. The variants are the combinations of their values.

use contract::Availability;
use text::vocabulary::TermList;

use super::BUY_BOX_DISTANCE;
use super::prices::names_currency;
use crate::class_hints::ElementHints;
use crate::dom_index::DomIndex;
use crate::page_context::PageContext;
use crate::phrases;
use crate::source_record::VariantRecord;
use html::dom::{Element, NodeId};
use html::prose;

mod choice_lists;
mod labels;

pub(crate) use labels::label_of;
use labels::{is_other_choice, option_name};

/// The maximum number of values of a choice, and of choices of a page.
const MAX_VALUES: usize = 200;
const MAX_CHOICES: usize = 4;

/// How many groups of radio buttons are considered.
const MAX_GROUPS: usize = 16;

/// More combinations than this are not listed: most of them do not exist.
const MAX_COMBINATIONS: usize = 400;

/// Beginnings of list entries that ask to choose.
static PROMPTS: TermList = term_group!("choice_words.tsv", "prompt");

/// A choice: its label and its values.
#[derive(Debug)]
pub(super) struct OptionChoice {
    pub label: String,
    values: Vec<OptionValue>,
}

#[derive(Debug)]
struct OptionValue {
    text: String,
    /// Whether the page marks it as one that cannot be ordered.
    is_unavailable: bool,
}

/// The variants of a page: the combinations of the values of all choices.
pub(super) fn variants(choices: &[OptionChoice]) -> Vec<VariantRecord> {
    let count = choices.iter().try_fold(1, |count: usize, choice| {
        count.checked_mul(choice.values.len()).filter(|count| *count <= MAX_COMBINATIONS)
    });
    let Some(count) = count.filter(|_| !choices.is_empty()) else { return Vec::new() };
    let mut variants = vec![VariantRecord::default(); count];
    let mut repeats = count;
    for choice in choices {
        repeats /= choice.values.len();
        let values =
            choice.values.iter().cycle().flat_map(|value| std::iter::repeat_n(value, repeats));
        for (variant, value) in variants.iter_mut().zip(values) {
            variant.options.push((choice.label.clone(), value.text.clone()));
            // Of several choices it is unknown which combination is sold out.
            if choices.len() == 1 && value.is_unavailable {
                variant.offer.availability = Some(Availability::OutOfStock);
            }
        }
    }
    variants
}

/// The choices of the page, each once.
pub(super) fn choices(
    index: &DomIndex<'_, '_>,
    context: &PageContext<'_>,
    button: Option<NodeId>,
) -> Vec<OptionChoice> {
    let mut choices: Vec<OptionChoice> = Vec::new();
    let found = selects(index, button).into_iter().chain(radio_groups(index, button));
    for choice in found.chain(choice_lists::choice_lists(index, context, button)).take(64) {
        // Scripts replace form fields by lists with the same values.
        match choices.iter_mut().find(|known| is_same(known, &choice)) {
            Some(known) if known.values.len() < choice.values.len() => *known = choice,
            Some(_) => {}
            None => choices.push(choice),
        }
    }
    // Beside a choice with the name of an option, other lists are no choices of a variant.
    if choices.iter().any(|choice| labels::is_option_name(&choice.label)) {
        choices.retain(|choice| labels::is_option_name(&choice.label));
    } else {
        choices.truncate(1);
    }
    choices.truncate(MAX_CHOICES);
    choices
}

/// Whether a choice is near the heading or the button. A page without both has no other choices.
fn is_near(index: &DomIndex<'_, '_>, button: Option<NodeId>, id: NodeId) -> bool {
    let anchors = [index.heading, button];
    anchors.iter().all(Option::is_none)
        || anchors.iter().flatten().any(|anchor| id.0.abs_diff(anchor.0) < 2 * BUY_BOX_DISTANCE)
}

/// Whether two choices are the same one: equal labels, or most values in common.
fn is_same(one: &OptionChoice, other: &OptionChoice) -> bool {
    let common = one.values.iter().filter(|value| {
        other.values.iter().any(|known| known.text.eq_ignore_ascii_case(&value.text))
    });
    one.label.eq_ignore_ascii_case(&other.label)
        || 2 * common.count() > one.values.len().min(other.values.len())
}

/// A choice of distinct values; `None` if there is nothing to choose.
fn choice(label: String, values: impl Iterator<Item = OptionValue>) -> Option<OptionChoice> {
    let mut kept: Vec<OptionValue> = Vec::new();
    let values = values.map(|value| OptionValue { text: without_price(&value.text), ..value });
    for value in values.filter(|value| is_value(&value.text)) {
        if kept.len() < MAX_VALUES && !kept.iter().any(|known| known.text == value.text) {
            kept.push(value);
        }
    }
    // The numbers from one on are a quantity, whatever the label.
    let counts = kept.iter().zip(1..).all(|(value, at): (_, usize)| value.text == at.to_string());
    let is_other =
        is_other_choice(&label) || kept.iter().any(|value| labels::is_delivery(&value.text));
    (kept.len() > 1 && !counts && !is_other).then_some(OptionChoice { label, values: kept })
}

/// A value without the price after it: `500 g - £2.98`.
fn without_price(text: &str) -> String {
    let marks = [" - ", " – ", " (", " +"];
    let ends = marks.iter().filter_map(|mark| text.find(mark));
    let is_price = |at: &usize| {
        let rest = &text[*at..];
        names_currency(rest) && rest.bytes().any(|byte| byte.is_ascii_digit())
    };
    let end = ends.filter(is_price).min().unwrap_or(text.len());
    text[..end].trim().to_owned()
}

/// Whether a text can be the value of an option.
fn is_value(text: &str) -> bool {
    let lower = text.to_lowercase();
    (1..=100).contains(&text.chars().count())
        && text.chars().any(char::is_alphanumeric)
        && !lower.starts_with("--")
        && !lower.starts_with("- ")
        && !PROMPTS.iter().any(|word| lower.starts_with(word))
        && !phrases::is_buy_button(text)
}

fn selects(index: &DomIndex<'_, '_>, button: Option<NodeId>) -> Vec<OptionChoice> {
    let dom = index.dom;
    let mut choices = Vec::new();
    for &select in index.selects.iter().take(16) {
        let hints = index.all(select);
        if hints.intersects(ElementHints::OTHER_CONTENT | ElementHints::LISTING)
            || index.is_teaser(select)
            || !is_near(index, button, select)
        {
            continue;
        }
        let mut own = ["name", "id"].iter().filter_map(|key| dom.raw_attribute(select, key));
        if own.any(labels::names_other_choice) {
            continue;
        }
        let named = || hints.intersects(ElementHints::OPTIONS | ElementHints::AXIS);
        let label = label_of(index, select)
            .or_else(|| named().then(|| labels::label_before(index, select, &[])).flatten());
        let Some(label) = label else { continue };
        let options = dom.descendants(select).filter(|id| dom.is(*id, Element::Option));
        // The first entry is often a prompt to choose.
        let values = options.filter(|id| dom.raw_attribute(*id, "value") != Some(""));
        let values = values.take(2 * MAX_VALUES).map(|id| OptionValue {
            text: prose::short_line(dom, id, 120),
            is_unavailable: dom.raw_attribute(id, "disabled").is_some(),
        });
        choices.extend(choice(option_name(&label), values));
    }
    choices
}

/// Groups of radio buttons with the same name.
fn radio_groups(index: &DomIndex<'_, '_>, button: Option<NodeId>) -> Vec<OptionChoice> {
    let dom = index.dom;
    let mut groups: Vec<(&str, NodeId, Vec<OptionValue>)> = Vec::new();
    for &input in index.buttons.iter().take(2_000) {
        let is_radio =
            dom.raw_attribute(input, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("radio"));
        let Some(name) = dom.raw_attribute(input, "name").filter(|_| is_radio) else { continue };
        if !index.is_main(input)
            || !is_near(index, button, input)
            || index.all(input).intersects(ElementHints::RATING | ElementHints::DELIVERY)
        {
            continue;
        }
        let text = labels::label_of_radio(index, input)
            .map(|label| prose::line(dom, label, 80))
            .filter(|text| !text.is_empty());
        let value =
            text.or_else(|| dom.attribute(input, "value").map(|value| value.trim().to_owned()));
        let Some(text) = value.filter(|value| !value.is_empty()) else { continue };
        let is_unavailable = dom.raw_attribute(input, "disabled").is_some();
        let value = OptionValue { text, is_unavailable };
        match groups.iter_mut().find(|(known, _, _)| *known == name) {
            Some((_, _, values)) if values.len() < MAX_VALUES => values.push(value),
            Some(_) => {}
            None => groups.push((name, input, vec![value])),
        }
        if groups.len() > MAX_GROUPS {
            break;
        }
    }
    let groups = groups.into_iter().filter_map(|(_, first, values)| {
        choice(option_name(&label_of(index, first)?), values.into_iter())
    });
    groups.collect()
}
