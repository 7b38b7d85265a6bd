//! Schedules: job requests that start by a cron expression.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Creator, JobError, JobId, JobRequest, Millis, ScheduleId, Status};

/// A schedule that starts jobs by a cron expression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Schedule {
    pub id: ScheduleId,
    #[schema(example = "Every morning")]
    pub name: String,
    /// Minute, hour, day, month and weekday; names, ranges, lists, steps and nicknames.
    #[schema(example = "0 6 * * MON-FRI")]
    pub cron: String,
    /// The time zone of `cron`, from the IANA database.
    #[schema(example = "Europe/Berlin")]
    pub timezone: String,
    /// The job request, as in `POST /v1/jobs`.
    pub request: JobRequest,
    /// Whether the schedule is paused and starts no jobs.
    pub paused: bool,
    /// The next five starts; empty while it is paused.
    pub next_runs: Vec<Millis>,
    /// The newest run; null if none is stored.
    #[schema(required = true)]
    pub last_run: Option<LastRun>,
    pub created_at: Millis,
    /// The key or application that created it or changed its request last; null for a session, or if
    /// unknown.
    #[serde(default)]
    #[schema(required = true)]
    pub created_by: Option<Creator>,
}

/// The newest run of a schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LastRun {
    pub job_id: JobId,
    pub status: Status,
    /// When it started or failed to start.
    pub at: Millis,
    #[schema(required = true)]
    pub error: Option<JobError>,
}

/// The body that creates a schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateSchedule {
    /// Name of the schedule; the host of the request when omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        min_length = 1,
        max_length = 100,
        example = "Every morning",
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    pub name: Option<String>,
    /// Minute, hour, day, month and weekday, as `0 6 * * MON-FRI`; or `@hourly`, `@daily`,
    /// `@weekly`, `@monthly`, `@yearly`. At most every five minutes.
    #[schema(max_length = 200, example = "0 6 * * MON-FRI")]
    pub cron: String,
    /// A time zone of the IANA database; `UTC` when omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Europe/Berlin")]
    pub timezone: Option<String>,
    /// The job request, as in `POST /v1/jobs`; validated now.
    pub request: JobRequest,
    /// Create the schedule paused; false when omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
}

/// The body that changes a schedule. Omitted members stay unchanged.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeSchedule {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        min_length = 1,
        max_length = 100,
        pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"
    )]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 200)]
    pub cron: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// The whole request, which replaces the old one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<JobRequest>,
    /// False resumes with the next slot; missed slots are not started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
}

/// A page of schedules, newest first. It ends after `page_size` schedules or before 16 MiB are
/// exceeded; the next page continues there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ScheduleList {
    pub items: Vec<Schedule>,
    pub total: u64,
    pub page: u64,
    pub page_size: u64,
    /// True when another page follows.
    pub has_more: bool,
    /// Number of schedules before this page.
    pub offset: u64,
}
