//! The data of progress events.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Counts, Credits, JobError, JobId, Status};

/// The progress of a job: the data of each event of `GET /v1/jobs/{id}/events`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JobProgress {
    pub job_id: JobId,
    pub status: Status,
    pub counts: Counts,
    /// Finished URLs, delivered or not; domains in `contacts`.
    pub fetched: u64,
    /// Finished URLs per second over the last ten seconds; null at the start of the stream and while
    /// the job does not run.
    #[schema(required = true)]
    pub rate: Option<f64>,
    /// Some of the URLs in flight at the last commit of the run.
    pub fetching: Vec<String>,
    /// Credits consumed so far.
    pub credits_used: Credits,
    /// Batch currently being crawled.
    pub batch: u32,
    /// True when the run stopped on a batch boundary with more of the site left.
    pub batch_ready: bool,
    #[schema(required = true)]
    pub error: Option<JobError>,
}
