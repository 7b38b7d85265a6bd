//! Where a run stands, for whoever watches it.

use contract::JobId;
use job::Job;
use sqlx::Row;

use crate::job_row::{self, count, job_columns};
use crate::{Store, StoreError};

/// Where a run stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    pub job: Job,
    /// Moves with every commit and every command: what is below it has been seen.
    pub revision: i64,
    /// URLs that the run is done with, delivered or not.
    pub fetched: u64,
    /// Some of those that were being fetched when it last wrote something down.
    pub fetching: Vec<String>,
}

const READ: &str = concat!("SELECT ", job_columns!(), ", revision FROM jobs WHERE id = $1");
const FETCHED: &str =
    "SELECT CAST(COALESCE(SUM(fetched), 0) AS BIGINT) AS fetched FROM shards WHERE job_id = $1";
/// Only what somebody holds: a shard that was parked or given back fetches nothing.
const FETCHING: &str = "SELECT fetching FROM shards WHERE job_id = $1 AND state = 'open' \
    AND owner IS NOT NULL AND fetching <> '' ORDER BY number LIMIT 4";

/// The most URLs that are told, however many shards a job has.
const SHOWN: usize = 4;

impl Store {
    /// Where the run stands; `None` when there is no such job, or not any more.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn progress(&self, id: &JobId) -> Result<Option<Progress>, StoreError> {
        let reader = self.reader()?;
        // The revision first: what is read after it is at least as new, so that nothing
        // passes for seen that was not.
        let row = sqlx::query(READ).bind(id.as_str()).fetch_optional(reader).await?;
        let Some(row) = row else { return Ok(None) };
        let (job, revision) = (job_row::read(&row)?, row.try_get("revision")?);
        let row = sqlx::query(FETCHED).bind(id.as_str()).fetch_one(reader).await?;
        let fetched = count(&row, "fetched")?;
        let mut fetching = Vec::new();
        if !job.status.is_final() {
            let lists: Vec<String> =
                sqlx::query_scalar(FETCHING).bind(id.as_str()).fetch_all(reader).await?;
            let urls = lists.iter().flat_map(|list| list.lines()).take(SHOWN);
            fetching.extend(urls.map(str::to_owned));
        }
        Ok(Some(Progress { job, revision, fetched, fetching }))
    }
}
