//! Items as files: what a person takes away.
//!
//! Every format is a [`RowWriter`] that takes one item after the other and holds none of
//! them: a million rows take no more memory than ten. What a mode's items have for columns
//! stands in [`sheets`]; a new kind of record needs that and nothing else.

mod cell;
mod csv_file;
mod json;
mod markdown;
#[cfg(test)]
mod outlet;
mod sheets;
mod sitemap;
mod text;
mod workbook;
mod xml;

use std::io::{self, Write};

use contract::Mode;
use serde_json::Value;
use thiserror::Error;

pub use sheets::{Column, Sheet, sheets};

/// What a file can be asked for as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// An array of the items.
    Json,
    /// An item a line.
    Jsonl,
    /// A table with commas.
    Csv,
    /// A workbook.
    Xlsx,
    /// A document, or a table in one.
    Markdown,
    /// A sitemap where pages are listed, else elements.
    Xml,
}

/// What a file turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    Json,
    Jsonl,
    Csv,
    Xlsx,
    Markdown,
    Xml,
    /// Several XML files together.
    Zip,
}

impl FileKind {
    /// For the header of the same name.
    #[must_use]
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Jsonl => "application/x-ndjson",
            Self::Csv => "text/csv; charset=utf-8",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Markdown => "text/markdown; charset=utf-8",
            Self::Xml => "application/xml",
            Self::Zip => "application/zip",
        }
    }

    /// What its name ends with.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Xlsx => "xlsx",
            Self::Markdown => "md",
            Self::Xml => "xml",
            Self::Zip => "zip",
        }
    }
}

/// Whose items they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The mode decides on their shape.
    pub mode: Mode,
    /// Where the run started.
    pub url: Option<String>,
    /// The table of a CSV file, by its name among [`sheets`]; that of the items without one.
    pub table: Option<String>,
}

impl Subject {
    /// The table that a CSV file holds.
    fn sheet(&self) -> Sheet {
        let tables = sheets(self.mode);
        let named = tables.iter().find(|sheet| Some(sheet.name) == self.table.as_deref());
        *named.unwrap_or(&tables[0])
    }
}

/// Why a file could not be written.
#[derive(Debug, Error)]
pub enum ExportError {
    /// Whoever takes the bytes does not, or the disk is full.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The workbook could not be put together.
    #[error("the workbook: {0}")]
    Workbook(String),
}

/// Where the bytes go.
pub trait Outlet: Write + Send {
    /// What is to come; told once, before the first byte.
    fn begins(&mut self, kind: FileKind);
}

/// Writes items.
pub trait RowWriter: Send {
    /// Adds an item.
    ///
    /// # Errors
    /// [`ExportError`] when it cannot be written.
    fn write(&mut self, item: &Value) -> Result<(), ExportError>;

    /// Writes what belongs at the end.
    ///
    /// # Errors
    /// [`ExportError`] when it cannot be written.
    fn finish(self: Box<Self>) -> Result<(), ExportError>;
}

/// A writer of this format.
///
/// # Errors
/// [`ExportError`] when what a file begins with cannot be written.
pub fn writer<O: Outlet + 'static>(
    format: Format,
    subject: &Subject,
    outlet: O,
) -> Result<Box<dyn RowWriter>, ExportError> {
    let is_list_of_pages = matches!(subject.mode, Mode::Links | Mode::Sitemap);
    Ok(match format {
        Format::Json => Box::new(json::Array::begin(outlet)?),
        Format::Jsonl => Box::new(json::Lines::begin(outlet)),
        Format::Csv => Box::new(csv_file::CsvFile::begin(subject.sheet(), outlet)?),
        Format::Xlsx => Box::new(workbook::Book::begin(subject.mode, outlet)?),
        Format::Markdown if subject.mode == Mode::Markdown => {
            Box::new(markdown::Document::begin(outlet))
        }
        Format::Markdown => Box::new(markdown::Table::begin(subject.mode, outlet)?),
        Format::Xml if is_list_of_pages => Box::new(sitemap::Sitemap::begin(subject, outlet)?),
        Format::Xml => Box::new(xml::Results::begin(outlet)?),
    })
}

#[cfg(test)]
mod tests;
