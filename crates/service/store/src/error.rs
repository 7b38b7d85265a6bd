//! Errors of the store.

use bucket::BucketError;
use journal::JournalError;
use thiserror::Error;

/// Maximum stored bytes of the items of a page. A single larger item fills one page.
pub const PAGE_BYTES: u64 = 16 * 1024 * 1024;

/// A failure of the store. Its texts are for operators, never for clients.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The database URL, the schema or the configured key cannot be used. Retrying does not help.
    #[error("the database cannot be used: {0}")]
    Setup(String),
    /// The database cannot be reached at the moment.
    #[error("the database cannot be reached: {0}")]
    Unavailable(String),
    /// Another transaction held a row lock for too long.
    #[error("timed out waiting for a row lock: {0}")]
    Locked(String),
    /// A statement failed for another reason, which is a bug.
    #[error("SQL statement failed: {0}")]
    Sql(#[source] sqlx::Error),
    /// A stored payload cannot be decoded.
    #[error("cannot decode stored data: {0}")]
    Journal(#[from] JournalError),
    /// The object storage failed.
    #[error(transparent)]
    Bucket(#[from] BucketError),
    /// A row holds an invalid value.
    #[error("damaged row: {0}")]
    Damaged(String),
    /// A secret is encrypted with a key that this node does not have.
    #[error(
        "cannot decrypt the secrets of {value} without the secret key {key}; set TRAWL_SECRET_KEY, or \
         during a rotation TRAWL_NEXT_SECRET_KEY, to that key"
    )]
    SecretKeyMissing { value: String, key: String },
    /// The account was suspended or deleted during the request: nothing was written.
    #[error("the account is suspended or deleted")]
    AccountClosed,
    /// The key or application was revoked during the request: nothing was written.
    #[error("the credential was revoked")]
    CredentialEnded,
    /// The entries of a page exceed [`PAGE_BYTES`]; the first `fits` of them do not.
    #[error("the page exceeds {} bytes; {fits} of its entries fit", PAGE_BYTES)]
    PageTooLarge { fits: u64 },
}

/// What the methods of [`crate::Store`] return.
pub(crate) type Result<T, E = StoreError> = std::result::Result<T, E>;

impl StoreError {
    /// Whether a newer release wrote the data, so that only a node of that release can read it.
    #[must_use]
    pub fn is_from_newer_release(&self) -> bool {
        matches!(self, Self::Journal(JournalError::UnknownVersion { .. }))
    }

    /// Whether object storage cannot be reached or used. A missing object is damaged data.
    #[must_use]
    pub fn is_bucket_failure(&self) -> bool {
        matches!(self, Self::Bucket(error) if !matches!(error, BucketError::Missing { .. }))
    }

    /// Whether the operation may succeed when it is retried later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unavailable(_) | Self::Locked(_) => true,
            Self::Bucket(error) => error.is_transient(),
            Self::Setup(_)
            | Self::Sql(_)
            | Self::Journal(_)
            | Self::Damaged(_)
            | Self::SecretKeyMissing { .. }
            | Self::AccountClosed
            | Self::CredentialEnded
            | Self::PageTooLarge { .. } => false,
        }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            | sqlx::Error::Protocol(_)
            | sqlx::Error::BeginFailed
            | sqlx::Error::InvalidSavePointStatement => Self::Unavailable(error.to_string()),
            sqlx::Error::Database(cause) => {
                let code = primary_code(cause.code().unwrap_or_default().into_owned());
                match code.as_str() {
                    // lock_not_available, deadlock, serialisation; SQLite's BUSY and LOCKED.
                    "55P03" | "40P01" | "40001" | "5" | "6" => Self::Locked(error.to_string()),
                    // Shutdown, start-up, too many connections, full disk, a standby that was promoted
                    // meanwhile; SQLite's READONLY, IOERR, FULL and CANTOPEN.
                    "57P01" | "57P02" | "57P03" | "53300" | "53100" | "25006" | "8" | "10"
                    | "13" | "14" => Self::Unavailable(error.to_string()),
                    // A prepared statement that another client of the same server connection made, or
                    // that was made on another one.
                    "26000" | "42P05" => Self::Setup(format!(
                        "{error}; behind PgBouncer, set max_prepared_statements in its \
                         configuration (version 1.21 or newer)"
                    )),
                    _ if code.starts_with("08") => Self::Unavailable(error.to_string()),
                    _ => Self::Sql(error),
                }
            }
            _ => Self::Sql(error),
        }
    }
}

/// The primary code of an extended result code of SQLite, its lowest byte; codes of PostgreSQL, which
/// have five characters, are returned unchanged. A full disk alone has a dozen extended codes.
fn primary_code(code: String) -> String {
    match code.parse::<u32>() {
        Ok(number) if code.len() < 5 => (number & 0xff).to_string(),
        _ => code,
    }
}

#[cfg(test)]
mod tests {
    use super::primary_code;

    #[test]
    fn extended_codes_of_sqlite_have_their_primary_code() {
        // FULL; IOERR_SHMSIZE, IOERR_FSYNC, IOERR_TRUNCATE; READONLY_DBMOVED; BUSY_SNAPSHOT.
        for (code, primary) in [
            ("13", "13"),
            ("4874", "10"),
            ("1034", "10"),
            ("1546", "10"),
            ("1032", "8"),
            ("517", "5"),
        ] {
            assert_eq!(primary_code(code.to_owned()), primary, "{code}");
        }
        for code in ["40001", "57P01", "53100", ""] {
            assert_eq!(primary_code(code.to_owned()), code);
        }
    }
}
