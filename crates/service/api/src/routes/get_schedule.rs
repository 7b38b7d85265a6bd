//! `GET /v1/schedules/{id}`: returns a schedule.

use axum::Json;
use axum::extract::State;
use contract::{Schedule, ScheduleId};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{Granted, JobsRead};
use crate::openapi::{example, problems};
use crate::path::PathId;
use crate::scheduling::public_schedule;

problems!(RouteErrors: Unauthorized, Forbidden, NotFound, RateLimited, ServerError, Unavailable);

/// Get a schedule
///
/// The schedule with its next starts and its newest run.
#[utoipa::path(
    get,
    path = "/v1/schedules/{id}",
    operation_id = "get_schedule",
    tag = "schedules",
    params(("id" = ScheduleId, Path, description = "The schedule.")),
    responses(
        (status = 200, description = "The schedule.", body = Schedule,
            example = json!(example::schedule::schedule())),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn get_schedule(
    State(state): State<ApiState>,
    caller: Granted<JobsRead>,
    PathId(id): PathId<ScheduleId>,
) -> Result<Json<Schedule>, ApiError> {
    let found = state.store().schedule_of(&caller.account, &id).await?;
    let record = found.ok_or_else(ApiError::not_found)?;
    Ok(Json(public_schedule(record, state.now())))
}
