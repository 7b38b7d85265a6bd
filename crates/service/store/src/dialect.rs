//! Differences between SQLite and PostgreSQL: connection options, begin of a write transaction,
//! clock, and `SKIP LOCKED`.

use std::time::Duration;

use sqlx::any::AnyPoolOptions;
use sqlx::pool::PoolOptions;
use sqlx::{Any, Connection};

use crate::{Result, StoreError};

/// The database behind a [`crate::Store`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// A local file, used by a single node.
    Sqlite,
    /// A server, shared by several nodes.
    Postgres,
}

/// Maximum wait of a statement for a row lock.
const LOCK_TIMEOUT: &str = "SET lock_timeout = '5s'";

/// `secure_delete = FAST` overwrites deleted content without additional writes.
const SQLITE_PRAGMAS: &str = "PRAGMA busy_timeout = 10000; \
     PRAGMA journal_mode = WAL; \
     PRAGMA synchronous = FULL; \
     PRAGMA foreign_keys = ON; \
     PRAGMA secure_delete = FAST; \
     PRAGMA temp_store = MEMORY;";

/// What the connections of a pool are used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PoolRole {
    Reads,
    Writes,
    /// Leases, so that they are renewed when all other connections wait for locks. PostgreSQL only.
    Upkeep,
}

impl PoolRole {
    /// SQLite's page cache of a connection, in KiB. Readers get a small one, because there are many
    /// and they share the page cache of the operating system.
    fn cache_pragma(self) -> &'static str {
        match self {
            Self::Reads => "PRAGMA cache_size = -2048",
            Self::Writes | Self::Upkeep => "PRAGMA cache_size = -8192",
        }
    }
}

impl Dialect {
    /// The database of this URL, by its scheme.
    pub(crate) fn of(url: &str) -> Result<Self> {
        match url.split_once(':').map(|(scheme, _)| scheme) {
            Some("sqlite") => Ok(Self::Sqlite),
            Some("postgres" | "postgresql") => Ok(Self::Postgres),
            _ => Err(StoreError::Setup(
                "the database URL must begin with sqlite: or postgres://".to_owned(),
            )),
        }
    }

    pub(crate) fn pool_options(self, role: PoolRole, pgbouncer: bool) -> PoolOptions<Any> {
        let options = AnyPoolOptions::new();
        match self {
            Self::Sqlite => options
                // A connection to a local file needs no check and never expires.
                .test_before_acquire(false)
                .idle_timeout(None)
                .max_lifetime(None)
                .after_release(|connection, _| {
                    Box::pin(async move {
                        // A dropped transaction is rolled back by the time of the answer.
                        if connection.is_in_transaction() {
                            connection.ping().await?;
                        }
                        // SQLite has rolled back itself, because the disk was full: the driver still
                        // counts the transaction, and would refuse every further one.
                        Ok(!connection.is_in_transaction())
                    })
                })
                .after_connect(move |connection, _| {
                    Box::pin(async move {
                        sqlx::raw_sql(SQLITE_PRAGMAS).execute(&mut *connection).await?;
                        sqlx::raw_sql(role.cache_pragma()).execute(connection).await.map(drop)
                    })
                }),
            Self::Postgres if pgbouncer => options.idle_timeout(Duration::from_secs(300)),
            Self::Postgres => {
                options.idle_timeout(Duration::from_secs(300)).after_connect(|connection, _| {
                    Box::pin(async move {
                        sqlx::raw_sql(LOCK_TIMEOUT).execute(connection).await.map(drop)
                    })
                })
            }
        }
    }

    /// Begins a write transaction. On SQLite a deferred one could fail at its first write in spite
    /// of the busy timeout. Behind PgBouncer the next transaction has another connection, so that
    /// nothing can be set for a connection.
    pub(crate) fn begin(self, pgbouncer: bool) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN IMMEDIATE",
            Self::Postgres if pgbouncer => "BEGIN; SET LOCAL lock_timeout = '5s'",
            Self::Postgres => "BEGIN",
        }
    }

    /// Begins a transaction whose statements all read the same state, and that writes nothing.
    pub(crate) fn begin_snapshot(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN",
            Self::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        }
    }

    /// Selects the database's clock, in milliseconds since 1970.
    pub(crate) fn clock(self) -> &'static str {
        match self {
            Self::Sqlite => "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)",
            Self::Postgres => "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
        }
    }

    /// The variant of a claim for this database: PostgreSQL skips rows that other nodes have
    /// locked, SQLite has a single writer.
    pub(crate) fn claim(self, plain: &'static str, skip_locked: &'static str) -> &'static str {
        self.select(plain, skip_locked)
    }

    /// The text of a statement for this database.
    pub(crate) fn select(self, sqlite: &'static str, postgres: &'static str) -> &'static str {
        match self {
            Self::Sqlite => sqlite,
            Self::Postgres => postgres,
        }
    }
}

#[cfg(test)]
mod tests {
    use sqlx::{Connection, Row};

    use crate::{Store, StoreSettings};

    /// SQLite rolls a transaction back itself when the disk is full, as this statement does.
    #[tokio::test]
    async fn connection_is_replaced_after_sqlite_rolled_its_transaction_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite:{}/trawl.db?mode=rwc", folder.path().display());
        let store = Store::new(StoreSettings::new(url)).expect("a store");
        store.prepare().await.expect("the schema");

        let mut tx = store.begin().await.expect("a transaction");
        sqlx::raw_sql("ROLLBACK").execute(&mut *tx).await.expect("a rollback by SQLite");
        drop(tx);
        let mut tx = store.begin().await.expect("the next transaction");
        let one = sqlx::query("SELECT 1").fetch_one(&mut *tx).await.expect("a row");
        assert_eq!(one.get::<i32, _>(0), 1);
        assert!(tx.is_in_transaction());
    }
}
