//! The trail that leads to the page: links in a row before the heading.

use contract::Breadcrumb;

use super::super::class_words::Hints;
use super::super::context::Context;
use super::super::draft::MAX_CRUMBS;
use super::super::survey::Survey;
use html::dom::{Element, NodeId, NodeKind};
use html::prose;

/// A trail has fewer nodes than this.
const MAX_NODES: u32 = 160;

/// What may stand between two steps.
const SIGNS: &[char] = &[
    '/', '›', '>', '»', '→', '|', '·', '•', '\\', '❯', '⟩', '>', '＞', '-', '–', '▸', '▶', ':', '※',
];

pub(super) fn trail(survey: &Survey<'_, '_>, context: &Context<'_>) -> Vec<Breadcrumb> {
    let named = survey.hinted.iter().copied().filter(|id| survey.own(*id).has(Hints::TRAIL));
    let named = named.filter(|id| {
        survey.size(*id) < MAX_NODES
            && !survey.all(*id).has(Hints::REVIEW)
            && !survey.is_teaser(*id)
    });
    let mut best = Vec::new();
    for id in named.take(12) {
        let read = steps(survey, context, id);
        if read.len() > best.len() {
            best = read;
        }
    }
    if best.len() < 2 {
        best = unnamed(survey, context).unwrap_or(best);
    }
    if best.iter().all(|step| step.url.is_none()) {
        best.clear();
    }
    best
}

/// A row of links before the heading that begins with the home page and goes down.
fn unnamed(survey: &Survey<'_, '_>, context: &Context<'_>) -> Option<Vec<Breadcrumb>> {
    let heading = survey.heading?;
    let dom = survey.dom;
    let home = |href: &str| {
        context.absolute(href).is_some_and(|url| {
            url.split_once("://")
                .is_some_and(|(_, rest)| rest.trim_end_matches('/').matches('/').count() == 0)
        })
    };
    let before = survey.links.partition_point(|link| *link < heading);
    // The nearest to the heading: menus stand further up.
    for &link in survey.links[..before].iter().rev().take(200) {
        let Some(href) = dom.raw_attribute(link, "href") else { continue };
        if survey.all(link).has(Hints::LOGO)
            || !home(href)
            || dom.find(link, Element::Image).is_some()
        {
            continue;
        }
        // The list or the line that it begins.
        for above in dom.ancestors(link).take(4) {
            if survey.size(above) > MAX_NODES || survey.holds_heading(above) {
                break;
            }
            let read = steps(survey, context, above);
            let links = read.iter().filter(|step| step.url.is_some()).count();
            let is_short = read.iter().all(|step| step.name.chars().count() <= 60);
            if links >= 2 && read.len() <= 8 && is_short && is_row(survey, above) {
                return Some(read);
            }
        }
    }
    None
}

/// Whether an element is a row of steps: an ordered list, or links with signs between them.
fn is_row(survey: &Survey<'_, '_>, id: NodeId) -> bool {
    let dom = survey.dom;
    let signs = dom.descendants(id).filter(|below| {
        dom.kind(*below) == NodeKind::Text && {
            let text = dom.text(*below);
            let text = text.trim();
            !text.is_empty() && text.chars().all(|sign| SIGNS.contains(&sign) && sign != '|')
        }
    });
    let links = dom.descendants(id).filter(|below| dom.is(*below, Element::A)).count();
    let signs = signs.count();
    // As many signs as gaps; an ordered list may have drawn ones.
    let is_list = dom.descendants(id).chain([id]).any(|below| dom.is(below, Element::Ol));
    signs + 1 >= links || (is_list && links <= 6)
}

/// The steps in an element: its links, and what stands behind the last.
fn steps(survey: &Survey<'_, '_>, context: &Context<'_>, root: NodeId) -> Vec<Breadcrumb> {
    let dom = survey.dom;
    let mut steps: Vec<Breadcrumb> = Vec::new();
    let end = dom.end(root);
    let mut at = NodeId(root.0 + 1);
    while at < end && steps.len() < MAX_CRUMBS {
        let mut next = NodeId(at.0 + 1);
        match dom.kind(at) {
            NodeKind::Element(Element::A) => {
                let mut name = prose::line(dom, at, 200);
                if name.is_empty() {
                    // A drawing of a house.
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
                // Before the first link stands a label such as "You are here".
                if !name.is_empty() && !steps.is_empty() {
                    steps.push(Breadcrumb { name, url: None });
                }
            }
            _ => {}
        }
        at = next;
    }
    steps
}

/// A step without the signs around it.
fn bare(text: &str) -> String {
    let text = html::text::Collapsed::of(text, 200);
    text.trim_matches(|letter: char| SIGNS.contains(&letter) || letter.is_whitespace()).to_owned()
}
