//! The visible breadcrumbs: links in a row before the heading.

use contract::Breadcrumb;

use crate::class_hints::ElementHints;
use crate::dom_index::DomIndex;
use crate::page_context::PageContext;
use crate::phrases;
use crate::source_record::MAX_CRUMBS;
use html::dom::{Element, NodeId, NodeKind};
use html::prose;

/// Breadcrumbs have fewer nodes than this.
const MAX_NODES: u32 = 160;

/// Separators between two breadcrumbs.
const SEPARATORS: &[char] = &[
    '/', '›', '>', '»', '→', '|', '·', '•', '\\', '❯', '⟩', '>', '＞', '-', '–', '▸', '▶', ':', '※',
];

pub(super) fn breadcrumbs(index: &DomIndex<'_, '_>, context: &PageContext<'_>) -> Vec<Breadcrumb> {
    let named = index.hinted_as(ElementHints::BREADCRUMBS).filter(|id| {
        index.size(*id) < MAX_NODES
            && !index.all(*id).intersects(ElementHints::REVIEW)
            && !index.is_teaser(*id)
    });
    let mut best = Vec::new();
    for id in named.take(12) {
        let read = steps(index, context, list_within(index, id));
        if read.len() > best.len() {
            best = read;
        }
    }
    if best.len() < 2 {
        best = without_hint(index, context).unwrap_or(best);
    }
    if best.iter().all(|step| step.url.is_none()) {
        best.clear();
    }
    best
}

/// The only list with several links within an element: other links beside it are no breadcrumbs.
fn list_within(index: &DomIndex<'_, '_>, id: NodeId) -> NodeId {
    let dom = index.dom;
    let links = |list: NodeId| dom.descendants(list).filter(|id| dom.is(*id, Element::A)).count();
    let mut lists = dom
        .descendants(id)
        .filter(|below| matches!(dom.element(*below), Some(Element::Ul | Element::Ol)))
        .filter(|list| links(*list) > 1);
    match (lists.next(), lists.next()) {
        (Some(list), None) => list,
        _ => id,
    }
}

/// Breadcrumbs without a class hint: links before the heading that begin with the home page.
fn without_hint(index: &DomIndex<'_, '_>, context: &PageContext<'_>) -> Option<Vec<Breadcrumb>> {
    let heading = index.heading?;
    let dom = index.dom;
    let is_home = |href: &str| {
        context.absolute(href).is_some_and(|url| {
            url.split_once("://")
                .is_some_and(|(_, rest)| rest.trim_end_matches('/').matches('/').count() == 0)
        })
    };
    let before = index.links.partition_point(|link| *link < heading);
    // The nearest to the heading first: menus are further up.
    for &link in index.links[..before].iter().rev().take(200) {
        let Some(href) = dom.raw_attribute(link, "href") else { continue };
        if index.all(link).intersects(ElementHints::LOGO)
            || !is_home(href)
            || dom.find(link, Element::Image).is_some()
        {
            continue;
        }
        // The list or line that begins with this link.
        for above in dom.ancestors(link).take(4) {
            if index.size(above) > MAX_NODES || index.has_heading(above) {
                break;
            }
            let read = steps(index, context, above);
            let links = read.iter().filter(|step| step.url.is_some()).count();
            let is_short = read.iter().all(|step| step.name.chars().count() <= 60);
            if links >= 2 && read.len() <= 8 && is_short && is_row(index, above) {
                return Some(read);
            }
        }
    }
    None
}

/// Whether an element is a row of breadcrumbs: an ordered list, or links with separators.
fn is_row(index: &DomIndex<'_, '_>, id: NodeId) -> bool {
    let dom = index.dom;
    let separators = dom.descendants(id).filter(|below| {
        dom.kind(*below) == NodeKind::Text && {
            let text = dom.text(*below);
            let text = text.trim();
            !text.is_empty() && text.chars().all(|c| SEPARATORS.contains(&c) && c != '|')
        }
    });
    let links = dom.descendants(id).filter(|below| dom.is(*below, Element::A)).count();
    let separators = separators.count();
    // As many separators as gaps; an ordered list may draw them with CSS.
    let is_list = dom.descendants(id).chain([id]).any(|below| dom.is(below, Element::Ol));
    separators + 1 >= links || (is_list && links <= 6)
}

/// The breadcrumbs of an element: its links, and the text after the last link.
fn steps(index: &DomIndex<'_, '_>, context: &PageContext<'_>, root: NodeId) -> Vec<Breadcrumb> {
    let dom = index.dom;
    let mut steps: Vec<Breadcrumb> = Vec::new();
    let end = dom.end(root);
    let mut at = NodeId(root.0 + 1);
    while at < end && steps.len() < MAX_CRUMBS {
        let mut next = NodeId(at.0 + 1);
        match dom.kind(at) {
            NodeKind::Element(Element::A) => {
                let mut name = prose::line(dom, at, 200);
                if name.is_empty() {
                    // A link with only an icon.
                    let label =
                        ["aria-label", "title"].iter().find_map(|key| dom.attribute(at, key));
                    name = label.unwrap_or_default().trim().to_owned();
                }
                let href = dom.attribute(at, "href");
                let url = href.and_then(|href| context.absolute(&href));
                let name = bare(&name);
                if !name.is_empty()
                    && steps.last().is_none_or(|last| last.name != name || last.url != url)
                {
                    steps.push(Breadcrumb { name, url });
                }
                next = dom.end(at);
            }
            NodeKind::Element(
                Element::Script | Element::Style | Element::Svg | Element::Button,
            ) => {
                next = dom.end(at);
            }
            NodeKind::Text => {
                let text = dom.text(at);
                let name = bare(text.trim());
                // A text before the first link is a label such as "You are here"; an article number
                // may follow the last one.
                let is_number = name.starts_with('#')
                    || name
                        .split_once(':')
                        .is_some_and(|(label, _)| phrases::labelled_field(label).is_some());
                if !name.is_empty() && !steps.is_empty() && !is_number {
                    steps.push(Breadcrumb { name, url: None });
                }
            }
            _ => {}
        }
        at = next;
    }
    steps
}

/// A name without separators around it.
fn bare(text: &str) -> String {
    let text = html::text::Collapsed::of(text, 200);
    text.trim_matches(|letter: char| SEPARATORS.contains(&letter) || letter.is_whitespace())
        .to_owned()
}
