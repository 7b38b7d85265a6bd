//! Excel workbook (xlsx) with typed cells, a frozen heading and filters. Rows are buffered on
//! disk, not in memory.

use contract::{ColumnKind, ExportColumn, ExportTable};
use rust_xlsxwriter::{
    DocProperties, ExcelDateTime, Format as CellFormat, Workbook, Worksheet, XlsxError,
};
use serde_json::Value;

use crate::cell::ExportCell;
use crate::text::looks_like_formula;
use crate::{ExportError, ExportSink, FileKind, RowWriter};

/// Maximum rows of a sheet without its heading.
const ROWS: u32 = 1_048_575;

/// Maximum bytes of a sheet: many programs cannot open archives with members over 4 GiB.
const SHEET_BYTES: u64 = 3 << 30;

/// Bytes of a cell besides its text.
const CELL_BYTES: u64 = 48;

/// Maximum UTF-16 units of a cell.
const CELL_CHARS: usize = 32_767;

/// The largest integer that a spreadsheet shows exactly.
const EXACT: f64 = 999_999_999_999_999.0;

pub(crate) struct WorkbookFile<O> {
    out: O,
    workbook: Workbook,
    tables: Vec<WorkbookTable>,
    heading: CellFormat,
    moment: CellFormat,
    rows_of_sheet: u32,
    bytes_of_sheet: u64,
}

/// A table and its sheets: a new one starts when the last is full.
struct WorkbookTable {
    table: ExportTable,
    pages: Vec<WorksheetPart>,
}

/// A sheet of the workbook and its size.
#[derive(Clone, Copy)]
struct WorksheetPart {
    index: usize,
    rows: u32,
    bytes: u64,
}

impl<O: ExportSink> WorkbookFile<O> {
    pub(crate) fn begin(tables: &[ExportTable], out: O) -> Result<Self, ExportError> {
        Self::within((ROWS, SHEET_BYTES), tables, out)
    }

    fn within(
        (rows_of_sheet, bytes_of_sheet): (u32, u64),
        tables: &[ExportTable],
        mut out: O,
    ) -> Result<Self, ExportError> {
        out.start(FileKind::Xlsx);
        let mut workbook = Workbook::new();
        // A fixed creation time makes the file reproducible.
        let made = ExcelDateTime::from_ymd(2000, 1, 1).map_err(cause)?;
        workbook.set_properties(&DocProperties::new().set_creation_datetime(&made));
        let heading = CellFormat::new().set_bold();
        let moment = CellFormat::new().set_num_format("yyyy-mm-dd hh:mm:ss");
        let mut book = Self {
            out,
            workbook,
            tables: Vec::new(),
            heading,
            moment,
            rows_of_sheet,
            bytes_of_sheet,
        };
        for table in tables {
            let page = book.add_worksheet(table, table.name).map_err(cause)?;
            book.tables.push(WorkbookTable { table: *table, pages: vec![page] });
        }
        Ok(book)
    }

    fn add_worksheet(
        &mut self,
        table: &ExportTable,
        name: &str,
    ) -> Result<WorksheetPart, XlsxError> {
        let index = self.workbook.worksheets().len();
        let page = self.workbook.add_worksheet_with_constant_memory()?;
        page.set_name(name)?;
        page.set_freeze_panes(1, 0)?;
        for (at, column) in (0_u16..).zip(table.all_columns()) {
            page.set_column_width(at, f64::from(column.width))?;
            page.write_string_with_format(0, at, column.name, &self.heading)?;
        }
        Ok(WorksheetPart { index, rows: 0, bytes: 0 })
    }

    /// Reserves the next row of a table; adds a sheet if the last one is full.
    fn next_row(&mut self, number: usize) -> Result<(ExportTable, WorksheetPart), XlsxError> {
        let (table, count) = (self.tables[number].table, self.tables[number].pages.len());
        let last = self.tables[number].pages.last().copied();
        let is_full = |page: WorksheetPart| {
            page.rows >= self.rows_of_sheet || page.bytes >= self.bytes_of_sheet
        };
        if last.is_none_or(is_full) {
            let page = self.add_worksheet(&table, &format!("{} {}", table.name, count + 1))?;
            self.tables[number].pages.push(page);
        }
        let pages = &mut self.tables[number].pages;
        let last = pages.len() - 1;
        pages[last].rows += 1;
        Ok((table, pages[last]))
    }

