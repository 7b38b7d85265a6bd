//! The seam between the two databases: how a write begins, which rows a claim
//! passes over, whose clock counts, and how a wake-up travels.

use std::time::Duration;

use sqlx::Any;
use sqlx::any::AnyPoolOptions;
use sqlx::pool::PoolOptions;

use crate::StoreError;

/// Which database it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// A file beside the process.
    Sqlite,
    /// A server that several nodes share.
    Postgres,
}

/// How long a statement waits for a row that somebody else holds.
const LOCK_TIMEOUT: &str = "SET lock_timeout = '5s'";

/// What is deleted from a page is overwritten: it costs no write that would not happen anyway.
const SQLITE_PRAGMAS: &str = "PRAGMA busy_timeout = 10000; \
     PRAGMA journal_mode = WAL; \
     PRAGMA synchronous = FULL; \
     PRAGMA foreign_keys = ON; \
     PRAGMA secure_delete = FAST; \
     PRAGMA temp_store = MEMORY;";

/// What a connection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Duty {
    Reads,
    Writes,
}

impl Duty {
    /// Pages that SQLite keeps for a connection. There are many readers, and the system
    /// keeps the file's pages for all of them.
    fn cache(self) -> &'static str {
        match self {
            Self::Reads => "PRAGMA cache_size = -2048",
            Self::Writes => "PRAGMA cache_size = -8192",
        }
    }
}

impl Dialect {
    /// The database that this address names.
    pub(crate) fn of(url: &str) -> Result<Self, StoreError> {
        match url.split_once(':').map(|(scheme, _)| scheme) {
            Some("sqlite") => Ok(Self::Sqlite),
            Some("postgres" | "postgresql") => Ok(Self::Postgres),
            _ => Err(StoreError::Setup(
                "its address must begin with sqlite: or postgres://".to_owned(),
            )),
        }
    }

    pub(crate) fn pool_options(self, duty: Duty) -> PoolOptions<Any> {
        let options = AnyPoolOptions::new();
        match self {
            Self::Sqlite => options
                // A file does not go away between two uses.
                .test_before_acquire(false)
                .idle_timeout(None)
                .max_lifetime(None)
                .after_connect(move |connection, _| {
                    Box::pin(async move {
                        sqlx::raw_sql(SQLITE_PRAGMAS).execute(&mut *connection).await?;
                        sqlx::raw_sql(duty.cache()).execute(connection).await.map(drop)
                    })
                }),
            Self::Postgres => {
                options.idle_timeout(Duration::from_secs(300)).after_connect(|connection, _| {
                    Box::pin(async move {
                        sqlx::raw_sql(LOCK_TIMEOUT).execute(connection).await.map(drop)
                    })
                })
            }
        }
    }

    /// How a transaction that writes begins. A deferred one would fail at its first
    /// write on SQLite, whatever the busy time-out.
    pub(crate) fn begin(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN IMMEDIATE",
            Self::Postgres => "BEGIN",
        }
    }

    /// The database's clock, in milliseconds.
    pub(crate) fn clock(self) -> &'static str {
        match self {
            Self::Sqlite => "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)",
            Self::Postgres => "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
        }
    }

    /// Picks the variant of a claim's text that passes over rows that others hold.
    pub(crate) fn claim(self, plain: &'static str, skip_locked: &'static str) -> &'static str {
        match self {
            Self::Sqlite => plain,
            Self::Postgres => skip_locked,
        }
    }
}
