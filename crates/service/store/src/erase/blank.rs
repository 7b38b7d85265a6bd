//! What SQLite leaves behind: free pages of the file, and the pages of its write-ahead log.
//!
//! PostgreSQL keeps old versions of rows until it cleans up after itself; that is its
//! operator's to hasten.

use std::time::Duration;

use sqlx::{Any, Row, pool::PoolConnection};

use crate::{Dialect, Store, StoreError};

/// Pages that are filled up at a time: the service writes in between.
const PAGES: i64 = 1_024;

/// How often the log is tried to be emptied: a reader may stand in the way.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(250);

const FREE: &str = "PRAGMA freelist_count";
const PAGE_SIZE: &str = "PRAGMA page_size";
const LAST: &str = "SELECT COALESCE(MAX(id), 0) FROM blank_pages";
const FILL: &str = "INSERT INTO blank_pages (id, body) VALUES ($1, zeroblob($2))";
const EMPTY: &str = "DELETE FROM blank_pages";
const CHECKPOINT: &str = "PRAGMA wal_checkpoint(TRUNCATE)";

impl Store {
    /// Overwrites the free pages of the file and empties the log.
    pub(crate) async fn blank_free_pages(&self) -> Result<(), StoreError> {
        if self.dialect() == Dialect::Postgres {
            return Ok(());
        }
        let mut connection = self.inner.writer.acquire().await?;
        // What a log still holds becomes part of the file, or goes.
        empty_log(&mut connection).await?;
        let page: i64 = sqlx::query_scalar(PAGE_SIZE).fetch_one(&mut *connection).await?;
        let mut free: i64 = sqlx::query_scalar(FREE).fetch_one(&mut *connection).await?;
        let last: i64 = sqlx::query_scalar(LAST).fetch_one(&mut *connection).await?;
        let mut id = last;
        // The service may free pages all the while; those hold nothing that was erased.
        let rounds = free / PAGES + 8;
        while free > 0 && id - last < rounds {
            id += 1;
            let bytes = free.min(PAGES) * (page - 4);
            sqlx::query(FILL).bind(id).bind(bytes).execute(&mut *connection).await?;
            free = sqlx::query_scalar(FREE).fetch_one(&mut *connection).await?;
        }
        sqlx::query(EMPTY).execute(&mut *connection).await?;
        empty_log(&mut connection).await
    }
}

async fn empty_log(connection: &mut PoolConnection<Any>) -> Result<(), StoreError> {
    for _ in 0..TRIES {
        let row = sqlx::query(CHECKPOINT).fetch_one(&mut **connection).await?;
        if row.try_get::<i64, _>(0)? == 0 {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
    Err(StoreError::Locked("readers kept the write-ahead log from being emptied".to_owned()))
}
