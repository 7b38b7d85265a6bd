//! `POST /v1/schedules/{id}/run`: starts the job of a schedule now.

use axum::extract::State;
use axum::response::Response;
use contract::{JobAccepted, ScheduleId};

use super::create_job::creation_response;
use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{Granted, JobsWrite};
use crate::openapi::{example, problems};
use crate::path::PathId;

problems!(RouteErrors: Unauthorized, InsufficientCredits, Forbidden, NotFound, Conflict,
    AwaitingConfirmation, ValidationFailed, RateLimited, ServerError, Unavailable);

/// Run a schedule now
///
/// Starts the request of the schedule at once, also when it is paused; its slots stay unchanged.
/// Errors are those of `POST /v1/jobs`; then no job is created.
#[utoipa::path(
    post,
    path = "/v1/schedules/{id}/run",
    operation_id = "run_schedule",
    tag = "schedules",
    params(("id" = ScheduleId, Path, description = "The schedule.")),
    responses(
        (status = 202, description = "Accepted: the job is queued.", body = JobAccepted,
            example = json!(example::accepted())),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn run_schedule(
    State(state): State<ApiState>,
    caller: Granted<JobsWrite>,
    PathId(id): PathId<ScheduleId>,
) -> Result<Response, ApiError> {
    let batch_size = state.settings().limits.batch_size;
    let store = state.store();
    let schedule =
        store.schedule_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    caller.check_mode(schedule.job.request.mode)?;
    let creator = caller.creator();
    let charged = (batch_size, creator.as_ref());
    let run = store.run_schedule(&caller.account, &id, charged, state.now()).await?;
    creation_response(run.ok_or_else(ApiError::not_found)?, &state)
}
