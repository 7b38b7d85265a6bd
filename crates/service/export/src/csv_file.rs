//! A table with commas (RFC 4180), as spreadsheets and scripts read it.
//!
//! Every text is quoted; numbers, truth values and empty cells are not, so that a database that
//! loads the file can tell an empty text from no value.

use serde_json::Value;

use crate::cell::Cell;
use crate::text::guarded;
use crate::{ExportError, FileKind, Outlet, RowWriter, Sheet};

/// Tells a spreadsheet that what follows is UTF-8.
const BYTE_ORDER_MARK: &str = "\u{feff}";

pub(crate) struct CsvFile<O: Outlet> {
    out: O,
    sheet: Sheet,
    /// The row at hand.
    line: String,
}

impl<O: Outlet> CsvFile<O> {
    pub(crate) fn begin(sheet: Sheet, mut out: O) -> Result<Self, ExportError> {
        out.begins(FileKind::Csv);
        out.write_all(BYTE_ORDER_MARK.as_bytes())?;
        let names: Vec<_> =
            sheet.all_columns().map(|column| format!("\"{}\"", column.name)).collect();
        out.write_all(names.join(",").as_bytes())?;
        out.write_all(b"\r\n")?;
        Ok(Self { out, sheet, line: String::new() })
    }

    fn row(&mut self, item: &Value, part: &Value) -> Result<(), ExportError> {
        self.line.clear();
        let keys = self.sheet.keys.iter().map(|column| column.cell(item));
        let own = self.sheet.columns.iter().map(|column| column.cell(part));
        for (number, cell) in keys.chain(own).enumerate() {
            if number > 0 {
                self.line.push(',');
            }
            match cell {
                Cell::Text(text) => {
                    self.line.push('"');
                    self.line.push_str(&guarded(&text).replace('"', "\"\""));
                    self.line.push('"');
                }
                plain @ (Cell::Empty | Cell::Number(_) | Cell::Truth(_)) => {
                    self.line.push_str(&plain.into_text());
                }
            }
        }
        self.line.push_str("\r\n");
        Ok(self.out.write_all(self.line.as_bytes())?)
    }
}

impl<O: Outlet> RowWriter for CsvFile<O> {
    fn write(&mut self, item: &Value) -> Result<(), ExportError> {
        for part in self.sheet.parts(item) {
            self.row(item, part)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        Ok(self.out.flush()?)
    }
}
