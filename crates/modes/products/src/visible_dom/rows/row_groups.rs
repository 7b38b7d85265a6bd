//! Finds labelled values: in tables, definition lists, lists of lines with a colon, and elements
//! with one label and one value.

use hashbrown::HashMap;

use super::line_rows;
use super::{
    LabelledRows, MAX_GROUPS, MAX_LABEL, MAX_ROW_NODES, MAX_ROWS, MAX_VALUE, RowGroup,
    element_children,
};
use crate::class_hints::ElementHints;
use crate::dom_index::DomIndex;
use html::dom::{Dom, Element, NodeId};
use html::element_set;
use html::prose;

/// All groups of labelled values in the main part of the page.
pub(in crate::visible_dom) fn groups(index: &DomIndex<'_, '_>) -> Vec<RowGroup> {
    let mut groups = Vec::new();
    for &table in index.tables.iter().take(MAX_GROUPS) {
        if !index.is_main(table) && !is_main_or_hidden(index, table) {
            continue;
        }
        let rows = match index.dom.element(table) {
            Some(Element::Dl) => definitions(index, table),
            _ => table_rows(index, table),
        };
        if !rows.is_empty() {
            groups.push(RowGroup::new(table, rows, true));
        }
    }
    for &list in index.lists.iter().take(MAX_GROUPS) {
        let rows = items_with_colon(index, list);
        if rows.len() > 1 && index.is_main(list) {
            groups.push(RowGroup::new(list, rows, false));
        }
    }
    add_pairs(index, &mut groups);
    line_rows::add_lines(index, &mut groups);
    line_rows::add_neighbours(index, &mut groups);
    groups.sort_by_key(|group| group.node);
    groups
}

/// Whether a node is in the main part or hidden in a tab, as specifications often are.
fn is_main_or_hidden(index: &DomIndex<'_, '_>, id: NodeId) -> bool {
    !index.all(id).intersects(ElementHints::OTHER_CONTENT) && !index.is_teaser(id)
}

fn row(index: &DomIndex<'_, '_>, label: NodeId, value: NodeId) -> Option<(String, String)> {
    // Cells with links are part of a menu.
    let links = |id: NodeId| {
        let below = index.dom.descendants(id).take(200);
        below.filter(|id| index.dom.is(*id, Element::A)).count()
    };
    if index.size(label) > MAX_ROW_NODES || links(label) > 0 || links(value) > 1 {
        return None;
    }
    let label = prose::line(index.dom, label, MAX_LABEL + 1);
    let label = label.trim_end_matches([':', '：', ' ']).to_owned();
    let value = prose::line(index.dom, value, MAX_VALUE);
    let fits = !label.is_empty()
        && label.len() <= MAX_LABEL
        && !value.is_empty()
        && label.chars().any(char::is_alphabetic);
    fits.then_some((label, value))
}

/// Rows of a table with two columns.
fn table_rows(index: &DomIndex<'_, '_>, table: NodeId) -> Vec<(String, String)> {
    let dom = index.dom;
    let is_label = |cell: NodeId| {
        dom.is(cell, Element::Th) || prose::line(dom, cell, MAX_LABEL).ends_with([':', '：'])
    };
    let mut rows = Vec::new();
    let mut others = 0;
    for id in dom.descendants(table).filter(|id| dom.is(*id, Element::Tr)).take(MAX_ROWS) {
        let cells = dom
            .children(id)
            .filter(|cell| matches!(dom.element(*cell), Some(Element::Td | Element::Th)));
        let cells: Vec<NodeId> = cells.take(5).collect();
        match cells[..] {
            [label, value] => rows.extend(row(index, label, value)),
            // Two labelled values side by side.
            [label, value, second, other] if is_label(label) && is_label(second) => {
                rows.extend(row(index, label, value));
                rows.extend(row(index, second, other));
            }
            [] | [_] => {}
            _ => others += 1,
        }
    }
    // A table with more columns is a comparison.
    if others > rows.len() { Vec::new() } else { rows }
}

