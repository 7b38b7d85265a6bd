//! The progress of a run, for live streams.

use contract::JobId;
use job::Job;

use crate::columns::{ReadColumn, scalar, sql};
use crate::job_row::{self, job_columns};
use crate::{Result, Store};

/// The progress of a run at its last commit, as live streams send it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunProgress {
    pub job: Job,
    /// Increases with every commit and command.
    pub revision: i64,
    /// Finished URLs, delivered or skipped.
    pub fetched: u64,
    /// Some of the URLs that were being fetched at the last commit.
    pub fetching: Vec<String>,
}

const READ: &str = concat!("SELECT ", job_columns!(), ", revision FROM jobs WHERE id = $1");
const FETCHED: &str =
    "SELECT CAST(COALESCE(SUM(fetched), 0) AS BIGINT) AS fetched FROM shards WHERE job_id = $1";
/// Leased shards only: a parked or released shard fetches nothing.
const FETCHING: &str = "SELECT fetching FROM shards WHERE job_id = $1 AND state = 'open' \
    AND owner IS NOT NULL AND fetching <> '' ORDER BY number LIMIT 4";

/// Maximum URLs in [`RunProgress::fetching`], over all shards.
const MAX_FETCHING: usize = 4;

impl Store {
    /// The progress of a job; `None` when it does not exist or was purged.
    pub async fn progress(&self, id: &JobId) -> Result<Option<RunProgress>> {
        let reader = self.reader()?;
        // The revision is read first: the values read after it are at least as new, so that no
        // change is missed.
        let Some(row) = sql!(READ; id).fetch_optional(reader).await? else { return Ok(None) };
        let (job, revision) = (job_row::read(&row)?, row.read("revision")?);
        let row = sql!(FETCHED; id).fetch_one(reader).await?;
        let fetched = row.read("fetched")?;
        let mut fetching = Vec::new();
        if !job.status.is_final() {
            let lists: Vec<String> = scalar!(FETCHING; id).fetch_all(reader).await?;
            let urls = lists.iter().flat_map(|list| list.lines()).take(MAX_FETCHING);
            fetching.extend(urls.map(str::to_owned));
        }
        Ok(Some(RunProgress { job, revision, fetched, fetching }))
    }
}
