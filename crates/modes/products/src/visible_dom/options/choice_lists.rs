//! Choices that are lists of swatches, buttons or links instead of form fields.

use super::labels::{is_option_name, label_before, option_name};
use super::{MAX_VALUES, OptionChoice, OptionValue, choice};
use crate::class_hints::ElementHints;
use crate::dom_index::DomIndex;
use crate::page_context::PageContext;
use crate::page_subject::SubjectMatch;
use crate::phrases;
use crate::visible_dom::prices::names_currency;
use html::dom::{Element, NodeId, NodeKind};
use html::prose;
use html::text::Collapsed;

/// How many lists are considered.
const MAX_LISTS: usize = 400;

/// The maximum size of an entry, in nodes, and the maximum length of its text, in characters.
const MAX_ENTRY_NODES: u32 = 60;
const MAX_TEXT: usize = 60;

/// Parts of a page whose lists choose no variant.
const OTHER_LISTS: ElementHints = ElementHints::OTHER_CONTENT
    .union(ElementHints::BREADCRUMBS)
    .union(ElementHints::LISTING)
    .union(ElementHints::RATING)
    .union(ElementHints::DELIVERY);

/// Parts of class names and ids of values that cannot be ordered.
const UNAVAILABLE: &[&str] =
    &["unavailable", "disabled", "soldout", "sold-out", "outofstock", "out-of-stock"];

pub(super) fn choice_lists(
    index: &DomIndex<'_, '_>,
    context: &PageContext<'_>,
    button: Option<NodeId>,
) -> Vec<OptionChoice> {
    let near = |id: NodeId| super::is_near(index, button, id);
    let hinted = index.hinted_as(ElementHints::OPTIONS | ElementHints::AXIS);
    let mut lists: Vec<NodeId> =
        index.lists.iter().copied().chain(hinted).filter(|id| near(*id)).take(MAX_LISTS).collect();
    lists.sort_unstable();
    lists.dedup();
    lists.into_iter().filter_map(|list| choice_list(index, context, list)).collect()
}

fn choice_list(
    index: &DomIndex<'_, '_>,
    context: &PageContext<'_>,
    list: NodeId,
) -> Option<OptionChoice> {
    let dom = index.dom;
    if index.all(list).intersects(OTHER_LISTS) || index.has_heading(list) || index.is_teaser(list) {
        return None;
    }
    let entries = entries(index, list)?;
    let values: Vec<OptionValue> =
        entries.iter().filter_map(|entry| value(index, *entry)).take(MAX_VALUES).collect();
    if values.len() < 2 || values.len() * 3 < entries.len() * 2 {
        return None;
    }
    let is_named = dom
        .self_and_ancestors(list)
        .take(4)
        .take_while(|above| !index.has_heading(*above))
        .any(|above| index.own(above).intersects(ElementHints::OPTIONS | ElementHints::AXIS));
    let is_group = dom
        .raw_attribute(list, "role")
        .is_some_and(|role| matches!(role, "radiogroup" | "listbox"));
    let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
    let label = label_before(index, list, &texts);
    let names_option = label.as_deref().is_some_and(is_option_name);
    let are_controls = entries.iter().all(|entry| is_control(index, *entry));
    let elsewhere = entries.iter().filter(|entry| links_elsewhere(index, context, **entry)).count();
    // Links to other pages are variants only under the name of an option.
    let own = index.own(list);
    let is_marked =
        is_group || names_option || own.intersects(ElementHints::OPTIONS | ElementHints::AXIS);
    let is_choice = is_marked
        && match elsewhere > 1 {
            true => names_option && (is_named || is_group),
            false => {
                (are_controls && (is_named || is_group || names_option))
                    || (is_named && names_option && texts.iter().all(|text| is_short(text)))
            }
        };
    let label = label.map_or_else(|| "option".to_owned(), |label| option_name(&label));
    is_choice.then(|| choice(label, values.into_iter())).flatten()
}

/// Whether a text can be a value without a control: no row with a label.
fn is_short(text: &str) -> bool {
    text.chars().count() <= 20 && !text.contains([':', '：'])
}

