//! Exports: items of a run as json, jsonl, csv, xlsx, Markdown, XML, Parquet or llms.txt
//! files, and its raw pages as web archives ([`write_archive`]).
//!
//! Every format is a [`RowWriter`] that writes one item at a time, so that memory does not grow
//! with the number of rows; [`writer`] creates it for a [`ExportFormat`] on an [`ExportSink`].
//! [`write_items`] writes all items of a run, and [`FileStream`] sends the file to a client
//! meanwhile. The tables and columns come from the [`ItemSchema`] of the mode; to add a column, add it
//! in the crate of the mode. To add a format, add a `RowWriter` and its line in [`writer`].

mod archive;
mod cell;
mod csv_file;
mod file_stream;
mod json;
mod llms_txt;
mod markdown;
mod parquet_file;
mod reference_numbers;
mod sitemap;
#[cfg(test)]
mod test_sink;
mod text;
mod workbook;
mod xml;

use std::io::{self, Write};

use contract::{ExportFormat, ExportTable, ItemSchema};
use serde_json::Value;
use thiserror::Error;

pub use archive::{ArchiveFormat, ArchiveSubject, ArchivedPage, write_archive};
pub use file_stream::{ChunkSink, FileStream};

/// Kind of the written file: a large sitemap becomes an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileKind {
    Json,
    Jsonl,
    Csv,
    Xlsx,
    Markdown,
    Xml,
    Parquet,
    /// The file `llms.txt`: links to the pages.
    LlmsTxt,
    /// The file `llms-full.txt`: the texts of the pages.
    LlmsFullTxt,
    /// Several sitemaps with an index.
    Zip,
    Warc,
    Wacz,
    Cdxj,
}

impl FileKind {
    /// The value of the `Content-Type` header.
    #[must_use]
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Jsonl => "application/x-ndjson",
            Self::Csv => "text/csv; charset=utf-8",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Markdown => "text/markdown; charset=utf-8",
            Self::Xml => "application/xml",
            Self::Parquet => "application/vnd.apache.parquet",
            Self::LlmsTxt | Self::LlmsFullTxt => "text/plain; charset=utf-8",
            Self::Zip => "application/zip",
            // Not `Content-Encoding: gzip`: the file stays compressed.
            Self::Warc => "application/warc",
            Self::Wacz => "application/wacz",
            Self::Cdxj => "text/plain; charset=utf-8",
        }
    }

    /// The file extension without the dot.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Xlsx => "xlsx",
            Self::Markdown => "md",
            Self::Xml => "xml",
            Self::Parquet => "parquet",
            Self::LlmsTxt | Self::LlmsFullTxt => "txt",
            Self::Zip => "zip",
            Self::Warc => "warc.gz",
            Self::Wacz => "wacz",
            Self::Cdxj => "cdxj",
        }
    }
}

/// The items of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportSubject {
    /// The description of the items, with the columns.
    pub schema: &'static ItemSchema,
    /// The start URL of the run.
    pub url: Option<String>,
    /// The name of the table of a CSV or Parquet file; `None` for the first of the schema.
    pub table: Option<String>,
}

impl ExportSubject {
    /// The table of a CSV or Parquet file.
    fn selected_table(&self) -> ExportTable {
        let tables = self.schema.tables;
        let named = tables.iter().find(|table| Some(table.name) == self.table.as_deref());
        *named.unwrap_or(&tables[0])
    }
}

/// Errors while an export is written.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The sink rejected the bytes: disconnected client, full disk.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The xlsx library failed.
    #[error("failed to write the workbook: {0}")]
    Workbook(String),
    /// A format of pages was requested for items.
    #[error("a file of format {0} has pages, not results")]
    NotOfItems(ExportFormat),
    /// The Parquet library failed.
    #[error("failed to write the Parquet file: {0}")]
    Parquet(String),
}

/// Why an export failed: `E` is the error of the source of its items.
#[derive(Debug, Error)]
pub enum ExportFailure<E> {
    #[error(transparent)]
    Read(E),
    #[error(transparent)]
    Write(#[from] ExportError),
}

/// Destination of the bytes of an export.
pub trait ExportSink: Write + Send {
    /// Called once, before the first byte.
    fn start(&mut self, kind: FileKind);
}

/// Writes items in one format.
pub trait RowWriter: Send {
    /// Writes one item.
    ///
    /// # Errors
    /// [`ExportError`] when the sink or the format fails.
    fn write(&mut self, item: &Value) -> Result<(), ExportError>;

    /// Writes the end of the file.
    ///
    /// # Errors
    /// [`ExportError`] when the sink or the format fails.
    fn finish(self: Box<Self>) -> Result<(), ExportError>;
}

/// A writer of this format to `sink`.
///
/// # Errors
/// [`ExportError`] when the head of the file cannot be written.
pub fn writer<O: ExportSink + 'static>(
    format: ExportFormat,
    subject: &ExportSubject,
    sink: O,
) -> Result<Box<dyn RowWriter>, ExportError> {
    let schema = subject.schema;
    Ok(match format {
        ExportFormat::Json => Box::new(json::JsonArray::begin(sink)?),
        ExportFormat::Jsonl => Box::new(json::JsonLines::begin(sink)),
        ExportFormat::Csv => Box::new(csv_file::CsvFile::begin(subject.selected_table(), sink)?),
        ExportFormat::Xlsx => Box::new(workbook::WorkbookFile::begin(schema.tables, sink)?),
        ExportFormat::Md if schema.markdown_document => {
            Box::new(markdown::MarkdownDocument::begin(FileKind::Markdown, sink))
        }
        ExportFormat::Md => Box::new(markdown::MarkdownTable::begin(schema.tables, sink)?),
        ExportFormat::Xml if schema.xml_sitemap => {
            Box::new(sitemap::SitemapWriter::begin(subject, sink)?)
        }
        ExportFormat::Xml => Box::new(xml::XmlResults::begin(sink)?),
        ExportFormat::Parquet => {
            Box::new(parquet_file::ParquetFile::begin(subject.selected_table(), sink)?)
        }
        ExportFormat::LlmsTxt => Box::new(llms_txt::LlmsTxt::begin(subject, sink)?),
        ExportFormat::LlmsFullTxt => {
            Box::new(markdown::MarkdownDocument::begin(FileKind::LlmsFullTxt, sink))
        }
        ExportFormat::Warc | ExportFormat::Wacz | ExportFormat::Cdxj => {
            return Err(ExportError::NotOfItems(format));
        }
    })
}

/// Writes all items as one file to `sink`.
///
/// # Errors
/// [`ExportFailure`] when an item cannot be read or written.
pub fn write_items<E>(
    items: impl IntoIterator<Item = Result<Value, E>>,
    format: ExportFormat,
    subject: &ExportSubject,
    sink: impl ExportSink + 'static,
) -> Result<(), ExportFailure<E>> {
    let mut rows = writer(format, subject, sink)?;
    for item in items {
        rows.write(&item.map_err(ExportFailure::Read)?)?;
    }
    Ok(rows.finish()?)
}

#[cfg(test)]
mod tests;
