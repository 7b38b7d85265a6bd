//! The features of the product: a list of short points.

use super::rows::section_before;
use crate::class_hints::ElementHints;
use crate::dom_index::DomIndex;
use crate::phrases::PageSection;
use html::dom::{Element, NodeId};
use html::prose;

/// The maximum number of features, and the maximum length of one in bytes.
const MAX_FEATURES: usize = 50;
const MAX_FEATURE: usize = 300;

pub(super) fn features(index: &DomIndex<'_, '_>, described: Option<NodeId>) -> Vec<String> {
    let dom = index.dom;
    for &list in &index.lists {
        let inside = described.is_some_and(|container| dom.contains(container, list));
        let has_hint = index.all(list).intersects(ElementHints::FEATURES);
        let announced =
            || section_before(index, list) == Some(PageSection::Features) && follows(index, list);
        // Within the description only a list with its own class hint counts.
        let is_marked = has_hint && (!inside || index.own(list).intersects(ElementHints::FEATURES));
        if !(is_marked || announced()) || !index.is_main(list) {
            continue;
        }
        let items = dom.children(list).filter(|id| dom.is(*id, Element::Li));
        let points = items.filter(|id| index.size(*id) < 30 && dom.find(*id, Element::A).is_none());
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

/// Whether a list follows right after the last heading.
pub(super) fn follows(index: &DomIndex<'_, '_>, list: NodeId) -> bool {
    let before = index.headings.partition_point(|heading| *heading < list);
    let heading = before.checked_sub(1).and_then(|at| index.headings.get(at));
    heading.is_some_and(|heading| list.0 - index.dom.end(*heading).0 < 8)
}
