//! One column of a Parquet file: its type, and the values of the rows that are not written yet.
//!
//! A list is an optional group with a repeated group of optional elements, as the format defines it.
//! The definition level of a value is the number of these parts that are present.

use std::sync::Arc;

use contract::{ColumnKind, ExportColumn, Millis};
use parquet::basic::{LogicalType, Repetition, TimeUnit, Type as PhysicalType};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{ByteArray, FixedLenByteArray};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedColumnWriter;
use parquet::schema::types::{Type, TypePtr};
use serde_json::Value;

/// Digits of a decimal number, and those after the point.
const DECIMAL_DIGITS: i32 = 38;
const DECIMAL_SCALE: i32 = 10;
const DECIMAL_BYTES: i32 = 16;

/// Memory of the levels of a value, and of a value of fixed size.
const LEVEL_BYTES: usize = 4;
const FIXED_BYTES: usize = 8;

/// Definition levels of a list: absent, empty, with an element that is null or has a value.
const NO_LIST: i16 = 0;
const EMPTY_LIST: i16 = 1;
const NULL_ELEMENT: i16 = 2;
const ELEMENT: i16 = 3;

pub(super) struct ParquetColumn {
    column: &'static ExportColumn,
    name: String,
    values: ParquetValues,
    definitions: Vec<i16>,
    /// Only of lists: 0 for the first element of a row.
    repetitions: Vec<i16>,
}

enum ParquetValues {
    Texts(Vec<ByteArray>),
    Integers(Vec<i64>),
    Reals(Vec<f64>),
    Truths(Vec<bool>),
    Moments(Vec<i64>),
    Decimals(Vec<FixedLenByteArray>),
}

impl ParquetColumn {
    /// A column with this name in the file.
    pub(super) fn new(column: &'static ExportColumn, name: String) -> Self {
        let values = match column.kind {
            ColumnKind::Text => ParquetValues::Texts(Vec::new()),
            ColumnKind::Integer => ParquetValues::Integers(Vec::new()),
            ColumnKind::Real => ParquetValues::Reals(Vec::new()),
            ColumnKind::Truth => ParquetValues::Truths(Vec::new()),
            ColumnKind::Moment => ParquetValues::Moments(Vec::new()),
            ColumnKind::Decimal => ParquetValues::Decimals(Vec::new()),
        };
        Self { column, name, values, definitions: Vec::new(), repetitions: Vec::new() }
    }

    pub(super) fn schema(&self) -> Result<TypePtr, ParquetError> {
        if !self.column.is_list {
            return self.element(&self.name);
        }
        let list = Type::group_type_builder("list")
            .with_repetition(Repetition::REPEATED)
            .with_fields(vec![self.element("element")?])
            .build()?;
        let group = Type::group_type_builder(&self.name)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(Some(LogicalType::List))
            .with_fields(vec![Arc::new(list)])
            .build()?;
        Ok(Arc::new(group))
    }

