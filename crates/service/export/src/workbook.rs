//! A workbook: typed cells, a heading that stays in sight, filters. Rows wait on disk, not
//! in memory.

use contract::Mode;
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, Worksheet, XlsxError};
use serde_json::Value;

use crate::cell::Cell;
use crate::sheets::Kind;
use crate::text::looks_like_formula;
use crate::{Column, ExportError, FileKind, Outlet, RowWriter, Sheet, sheets};

/// Rows of a sheet below its heading.
const ROWS: u32 = 1_048_575;

/// Bytes of a sheet. An archive whose parts are larger than 4 GiB is one that many programs
/// do not open.
const SHEET_BYTES: u64 = 3 << 30;

/// What a cell takes besides its text.
const CELL_BYTES: u64 = 48;

/// Characters of a cell, as a spreadsheet counts them.
const CELL_CHARS: usize = 32_767;

/// The largest whole number that a spreadsheet shows digit by digit.
const EXACT: f64 = 999_999_999_999_999.0;

pub(crate) struct Book<O> {
    out: O,
    workbook: Workbook,
    tables: Vec<Table>,
    heading: Format,
    moment: Format,
    rows_of_sheet: u32,
    bytes_of_sheet: u64,
}

/// A table, and the sheets that it fills: another one when the last is full.
struct Table {
    sheet: Sheet,
    pages: Vec<Page>,
}

/// A sheet of the workbook.
#[derive(Clone, Copy)]
struct Page {
    index: usize,
    rows: u32,
    bytes: u64,
}

impl<O: Outlet> Book<O> {
    pub(crate) fn begin(mode: Mode, out: O) -> Result<Self, ExportError> {
        Self::within((ROWS, SHEET_BYTES), mode, out)
    }

    fn within(
        (rows_of_sheet, bytes_of_sheet): (u32, u64),
        mode: Mode,
        mut out: O,
    ) -> Result<Self, ExportError> {
        out.begins(FileKind::Xlsx);
        let mut workbook = Workbook::new();
        // The same results give the same file, whenever it is made.
        let made = ExcelDateTime::from_ymd(2000, 1, 1).map_err(cause)?;
        workbook.set_properties(&DocProperties::new().set_creation_datetime(&made));
        let heading = Format::new().set_bold();
        let moment = Format::new().set_num_format("yyyy-mm-dd hh:mm:ss");
        let tables = Vec::new();
        let mut book =
            Self { out, workbook, tables, heading, moment, rows_of_sheet, bytes_of_sheet };
        for sheet in sheets(mode) {
            let page = book.add_page(sheet, sheet.name).map_err(cause)?;
            book.tables.push(Table { sheet: *sheet, pages: vec![page] });
        }
        Ok(book)
    }

    fn add_page(&mut self, sheet: &Sheet, name: &str) -> Result<Page, XlsxError> {
        let index = self.workbook.worksheets().len();
        let page = self.workbook.add_worksheet_with_constant_memory()?;
        page.set_name(name)?;
        page.set_freeze_panes(1, 0)?;
        for (at, column) in (0_u16..).zip(sheet.all_columns()) {
            page.set_column_width(at, f64::from(column.width))?;
            page.write_string_with_format(0, at, column.name, &self.heading)?;
        }
        Ok(Page { index, rows: 0, bytes: 0 })
    }

    /// The sheet that a table's next row stands on.
    fn page(&mut self, number: usize) -> Result<(Sheet, Page), XlsxError> {
        let (sheet, count) = (self.tables[number].sheet, self.tables[number].pages.len());
        let last = self.tables[number].pages.last().copied();
        let is_full =
            |page: Page| page.rows >= self.rows_of_sheet || page.bytes >= self.bytes_of_sheet;
        if last.is_none_or(is_full) {
            let page = self.add_page(&sheet, &format!("{} {}", sheet.name, count + 1))?;
            self.tables[number].pages.push(page);
        }
        let pages = &mut self.tables[number].pages;
        let last = pages.len() - 1;
        pages[last].rows += 1;
        Ok((sheet, pages[last]))
    }

    /// Writes a row into a table.
    fn row(&mut self, number: usize, item: &Value, part: &Value) -> Result<(), XlsxError> {
        let (sheet, page) = self.page(number)?;
        let out = self.workbook.worksheet_from_index(page.index)?;
        let keys = sheet.keys.iter().map(|column| (column, item));
        let own = sheet.columns.iter().map(|column| (column, part));
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
            let columns = table.sheet.all_columns().count();
            for page in &table.pages {
                let out = self.workbook.worksheet_from_index(page.index)?;
                out.autofilter(0, 0, page.rows, u16::try_from(columns - 1).unwrap_or(u16::MAX))?;
            }
        }
        Ok(())
    }
}

/// Writes a cell, and tells about how many bytes it takes.
fn write_cell(
    page: &mut Worksheet,
    (row, at): (u32, u16),
    column: &Column,
    item: &Value,
    moment: &Format,
) -> Result<u64, XlsxError> {
    let exact = |number: f64| Some(number).filter(|number| number.abs() <= EXACT);
    match (column.cell(item), column.kind) {
        (Cell::Empty, _) => return Ok(0),
        (Cell::Truth(truth), _) => page.write_boolean(row, at, truth)?,
        (Cell::Number(number), _) => match number.as_f64().and_then(exact) {
            Some(number) => page.write_number(row, at, number)?,
            None => page.write_string(row, at, number.to_string())?,
        },
        (Cell::Text(text), kind) => {
            let number = || text.parse().ok().and_then(exact).filter(|_| kind == Kind::Decimal);
            let when = || ExcelDateTime::parse_from_str(&text).ok();
            if let Some(when) = when().filter(|_| kind == Kind::Moment) {
                page.write_datetime_with_format(row, at, &when, moment)?
            } else if let Some(number) = number() {
                page.write_number(row, at, number)?
            } else {
                let guard = if looks_like_formula(&text) { "'" } else { "" };
                let text = fitting(format!("{guard}{text}"));
                let bytes = escaped_length(&text);
                page.write_string(row, at, text)?;
                return Ok(CELL_BYTES + bytes);
            }
        }
    };
    Ok(CELL_BYTES)
}

/// The length of a text in a sheet, where some signs take the place of six.
fn escaped_length(text: &str) -> u64 {
    let longer = text.bytes().filter(|byte| matches!(byte, b'&' | b'<' | b'>' | b'"')).count();
    (text.len() + 5 * longer) as u64
}

/// As much of a text as a cell holds; a sign at the end tells that there was more.
fn fitting(mut text: String) -> String {
    // A character takes one or two, and never more than it has bytes.
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

impl<O: Outlet> RowWriter for Book<O> {
    fn write(&mut self, item: &Value) -> Result<(), ExportError> {
        for number in 0..self.tables.len() {
            for part in self.tables[number].sheet.parts(item) {
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