/// The entries of a list: its visible children of the most frequent kind.
fn entries(index: &DomIndex<'_, '_>, list: NodeId) -> Option<Vec<NodeId>> {
    let dom = index.dom;
    let mut kinds: Vec<(Element, Vec<NodeId>)> = Vec::new();
    for child in dom.children(list).take(2 * MAX_VALUES) {
        let Some(element) = dom.element(child) else { continue };
        let is_part = matches!(
            element,
            Element::Script | Element::Style | Element::Br | Element::Input | Element::Option
        );
        if is_part || index.own(child).intersects(ElementHints::HIDDEN) {
            continue;
        }
        match kinds.iter_mut().find(|(known, _)| *known == element) {
            Some((_, nodes)) => nodes.push(child),
            None => kinds.push((element, vec![child])),
        }
    }
    let (_, nodes) = kinds.into_iter().rev().max_by_key(|(_, nodes)| nodes.len())?;
    let fits = nodes.len() > 1 && nodes.iter().all(|id| index.size(*id) <= MAX_ENTRY_NODES);
    fits.then_some(nodes)
}

/// The value that an entry shows: its first text that is no price, else the name of its image.
fn value(index: &DomIndex<'_, '_>, entry: NodeId) -> Option<OptionValue> {
    let dom = index.dom;
    let is_state = |id: NodeId| {
        let class = dom.raw_attribute(id, "class").unwrap_or_default().to_ascii_lowercase();
        dom.raw_attribute(id, "disabled").is_some()
            || UNAVAILABLE.iter().any(|word| class.contains(word))
    };
    let inside = || dom.descendants(entry).chain([entry]);
    let is_unavailable = inside().take(12).chain([entry]).any(is_state);
    let fits = |text: &str| {
        (1..=MAX_TEXT).contains(&text.chars().count())
            && text.chars().any(char::is_alphanumeric)
            && !names_currency(text)
            && phrases::availability(text).is_none()
    };
    let whole = prose::short_line(dom, entry, 4 * MAX_TEXT);
    let parts = dom.descendants(entry).filter(|id| dom.kind(*id) == NodeKind::Text);
    let mut parts = parts.filter(|id| !is_hidden_within(index, entry, *id)).filter_map(|id| {
        let text = Collapsed::of(&dom.text(id), 4 * MAX_TEXT);
        (!text.is_empty()).then_some(text)
    });
    let shown = match fits(&whole) {
        true => Some(whole.clone()),
        false => parts.by_ref().take(6).find(|text| fits(text)),
    };
    let named = || {
        let image = inside().find(|id| dom.is(*id, Element::Image));
        let alt = image.and_then(|image| dom.attribute(image, "alt"));
        let label = || {
            let attributes = ["data-value", "title", "aria-label"];
            inside()
                .take(24)
                .find_map(|id| attributes.iter().find_map(|key| dom.attribute(id, key)))
        };
        let text = alt.filter(|alt| fits(alt.trim())).or_else(label)?;
        Some(text.trim().to_owned()).filter(|text| fits(text))
    };
    // An entry with only a price or a longer text is no value.
    let text = shown.or_else(|| {
        whole
            .is_empty()
            .then(named)
            .flatten()
            .or_else(|| names_currency(&whole).then(named).flatten())
    })?;
    Some(OptionValue { text, is_unavailable })
}

/// Whether a node is hidden by an element below the entry.
fn is_hidden_within(index: &DomIndex<'_, '_>, entry: NodeId, id: NodeId) -> bool {
    let mut above = index.dom.ancestors(id).take_while(|above| *above > entry);
    above.any(|above| index.own(above).intersects(ElementHints::HIDDEN))
}

/// Whether an entry reacts to a click: a button, a label, a field, or a link within the page.
fn is_control(index: &DomIndex<'_, '_>, entry: NodeId) -> bool {
    let dom = index.dom;
    dom.descendants(entry).take(MAX_ENTRY_NODES as usize).chain([entry]).any(|id| {
        let has_role = dom
            .raw_attribute(id, "role")
            .is_some_and(|role| matches!(role, "radio" | "option" | "button"));
        has_role
            || matches!(
                dom.element(id),
                Some(Element::Button | Element::Label | Element::Input | Element::A)
            )
    })
}

/// Whether an entry links to another page.
fn links_elsewhere(index: &DomIndex<'_, '_>, context: &PageContext<'_>, entry: NodeId) -> bool {
    let dom = index.dom;
    let link = dom
        .descendants(entry)
        .take(MAX_ENTRY_NODES as usize)
        .chain([entry])
        .find(|id| dom.is(*id, Element::A));
    link.and_then(|link| dom.raw_attribute(link, "href")).is_some_and(|href| {
        let href = href.trim();
        !href.starts_with("javascript:")
            && !href.starts_with('?')
            && context.subject.match_url(href) == SubjectMatch::Different
    })
}
