//! Apache Parquet: a typed table for analysis tools, as DuckDB and pandas.
//!
//! The columns are those of the CSV table, with `_` for the dots of their names. Numbers, booleans
//! and date-times have their types, lists are lists, and objects are JSON texts. Rows are collected
//! until a row group is full, so that memory does not grow with the file; what remains per row group
//! is its entry in the footer.

mod column;

use std::sync::Arc;

use contract::ExportTable;
use parquet::basic::{Compression, Repetition, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use serde_json::Value;

use crate::{ExportError, ExportSink, FileKind, RowWriter};
use column::ParquetColumn;

/// A row group is written when its values take this many bytes, or at this many rows.
const GROUP_BYTES: usize = 16 * 1024 * 1024;
const GROUP_ROWS: usize = 100_000;

pub(crate) struct ParquetFile<O: ExportSink> {
    table: ExportTable,
    /// The columns of the item precede those of its parts, as in `table`.
    columns: Vec<ParquetColumn>,
    rows: usize,
    bytes: usize,
    out: SerializedFileWriter<O>,
}

impl<O: ExportSink> ParquetFile<O> {
    pub(crate) fn begin(table: ExportTable, mut out: O) -> Result<Self, ExportError> {
        out.start(FileKind::Parquet);
        let columns: Vec<_> = named_columns(&table);
        let fields: Result<Vec<_>, _> = columns.iter().map(ParquetColumn::schema).collect();
        let schema = Type::group_type_builder(table.name)
            .with_repetition(Repetition::REQUIRED)
            .with_fields(fields.map_err(cause)?)
            .build()
            .map_err(cause)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by("trawl".to_owned())
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .build();
        let out = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties));
        Ok(Self { table, columns, rows: 0, bytes: 0, out: out.map_err(cause)? })
    }

    /// Writes the collected rows as a row group.
    fn write_group(&mut self) -> Result<(), ParquetError> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.out.next_row_group()?;
        for column in &mut self.columns {
            if let Some(mut writer) = group.next_column()? {
                column.write(&mut writer)?;
                writer.close()?;
            }
        }
        group.close()?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }
}

/// The columns of a table with their names: without dots, which analysis tools read as access to a
/// member. A column with the name of one before, as the URL of a variant, has the name of its list
/// as prefix.
fn named_columns(table: &ExportTable) -> Vec<ParquetColumn> {
    let mut names: Vec<String> = Vec::new();
    let columns = table.all_columns().map(|column| {
        let mut name = column.name.replace('.', "_");
        if names.contains(&name) {
            name = format!("{}_{name}", table.rows.unwrap_or_default());
        }
        names.push(name.clone());
        ParquetColumn::new(column, name)
    });
    columns.collect()
}

impl<O: ExportSink> RowWriter for ParquetFile<O> {
    fn write(&mut self, item: &Value) -> Result<(), ExportError> {
        let keys = self.table.keys.len();
        for part in self.table.parts(item) {
            for (number, column) in self.columns.iter_mut().enumerate() {
                self.bytes += column.push(if number < keys { item } else { part });
            }
            self.rows += 1;
            if self.rows >= GROUP_ROWS || self.bytes >= GROUP_BYTES {
                self.write_group().map_err(cause)?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        self.write_group().map_err(cause)?;
        let mut out = self.out.into_inner().map_err(cause)?;
        Ok(out.flush()?)
    }
}

fn cause(error: ParquetError) -> ExportError {
    match error {
        ParquetError::External(cause) => match cause.downcast() {
            Ok(error) => ExportError::Io(*error),
            Err(cause) => ExportError::Parquet(cause.to_string()),
        },
        error => ExportError::Parquet(error.to_string()),
    }
}

#[cfg(test)]
mod tests;
