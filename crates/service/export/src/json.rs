//! JSON and JSON Lines: items exactly as the API returns them.

use std::io::{self, Write};

use serde_json::Value;

use crate::{ExportError, ExportSink, FileKind, RowWriter};

/// Writes all items as one array.
pub(crate) struct JsonArray<O> {
    out: O,
    is_empty: bool,
}

impl<O: ExportSink> JsonArray<O> {
    pub(crate) fn begin(mut out: O) -> Result<Self, ExportError> {
        out.start(FileKind::Json);
        out.write_all(b"[")?;
        Ok(Self { out, is_empty: true })
    }
}

impl<O: ExportSink> RowWriter for JsonArray<O> {
    fn write(&mut self, item: &Value) -> Result<(), ExportError> {
        self.out.write_all(if self.is_empty { b"\n" } else { b",\n" })?;
        self.is_empty = false;
        Ok(write_item(&mut self.out, item)?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        self.out.write_all(if self.is_empty { b"]\n" } else { b"\n]\n" })?;
        Ok(self.out.flush()?)
    }
}

/// Writes one item per line.
pub(crate) struct JsonLines<O> {
    out: O,
}

impl<O: ExportSink> JsonLines<O> {
    pub(crate) fn begin(mut out: O) -> Self {
        out.start(FileKind::Jsonl);
        Self { out }
    }
}

impl<O: ExportSink> RowWriter for JsonLines<O> {
    fn write(&mut self, item: &Value) -> Result<(), ExportError> {
        write_item(&mut self.out, item)?;
        Ok(self.out.write_all(b"\n")?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        Ok(self.out.flush()?)
    }
}

fn write_item(out: &mut impl Write, item: &Value) -> io::Result<()> {
    serde_json::to_writer(out, item).map_err(io::Error::from)
}
