//! `DELETE /v1/schedules/{id}`: deletes a schedule.

use axum::extract::State;
use axum::http::StatusCode;
use contract::ScheduleId;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{Granted, JobsWrite};
use crate::openapi::problems;
use crate::path::PathId;

problems!(RouteErrors: Unauthorized, Forbidden, NotFound, RateLimited, ServerError, Unavailable);

/// Delete a schedule
///
/// Its jobs stay, and a running one continues.
#[utoipa::path(
    delete,
    path = "/v1/schedules/{id}",
    operation_id = "remove_schedule",
    tag = "schedules",
    params(("id" = ScheduleId, Path, description = "The schedule.")),
    responses((status = 200, description = "The schedule is deleted; the body is empty."), RouteErrors),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn remove_schedule(
    State(state): State<ApiState>,
    caller: Granted<JobsWrite>,
    PathId(id): PathId<ScheduleId>,
) -> Result<StatusCode, ApiError> {
    if caller.store(&state).remove_schedule(&caller.account, &id).await? {
        Ok(StatusCode::OK)
    } else {
        Err(ApiError::not_found())
    }
}
