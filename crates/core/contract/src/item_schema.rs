//! Description of the items of a mode: the tables and columns of their exports, the columns by which
//! results are filtered, and the fields that count when two runs are compared.
//!
//! The crate of each mode declares its [`ItemSchema`]; `registry::item_schema` returns it. Exports,
//! filters and comparisons read the description and know no mode.

use serde_json::Value;

/// How the items of a mode are exported, filtered and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemSchema {
    /// The tables of an export; the first has one row per item, and a column of every field.
    pub tables: &'static [ExportTable],
    /// Whether the Markdown export is one document of the texts of all items, not a table.
    pub markdown_document: bool,
    /// Whether the XML export is a sitemap of the indexable pages, not an element per item.
    pub xml_sitemap: bool,
    pub comparison: ItemComparison,
}

impl ItemSchema {
    /// The columns of the table with one row per item.
    #[must_use]
    pub fn item_columns(&self) -> &'static [ExportColumn] {
        self.tables.first().map_or(&[], |table| table.columns)
    }

    /// The top-level members of an item, in the order of the columns.
    #[must_use]
    pub fn fields(&self) -> Vec<&'static str> {
        let mut fields = Vec::new();
        for column in self.item_columns() {
            if let Some(field) = column.path.first().filter(|field| !fields.contains(*field)) {
                fields.push(*field);
            }
        }
        fields
    }

    /// The columns by which results are filtered.
    pub fn filter_columns(&self) -> impl Iterator<Item = &'static ExportColumn> {
        self.item_columns().iter().filter(|column| column.filter.is_some())
    }
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

/// Type of the values of a column, or of the members of its lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// A text, or an object, which tables show as text.
    Text,
    /// An integer of at most 64 bits with sign.
    Integer,
    /// A number with a fraction.
    Real,
    /// A boolean value in JSON.
    Truth,
    /// A date-time, text in JSON.
    Moment,
    /// A decimal number, text in JSON so that no digit is lost.
    Decimal,
}

impl ColumnKind {
    /// Whether the values have an order by which ranges select them.
    #[must_use]
    pub const fn is_ordered(self) -> bool {
        match self {
            Self::Integer | Self::Real | Self::Moment | Self::Decimal => true,
            Self::Text | Self::Truth => false,
        }
    }
}

/// Which values a filter on a column accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnFilter {
    /// Any value of the column's kind.
    Values,
    /// Only the values of this list.
    OneOf(&'static [&'static str]),
    /// A language range (RFC 4647, basic filtering): `en` also matches `en-GB`.
    Language,
}

/// A column of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportColumn {
    /// The heading: the path of the value, with dots.
    pub name: &'static str,
    pub path: &'static [&'static str],
    pub kind: ColumnKind,
    /// Whether an item has a list of these values, which CSV and workbooks join.
    pub is_list: bool,
    /// Width in characters in a workbook.
    pub width: u8,
    /// Whether the column is part of the short Markdown table.
    pub brief: bool,
    /// The values by which results are filtered; `None` if the column is no filter.
    pub filter: Option<ColumnFilter>,
}

impl ExportColumn {
    /// A column of texts; [`export_columns!`](crate::export_columns) calls it.
    #[must_use]
    pub const fn new(name: &'static str, path: &'static [&'static str], width: u8) -> Self {
        let kind = ColumnKind::Text;
        Self { name, path, kind, is_list: false, width, brief: false, filter: None }
    }

    /// The same column with integers.
    #[must_use]
    pub const fn integer(self) -> Self {
        Self { kind: ColumnKind::Integer, ..self }
    }

    /// The same column with numbers that have a fraction.
    #[must_use]
    pub const fn real(self) -> Self {
        Self { kind: ColumnKind::Real, ..self }
    }

    /// The same column with true and false.
    #[must_use]
    pub const fn truth(self) -> Self {
        Self { kind: ColumnKind::Truth, ..self }
    }

    /// The same column with a list of its values per item.
    #[must_use]
    pub const fn list(self) -> Self {
        Self { is_list: true, ..self }
    }

    /// The same column as a filter of results.
    #[must_use]
    pub const fn filter(self) -> Self {
        Self { filter: Some(ColumnFilter::Values), ..self }
    }

    /// The same column as a filter that accepts these values.
    #[must_use]
    pub const fn one_of(self, values: &'static [&'static str]) -> Self {
        Self { filter: Some(ColumnFilter::OneOf(values)), ..self }
    }

    /// The same column as a filter by language range.
    #[must_use]
    pub const fn language(self) -> Self {
        Self { filter: Some(ColumnFilter::Language), ..self }
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

/// Declares columns by path and width, with the methods of [`ExportColumn`] as modifiers, for example
/// `"status_code" 12 integer filter brief` or `"type" 8 one_of(LinkType::NAMES)`.
#[macro_export]
macro_rules! export_columns {
    ($($path:literal $(. $further:literal)* $width:literal $($also:ident $(($given:expr))?)*),* $(,)?) => {
        &[$($crate::ExportColumn::new(
            concat!($path $(, ".", $further)*),
            &[$path $(, $further)*],
            $width,
        )$(.$also($($given)?))*),*]
    };
}
