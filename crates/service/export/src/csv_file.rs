//! CSV (RFC 4180) for spreadsheets and scripts.
//!
//! Texts are quoted; numbers, booleans and empty cells are not, so that a database can distinguish
//! an empty text from a missing value.

use contract::ExportTable;
use serde_json::Value;

use crate::cell::ExportCell;
use crate::text::escape_formulas;
use crate::{ExportError, ExportSink, FileKind, RowWriter};

/// Marks the file as UTF-8 for spreadsheets.
const BYTE_ORDER_MARK: &str = "\u{feff}";

pub(crate) struct CsvFile<O: ExportSink> {
    out: O,
    table: ExportTable,
    /// Buffer for the current row.
    line: String,
}

impl<O: ExportSink> CsvFile<O> {
    pub(crate) fn begin(table: ExportTable, mut out: O) -> Result<Self, ExportError> {
        out.start(FileKind::Csv);
        out.write_all(BYTE_ORDER_MARK.as_bytes())?;
        let names: Vec<_> =
            table.all_columns().map(|column| format!("\"{}\"", column.name)).collect();
        out.write_all(names.join(",").as_bytes())?;
        out.write_all(b"\r\n")?;
        Ok(Self { out, table, line: String::new() })
    }

    fn row(&mut self, item: &Value, part: &Value) -> Result<(), ExportError> {
        self.line.clear();
        let keys = self.table.keys.iter().map(|column| ExportCell::of(item, column.path));
        let own = self.table.columns.iter().map(|column| ExportCell::of(part, column.path));
        for (number, cell) in keys.chain(own).enumerate() {
            if number > 0 {
                self.line.push(',');
            }
            match cell {
                ExportCell::Text(text) => {
                    self.line.push('"');
                    self.line.push_str(&escape_formulas(&text).replace('"', "\"\""));
                    self.line.push('"');
                }
                plain @ (ExportCell::Empty | ExportCell::Number(_) | ExportCell::Truth(_)) => {
                    self.line.push_str(&plain.into_text());
                }
            }
        }
        self.line.push_str("\r\n");
        Ok(self.out.write_all(self.line.as_bytes())?)
    }
}

impl<O: ExportSink> RowWriter for CsvFile<O> {
    fn write(&mut self, item: &Value) -> Result<(), ExportError> {
        for part in self.table.parts(item) {
            self.row(item, part)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        Ok(self.out.flush()?)
    }
}
