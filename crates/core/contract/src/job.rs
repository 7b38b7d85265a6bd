//! Jobs as the API returns them. Specification: `docs/spec/jobs.md`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::string_enum::string_enum;
use crate::{
    Credits, ErrorCode, External, FailureCause, JobFiles, JobId, JobLabels, JobWebhook, ListId,
    Millis, Mode, OnProtected, Options, Scope, SiteAccess, Status,
};

/// A job as the API returns it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PublicJob {
    pub job_id: JobId,
    pub mode: Mode,
    pub status: Status,
    /// Start URL; null for a `contacts` job over `domains`.
    #[schema(required = true)]
    pub url: Option<String>,
    pub counts: Counts,
    /// Credits consumed so far.
    pub credits_used: Credits,
    /// Rate in force, 0 on a sample site; null until it is known whether the site is protected.
    #[schema(required = true)]
    pub credit_per_unit: Option<Credits>,
    /// Whether the run is charged at the protected tier.
    pub protected: bool,
    /// The marker that identified the protection.
    #[schema(required = true)]
    pub protected_marker: Option<String>,
    /// Batch currently being crawled; 1 for a single-batch run.
    pub batch: u32,
    /// True when the run stopped on a batch boundary with more of the site left.
    pub batch_ready: bool,
    /// Batch a confirm would start; null when not waiting on a boundary.
    #[schema(required = true)]
    pub next_batch: Option<u32>,
    /// `external` of the request that created the job.
    #[schema(required = true)]
    pub external: Option<External>,
    /// Channel of the key that created the job.
    pub source: String,
    pub created_at: Millis,
    #[schema(required = true)]
    pub finished_at: Option<Millis>,
    #[schema(required = true)]
    pub error: Option<JobError>,
    /// The name that its owner gave it; only in responses about single jobs and in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The tags that its owner gave it; only in responses about single jobs and in lists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// `scope` as accepted, with the defaults; only in the response of `GET /v1/jobs/{id}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// `options` as accepted, with the defaults; only in the response of `GET /v1/jobs/{id}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Options>,
    /// What happens at a protected site; only in the response of `GET /v1/jobs/{id}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_protected: Option<OnProtected>,
    /// The maximum rate that `auto` accepts; only in the response of `GET /v1/jobs/{id}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_credit_per_unit: Option<Credits>,
    /// The uploaded list of the request; only in the response of `GET /v1/jobs/{id}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list_id: Option<ListId>,
    /// `webhook` of the request, without its secret; only in the response of `GET /v1/jobs/{id}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook: Option<JobWebhook>,
    /// How pages are requested, if the request says anything about it: `(hidden)` takes the place of
    /// secrets. Only in the response of `GET /v1/jobs/{id}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access: Option<SiteAccess>,
    /// What is kept of the pages, if the request has `formats`. Only in the response of
    /// `GET /v1/jobs/{id}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<JobFiles>,
}

impl PublicJob {
    /// The job with its name and tags.
    #[must_use]
    pub fn labelled(self, JobLabels { name, tags }: JobLabels) -> Self {
        Self { name, tags, ..self }
    }
}

/// Counters of a run so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Counts {
    /// Distinct in-scope URLs discovered so far, fetched or not.
    pub pages: u64,
    /// Pages classified as products (`products` mode).
    pub products: u64,
    /// Items that the results endpoint can return now.
    pub results: u64,
}

/// Why a run failed or stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobError {
    pub code: ErrorCode,
    pub message: String,
    /// What failed, if the site could not be read: present with `server_error`, `url_not_resolved`,
    /// `invalid_url`, `target_blocked`, `rate_limited` and `no_data` when all pages failed alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<FailureCause>,
}

impl JobError {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), cause: None }
    }
}

/// The response to the creation of a job.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JobAccepted {
    pub job_id: JobId,
    pub status: Status,
    pub mode: Mode,
    #[schema(required = true)]
    pub url: Option<String>,
    pub created_at: Millis,
    /// With `if_busy` `queue`: the unfinished run on the same site that this job waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for_job: Option<JobId>,
    /// The key of the signatures of deliveries to `webhook` of the request. Stored encrypted, and
    /// shown in this response only: a retry with the same `Idempotency-Key` gets none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "whsec_0000000000000000000000000000000000000000000")]
    pub webhook_secret: Option<String>,
}

impl std::fmt::Debug for JobAccepted {
    // A secret never reaches a log, not even by way of `{:?}`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JobAccepted")
            .field("job_id", &self.job_id)
            .field("status", &self.status)
            .field("mode", &self.mode)
            .field("waits_for_job", &self.waits_for_job)
            .field("url", &self.url)
            .field("created_at", &self.created_at)
            .finish_non_exhaustive()
    }
}

string_enum! {
    /// The order of a list of jobs.
    pub enum JobSort {
        /// The newest jobs first.
        Newest = "newest",
        /// The oldest jobs first.
        Oldest = "oldest",
        /// Those with the most results first.
        Results = "results",
        /// Those that used the most credits first.
        Credits = "credits",
    }
}

/// A page of jobs, newest first unless another order is requested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JobList {
    pub items: Vec<PublicJob>,
    pub total: u64,
    pub page: u64,
    pub page_size: u64,
}

/// The body that confirms a waiting job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[serde(deny_unknown_fields)]
pub struct Confirm {
    /// Continue past a batch boundary instead of accepting the rate of a protected site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub continue_batch: Option<bool>,
    /// Raise `max_credit_per_unit` of the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_credit_per_unit: Option<Credits>,
    /// Raise `options.max_credits` of the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_credits: Option<Credits>,
}
