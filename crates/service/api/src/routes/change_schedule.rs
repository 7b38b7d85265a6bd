//! `PATCH /v1/schedules/{id}`: other times, another request, a pause.

use axum::extract::State;
use axum::{Extension, Json};
use contract::{ChangeSchedule, RequestId, Schedule, ScheduleId};
use store::ScheduleChange;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::body::{BodyFields, JsonBody};
use crate::caller::{Granted, JobsWrite};
use crate::openapi::{example, problems};
use crate::path::PathId;
use crate::routes::create_job::hold_assistant;
use crate::scheduling::{first_slot, shown, standing_order};

problems!(Refusals: InvalidJson, Unauthorized, Forbidden, NotFound, RequestTimeout,
    PayloadTooLarge, UnsupportedMediaType, ValidationFailed, LegalBasisRequired, RateLimited,
    ServerError, Unavailable);

/// Change a schedule
///
/// What is left out stays as it is. A schedule that is paused starts nothing; when it goes on,
/// it does so with the next slot, and what it passed over is not made up for. Whoever changes
/// the request is its writer from then on. A credential with a budget may let the schedules that
/// are charged to it go on or change their times, no others.
#[utoipa::path(
    patch,
    path = "/v1/schedules/{id}",
    operation_id = "change_schedule",
    tag = "schedules",
    params(("id" = ScheduleId, Path, description = "The schedule.")),
    request_body(content = ChangeSchedule, description = "What is to be otherwise.",
        example = json!({"paused": true})),
    responses(
        (status = 200, description = "The schedule as it is now.", body = Schedule,
            example = json!(example::schedule::schedule())),
        Refusals,
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
    let goes_on = old.paused && change.paused == Some(false);
    if goes_on || cron.is_some() || timezone.is_some() {
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
        Some(Ok(order)) => change.order = Some(order),
        Some(Err(fault)) => return Err(fault.within("request", errors)),
        None => {}
    }
    if !errors.is_empty() {
        return Err(ApiError::invalid(errors));
    }
    // Another request is charged to the caller; without one, more runs are charged as before.
    let runs_more = goes_on || change.cron.is_some() || change.timezone.is_some();
    if runs_more && change.order.is_none() {
        caller.may_spend_for(old.order.creator.as_ref(), old.order.request.mode)?;
    }
    let accepts = change.order.as_ref().is_some_and(|order| order.acceptance.is_some());
    hold_assistant(&caller, accepts, &state).await?;
    let changed = store.change_schedule(&caller.account, &id, &change).await?;
    Ok(Json(shown(changed.ok_or_else(ApiError::not_found)?, now)))
}
