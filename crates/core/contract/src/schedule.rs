//! Schedules: a request for a job that a clock starts, again and again.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{CreateJob, Creator, JobError, JobId, Millis, ScheduleId, Status};

/// A schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Schedule {
    pub id: ScheduleId,
    #[schema(example = "Every morning")]
    pub name: String,
    /// Minute, hour, day, month and weekday; names, ranges, lists, steps and nicknames.
    #[schema(example = "0 6 * * MON-FRI")]
    pub cron: String,
    /// The zone of the IANA database that `cron` is read in.
    #[schema(example = "Europe/Berlin")]
    pub timezone: String,
    /// What is started, as `POST /v1/jobs` takes it.
    pub request: CreateJob,
    /// Whether the clock starts nothing at present.
    pub paused: bool,
    /// The next five starts; none while it is paused.
    pub next_runs: Vec<Millis>,
    /// Its newest run; null when none is kept.
    #[schema(required = true)]
    pub last_run: Option<LastRun>,
    pub created_at: Millis,
    /// The key or application that made it or changed its request last; null when a person did,
    /// or it is not known.
    #[serde(default)]
    #[schema(required = true)]
    pub created_by: Option<Creator>,
}

/// The newest run of a schedule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LastRun {
    pub job_id: JobId,
    pub status: Status,
    /// When it was started, or could not be.
    pub at: Millis,
    #[schema(required = true)]
    pub error: Option<JobError>,
}

/// The body that creates a schedule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateSchedule {
    /// The host of the request when omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 100, example = "Every morning")]
    pub name: Option<String>,
    /// Minute, hour, day, month and weekday, as `0 6 * * MON-FRI`; or `@hourly`, `@daily`,
    /// `@weekly`, `@monthly`, `@yearly`. Every five minutes at the most.
    #[schema(max_length = 200, example = "0 6 * * MON-FRI")]
    pub cron: String,
    /// A zone of the IANA database; `UTC` when omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Europe/Berlin")]
    pub timezone: Option<String>,
    /// What is started, as `POST /v1/jobs` takes it, and judged by the same rules now.
    pub request: CreateJob,
    /// Start nothing yet; false when omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
}

/// The body that changes a schedule. What is left out stays as it is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeSchedule {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 100)]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 200)]
    pub cron: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// The whole request: it takes the place of the old one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<CreateJob>,
    /// False goes on with the next slot from now; what was passed over stays so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<bool>,
}

/// A page of schedules, newest first. It ends after `page_size` schedules or before the one that
/// would bring it over 16 MiB, and the next page begins right there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ScheduleList {
    pub items: Vec<Schedule>,
    pub total: u64,
    pub page: u64,
    pub page_size: u64,
    /// Whether there are schedules after this page.
    pub has_more: bool,
    /// How many schedules come before this page.
    pub offset: u64,
}
