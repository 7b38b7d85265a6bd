//! The items as JSON: exactly as the results are read.

use std::io::{self, Write};

use serde_json::Value;

use crate::{ExportError, FileKind, Outlet, RowWriter};

/// All of them in one array.
pub(crate) struct Array<O> {
    out: O,
    is_empty: bool,
}

impl<O: Outlet> Array<O> {
    pub(crate) fn begin(mut out: O) -> Result<Self, ExportError> {
        out.begins(FileKind::Json);
        out.write_all(b"[")?;
        Ok(Self { out, is_empty: true })
    }
}

impl<O: Outlet> RowWriter for Array<O> {
    fn write(&mut self, item: &Value) -> Result<(), ExportError> {
        self.out.write_all(if self.is_empty { b"\n" } else { b",\n" })?;
        self.is_empty = false;
        Ok(put(&mut self.out, item)?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        self.out.write_all(if self.is_empty { b"]\n" } else { b"\n]\n" })?;
        Ok(self.out.flush()?)
    }
}

/// One a line.
pub(crate) struct Lines<O> {
    out: O,
}

impl<O: Outlet> Lines<O> {
    pub(crate) fn begin(mut out: O) -> Self {
        out.begins(FileKind::Jsonl);
        Self { out }
    }
}

impl<O: Outlet> RowWriter for Lines<O> {
    fn write(&mut self, item: &Value) -> Result<(), ExportError> {
        put(&mut self.out, item)?;
        Ok(self.out.write_all(b"\n")?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        Ok(self.out.flush()?)
    }
}

fn put(out: &mut impl Write, item: &Value) -> io::Result<()> {
    serde_json::to_writer(out, item).map_err(io::Error::from)
}