/// Terms and descriptions of a definition list.
fn definitions(index: &DomIndex<'_, '_>, list: NodeId) -> Vec<(String, String)> {
    let dom = index.dom;
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
                    rows.extend(row(index, label, id));
                }
            }
            _ => {}
        }
    }
    rows
}

/// List items such as `Weight: 2 kg`.
fn items_with_colon(index: &DomIndex<'_, '_>, list: NodeId) -> Vec<(String, String)> {
    let dom = index.dom;
    let mut rows = Vec::new();
    let mut items = 0;
    for item in dom.children(list).filter(|id| dom.is(*id, Element::Li)).take(MAX_ROWS) {
        items += 1;
        if index.size(item) > MAX_ROW_NODES {
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
    // Two thirds of the items must have a label.
    if rows.len() * 3 < items * 2 { Vec::new() } else { rows }
}

/// What the rows of a group have in common.
#[derive(PartialEq, Eq, Hash, Clone, Copy)]
enum RowKind<'a> {
    /// The classes of label and value, wherever on the page: sections of one specification.
    Classes(Element, &'a str, &'a str),
    /// The element around the rows, and the element and first class of a row.
    Siblings(NodeId, Element, &'a str),
}

/// Adds elements with one label and one value that have others of the same kind.
fn add_pairs(index: &DomIndex<'_, '_>, groups: &mut Vec<RowGroup>) {
    let dom = index.dom;
    let mut rows: HashMap<RowKind<'_>, (NodeId, LabelledRows)> = HashMap::new();
    let mut order = Vec::new();
    for id in dom.descendants(dom.body()) {
        let Some(element) = dom.element(id) else { continue };
        let fits = matches!(
            element,
            Element::Div | Element::Li | Element::P | Element::Span | Element::Custom
        );
        if !fits || !(4..=MAX_ROW_NODES).contains(&(index.size(id) - 1)) {
            continue;
        }
        let Some(children) = element_children(dom, id, 4) else { continue };
        let texts = element_set!(Span Div Strong B Label P Em Dt Dd H4 H5 A Small);
        let filled: Vec<NodeId> =
            children.into_iter().filter(|id| index.size(*id) > 1).take(3).collect();
        let [label, value] = filled[..] else { continue };
        let simple = |id: NodeId| dom.is_any(id, &texts);
        if !simple(label) || !simple(value) || index.size(label) > 14 || dom.is(label, Element::A) {
            continue;
        }
        if index.all(id).intersects(ElementHints::OTHER_CONTENT) {
            continue;
        }
        let class = |id: NodeId| dom.raw_attribute(id, "class").unwrap_or_default();
        let Some(row) = row(index, label, value) else { continue };
        let parent = list_around(dom, id);
        let first = class(id).split_ascii_whitespace().next().unwrap_or_default();
        let kind = match (class(label), class(value)) {
            (of_label, of_value) if !of_label.is_empty() && of_label != of_value => {
                RowKind::Classes(element, of_label, of_value)
            }
            _ => RowKind::Siblings(parent, element, first),
        };
        let known = rows.entry(kind).or_insert_with(|| {
            order.push(kind);
            (parent, Vec::new())
        });
        if known.1.len() < MAX_ROWS && !index.is_teaser(id) {
            known.1.push(row);
        }
    }
    for key in order.into_iter().take(MAX_GROUPS) {
        let Some((node, rows)) = rows.remove(&key) else { continue };
        if !rows.is_empty() {
            groups.push(RowGroup::new(node, rows, false));
        }
    }
}

/// The element around a row: its parent, or the parent of wrappers that contain only the row.
fn list_around(dom: &Dom<'_>, row: NodeId) -> NodeId {
    let mut around = dom.parent(row).unwrap_or(NodeId::ROOT);
    for _ in 0..3 {
        let mut elements = dom.children(around).filter(|id| dom.element(*id).is_some());
        let is_wrapper = elements.next().is_some() && elements.next().is_none();
        match dom.parent(around).filter(|_| is_wrapper) {
            Some(parent) => around = parent,
            None => break,
        }
    }
    around
}
