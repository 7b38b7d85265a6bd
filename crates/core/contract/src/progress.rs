//! What a stream of events tells of a running job.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Counts, Credits, JobError, JobId, Status};

/// Where a run stands: the data of each event of `GET /v1/jobs/{id}/events`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JobProgress {
    pub job_id: JobId,
    pub status: Status,
    pub counts: Counts,
    /// URLs that the run is done with, delivered or not; domains in `contacts`.
    pub fetched: u64,
    /// Of those a second, over the last ten seconds; null while nobody has watched for long
    /// enough to tell, and while the job does not run.
    #[schema(required = true)]
    pub rate: Option<f64>,
    /// Some of the URLs that were being fetched when the run last wrote something down.
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
