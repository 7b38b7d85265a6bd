//! `PATCH /v1/schedules/{id}`: changes, pauses or resumes a schedule.

use axum::extract::State;
use axum::{Extension, Json};
use contract::{BodyFields, ChangeSchedule, RequestId, Schedule, ScheduleId};
use store::ScheduleChange;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::body::JsonBody;
use crate::caller::{Granted, JobsWrite};
use crate::openapi::{example, problems};
use crate::path::PathId;
use crate::routes::create_job::check_assistant;
use crate::scheduling::{first_slot, public_schedule, standing_order};

problems!(RouteErrors: InvalidJson, Unauthorized, Forbidden, NotFound, RequestTimeout,
    PayloadTooLarge, UnsupportedMediaType, ValidationFailed, LegalBasisRequired, RateLimited,
    ServerError, Unavailable);

/// Change a schedule
///
/// Omitted members stay unchanged. A paused schedule starts no jobs; when it is resumed, it
/// continues with the next slot, and missed slots are not started. Runs are charged to the
/// credential that last changed the request. A credential with a budget can resume or reschedule
/// only schedules that are charged to it.
#[utoipa::path(
    patch,
    path = "/v1/schedules/{id}",
    operation_id = "change_schedule",
    tag = "schedules",
    params(("id" = ScheduleId, Path, description = "The schedule.")),
    request_body(content = ChangeSchedule, description = "The changes.",
        example = json!({"paused": true})),
    responses(
        (status = 200, description = "The schedule after the change.", body = Schedule,
            example = json!(example::schedule::schedule())),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn change_schedule(
    State(state): State<ApiState>,
    caller: Granted<JobsWrite>,
    Extension(request): Extension<RequestId>,
    PathId(id): PathId<ScheduleId>,
    JsonBody(body): JsonBody,
) -> Result<Json<Schedule>, ApiError> {
    let now = state.now();
    let store = caller.store(&state);
    let old = store.schedule_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    let mut fields = BodyFields::of(&body)?;
    let by = caller.creator();
    let mut change = ScheduleChange { name: fields.label(), by, ..ScheduleChange::default() };
    let (cron, timezone) = (fields.text("cron"), fields.text("timezone"));
    change.paused = fields.flag("paused");
    let order = fields.value("request");
    let resumes = old.paused && change.paused == Some(false);
    if resumes || cron.is_some() || timezone.is_some() {
        let (new_cron, new_zone) = (cron.unwrap_or(&old.cron), timezone.unwrap_or(&old.timezone));
        match first_slot(new_cron, new_zone, state.settings(), now) {
            Ok(slot) => change.next_at = Some(slot),
            Err(error) => fields.wrong(&error.field, error.message),
        }
    }
    change.cron = cron.map(|cron| cron.trim().to_owned());
    change.timezone = timezone.map(str::to_owned);
    let errors = fields.finish();
    match order.map(|order| standing_order(order, &caller, request, &state)) {
        Some(Ok(order)) => change.job = Some(order),
        Some(Err(error)) => return Err(error.within("request", errors)),
        None => {}
    }
    if !errors.is_empty() {
        return Err(ApiError::invalid(errors));
    }
    // A new request is charged to the caller; otherwise additional runs are charged as before.
    let adds_runs = resumes || change.cron.is_some() || change.timezone.is_some();
    if adds_runs && change.job.is_none() {
        caller.may_spend_for(old.job.creator.as_ref(), old.job.request.mode)?;
    }
    let accepts = change.job.as_ref().is_some_and(|order| order.acceptance.is_some());
    check_assistant(&caller, accepts, &state).await?;
    let changed = store.change_schedule(&caller.account, &id, &change).await?;
    Ok(Json(public_schedule(changed.ok_or_else(ApiError::not_found)?, now)))
}
