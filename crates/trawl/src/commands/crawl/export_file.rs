//! A file that is made at the end of a run, of the items that waited for it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek};
use std::path::Path;

use export::{ExportError, Format, RowWriter, Subject};
use journal::Overlay;
use serde_json::Value;

use crate::commands::table_file::{self, Place};

/// Makes the file, with what is known by now.
pub fn make(
    mut waiting: File,
    overlay: &Overlay,
    format: Format,
    subject: &Subject,
    path: &str,
) -> io::Result<()> {
    waiting.rewind()?;
    let items = BufReader::new(waiting);
    if path == "-" {
        let (place, _) = Place::standard();
        return fill(export::writer(format, subject, place).map_err(cause)?, items, overlay);
    }
    let (place, told, beside) = Place::beside(Path::new(path))?;
    let begun = export::writer(format, subject, place).map_err(cause);
    match begun.and_then(|rows| fill(rows, items, overlay)) {
        Ok(()) => beside.settle()?,
        Err(error) => {
            beside.give_up();
            return Err(error);
        }
    }
    table_file::tell(told.get(), path);
    Ok(())
}

fn fill(mut rows: Box<dyn RowWriter>, items: impl BufRead, overlay: &Overlay) -> io::Result<()> {
    for (place, line) in (0_u64..).zip(items.lines()) {
        let mut item: Value = serde_json::from_str(&line?)?;
        overlay.apply(place, &mut item);
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
