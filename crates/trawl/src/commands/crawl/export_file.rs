//! Formats that are written after the run (csv, xlsx, md, xml), from items spooled to a temporary
//! file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek};
use std::path::Path;

use contract::ExportFormat;
use export::{ExportError, ExportFailure, ExportSubject};
use journal::Overlay;
use serde_json::Value;

use crate::commands::output_file::{self, ExportTarget};

/// Writes the file from the spooled items and the final overlay.
pub fn write_export(
    mut spool: File,
    overlay: &Overlay,
    format: ExportFormat,
    subject: &ExportSubject,
    path: &str,
) -> io::Result<()> {
    spool.rewind()?;
    let items = (0_u64..).zip(BufReader::new(spool).lines()).map(|(index, line)| {
        let mut item: Value = serde_json::from_str(&line?)?;
        overlay.apply(index, &mut item);
        io::Result::Ok(item)
    });
    if path == "-" {
        let (target, _) = ExportTarget::stdout();
        return export::write_items(items, format, subject, target).map_err(cause);
    }
    let (target, kind, part_file) = ExportTarget::part_file(Path::new(path))?;
    if let Err(failure) = export::write_items(items, format, subject, target) {
        part_file.discard();
        return Err(cause(failure));
    }
    part_file.persist()?;
    output_file::warn_if_zip(kind.get(), path);
    Ok(())
}

fn cause(failure: ExportFailure<io::Error>) -> io::Error {
    match failure {
        ExportFailure::Read(error) | ExportFailure::Write(ExportError::Io(error)) => error,
        ExportFailure::Write(error) => io::Error::other(error.to_string()),
    }
}
