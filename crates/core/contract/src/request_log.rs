//! The requests of a run: its log for people.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{FailureCause, JobId, Millis};

/// A request of a run with its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RequestLogLine {
    /// When the response was complete, or the request had failed.
    pub at: Millis,
    pub url: String,
    /// Null if there was no response.
    #[schema(required = true)]
    pub status_code: Option<u16>,
    #[schema(required = true)]
    pub size_bytes: Option<u64>,
    #[schema(required = true)]
    pub response_ms: Option<u64>,
    /// Why there is no usable response; null if there is one, whatever its status is.
    #[schema(required = true)]
    pub cause: Option<FailureCause>,
}

/// A page of the requests of a run, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RequestLogPage {
    pub job_id: JobId,
    pub items: Vec<RequestLogLine>,
    /// Number of requests that are kept: the newest ones.
    pub total: u64,
    pub page: u64,
    pub page_size: u64,
    /// True when another page follows.
    pub has_more: bool,
}
