//! Reads single columns of a row into domain types. A value that cannot be read is
//! [`StoreError::Damaged`] with the name of its column.

use std::str::FromStr;

use contract::Millis;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::StoreError;

/// A text column that holds an id or another parsed type.
pub(crate) fn parsed<T: FromStr>(row: &AnyRow, column: &str) -> Result<T, StoreError> {
    parse(&row.try_get::<String, _>(column)?, column)
}

/// As [`parsed`], of a column that may be NULL.
pub(crate) fn optional<T: FromStr>(row: &AnyRow, column: &str) -> Result<Option<T>, StoreError> {
    let text: Option<String> = row.try_get(column)?;
    text.map(|text| parse(&text, column)).transpose()
}

fn parse<T: FromStr>(text: &str, column: &str) -> Result<T, StoreError> {
    text.parse().map_err(|_| StoreError::Damaged(format!("{column} is invalid: {text}")))
}

/// A text column that holds one variant of a string enum.
pub(crate) fn word<T>(
    row: &AnyRow,
    column: &str,
    from_word: impl Fn(&str) -> Option<T>,
) -> Result<T, StoreError> {
    let text: String = row.try_get(column)?;
    from_word(&text).ok_or_else(|| StoreError::Damaged(format!("{column} is unknown: {text}")))
}

/// A number that is never negative.
pub(crate) fn count(row: &AnyRow, column: &str) -> Result<u64, StoreError> {
    let value: i64 = row.try_get(column)?;
    u64::try_from(value).map_err(|_| StoreError::Damaged(format!("{column} is {value}")))
}

/// A boolean, stored as 0 or 1.
pub(crate) fn flag(row: &AnyRow, column: &str) -> Result<bool, StoreError> {
    Ok(row.try_get::<i64, _>(column)? != 0)
}

/// An instant that may be NULL.
pub(crate) fn optional_millis(row: &AnyRow, column: &str) -> Result<Option<Millis>, StoreError> {
    Ok(row.try_get::<Option<i64>, _>(column)?.map(Millis))
}

/// A count as the database stores it.
pub(crate) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
