//! The cells of a table by row and column.

use super::shape::TableShape;
use html::dom::{Dom, Element, NodeId};

/// Maximum span of a cell, and maximum number of columns.
const MAX_SPAN: usize = 1_000;
const MAX_COLUMNS: usize = 1_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alignment {
    Unspecified,
    Left,
    Center,
    Right,
}

impl Alignment {
    pub fn rule(self) -> &'static str {
        match self {
            Self::Unspecified => " --- ",
            Self::Left => " :--- ",
            Self::Center => " :---: ",
            Self::Right => " ---: ",
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct GridCell {
    pub id: NodeId,
    pub row: usize,
    pub column: usize,
}

/// A table with spans resolved.
#[derive(Debug)]
pub(super) struct TableGrid {
    /// Sorted by row and column.
    pub cells: Vec<GridCell>,
    /// The index of the header row.
    pub header: Option<usize>,
    /// The first row has a header cell that names the row.
    pub names_rows: bool,
    alignments: Vec<Alignment>,
    pub truncated: bool,
}

impl TableGrid {
    /// Places at most `max_cells` cells of a table. Spans are resolved while `work` is left,
    /// because a small table may declare very large spans.
    pub fn of(dom: &Dom<'_>, shape: &TableShape, max_cells: usize, work: &mut usize) -> Self {
        let mut grid = Self {
            cells: Vec::new(),
            header: None,
            names_rows: false,
            alignments: Vec::new(),
            truncated: false,
        };
        // For each column: the row up to which a cell from above occupies it.
        let mut taken: Vec<usize> = Vec::new();
        for (row, parts) in shape.rows.iter().enumerate() {
            let cells = shape.cells.get(parts.from..parts.to).unwrap_or_default();
            let names = parts.in_head || cells.iter().all(|id| dom.is(*id, Element::Th));
            if grid.header.is_none() && names && !cells.is_empty() && grid.cells.is_empty() {
                grid.header = Some(row);
            }
            grid.names_rows |=
                grid.cells.is_empty() && cells.iter().any(|id| dom.is(*id, Element::Th));
            let mut column = 0;
            for &id in cells {
                while taken.get(column).is_some_and(|until| *until > row) {
                    *work = work.saturating_sub(1);
                    column += 1;
                }
                if column >= MAX_COLUMNS || grid.cells.len() >= max_cells {
                    grid.truncated = true;
                    break;
                }
                if grid.cells.last().is_none_or(|last| last.row == row) {
                    grid.align(column, alignment(dom, id));
                }
                grid.cells.push(GridCell { id, row, column });
                let across = span(dom, id, "colspan", *work).min(MAX_COLUMNS - column);
                let down = span(dom, id, "rowspan", *work);
                *work = work.saturating_sub(across);
                if down > 1 {
                    taken.resize(taken.len().max(column + across), 0);
                    taken[column..column + across].fill(row + down);
                }
                column += across;
            }
        }
        grid
    }

    fn align(&mut self, column: usize, alignment: Alignment) {
        if alignment != Alignment::Unspecified {
            self.alignments.resize(self.alignments.len().max(column + 1), Alignment::Unspecified);
            self.alignments[column] = alignment;
        }
    }

    /// The alignment of a column by its first cell.
    pub fn alignment(&self, column: usize) -> Alignment {
        self.alignments.get(column).copied().unwrap_or(Alignment::Unspecified)
    }
}

fn span(dom: &Dom<'_>, id: NodeId, name: &str, work: usize) -> usize {
    let stated = dom.raw_attribute(id, name).and_then(|span| span.trim().parse().ok());
    let most = if work == 0 { 1 } else { MAX_SPAN };
    stated.unwrap_or(1).clamp(1, most)
}

fn alignment(dom: &Dom<'_>, id: NodeId) -> Alignment {
    let align = dom.raw_attribute(id, "align").map(str::trim);
    let style = || {
        let style = dom.raw_attribute(id, "style")?;
        let (_, rest) = style.split_once("text-align:")?;
        rest.split(';').next().map(str::trim)
    };
    match align.or_else(style) {
        Some("left") => Alignment::Left,
        Some("center") => Alignment::Center,
        Some("right") => Alignment::Right,
        _ => Alignment::Unspecified,
    }
}
