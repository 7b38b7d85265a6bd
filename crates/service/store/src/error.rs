//! What can go wrong with the database.

use journal::JournalError;
use thiserror::Error;

/// A failure of the store. None of its texts is for a client.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The address of the database, or the database itself, cannot be used.
    #[error("the database cannot be used: {0}")]
    Setup(String),
    /// The database cannot be reached now; it may be later.
    #[error("the database cannot be reached: {0}")]
    Unavailable(String),
    /// Somebody else held a row for too long.
    #[error("a row stayed locked: {0}")]
    Locked(String),
    /// A statement failed in a way that should not happen.
    #[error("a statement failed: {0}")]
    Sql(#[source] sqlx::Error),
    /// Something stored cannot be read.
    #[error("something stored cannot be read: {0}")]
    Journal(#[from] JournalError),
    /// A row holds what it cannot hold.
    #[error("a row is damaged: {0}")]
    Damaged(String),
    /// The account was suspended or deleted while the request was under way: nothing was written.
    #[error("the account is suspended or deleted")]
    AccountClosed,
    /// The key or application was revoked while its request was under way: nothing was written.
    #[error("the credential was revoked")]
    CredentialEnded,
    /// A page would hold more bytes than an answer may: so many of its entries fit.
    #[error("the page exceeds {} bytes; {fits} of its entries fit", crate::PAGE_BYTES)]
    PageTooLarge {
        /// How many fit.
        fits: u64,
    },
}

impl StoreError {
    /// Whether waiting may help.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Unavailable(_) | Self::Locked(_) => true,
            Self::Setup(_)
            | Self::Sql(_)
            | Self::Journal(_)
            | Self::Damaged(_)
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
            | sqlx::Error::BeginFailed => Self::Unavailable(error.to_string()),
            sqlx::Error::Database(cause) => {
                let code = cause.code().unwrap_or_default().into_owned();
                match code.as_str() {
                    // lock_not_available, deadlock, serialisation; SQLite's BUSY and LOCKED.
                    "55P03" | "40P01" | "40001" | "5" | "6" | "261" | "517" => {
                        Self::Locked(error.to_string())
                    }
                    // Shutdown, start-up, too many connections; SQLite's full disk and I/O.
                    "57P01" | "57P02" | "57P03" | "53300" | "10" | "13" | "14" | "778" => {
                        Self::Unavailable(error.to_string())
                    }
                    _ if code.starts_with("08") => Self::Unavailable(error.to_string()),
                    _ => Self::Sql(error),
                }
            }
            _ => Self::Sql(error),
        }
    }
}
