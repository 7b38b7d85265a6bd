//! The forms that a page only lets choose: the values of its one choice.

use super::super::class_words::Hints;
use super::super::draft::Form;
use super::super::survey::Survey;
use super::lines;
use html::dom::{Element, NodeId};
use html::prose;

/// How many values a choice has at most.
const MAX_VALUES: usize = 200;

/// The forms of a page with one choice. Of several choices nobody can tell which values go
/// together.
pub(super) fn forms(choices: &[Choice]) -> Vec<Form> {
    let [(label, values)] = choices else { return Vec::new() };
    let form =
        |value: &String| Form { options: vec![(label.clone(), value.clone())], ..Form::default() };
    values.iter().map(form).collect()
}

/// All choices that the page lets make.
pub(super) fn choices(survey: &Survey<'_, '_>) -> Vec<Choice> {
    let mut choices = selects(survey);
    choices.extend(switches(survey));
    choices
}

/// A label and its values.
pub(super) type Choice = (String, Vec<String>);

fn selects(survey: &Survey<'_, '_>) -> Vec<Choice> {
    let dom = survey.dom;
    let mut choices = Vec::new();
    for &select in survey.selects.iter().take(16) {
        if !survey.is_main(select) || survey.all(select).has(Hints::LISTING) {
            continue;
        }
        let Some(label) = label_of(survey, select).filter(|label| !is_other_choice(label)) else {
            continue;
        };
        let options = dom.descendants(select).filter(|id| dom.is(*id, Element::Option));
        // The first is often a request to choose.
        let values = options.filter(|id| dom.raw_attribute(*id, "value") != Some(""));
        let values: Vec<String> = values
            .map(|id| lines::inner(dom, id, 120))
            .filter(|value| !value.is_empty() && !is_request(value))
            .take(MAX_VALUES)
            .collect();
        // Counted up from one: how many, whatever its label.
        let counts = values.iter().zip(1..).all(|(value, at): (_, usize)| *value == at.to_string());
        if values.len() > 1 && !counts {
            choices.push((label, values));
        }
    }
    choices
}

/// Whether it lets choose how many, where or in which language.
fn is_other_choice(label: &str) -> bool {
    let label = label.to_lowercase();
    [
        "quantity",
        "qty",
        "menge",
        "anzahl",
        "quantité",
        "cantidad",
        "quantità",
        "quantidade",
        "ilość",
        "antal",
        "数量",
        "sort",
        "country",
        "currency",
        "language",
        "region",
        "land",
        "sprache",
        "pays",
        "langue",
    ]
    .iter()
    .any(|word| label.starts_with(word))
}

fn is_request(value: &str) -> bool {
    let value = value.to_lowercase();
    [
        "choose", "select", "please", "bitte", "wähle", "choisi", "elige", "selecc", "scegli",
        "selez", "escolh", "wybierz", "välj", "選択", "--", "- ", "kies",
    ]
    .iter()
    .any(|word| value.starts_with(word))
}

/// Radio buttons of one name with a label each.
fn switches(survey: &Survey<'_, '_>) -> Vec<Choice> {
    let dom = survey.dom;
    let mut choices: Vec<(&str, NodeId, Vec<String>)> = Vec::new();
    for &input in survey.buttons.iter().take(2_000) {
        let is_radio =
            dom.raw_attribute(input, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("radio"));
        let Some(name) = dom.raw_attribute(input, "name").filter(|_| is_radio) else { continue };
        if !survey.is_main(input) || survey.all(input).has(Hints::RATING) {
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
    named.filter_map(|(_, first, values)| Some((label_of(survey, first)?, values))).collect()
}

/// The label of a field: one that names it, one around it, or the legend of its group.
pub(crate) fn label_of(survey: &Survey<'_, '_>, field: NodeId) -> Option<String> {
    let dom = survey.dom;
    let text = |id: NodeId| {
        let text = prose::line(dom, id, 60);
        let text = text.trim_end_matches([':', '：', '*', ' ']).to_owned();
        Some(text).filter(|text| !text.is_empty())
    };
    let id = dom.raw_attribute(field, "id").filter(|id| !id.is_empty());
    let is_radio = dom.is(field, Element::Input);
    // Fields stand close to their labels.
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
    // The cell or the term before it.
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
