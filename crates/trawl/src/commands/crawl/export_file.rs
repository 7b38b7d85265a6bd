//! Formats that are written after the run (csv, xlsx, md, xml), from items spooled to a temporary
//! file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek};
use std::path::Path;

use export::{ExportError, ExportSubject, FileFormat, RowWriter};
use journal::Overlay;
use serde_json::Value;

use crate::commands::output_file::{self, ExportTarget};

/// Writes the file from the spooled items and the final overlay.
pub fn write_export(
    mut spool: File,
    overlay: &Overlay,
    format: FileFormat,
    subject: &ExportSubject,
    path: &str,
) -> io::Result<()> {
    spool.rewind()?;
    let items = BufReader::new(spool);
    if path == "-" {
        let (target, _) = ExportTarget::stdout();
        return write_rows(export::writer(format, subject, target).map_err(cause)?, items, overlay);
    }
    let (target, kind, part_file) = ExportTarget::part_file(Path::new(path))?;
    let writer = export::writer(format, subject, target).map_err(cause);
    match writer.and_then(|rows| write_rows(rows, items, overlay)) {
        Ok(()) => part_file.persist()?,
        Err(error) => {
            part_file.discard();
            return Err(error);
        }
    }
    output_file::warn_if_zip(kind.get(), path);
    Ok(())
}

fn write_rows(
    mut rows: Box<dyn RowWriter>,
    items: impl BufRead,
    overlay: &Overlay,
) -> io::Result<()> {
    for (index, line) in (0_u64..).zip(items.lines()) {
        let mut item: Value = serde_json::from_str(&line?)?;
        overlay.apply(index, &mut item);
        rows.write(&item).map_err(cause)?;
    }
    rows.finish().map_err(cause)
}

fn cause(error: ExportError) -> io::Error {
    match error {
        ExportError::Io(error) => error,
        error @ ExportError::Workbook(_) => io::Error::other(error.to_string()),
    }
}
