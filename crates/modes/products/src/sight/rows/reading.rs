//! Where rows stand: in tables, lists of terms, lists of lines with a colon, and elements
//! that hold a label and a value each.

use hashbrown::HashMap;

use super::super::super::class_words::Hints;
use super::super::super::survey::Survey;
use super::{Group, MAX_LABEL, MAX_VALUE, element_children};
use html::dom::{Element, NodeId};
use html::prose;

/// How many groups and how many rows of one are read.
const MAX_GROUPS: usize = 200;
const MAX_ROWS: usize = 400;

/// A row has fewer nodes than this.
const MAX_ROW_NODES: u32 = 40;

/// Labels with their values.
type Rows = Vec<(String, String)>;

/// All groups of rows in the product's own part of the page.
pub(in super::super) fn groups(survey: &Survey<'_, '_>) -> Vec<Group> {
    let mut groups = Vec::new();
    for &table in survey.tables.iter().take(MAX_GROUPS) {
        if !survey.is_main(table) && !is_behind_a_tab(survey, table) {
            continue;
        }
        let rows = match survey.dom.element(table) {
            Some(Element::Dl) => terms(survey, table),
            _ => cells(survey, table),
        };
        if !rows.is_empty() {
            groups.push(Group { place: table, rows, is_formal: true });
        }
    }
    for &list in survey.lists.iter().take(MAX_GROUPS) {
        let rows = lines_with_a_colon(survey, list);
        if rows.len() > 1 && survey.is_main(list) {
            groups.push(Group { place: list, rows, is_formal: false });
        }
    }
    pairs(survey, &mut groups);
    groups.sort_by_key(|group| group.place);
    groups
}

/// Specifications often wait behind a tab, hidden until somebody asks.
fn is_behind_a_tab(survey: &Survey<'_, '_>, id: NodeId) -> bool {
    let aside = Hints::FRAME | Hints::TEASER | Hints::REVIEW;
    !survey.all(id).has(aside) && !survey.is_teaser(id)
}

fn row(survey: &Survey<'_, '_>, label: NodeId, value: NodeId) -> Option<(String, String)> {
    // A cell that leads somewhere is part of a menu.
    let links = |id: NodeId| {
        let below = survey.dom.descendants(id).take(200);
        below.filter(|id| survey.dom.is(*id, Element::A)).count()
    };
    if survey.size(label) > MAX_ROW_NODES || links(label) > 0 || links(value) > 1 {
        return None;
    }
    let label = prose::line(survey.dom, label, MAX_LABEL + 1);
    let label = label.trim_end_matches([':', '：', ' ']).to_owned();
    let value = prose::line(survey.dom, value, MAX_VALUE);
    let fits = !label.is_empty()
        && label.len() <= MAX_LABEL
        && !value.is_empty()
        && label.chars().any(char::is_alphabetic);
    fits.then_some((label, value))
}

/// Rows of a table with two columns.
fn cells(survey: &Survey<'_, '_>, table: NodeId) -> Vec<(String, String)> {
    let dom = survey.dom;
    let mut rows = Vec::new();
    let mut others = 0;
    for id in dom.descendants(table).filter(|id| dom.is(*id, Element::Tr)).take(MAX_ROWS) {
        let cells = dom
            .children(id)
            .filter(|cell| matches!(dom.element(*cell), Some(Element::Td | Element::Th)));
        let cells: Vec<NodeId> = cells.take(5).collect();
        match cells[..] {
            [label, value] => rows.extend(row(survey, label, value)),
            // Two rows side by side.
            [label, value, second, other]
                if dom.is(label, Element::Th) && dom.is(second, Element::Th) =>
            {
                rows.extend(row(survey, label, value));
                rows.extend(row(survey, second, other));
            }
            [] | [_] => {}
            _ => others += 1,
        }
    }
    // A table with more columns compares things.
    if others > rows.len() { Vec::new() } else { rows }
}

