//! How values are stored in columns and read from them, and `sql!`, `scalar!` and `read_row!`,
//! which statements and rows are written with. A value that cannot be read is
//! [`StoreError::Damaged`] with the name of its column.

use contract::{
    AccountId, ApplicationId, AuditAction, AuditActorKind, AuditId, AuthorizationId, ChangeKind,
    ClientAuth, Creator, Credits, DeliveryId, DeliveryState, EventId, ExportFormat, ExportId,
    JobId, KeyId, KeyPrefix, LedgerId, LedgerKind, ListId, Millis, Mode, OauthScopes, OnProtected,
    PageFileId, PageId, RechargeId, RequestId, ScheduleId, SessionId, ShardId, SkipReason, Status,
    Units, WebhookFormat, WebhookId,
};
use job::WaitsFor;
use privacy::OptOutKind;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::Query;
use sqlx::{Any, Decode, Encode, Row, Transaction, Type};

use crate::{NodeName, Result, StoreError};

/// A transaction that writes to the database.
pub(crate) type Tx = Transaction<'static, Any>;

/// Adds parameters to a statement.
macro_rules! bind {
    ($statement:expr $(; $($value:expr),+ $(,)?)?) => {
        $statement$($(.bind($crate::columns::Stored::stored(&$value)))+)?
    };
}

/// A statement with its parameters: `sql!(RENAME; id, name)`.
macro_rules! sql {
    ($text:expr $(; $($values:tt)+)?) => {
        $crate::columns::bind!(sqlx::query::<sqlx::Any>($text) $(; $($values)+)?)
    };
}

/// A query of one column with its parameters: `scalar!(COUNT; account)`.
macro_rules! scalar {
    ($text:expr $(; $($values:tt)+)?) => {
        $crate::columns::bind!(sqlx::query_scalar::<sqlx::Any, _>($text) $(; $($values)+)?)
    };
}

/// A struct from a row: each field from the column of its name, or of the name after `=`. Fields
/// after a semicolon are as in a struct expression.
macro_rules! read_row {
    (
        $row:ident => $name:ident {
            $($field:ident $(= $column:literal)?),+ $(,)?
            $(; $($rest:tt)*)?
        }
    ) => {
        $name {
            $($field: $row.read($crate::columns::read_row!(@column $field $($column)?))?,)+
            $($($rest)*)?
        }
    };
    (@column $field:ident) => { stringify!($field) };
    (@column $field:ident $column:literal) => { $column };
}
pub(crate) use {bind, read_row, scalar, sql};

/// Executes statements of a transaction.
pub(crate) trait ExecuteIn {
    /// Executes the statement, and returns the number of rows that it has changed.
    async fn run(self, tx: &mut Tx) -> Result<u64>;
}

impl ExecuteIn for Query<'_, Any, AnyArguments> {
    async fn run(self, tx: &mut Tx) -> Result<u64> {
        Ok(self.execute(&mut **tx).await?.rows_affected())
    }
}

/// Reads the columns of a row.
pub(crate) trait ReadColumn {
    fn read<T: FromColumn>(&self, column: &str) -> Result<T>;

    fn read_json<T: DeserializeOwned>(&self, column: &str) -> Result<T> {
        serde_json::from_str(&self.read::<String>(column)?)
            .map_err(|cause| StoreError::Damaged(format!("{column} is invalid: {cause}")))
    }
}

impl ReadColumn for AnyRow {
    fn read<T: FromColumn>(&self, column: &str) -> Result<T> {
        T::from_raw(self.try_get(column)?)
            .map_err(|raw| StoreError::Damaged(format!("{column} is invalid: {raw}")))
    }
}

/// A value that a statement can have as a parameter.
pub(crate) trait Stored {
    /// Its type in the database.
    type Column<'a>: Encode<'a, Any> + Type<Any> + 'a
    where
        Self: 'a;

    fn stored(&self) -> Self::Column<'_>;
}

/// A value that can be read from a column.
pub(crate) trait FromColumn: Sized {
    /// Its type in the database.
    type Raw: for<'r> Decode<'r, Any> + Type<Any>;

