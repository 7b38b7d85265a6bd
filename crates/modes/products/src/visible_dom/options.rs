//! Choices on the visible page (select fields, radio buttons), and the variants of a single choice.

use crate::class_hints::ElementHints;
use crate::dom_index::DomIndex;
use crate::source_record::VariantRecord;
use html::dom::{Element, NodeId};
use html::prose;
use text::vocabulary::TermList;

/// The maximum number of values of a choice.
const MAX_VALUES: usize = 200;

/// Beginnings of labels of fields that choose no variant: quantity, country, language.
static OTHER_CHOICES: TermList = term_group!("choice_words.tsv", "other");
/// Beginnings of list entries that ask to choose.
static PROMPTS: TermList = term_group!("choice_words.tsv", "prompt");

/// The variants of a page with one choice. With several choices the valid combinations are
/// unknown.
pub(super) fn variants(choices: &[OptionChoice]) -> Vec<VariantRecord> {
    let [(label, values)] = choices else { return Vec::new() };
    let variant = |value: &String| VariantRecord {
        options: vec![(label.clone(), value.clone())],
        ..VariantRecord::default()
    };
    values.iter().map(variant).collect()
}

/// All choices of the page.
pub(super) fn choices(index: &DomIndex<'_, '_>) -> Vec<OptionChoice> {
    let mut choices = selects(index);
    choices.extend(radio_groups(index));
    choices
}

/// The label of a choice and its values.
pub(super) type OptionChoice = (String, Vec<String>);

fn selects(index: &DomIndex<'_, '_>) -> Vec<OptionChoice> {
    let dom = index.dom;
    let mut choices = Vec::new();
    for &select in index.selects.iter().take(16) {
        if !index.is_main(select) || index.all(select).intersects(ElementHints::LISTING) {
            continue;
        }
        let Some(label) = label_of(index, select).filter(|label| !is_other_choice(label)) else {
            continue;
        };
        let options = dom.descendants(select).filter(|id| dom.is(*id, Element::Option));
        // The first entry is often a prompt to choose.
        let values = options.filter(|id| dom.raw_attribute(*id, "value") != Some(""));
        let values: Vec<String> = values
            .map(|id| prose::short_line(dom, id, 120))
            .filter(|value| !value.is_empty() && !is_prompt(value))
            .take(MAX_VALUES)
            .collect();
        // The numbers from one on are a quantity, whatever the label.
        let counts = values.iter().zip(1..).all(|(value, at): (_, usize)| *value == at.to_string());
        if values.len() > 1 && !counts {
            choices.push((label, values));
        }
    }
    choices
}

/// Whether a label belongs to a choice of quantity, country or language.
fn is_other_choice(label: &str) -> bool {
    let label = label.to_lowercase();
    OTHER_CHOICES.iter().any(|word| label.starts_with(word))
}

fn is_prompt(value: &str) -> bool {
    let value = value.to_lowercase();
    value.starts_with("--")
        || value.starts_with("- ")
        || PROMPTS.iter().any(|word| value.starts_with(word))
}

/// Groups of radio buttons with the same name.
fn radio_groups(index: &DomIndex<'_, '_>) -> Vec<OptionChoice> {
    let dom = index.dom;
    let mut choices: Vec<(&str, NodeId, Vec<String>)> = Vec::new();
    for &input in index.buttons.iter().take(2_000) {
        let is_radio =
            dom.raw_attribute(input, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("radio"));
        let Some(name) = dom.raw_attribute(input, "name").filter(|_| is_radio) else { continue };
        if !index.is_main(input) || index.all(input).intersects(ElementHints::RATING) {
            continue;
        }
        let label = dom.ancestors(input).take(2).find(|id| dom.is(*id, Element::Label));
        let text = label.map(|label| prose::line(dom, label, 80)).filter(|text| !text.is_empty());
        let value =
            text.or_else(|| dom.attribute(input, "value").map(|value| value.trim().to_owned()));
        let Some(value) = value.filter(|value| !value.is_empty()) else { continue };
        match choices.iter_mut().find(|(known, _, _)| *known == name) {
            Some((_, _, values)) if values.len() < MAX_VALUES && !values.contains(&value) => {
                values.push(value)
            }
            Some(_) => {}
            None => choices.push((name, input, vec![value])),
        }
    }
    let named = choices.into_iter().filter(|(_, _, values)| values.len() > 1);
    named.filter_map(|(_, first, values)| Some((label_of(index, first)?, values))).collect()
}

/// The label of a form field: a label element, a legend, the cell before it, or `aria-label`.
pub(crate) fn label_of(index: &DomIndex<'_, '_>, field: NodeId) -> Option<String> {
    let dom = index.dom;
    let text = |id: NodeId| {
        let text = prose::line(dom, id, 60);
        let text = text.trim_end_matches([':', '：', '*', ' ']).to_owned();
        Some(text).filter(|text| !text.is_empty())
    };
    let id = dom.raw_attribute(field, "id").filter(|id| !id.is_empty());
    let is_radio = dom.is(field, Element::Input);
    // A label is close to its field.
    let from = NodeId(field.0.saturating_sub(24));
    let before = (from.0..field.0).rev().map(NodeId);
    for near in before {
        match dom.element(near) {
            Some(Element::Label) if !is_radio => {
                let names = dom.raw_attribute(near, "for");
                if names.is_none() || names == id {
                    return text(near);
                }
            }
            Some(Element::Legend) => return text(near),
            _ => {}
        }
    }
    let group = dom.ancestors(field).take(4).find(|id| dom.is(*id, Element::Fieldset));
    let legend = group.and_then(|group| dom.find(group, Element::Legend)).and_then(text);
    let aria = || dom.attribute(field, "aria-label").map(|label| label.trim().to_owned());
    // The cell or term before the field.
    let cell = || {
        let cell = dom
            .ancestors(field)
            .take(3)
            .find(|id| matches!(dom.element(*id), Some(Element::Td | Element::Dd)))?;
        let before = (cell.0.saturating_sub(10)..cell.0).rev().map(NodeId);
        before
            .into_iter()
            .find(|id| matches!(dom.element(*id), Some(Element::Th | Element::Td | Element::Dt)))
            .and_then(text)
    };
    legend.or_else(cell).or_else(|| aria().filter(|label| !label.is_empty()))
}
