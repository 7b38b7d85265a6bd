//! The availability that the visible page states.

use contract::Availability;

use super::rows::RowGroup;
use super::visible_lines::VisibleLine;
use super::{BUY_BOX_DISTANCE, button_text};
use crate::class_hints::ElementHints;
use crate::dom_index::DomIndex;
use crate::field::ProductField;
use crate::phrases;
use html::dom::{Element, NodeId};
use html::prose;

/// An availability with the text that states it.
#[derive(Debug)]
pub(super) struct VisibleStock {
    pub availability: Availability,
    pub text: String,
    /// Whether its position or label makes certain that it is about the product.
    pub is_sure: bool,
}

pub(super) fn stock(
    index: &DomIndex<'_, '_>,
    groups: &[RowGroup],
    lines: &[VisibleLine],
    button: Option<NodeId>,
) -> Option<VisibleStock> {
    let heading = index.heading.map_or(0, |heading| heading.0);
    let near = |id: NodeId| id.0.abs_diff(heading) < BUY_BOX_DISTANCE;
    let sure = |availability, text| VisibleStock { availability, text, is_sure: true };
    // An element with a class hint for stock.
    for id in index.hinted_as(ElementHints::STOCK) {
        if index.size(id) > 24
            || !near(id)
            || index.all(id).intersects(ElementHints::OPTIONS)
            || !index.is_main(id)
            || is_in_control(index, id)
        {
            continue;
        }
        let text = prose::line(index.dom, id, 120);
        if let Some(availability) = phrases::availability(&text) {
            // The line within the element that states it: the element may have other lines.
            let said = lines.iter().find(|line| {
                index.dom.contains(id, line.block)
                    && line.text.len() < text.len()
                    && phrases::availability(&line.text) == Some(availability)
            });
            let text = said.map_or(text, |line| line.text.clone());
            return Some(sure(availability, after_label(&text)));
        }
    }
    // A row or a line with a label.
    for (_, value) in groups.iter().flat_map(|group| group.of_field(ProductField::Availability)) {
        if let Some(availability) = phrases::availability(value) {
            return Some(sure(availability, value.clone()));
        }
    }
    for line in lines.iter().filter(|line| near(line.block)) {
        if let Some((label, value)) = line.text.split_once([':', '：'])
            && phrases::labelled_field(label) == Some(ProductField::Availability)
            && let Some(availability) = phrases::availability(value)
        {
            return Some(sure(availability, value.trim().to_owned()));
        }
    }
    // The nearest short line to the heading that states only the availability.
    let short = lines.iter().filter(|line| line.text.chars().count() <= 48 && near(line.block));
    let said = short.filter_map(|line| {
        let hints = index.all(line.block);
        let aside = ElementHints::DESCRIPTION
            | ElementHints::SPECIFICATION
            | ElementHints::FEATURES
            | ElementHints::OPTIONS;
        // Feature lists mention the availability of spare parts.
        let in_list = index.dom.ancestors(line.block).take(2).chain([line.block]).any(|id| {
            matches!(index.dom.element(id), Some(Element::Ul | Element::Ol | Element::Li))
        });
        let availability =
            phrases::availability(&line.text).filter(|_| !hints.intersects(aside))?;
        if in_list || is_in_control(index, line.block) {
            return None;
        }
        Some((line.block.0.abs_diff(heading), availability, &line.text))
    });
    if let Some((distance, availability, text)) = said.min_by_key(|(distance, _, _)| *distance) {
        return Some(VisibleStock {
            availability,
            text: text.clone(),
            is_sure: distance < BUY_BOX_DISTANCE / 4,
        });
    }
    // A button may contain the texts of all its states.
    let text = button_text(index, button?);
    if phrases::is_buy_button(&text)
        && phrases::availability(&text) == Some(Availability::OutOfStock)
    {
        return None;
    }
    phrases::availability(&text).map(|availability| sure(availability, text))
}

/// Whether a node is within a button or link, which may contain the texts of all its states.
fn is_in_control(index: &DomIndex<'_, '_>, id: NodeId) -> bool {
    let dom = index.dom;
    dom.ancestors(id).take(4).any(|above| {
        dom.is(above, Element::Button)
            || (dom.is(above, Element::A) && index.own(above).intersects(ElementHints::BUY))
    })
}

/// A text without its label.
fn after_label(text: &str) -> String {
    match text.split_once([':', '：']) {
        Some((label, value)) if phrases::labelled_field(label).is_some() => value.trim().to_owned(),
        _ => text.to_owned(),
    }
}
