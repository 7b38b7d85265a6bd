//! Description of the items of a mode: the tables and columns of their exports, and the fields that
//! count when two runs are compared.
//!
//! The crate of each mode declares its [`ItemSchema`]; `registry::item_schema` returns it. Exports
//! and comparisons read the description and know no mode.

use serde_json::Value;

/// How the items of a mode are exported and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemSchema {
    /// The tables of an export; the first has one row per item.
    pub tables: &'static [ExportTable],
    /// Whether the Markdown export is one document of the texts of all items, not a table.
    pub markdown_document: bool,
    /// Whether the XML export is a sitemap of the indexable pages, not an element per item.
    pub xml_sitemap: bool,
    pub comparison: ItemComparison,
}

/// The fields that identify an item in two runs, and those that count as its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemComparison {
    /// The field that is unique in a run: URL or domain.
    pub key: &'static str,
    /// The field that identifies an item whose key has changed.
    pub identity: Option<&'static str>,
    /// Fields that depend on the run, or that are derived from other fields.
    pub ignored: &'static [&'static str],
    /// Fields of nested objects that depend on the run.
    pub ignored_inside: &'static [&'static str],
    /// Whether two lists with the same members in another order differ.
    pub ordered_lists: bool,
}

/// Type of the values of a column that their JSON does not show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// The type of the JSON value.
    Plain,
    /// A date-time, text in JSON.
    Moment,
    /// A decimal number, text in JSON so that no digit is lost.
    Decimal,
}

/// A column of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportColumn {
    /// The heading: the path of the value, with dots.
    pub name: &'static str,
    pub path: &'static [&'static str],
    pub kind: ColumnKind,
    /// Width in characters in a workbook.
    pub width: u8,
    /// Whether the column is part of the short Markdown table.
    pub brief: bool,
}

impl ExportColumn {
    /// A column of plain values; [`export_columns!`](crate::export_columns) calls it.
    #[must_use]
    pub const fn new(name: &'static str, path: &'static [&'static str], width: u8) -> Self {
        Self { name, path, kind: ColumnKind::Plain, width, brief: false }
    }

    /// The same column with date-times.
    #[must_use]
    pub const fn moment(self) -> Self {
        Self { kind: ColumnKind::Moment, width: 20, ..self }
    }

    /// The same column with decimal numbers.
    #[must_use]
    pub const fn decimal(self) -> Self {
        Self { kind: ColumnKind::Decimal, ..self }
    }

    /// The same column as part of the short Markdown table.
    #[must_use]
    pub const fn brief(self) -> Self {
        Self { brief: true, ..self }
    }
}

/// A table of an export: one sheet of a workbook, one CSV file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportTable {
    /// The name of the sheet and of the CSV table.
    pub name: &'static str,
    /// The columns of its rows.
    pub columns: &'static [ExportColumn],
    /// The member whose list gives the rows; `None` for one row per item.
    pub rows: Option<&'static str>,
    /// Columns of the item that precede those of each row.
    pub keys: &'static [ExportColumn],
}

impl ExportTable {
    /// A table with one row per item.
    #[must_use]
    pub const fn of_items(name: &'static str, columns: &'static [ExportColumn]) -> Self {
        Self { name, columns, rows: None, keys: &[] }
    }

    /// The same table with one row per member of a list of the item.
    #[must_use]
    pub const fn for_each_of(self, list: &'static str, keys: &'static [ExportColumn]) -> Self {
        Self { rows: Some(list), keys, ..self }
    }

    /// The values of the rows: the item itself, or the members of its list.
    #[must_use]
    pub fn parts<'i>(&self, item: &'i Value) -> &'i [Value] {
        match self.rows {
            None => std::slice::from_ref(item),
            Some(member) => {
                item.get(member).and_then(Value::as_array).map_or(&[][..], Vec::as_slice)
            }
        }
    }

    /// The columns of a row, with those of its item first.
    pub fn all_columns(&self) -> impl Iterator<Item = &'static ExportColumn> {
        self.keys.iter().chain(self.columns)
    }
}

/// Declares columns by path and width, with the modifiers `brief`, `moment` and `decimal`.
#[macro_export]
macro_rules! export_columns {
    ($($path:literal $(. $further:literal)* $width:literal $($also:ident)*),* $(,)?) => {
        &[$($crate::ExportColumn::new(
            concat!($path $(, ".", $further)*),
            &[$path $(, $further)*],
            $width,
        )$(.$also())*),*]
    };
}
