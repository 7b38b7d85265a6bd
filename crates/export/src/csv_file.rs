//! A table with commas (RFC 4180), as spreadsheets and scripts read it.

use contract::Mode;
use csv::{Terminator, Writer, WriterBuilder};
use serde_json::Value;

use crate::text::looks_like_formula;
use crate::{Column, ExportError, FileKind, Outlet, RowWriter, sheets};

/// Tells a spreadsheet that what follows is UTF-8.
const BYTE_ORDER_MARK: &str = "\u{feff}";

pub(crate) struct CsvFile<O: Outlet> {
    out: Writer<O>,
    columns: &'static [Column],
}

impl<O: Outlet> CsvFile<O> {
    pub(crate) fn begin(mode: Mode, mut out: O) -> Result<Self, ExportError> {
        out.begins(FileKind::Csv);
        out.write_all(BYTE_ORDER_MARK.as_bytes())?;
        let columns = sheets(mode).first().map_or(&[][..], |sheet| sheet.columns);
        let mut out = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(out);
        out.write_record(columns.iter().map(|column| column.name)).map_err(cause)?;
        Ok(Self { out, columns })
    }
}

impl<O: Outlet> RowWriter for CsvFile<O> {
    fn write(&mut self, item: &Value) -> Result<(), ExportError> {
        for column in self.columns {
            let text = column.cell(item).into_text();
            if looks_like_formula(&text) {
                self.out.write_field(format!("'{text}")).map_err(cause)?;
            } else {
                self.out.write_field(text.as_bytes()).map_err(cause)?;
            }
        }
        // Ends the record.
        self.out.write_record(None::<&[u8]>).map_err(cause)
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        Ok(self.out.flush()?)
    }
}

fn cause(error: csv::Error) -> ExportError {
    ExportError::Io(error.into())
}
