//! Overwrites deleted data in the SQLite file: its free pages and its write-ahead log.
//!
//! PostgreSQL keeps old row versions until VACUUM, which its operator runs.

use std::time::Duration;

use sqlx::{Any, Row, pool::PoolConnection};

use crate::{Dialect, Result, Store, StoreError};

/// Pages that one statement overwrites: the service writes in between.
const PAGES: i64 = 1_024;

/// Attempts to truncate the write-ahead log: an open reader blocks it.
const CHECKPOINT_ATTEMPTS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(250);

const FREE: &str = "PRAGMA freelist_count";
const PAGE_SIZE: &str = "PRAGMA page_size";
const LAST: &str = "SELECT COALESCE(MAX(id), 0) FROM blank_pages";
const FILL: &str = "INSERT INTO blank_pages (id, body) VALUES ($1, zeroblob($2))";
const EMPTY: &str = "DELETE FROM blank_pages";
const CHECKPOINT: &str = "PRAGMA wal_checkpoint(TRUNCATE)";

impl Store {
    /// Overwrites the free pages of the file and truncates the write-ahead log.
    pub(crate) async fn overwrite_free_pages(&self) -> Result<()> {
        if self.dialect() == Dialect::Postgres {
            return Ok(());
        }
        let mut connection = self.inner.writer.acquire().await?;
        truncate_log(&mut connection).await?;
        let page: i64 = sqlx::query_scalar(PAGE_SIZE).fetch_one(&mut *connection).await?;
        let mut free: i64 = sqlx::query_scalar(FREE).fetch_one(&mut *connection).await?;
        let last: i64 = sqlx::query_scalar(LAST).fetch_one(&mut *connection).await?;
        let mut id = last;
        // Pages that the service frees meanwhile hold nothing that was erased.
        let rounds = free / PAGES + 8;
        while free > 0 && id - last < rounds {
            id += 1;
            let bytes = free.min(PAGES) * (page - 4);
            sqlx::query(FILL).bind(id).bind(bytes).execute(&mut *connection).await?;
            free = sqlx::query_scalar(FREE).fetch_one(&mut *connection).await?;
        }
        sqlx::query(EMPTY).execute(&mut *connection).await?;
        truncate_log(&mut connection).await
    }
}

async fn truncate_log(connection: &mut PoolConnection<Any>) -> Result<()> {
    for _ in 0..CHECKPOINT_ATTEMPTS {
        let row = sqlx::query(CHECKPOINT).fetch_one(&mut **connection).await?;
        if row.try_get::<i64, _>(0)? == 0 {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
    Err(StoreError::Locked("open readers blocked the truncation of the write-ahead log".to_owned()))
}
