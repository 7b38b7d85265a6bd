//! `GET /v1/schedules/{id}`: one schedule.

use axum::Json;
use axum::extract::State;
use contract::{Schedule, ScheduleId};

use crate::ApiState;
use crate::caller::{Granted, JobsRead};
use crate::fault::Fault;
use crate::openapi::{example, problems};
use crate::path::Id;
use crate::scheduling::shown;

problems!(Refusals: Unauthorized, Forbidden, NotFound, RateLimited, ServerError, Unavailable);

/// Get a schedule
#[utoipa::path(
    get,
    path = "/v1/schedules/{id}",
    operation_id = "get_schedule",
    tag = "schedules",
    params(("id" = ScheduleId, Path, description = "The schedule.")),
    responses(
        (status = 200, description = "The schedule.", body = Schedule,
            example = json!(example::schedule::schedule())),
        Refusals,
    ),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn get_schedule(
    State(state): State<ApiState>,
    caller: Granted<JobsRead>,
    Id(id): Id<ScheduleId>,
) -> Result<Json<Schedule>, Fault> {
    let found = state.store().schedule_of(&caller.account, &id).await?;
    let record = found.ok_or_else(Fault::not_found)?;
    Ok(Json(shown(record, state.now())))
}
