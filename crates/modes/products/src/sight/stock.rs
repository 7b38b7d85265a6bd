//! Whether the product can be had, as the page says it.

use contract::Availability;

use super::super::class_words::Hints;
use super::super::field::Field;
use super::super::phrases;
use super::super::survey::Survey;
use super::lines::Line;
use super::rows::Group;
use super::{BUY_BOX, button_text};
use html::dom::{Element, NodeId};
use html::prose;

/// What was found.
#[derive(Debug)]
pub(super) struct Stock {
    pub availability: Availability,
    pub text: String,
    /// Its place or its label says that it is about the product.
    pub is_sure: bool,
}

pub(super) fn stock(
    survey: &Survey<'_, '_>,
    groups: &[Group],
    lines: &[Line],
    button: Option<NodeId>,
) -> Option<Stock> {
    let heading = survey.heading.map_or(0, |heading| heading.0);
    let near = |id: NodeId| id.0.abs_diff(heading) < BUY_BOX;
    let sure = |availability, text| Stock { availability, text, is_sure: true };
    // An element whose class says what it tells.
    for &id in survey.hinted.iter().filter(|id| survey.own(**id).has(Hints::STOCK)) {
        if survey.size(id) > 24
            || !near(id)
            || survey.all(id).has(Hints::OPTIONS)
            || !survey.is_main(id)
        {
            continue;
        }
        let text = prose::line(survey.dom, id, 120);
        if let Some(availability) = phrases::availability(&text) {
            // The line in it that says so: the element may also hold numbers.
            let inside = |line: &&Line| id <= line.block && line.block < survey.dom.end(id);
            let said = lines.iter().filter(inside).find(|line| {
                line.text.len() < text.len()
                    && phrases::availability(&line.text) == Some(availability)
            });
            let text = said.map_or(text, |line| line.text.clone());
            return Some(sure(availability, after_label(&text)));
        }
    }
    // A row or a line with a label.
    for (label, value) in groups.iter().flat_map(|group| &group.rows) {
        if phrases::label(label) == Some(Field::Availability)
            && let Some(availability) = phrases::availability(value)
        {
            return Some(sure(availability, value.clone()));
        }
    }
    for line in lines.iter().filter(|line| near(line.block)) {
        if let Some((label, value)) = line.text.split_once([':', '：'])
            && phrases::label(label) == Some(Field::Availability)
            && let Some(availability) = phrases::availability(value)
        {
            return Some(sure(availability, value.trim().to_owned()));
        }
    }
    // A short line that says nothing else, the nearest to the heading.
    let short = lines.iter().filter(|line| line.text.chars().count() <= 48 && near(line.block));
    let said = short.filter_map(|line| {
        let hints = survey.all(line.block);
        let aside = Hints::DESCRIPTION | Hints::SPECIFICATION | Hints::FEATURES | Hints::OPTIONS;
        // Points of praise speak of spare parts and the like.
        let in_list = survey.dom.ancestors(line.block).take(2).chain([line.block]).any(|id| {
            matches!(survey.dom.element(id), Some(Element::Ul | Element::Ol | Element::Li))
        });
        let availability = phrases::availability(&line.text).filter(|_| !hints.has(aside))?;
        if in_list {
            return None;
        }
        Some((line.block.0.abs_diff(heading), availability, &line.text))
    });
    if let Some((distance, availability, text)) = said.min_by_key(|(distance, _, _)| *distance) {
        return Some(Stock { availability, text: text.clone(), is_sure: distance < BUY_BOX / 4 });
    }
    let text = button_text(survey, button?);
    phrases::availability(&text).map(|availability| Stock { availability, text, is_sure: true })
}

/// A text without the label that it begins with.
fn after_label(text: &str) -> String {
    match text.split_once([':', '：']) {
        Some((label, value)) if phrases::label(label).is_some() => value.trim().to_owned(),
        _ => text.to_owned(),
    }
}