    fn element(&self, name: &str) -> Result<TypePtr, ParquetError> {
        let (physical, logical) = match self.column.kind {
            ColumnKind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
            ColumnKind::Integer => (PhysicalType::INT64, None),
            ColumnKind::Real => (PhysicalType::DOUBLE, None),
            ColumnKind::Truth => (PhysicalType::BOOLEAN, None),
            ColumnKind::Moment => {
                (PhysicalType::INT64, Some(LogicalType::timestamp(true, TimeUnit::MILLIS)))
            }
            ColumnKind::Decimal => (
                PhysicalType::FIXED_LEN_BYTE_ARRAY,
                Some(LogicalType::decimal(DECIMAL_SCALE, DECIMAL_DIGITS)),
            ),
        };
        let mut builder = Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical);
        if self.column.kind == ColumnKind::Decimal {
            builder = builder
                .with_length(DECIMAL_BYTES)
                .with_precision(DECIMAL_DIGITS)
                .with_scale(DECIMAL_SCALE);
        }
        Ok(Arc::new(builder.build()?))
    }

    /// Adds the value of a row. Returns its approximate memory in bytes.
    pub(super) fn push(&mut self, item: &Value) -> usize {
        if !self.column.is_list {
            let found = single(item, self.column.path);
            let bytes = found.and_then(|value| self.values.push(value));
            self.definitions.push(i16::from(bytes.is_some()));
            return LEVEL_BYTES + bytes.unwrap_or(0);
        }
        let (before, mut bytes) = (self.definitions.len(), 0);
        let has_list = for_each(item, self.column.path, &mut |value| {
            let pushed = value.and_then(|value| self.values.push(value));
            self.repetitions.push(i16::from(self.definitions.len() > before));
            self.definitions.push(if pushed.is_some() { ELEMENT } else { NULL_ELEMENT });
            bytes += LEVEL_BYTES + pushed.unwrap_or(0);
        });
        if self.definitions.len() == before {
            self.definitions.push(if has_list { EMPTY_LIST } else { NO_LIST });
            self.repetitions.push(0);
            bytes += LEVEL_BYTES;
        }
        bytes
    }

    /// Writes the collected values.
    pub(super) fn write(
        &mut self,
        out: &mut SerializedColumnWriter<'_>,
    ) -> Result<(), ParquetError> {
        let definitions = Some(self.definitions.as_slice());
        let repetitions = self.column.is_list.then_some(self.repetitions.as_slice());
        match (&mut self.values, out.untyped()) {
            (ParquetValues::Texts(values), ColumnWriter::ByteArrayColumnWriter(out)) => {
                out.write_batch(values, definitions, repetitions)?;
                values.clear();
            }
            (
                ParquetValues::Integers(values) | ParquetValues::Moments(values),
                ColumnWriter::Int64ColumnWriter(out),
            ) => {
                out.write_batch(values, definitions, repetitions)?;
                values.clear();
            }
            (ParquetValues::Reals(values), ColumnWriter::DoubleColumnWriter(out)) => {
                out.write_batch(values, definitions, repetitions)?;
                values.clear();
            }
            (ParquetValues::Truths(values), ColumnWriter::BoolColumnWriter(out)) => {
                out.write_batch(values, definitions, repetitions)?;
                values.clear();
            }
            (ParquetValues::Decimals(values), ColumnWriter::FixedLenByteArrayColumnWriter(out)) => {
                out.write_batch(values, definitions, repetitions)?;
                values.clear();
            }
            _ => {
                let message = format!("the column {} has another type", self.column.name);
                return Err(ParquetError::General(message));
            }
        }
        self.definitions.clear();
        self.repetitions.clear();
        Ok(())
    }
}

impl ParquetValues {
    /// Adds a value of the column's type; `None` if it has none. Returns its memory in bytes.
    fn push(&mut self, value: &Value) -> Option<usize> {
        match self {
            Self::Texts(texts) => {
                let text = match value {
                    Value::Null => return None,
                    Value::String(text) => text.clone(),
                    // An object, as the options of a variant.
                    other => other.to_string(),
                };
                let bytes = text.len() + size_of::<ByteArray>();
                texts.push(ByteArray::from(text.into_bytes()));
                return Some(bytes);
            }
            Self::Integers(integers) => integers.push(value.as_i64()?),
            Self::Reals(reals) => {
                reals.push(value.as_f64().or_else(|| value.as_str()?.parse().ok())?);
            }
            Self::Truths(truths) => truths.push(value.as_bool()?),
            Self::Moments(moments) => moments.push(Millis::parse_w3c(value.as_str()?)?.0),
            Self::Decimals(decimals) => {
                let unscaled = unscaled(value.as_str()?)?;
                decimals.push(ByteArray::from(unscaled.to_be_bytes().to_vec()).into());
                return Some(size_of::<FixedLenByteArray>() + size_of::<i128>());
            }
        }
        Some(FIXED_BYTES)
    }
}

/// A decimal number as an integer of its smallest digit. Digits after the scale are cut; `None` if
/// the number has too many digits before the point, or the text is no number.
fn unscaled(text: &str) -> Option<i128> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let scale = usize::try_from(DECIMAL_SCALE).ok()?;
    let fraction: String = fraction.chars().chain("0".repeat(scale).chars()).take(scale).collect();
    let number: i128 = format!("{whole}{fraction}").parse().ok()?;
    let most = 10_i128.pow(DECIMAL_DIGITS.unsigned_abs());
    (number < most).then_some(if is_negative { -number } else { number })
}

/// The value at a path without lists.
fn single<'i>(item: &'i Value, path: &[&str]) -> Option<&'i Value> {
    path.iter().try_fold(item, |value, member| value.get(member))
}

/// Visits the values at a path, those of all members of lists on it; `None` for one that is missing
/// inside of a list. False if there is no list.
fn for_each(value: &Value, path: &[&str], visit: &mut impl FnMut(Option<&Value>)) -> bool {
    match (value, path) {
        (Value::Array(members), _) => {
            for member in members {
                match member {
                    Value::Array(_) => {
                        for_each(member, path, visit);
                    }
                    member => {
                        // A list below the member gives its own values.
                        if !for_each(member, path, visit) {
                            visit(single(member, path).filter(|value| !value.is_null()));
                        }
                    }
                }
            }
            true
        }
        (Value::Object(members), [name, rest @ ..]) => {
            members.get(*name).is_some_and(|member| for_each(member, rest, visit))
        }
        _ => false,
    }
}