    /// Writes a row of a table.
    fn row(&mut self, number: usize, item: &Value, part: &Value) -> Result<(), XlsxError> {
        let (table, page) = self.next_row(number)?;
        let out = self.workbook.worksheet_from_index(page.index)?;
        let keys = table.keys.iter().map(|column| (column, item));
        let own = table.columns.iter().map(|column| (column, part));
        let mut bytes = 0;
        for (at, (column, of)) in (0_u16..).zip(keys.chain(own)) {
            bytes += write_cell(out, (page.rows, at), column, of, &self.moment)?;
        }
        if let Some(page) = self.tables[number].pages.last_mut() {
            page.bytes += bytes;
        }
        Ok(())
    }

    fn add_filters(&mut self) -> Result<(), XlsxError> {
        for table in &self.tables {
            let columns = table.table.all_columns().count();
            for page in &table.pages {
                let out = self.workbook.worksheet_from_index(page.index)?;
                out.autofilter(0, 0, page.rows, u16::try_from(columns - 1).unwrap_or(u16::MAX))?;
            }
        }
        Ok(())
    }
}

/// Writes a cell. Returns its approximate size in bytes.
fn write_cell(
    page: &mut Worksheet,
    (row, at): (u32, u16),
    column: &ExportColumn,
    item: &Value,
    moment: &CellFormat,
) -> Result<u64, XlsxError> {
    let exact = |number: f64| Some(number).filter(|number| number.abs() <= EXACT);
    match (ExportCell::of(item, column.path), column.kind) {
        (ExportCell::Empty, _) => return Ok(0),
        (ExportCell::Truth(truth), _) => page.write_boolean(row, at, truth)?,
        (ExportCell::Number(number), _) => match number.as_f64().and_then(exact) {
            Some(number) => page.write_number(row, at, number)?,
            None => page.write_string(row, at, number.to_string())?,
        },
        (ExportCell::Text(text), kind) => {
            let number =
                || text.parse().ok().and_then(exact).filter(|_| kind == ColumnKind::Decimal);
            let when = || ExcelDateTime::parse_from_str(&text).ok();
            if let Some(when) = when().filter(|_| kind == ColumnKind::Moment) {
                page.write_datetime_with_format(row, at, &when, moment)?
            } else if let Some(number) = number() {
                page.write_number(row, at, number)?
            } else {
                let prefix = if looks_like_formula(&text) { "'" } else { "" };
                let text = truncated(format!("{prefix}{text}"));
                let bytes = escaped_length(&text);
                page.write_string(row, at, text)?;
                return Ok(CELL_BYTES + bytes);
            }
        }
    };
    Ok(CELL_BYTES)
}

/// The length of an XML-escaped text.
fn escaped_length(text: &str) -> u64 {
    let longer = text.bytes().filter(|byte| matches!(byte, b'&' | b'<' | b'>' | b'"')).count();
    (text.len() + 5 * longer) as u64
}

/// The text cut to the maximum of a cell, with `…` at the end if it was cut.
fn truncated(mut text: String) -> String {
    // A character has one or two UTF-16 units, never more than it has bytes.
    if text.len() <= CELL_CHARS || text.encode_utf16().count() <= CELL_CHARS {
        return text;
    }
    let mut room = CELL_CHARS - 1;
    let end = text
        .char_indices()
        .find(|(_, c)| match room.checked_sub(c.len_utf16()) {
            Some(left) => {
                room = left;
                false
            }
            None => true,
        })
        .map_or(text.len(), |(at, _)| at);
    text.truncate(end);
    text.push('…');
    text
}

impl<O: ExportSink> RowWriter for WorkbookFile<O> {
    fn write(&mut self, item: &Value) -> Result<(), ExportError> {
        for number in 0..self.tables.len() {
            for part in self.tables[number].table.parts(item) {
                self.row(number, item, part).map_err(cause)?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        self.add_filters().map_err(cause)?;
        self.workbook.save_to_writer(&mut self.out).map_err(cause)?;
        Ok(self.out.flush()?)
    }
}

fn cause(error: XlsxError) -> ExportError {
    match error {
        XlsxError::IoError(error) => ExportError::Io(error),
        error => ExportError::Workbook(error.to_string()),
    }
}

#[cfg(test)]
mod tests;