    /// The value, or as an error the text of an invalid one.
    fn from_raw(raw: Self::Raw) -> Result<Self, String>;
}

impl<T: Stored + ?Sized> Stored for &T {
    type Column<'a>
        = T::Column<'a>
    where
        Self: 'a;

    fn stored(&self) -> T::Column<'_> {
        (**self).stored()
    }
}

impl<T: Stored> Stored for Option<T> {
    type Column<'a>
        = Option<T::Column<'a>>
    where
        Self: 'a;

    fn stored(&self) -> Option<T::Column<'_>> {
        self.as_ref().map(T::stored)
    }
}

impl<T: FromColumn> FromColumn for Option<T> {
    type Raw = Option<T::Raw>;

    fn from_raw(raw: Option<T::Raw>) -> Result<Self, String> {
        raw.map(T::from_raw).transpose()
    }
}

macro_rules! stored {
    ($($type:ty => $column:ty, $value:ident -> $stored:expr;)+) => {$(
        impl Stored for $type {
            type Column<'a> = $column;

            fn stored(&self) -> $column {
                let $value = self;
                $stored
            }
        }
    )+};
}

macro_rules! from_column {
    ($($type:ty => $raw:ty, $value:ident -> $read:expr;)+) => {$(
        impl FromColumn for $type {
            type Raw = $raw;

            fn from_raw($value: $raw) -> Result<Self, String> {
                $read
            }
        }
    )+};
}

stored! {
    i64 => i64, number -> *number;
    u32 => i64, number -> i64::from(*number);
    u64 => i64, number -> signed(*number);
    usize => i64, number -> signed(*number as u64);
    bool => i64, truth -> i64::from(*truth);
    Millis => i64, at -> at.0;
    Credits => i64, credits -> credits.0;
    Units => i64, units -> signed(units.0);
    OauthScopes => String, scopes -> scopes.to_string();
}

from_column! {
    i64 => i64, number -> Ok(number);
    u32 => i64, number -> u32::try_from(number).map_err(|_| number.to_string());
    u64 => i64, number -> u64::try_from(number).map_err(|_| number.to_string());
    bool => i64, number -> Ok(number != 0);
    Millis => i64, at -> Ok(Self(at));
    Credits => i64, credits -> Ok(Self(credits));
    Units => i64, units -> u64::from_raw(units).map(Self);
    String => String, text -> Ok(text);
    Vec<u8> => Vec<u8>, bytes -> Ok(bytes);
    OauthScopes => String, text -> text.parse().map_err(|_| text);
}

/// Types whose column is text or bytes that they lend.
macro_rules! lent {
    ($($type:ty => $column:ty, $lend:ident;)+) => {$(
        impl Stored for $type {
            type Column<'a> = &'a $column;

            fn stored(&self) -> &$column {
                self.$lend()
            }
        }
    )+};
}

lent! {
    str => str, as_ref;
    String => str, as_str;
    [u8] => [u8], as_ref;
    Vec<u8> => [u8], as_slice;
    NodeName => str, as_str;
}

/// Ids and string enums, which are stored as text.
macro_rules! texts {
    ($($type:ident,)+) => {
        lent! { $($type => str, as_str;)+ }
        from_column! { $($type => String, text -> text.parse().map_err(|_| text);)+ }
    };
}

texts! {
    AccountId, ApplicationId, AuditAction, AuditActorKind, AuditId, AuthorizationId, ChangeKind,
    ClientAuth, Creator, DeliveryId, DeliveryState, EventId, ExportFormat, ExportId, JobId, KeyId,
    KeyPrefix, LedgerId, LedgerKind, ListId, Mode, OnProtected, OptOutKind, PageFileId, PageId, RechargeId, RequestId,
    ScheduleId, SessionId, ShardId, SkipReason, Status, WaitsFor, WebhookFormat, WebhookId,
}

/// A value as JSON text, for a column.
pub(crate) fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|cause| StoreError::Damaged(cause.to_string()))
}

/// A count as the database stores it.
pub(crate) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
