//! Reads the value of a field at an element.

use super::page_text::{leading_heading, line, line_without_struck, next_element, paragraphs};
use super::selector::ValueSource;
use crate::field::ProductField;
use html::dom::{Dom, NodeId, NodeKind};
use html::entity::{EntityContext, resolve};
use html::srcset;

/// The raw value of a field at an element.
pub(super) fn value(
    dom: &Dom<'_>,
    field: ProductField,
    id: NodeId,
    source: ValueSource<'_>,
) -> Option<String> {
    let value = match source {
        ValueSource::Text if field == ProductField::Description => {
            let heading = leading_heading(dom, id);
            paragraphs(dom, id, heading.map_or(id.0 + 1, |heading| dom.end(heading).0))
        }
        // Struck-through text is not the current price.
        ValueSource::Text if field == ProductField::Price => line_without_struck(dom, id),
        ValueSource::Text => line(dom, id),
        ValueSource::AfterColon => after_colon(&line(dom, id))?,
        ValueSource::Attribute(name, raw) => {
            let raw = if name.ends_with("srcset") { largest(raw)? } else { raw };
            resolve(raw, EntityContext::Attribute).trim().to_owned()
        }
        ValueSource::Row => row(dom, id)?,
        ValueSource::Pair => pair(&line(dom, id), &line(dom, next_element(dom, id)?))?,
    };
    (!value.is_empty()).then_some(value)
}

fn after_colon(text: &str) -> Option<String> {
    let (_, value) = text.split_once([':', '：'])?;
    Some(value.trim().to_owned())
}

/// The first child as the name, the other children as the value.
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

/// Name, tab and value, the format of [`ProductField::Attribute`].
fn pair(name: &str, value: &str) -> Option<String> {
    let name = name.trim().trim_end_matches([':', '：']).trim_end();
    let value = value.trim().trim_start_matches([':', '：']).trim_start();
    (!name.is_empty() && !value.is_empty()).then(|| format!("{name}\t{value}"))
}

/// The URL with the largest width; the last one without widths.
fn largest(srcset: &str) -> Option<&str> {
    let largest = srcset::candidates(srcset).take(32).max_by_key(|candidate| candidate.size);
    largest.map(|candidate| candidate.url)
}

#[cfg(test)]
mod tests {
    use html::dom::Element;

    use super::*;

    #[test]
    fn description_keeps_cells_apart_and_the_text_of_buttons() {
        let dom = Dom::parse(
            "<div><h2>Details</h2><table><tr><td>Oak</td><td>2 m</td></tr></table>\
             <button>Buy</button> now</div>",
        );
        let mut nodes = dom.descendants(NodeId::ROOT);
        let div = nodes.find(|id| dom.is(*id, Element::Div)).expect("a div");
        let text = value(&dom, ProductField::Description, div, ValueSource::Text);
        assert_eq!(text.as_deref(), Some("Oak\n\n2 m\n\nBuy now"));
    }
}
