//! The structure of a table, and whether it contains data.

use crate::node_selection::NodeSelection;
use html::dom::{Dom, Element, NodeId};

/// Classes of cells that contain a line of code.
const CODE_CELLS: &[&str] = &["blob-code", "hljs-ln-code", "code-line"];

/// The parts of a table in document order.
#[derive(Debug, Default)]
pub(super) struct TableShape {
    pub caption: Option<NodeId>,
    pub rows: Vec<TableRow>,
    pub cells: Vec<NodeId>,
    /// A code listing with a row for each line.
    pub is_code: bool,
    /// It has `role=presentation` or `role=none`.
    presents: bool,
    nested: bool,
    has_headers: bool,
    /// Cells contain headings, code or several paragraphs.
    has_blocks: bool,
    has_pages: bool,
}

/// A row with the range of its cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct TableRow {
    pub from: usize,
    pub to: usize,
    /// Number of its cells that are selected.
    selected: usize,
    pub in_head: bool,
}

impl TableShape {
    pub fn of(dom: &Dom<'_>, selection: &NodeSelection, table: NodeId) -> Self {
        use Element as E;
        let mut shape = Self::default();
        let role = dom.raw_attribute(table, "role").unwrap_or_default().trim();
        shape.presents = matches!(role, "presentation" | "none");
        let end = dom.end(table);
        let mut head_end = table;
        let mut cell_end = table;
        let mut paragraphs = 0;
        let mut at = NodeId(table.0 + 1);
        while at < end && !shape.presents {
            let mut next = NodeId(at.0 + 1);
            match dom.element(at) {
                // A cell that was not selected keeps its place, so that others stay in their columns.
                Some(E::Td | E::Th) if !selection.contains(at) => {
                    shape.add_cell(at, false, at < head_end);
                    next = dom.end(at);
                }
                _ if !selection.contains(at) => next = dom.end(at),
                Some(E::Table) => {
                    shape.nested = true;
                    break;
                }
                Some(E::Thead) => head_end = dom.end(at),
                Some(E::Caption) => {
                    shape.caption = shape.caption.or(Some(at));
                    next = dom.end(at);
                }
                Some(E::Tr) => {
                    let from = shape.cells.len();
                    let in_head = at < head_end;
                    shape.rows.push(TableRow { from, to: from, selected: 0, in_head });
                }
                Some(element @ (E::Td | E::Th)) => {
                    shape.add_cell(at, true, at < head_end);
                    shape.has_headers |= element == E::Th;
                    shape.is_code |= element == E::Td && is_code_cell(dom, at);
                    cell_end = dom.end(at);
                    paragraphs = 0;
                }
                Some(E::H1 | E::H2 | E::H3 | E::H4 | E::H5 | E::H6 | E::Pre) => {
                    shape.has_pages |= at < cell_end;
                }
                Some(E::P) => {
                    paragraphs += 1;
                    shape.has_blocks |= paragraphs > 1;
                }
                Some(E::Ul | E::Ol | E::Dl | E::Form | E::Figure | E::Blockquote | E::Hr) => {
                    shape.has_blocks = true;
                }
                _ => {}
            }
            at = next;
        }
        shape.has_headers |= shape.rows.iter().any(|row| row.in_head);
        shape
    }

    fn add_cell(&mut self, id: NodeId, selected: bool, in_head: bool) {
        if self.rows.is_empty() {
            self.rows.push(TableRow { from: 0, to: 0, selected: 0, in_head });
        }
        self.cells.push(id);
        if let Some(row) = self.rows.last_mut() {
            row.to = self.cells.len();
            row.selected += usize::from(selected);
        }
    }

    /// Takes a first row with a single cell across the table as its caption.
    pub fn take_title_row(&mut self, dom: &Dom<'_>) {
        let Some(&TableRow { from, to, selected: 1, .. }) = self.rows.first() else { return };
        let Some(&cell) = self.cells.get(from).filter(|_| to - from == 1) else { return };
        let spans = dom.raw_attribute(cell, "colspan").is_some_and(|span| span.trim() != "1");
        if spans && self.rows.len() > 2 && self.caption.is_none() {
            self.caption = Some(cell);
            self.rows.remove(0);
        }
    }

    /// Whether the table is used for layout.
    pub fn is_layout(&self) -> bool {
        let columns = self.rows.iter().map(|row| row.selected).max().unwrap_or(0);
        self.presents
            || self.nested
            || self.has_pages
            || columns <= 1
            || (!self.has_headers && (self.rows.len() <= 1 || self.has_blocks))
    }
}

fn is_code_cell(dom: &Dom<'_>, id: NodeId) -> bool {
    dom.has_word(id, "class", CODE_CELLS)
}
