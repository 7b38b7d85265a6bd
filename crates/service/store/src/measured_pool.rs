//! A pool whose connections are measured: how long each caller waited for one.

use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use sqlx::any::{AnyQueryResult, AnyRow, AnyStatement, AnyTypeInfo};
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyPool, Either, Execute, Executor, SqlStr};
use tokio::time::Instant;

use crate::columns::Tx;

/// A pool and the name of its use in metrics. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct MeasuredPool {
    pool: AnyPool,
    name: &'static str,
}

impl MeasuredPool {
    pub fn new(pool: AnyPool, name: &'static str) -> Self {
        Self { pool, name }
    }

    /// Begins a transaction with this statement. With SQLite, waiting for its only writer is part of
    /// the measured time.
    pub async fn begin_with(&self, begin: &'static str) -> sqlx::Result<Tx> {
        let asked_at = Instant::now();
        let tx = self.pool.begin_with(begin).await;
        self.record(asked_at.elapsed());
        tx
    }

    pub async fn begin(&self) -> sqlx::Result<Tx> {
        self.begin_with("BEGIN").await
    }

    pub async fn close(&self) {
        self.pool.close().await;
    }

    pub async fn acquire(&self) -> sqlx::Result<PoolConnection<Any>> {
        let asked_at = Instant::now();
        let connection = self.pool.acquire().await;
        // A wait that ends in a timeout is the longest one.
        self.record(asked_at.elapsed());
        connection
    }

    fn record(&self, wait: Duration) {
        metrics::histogram!("trawl_pool_wait_seconds", "pool" => self.name)
            .record(wait.as_secs_f64());
    }
}

/// Executes a query on a connection of the pool, as `&AnyPool` does.
impl<'p> Executor<'p> for &'_ MeasuredPool {
    type Database = Any;

    /// The rows are read before the first one is returned: no caller reads a part of them.
    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<'e, sqlx::Result<Either<AnyQueryResult, AnyRow>>>
    where
        E: 'q + Execute<'q, Any>,
    {
        let pool = self.clone();
        let rows = async move {
            let mut connection = pool.acquire().await?;
            let rows: Vec<_> = connection.fetch_many(query).try_collect().await?;
            Ok::<_, sqlx::Error>(stream::iter(rows.into_iter().map(Ok::<_, sqlx::Error>)))
        };
        stream::once(rows).try_flatten().boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, sqlx::Result<Option<AnyRow>>>
    where
        E: 'q + Execute<'q, Any>,
    {
        let pool = self.clone();
        Box::pin(async move { pool.acquire().await?.fetch_optional(query).await })
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [AnyTypeInfo],
    ) -> BoxFuture<'e, sqlx::Result<AnyStatement>>
    where
        'p: 'e,
    {
        let pool = self.clone();
        Box::pin(async move { pool.acquire().await?.prepare_with(sql, parameters).await })
    }
}

#[cfg(test)]
mod tests {
    use metrics_exporter_prometheus::PrometheusBuilder;
    use sqlx::any::AnyPoolOptions;

    use super::*;

    #[tokio::test]
    async fn every_wait_for_a_connection_is_recorded_also_one_that_times_out() {
        let recorder = PrometheusBuilder::new().build_recorder();
        // The tasks of this test run on its thread.
        let _guard = metrics::set_default_local_recorder(&recorder);
        sqlx::any::install_default_drivers();
        let options =
            AnyPoolOptions::new().max_connections(1).acquire_timeout(Duration::from_millis(50));
        let pool = options.connect_lazy("sqlite::memory:").expect("an address");
        let pool = MeasuredPool::new(pool, "read");
        let held = pool.acquire().await.expect("the only connection");
        assert!(sqlx::query("SELECT 1").fetch_all(&pool).await.is_err(), "it times out");
        assert!(pool.begin_with("BEGIN").await.is_err(), "it times out");
        drop(held);
        let rows = sqlx::query("SELECT 1 UNION SELECT 2").fetch_all(&pool).await;
        assert_eq!(rows.expect("it answers").len(), 2);
        let row = sqlx::query("SELECT 1").fetch_optional(&pool).await.expect("it answers");
        assert!(row.is_some());
        let metrics = recorder.handle().render();
        let count = "trawl_pool_wait_seconds_count{pool=\"read\"} 5";
        assert!(metrics.contains(count), "{metrics}");
    }
}