/// Terms with what they mean.
fn terms(survey: &Survey<'_, '_>, list: NodeId) -> Vec<(String, String)> {
    let dom = survey.dom;
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut term = None;
    for id in dom.descendants(list) {
        if rows.len() >= MAX_ROWS {
            break;
        }
        match dom.element(id) {
            Some(Element::Dt) => term = Some(id),
            Some(Element::Dd) => {
                if let Some(label) = term.take() {
                    rows.extend(row(survey, label, id));
                }
            }
            _ => {}
        }
    }
    rows
}

/// Items such as `Weight: 2 kg`.
fn lines_with_a_colon(survey: &Survey<'_, '_>, list: NodeId) -> Vec<(String, String)> {
    let dom = survey.dom;
    let mut rows = Vec::new();
    let mut items = 0;
    for item in dom.children(list).filter(|id| dom.is(*id, Element::Li)).take(MAX_ROWS) {
        items += 1;
        if survey.size(item) > MAX_ROW_NODES {
            continue;
        }
        let text = prose::line(dom, item, MAX_VALUE);
        let Some((label, value)) = text.split_once([':', '：']) else { continue };
        let (label, value) = (label.trim(), value.trim());
        let is_label = !label.is_empty()
            && label.len() <= MAX_LABEL / 2
            && !value.is_empty()
            && !value.starts_with("//")
            && label.split_whitespace().count() <= 5;
        if is_label {
            rows.push((label.to_owned(), value.to_owned()));
        }
    }
    // A list in which most are something else is another list.
    if rows.len() * 3 < items * 2 { Vec::new() } else { rows }
}

/// Elements that hold a label and a value each, and stand beside others of their kind.
fn pairs(survey: &Survey<'_, '_>, groups: &mut Vec<Group>) {
    let dom = survey.dom;
    let mut rows: HashMap<(NodeId, Element, &str), Rows> = HashMap::new();
    let mut order = Vec::new();
    // Only elements with a class of their own, or items of a list.
    for id in dom.descendants(dom.body()) {
        let Some(element) = dom.element(id) else { continue };
        let fits = matches!(
            element,
            Element::Div | Element::Li | Element::P | Element::Span | Element::Custom
        );
        if !fits || !(4..=MAX_ROW_NODES).contains(&(survey.size(id) - 1)) {
            continue;
        }
        let Some(children) = element_children(dom, id, 2) else { continue };
        let [label, value] = children[..] else { continue };
        let simple = |id: NodeId| {
            matches!(
                dom.element(id),
                Some(
                    Element::Span
                        | Element::Div
                        | Element::Strong
                        | Element::B
                        | Element::Label
                        | Element::P
                        | Element::Em
                        | Element::Dt
                        | Element::Dd
                        | Element::H4
                        | Element::H5
                        | Element::A
                        | Element::Small
                )
            )
        };
        if !simple(label) || !simple(value) || survey.size(label) > 8 || dom.is(label, Element::A) {
            continue;
        }
        let aside = Hints::FRAME | Hints::TEASER | Hints::REVIEW;
        if survey.all(id).has(aside) {
            continue;
        }
        let Some(parent) = dom.parent(id) else { continue };
        let class = dom.raw_attribute(id, "class").unwrap_or_default();
        let class = class.split_ascii_whitespace().next().unwrap_or_default();
        let Some(row) = row(survey, label, value) else { continue };
        let known = rows.entry((parent, element, class)).or_default();
        if known.is_empty() {
            order.push((parent, element, class));
        }
        if known.len() < MAX_ROWS {
            known.push(row);
        }
    }
    for key in order.into_iter().take(MAX_GROUPS) {
        let Some(rows) = rows.remove(&key) else { continue };
        if rows.len() > 1 && !survey.is_teaser(key.0) {
            groups.push(Group { place: key.0, rows, is_formal: false });
        }
    }
}
