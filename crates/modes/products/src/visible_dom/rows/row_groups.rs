//! Finds labelled values: in tables, definition lists, lists of lines with a colon, and elements
//! with one label and one value.

use hashbrown::HashMap;

use super::{MAX_LABEL, MAX_VALUE, RowGroup, element_children};
use crate::class_hints::ElementHints;
use crate::dom_index::DomIndex;
use html::dom::{Element, NodeId};
use html::element_set;
use html::prose;

/// The maximum number of groups, and of rows per group.
const MAX_GROUPS: usize = 200;
const MAX_ROWS: usize = 400;

/// The maximum size of a row, in nodes.
const MAX_ROW_NODES: u32 = 40;

/// Labels and their values.
type LabelledRows = Vec<(String, String)>;

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
            groups.push(RowGroup { node: table, rows, is_formal: true });
        }
    }
    for &list in index.lists.iter().take(MAX_GROUPS) {
        let rows = items_with_colon(index, list);
        if rows.len() > 1 && index.is_main(list) {
            groups.push(RowGroup { node: list, rows, is_formal: false });
        }
    }
    add_pairs(index, &mut groups);
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
            [label, value, second, other]
                if dom.is(label, Element::Th) && dom.is(second, Element::Th) =>
            {
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

/// Adds elements with one label and one value that have siblings of the same kind.
fn add_pairs(index: &DomIndex<'_, '_>, groups: &mut Vec<RowGroup>) {
    let dom = index.dom;
    let mut rows: HashMap<(NodeId, Element, &str), LabelledRows> = HashMap::new();
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
        let Some(children) = element_children(dom, id, 2) else { continue };
        let [label, value] = children[..] else { continue };
        let texts = element_set!(Span Div Strong B Label P Em Dt Dd H4 H5 A Small);
        let simple = |id: NodeId| dom.is_any(id, &texts);
        if !simple(label) || !simple(value) || index.size(label) > 8 || dom.is(label, Element::A) {
            continue;
        }
        if index.all(id).intersects(ElementHints::OTHER_CONTENT) {
            continue;
        }
        let Some(parent) = dom.parent(id) else { continue };
        let class = dom.raw_attribute(id, "class").unwrap_or_default();
        let class = class.split_ascii_whitespace().next().unwrap_or_default();
        let Some(row) = row(index, label, value) else { continue };
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
        if rows.len() > 1 && !index.is_teaser(key.0) {
            groups.push(RowGroup { node: key.0, rows, is_formal: false });
        }
    }
}
