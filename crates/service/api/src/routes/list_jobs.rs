//! `GET /v1/jobs`: the account's jobs, newest first.

use axum::Json;
use axum::extract::State;
use contract::{JobList, Mode, ScheduleId, Status};
use store::JobFilter;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{Granted, JobsRead};
use crate::openapi::{PageParams, example, problems};
use crate::query::Params;

problems!(RouteErrors: Unauthorized, Forbidden, ValidationFailed, RateLimited, ServerError, Unavailable);

/// List jobs
///
/// The account's jobs, newest first. A page beyond the last is empty.
#[utoipa::path(
    get,
    path = "/v1/jobs",
    operation_id = "list_jobs",
    tag = "jobs",
    params(
        PageParams,
        ("status" = Option<Status>, Query, description = "Only jobs with this status."),
        ("mode" = Option<Mode>, Query, description = "Only jobs of this mode."),
        ("source" = Option<String>, Query, description = "Only jobs of this channel."),
        ("schedule" = Option<ScheduleId>, Query, description = "Only runs of this schedule."),
    ),
    responses(
        (status = 200, description = "A page of jobs.", body = JobList, example = json!(example::jobs())),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn list_jobs(
    State(state): State<ApiState>,
    caller: Granted<JobsRead>,
    mut params: Params,
) -> Result<Json<JobList>, ApiError> {
    let settings = state.settings();
    let page = params.page(&settings.limits);
    let filter = JobFilter {
        account: Some(caller.account.clone()),
        status: params.one_of("status", Status::ALL),
        mode: params.one_of("mode", Mode::ALL),
        source: params.one_of("source", &settings.sources),
        schedule: params.id("schedule", "a schedule"),
    };
    params.finish()?;
    let (jobs, total) = state.store().jobs(&filter, page).await?;
    Ok(Json(JobList {
        items: jobs.iter().map(job::Job::public).collect(),
        total,
        page: page.number,
        page_size: page.size,
    }))
}
