//! What is read at a place of a page.

use super::page_text::{line, line_without_struck, paragraphs};
use super::selector::{Source, following};
use crate::field::Field;
use html::dom::{Dom, Element, NodeId, NodeKind};
use html::entity::{EntityContext, resolve};
use html::srcset;

/// The value of a field at a place, raw; none when there is none.
pub(super) fn value(dom: &Dom<'_>, field: Field, id: NodeId, source: Source<'_>) -> Option<String> {
    let value = match source {
        Source::Text if field == Field::Description => {
            paragraphs(dom, id, heading(dom, id).map_or(id.0 + 1, |heading| dom.end(heading).0))
        }
        // What is struck out is not what it costs now.
        Source::Text if field == Field::Price => line_without_struck(dom, id),
        Source::Text => line(dom, id),
        Source::BehindColon => behind_colon(&line(dom, id))?,
        Source::Attribute(name, raw) => {
            let raw = if name.ends_with("srcset") { largest(raw)? } else { raw };
            resolve(raw, EntityContext::Attribute).trim().to_owned()
        }
        Source::Row => row(dom, id)?,
        Source::Pair => pair(&line(dom, id), &line(dom, following(dom, id)?))?,
    };
    (!value.is_empty()).then_some(value)
}

/// The heading that an element begins with.
pub(super) fn heading(dom: &Dom<'_>, id: NodeId) -> Option<NodeId> {
    use Element as E;
    let blank =
        |child: &NodeId| dom.element(*child).is_none() && dom.raw_text(*child).trim().is_empty();
    let first = dom.children(id).take(8).find(|child| !blank(child))?;
    let element = dom.element(first)?;
    matches!(element, E::H1 | E::H2 | E::H3 | E::H4 | E::H5 | E::H6 | E::Summary | E::Legend)
        .then_some(first)
}

fn behind_colon(text: &str) -> Option<String> {
    let (_, value) = text.split_once([':', '：'])?;
    Some(value.trim().to_owned())
}

/// The first part of an element as the name, the rest of it as the value.
fn row(dom: &Dom<'_>, id: NodeId) -> Option<String> {
    let mut parts = dom.children(id).filter(|child| match dom.kind(*child) {
        NodeKind::Text => !dom.raw_text(*child).trim().is_empty(),
        NodeKind::Element(_) => true,
        NodeKind::Document | NodeKind::Raw => false,
    });
    let mut name = String::new();
    while name.is_empty() {
        name = line(dom, parts.next()?);
    }
    let values: Vec<String> = parts.map(|part| line(dom, part)).filter(|v| !v.is_empty()).collect();
    pair(&name, &values.join(" "))
}

/// A name and its value with a tab between them, as [`Field::Attribute`] is told.
fn pair(name: &str, value: &str) -> Option<String> {
    let name = name.trim().trim_end_matches([':', '：']).trim_end();
    let value = value.trim().trim_start_matches([':', '：']).trim_start();
    (!name.is_empty() && !value.is_empty()).then(|| format!("{name}\t{value}"))
}

/// The address with the largest descriptor; the last one when none has any.
fn largest(srcset: &str) -> Option<&str> {
    let width = |address: &str| {
        let behind = srcset.split_once(address).map_or("", |(_, behind)| behind);
        let digits = behind.trim_start().split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse::<u32>().ok()
    };
    srcset::candidates(srcset).take(32).max_by_key(|address| width(address))
}
