//! What the page praises the product for, in a list of short points.

use super::super::class_words::Hints;
use super::super::phrases::Part;
use super::super::survey::Survey;
use super::rows::part_before;
use html::dom::{Element, NodeId};
use html::prose;

/// How many points a list has, and how long one is.
const MAX_FEATURES: usize = 50;
const MAX_FEATURE: usize = 300;

pub(super) fn features(survey: &Survey<'_, '_>, described: Option<NodeId>) -> Vec<String> {
    let dom = survey.dom;
    for &list in &survey.lists {
        let inside = described.is_some_and(|place| place <= list && list < dom.end(place));
        let named = survey.all(list).has(Hints::FEATURES);
        let announced =
            || part_before(survey, list) == Some(Part::Features) && follows(survey, list);
        // Within the description only a list that is named itself.
        let is_named = named && (!inside || survey.own(list).has(Hints::FEATURES));
        if !(is_named || announced()) || !survey.is_main(list) {
            continue;
        }
        let items = dom.children(list).filter(|id| dom.is(*id, Element::Li));
        let points =
            items.filter(|id| survey.size(*id) < 30 && dom.find(*id, Element::A).is_none());
        let points: Vec<String> = points
            .map(|id| prose::line(dom, id, MAX_FEATURE))
            .filter(|point| !point.is_empty())
            .take(MAX_FEATURES)
            .collect();
        if points.len() > 1 {
            return points;
        }
    }
    Vec::new()
}

/// Whether a list comes right behind the last heading.
pub(super) fn follows(survey: &Survey<'_, '_>, list: NodeId) -> bool {
    let before = survey.headings.partition_point(|heading| *heading < list);
    let heading = before.checked_sub(1).and_then(|at| survey.headings.get(at));
    heading.is_some_and(|heading| list.0 - survey.dom.end(*heading).0 < 8)
}
