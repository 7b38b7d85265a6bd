//! Tables: data tables become Markdown tables, layout tables are unwrapped.
//!
//! Markdown has no spans: a spanning cell fills the first of its cells, the others are empty.
//! Tables beyond a maximum number of cells are truncated.

use super::blocks::BlockKind;
use super::elements::ElementEnd;
use super::{InlineContext, MarkdownWriter};
use html::dom::NodeId;

mod grid;
mod header;
mod shape;

use grid::TableGrid;
use header::is_header_row;
use shape::TableShape;

/// Maximum number of cells of a table, empty ones included.
const MAX_CELLS: usize = 10_000;

/// A written cell and its range in the texts of the cells.
#[derive(Debug, Clone, Copy)]
struct WrittenCell {
    row: usize,
    column: usize,
    from: usize,
    to: usize,
}

impl MarkdownWriter<'_, '_> {
    /// Starts a layout table, or writes a data table.
    pub(super) fn table(&mut self, id: NodeId) -> Option<ElementEnd> {
        self.flush();
        if self.inside != InlineContext::Flow {
            return Some(ElementEnd::Block);
        }
        let mut shape = TableShape::of(self.dom, self.selection, id);
        if shape.is_code {
            let code = self.code_text(id);
            self.write_code(&code, None);
            return None;
        }
        if shape.is_layout() {
            return Some(ElementEnd::Block);
        }
        shape.take_title_row(self.dom);
        if let Some(caption) = shape.caption {
            self.caption(caption);
        }
        let grid = TableGrid::of(self.dom, &shape, MAX_CELLS, &mut self.spans_left);
        self.table_truncated |= grid.truncated;
        self.write_table(&grid);
        None
    }

    /// Writes the caption above the table.
    fn caption(&mut self, id: NodeId) {
        self.inside = InlineContext::Heading;
        self.walk(id);
        self.inside = InlineContext::Flow;
        self.flush();
    }

    fn write_table(&mut self, grid: &TableGrid) {
        let mut texts = std::mem::take(&mut self.cell_texts);
        texts.clear();
        let mut written = Vec::with_capacity(grid.cells.len());
        std::mem::swap(&mut self.out, &mut texts);
        self.inside = InlineContext::Cell;
        for cell in &grid.cells {
            let from = self.out.len();
            self.line.clear();
            self.walk(cell.id);
            if !self.line.is_empty() {
                self.render_line();
                self.mark_link_written();
                let (row, column, to) = (cell.row, cell.column, self.out.len());
                written.push(WrittenCell { row, column, from, to });
            }
        }
        self.line.clear();
        self.inside = InlineContext::Flow;
        std::mem::swap(&mut self.out, &mut texts);
        self.write_rows(grid, &written, &texts);
        self.cell_texts = texts;
    }

    fn write_rows(&mut self, grid: &TableGrid, cells: &[WrittenCell], texts: &str) {
        let Some(first) = cells.first() else { return };
        // Columns and rows without text are layout.
        let mut columns: Vec<usize> = cells.iter().map(|cell| cell.column).collect();
        columns.sort_unstable();
        columns.dedup();
        let mut rest = cells;
        let mut room = (MAX_CELLS / columns.len()).max(2);
        self.begin_block(BlockKind::Table);
        let is_header = grid.header == Some(first.row)
            || !grid.names_rows && is_header_row(cells, &columns, texts);
        if is_header {
            rest = self.write_row(rest, &columns, texts);
        } else {
            self.write_row(&[], &columns, texts);
        }
        self.next_line();
        self.out.push('|');
        for column in &columns {
            self.out.push_str(grid.alignment(*column).rule());
            self.out.push('|');
        }
        while !rest.is_empty() {
            room -= 1;
            if room == 0 {
                self.table_truncated = true;
                return;
            }
            self.next_line();
            rest = self.write_row(rest, &columns, texts);
        }
    }

    /// Writes the first row of `cells` and returns the others.
    fn write_row<'c>(
        &mut self,
        cells: &'c [WrittenCell],
        columns: &[usize],
        texts: &str,
    ) -> &'c [WrittenCell] {
        let row = cells.first().map(|cell| cell.row);
        let end = cells.iter().position(|cell| Some(cell.row) != row).unwrap_or(cells.len());
        let (mut here, rest) = cells.split_at(end);
        self.out.push('|');
        for column in columns {
            self.out.push(' ');
            if let [cell, others @ ..] = here
                && cell.column == *column
            {
                here = others;
                self.out.push_str(texts.get(cell.from..cell.to).unwrap_or_default());
                self.out.push(' ');
            }
            self.out.push('|');
        }
        rest
    }
}
