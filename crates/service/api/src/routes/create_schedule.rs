//! `POST /v1/schedules`: creates a schedule.

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use contract::{BodyFields, CreateSchedule, ProblemCode, RequestId, Schedule};
use store::NewSchedule;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::body::JsonBody;
use crate::caller::{Granted, JobsWrite};
use crate::openapi::{example, problems};
use crate::routes::create_job::check_assistant;
use crate::scheduling::{first_slot, public_schedule, standing_order};

problems!(RouteErrors: InvalidJson, Unauthorized, Forbidden, RequestTimeout, Conflict,
    PayloadTooLarge, UnsupportedMediaType, ValidationFailed, LegalBasisRequired, RateLimited,
    ServerError, Unavailable);

const DEFAULT_ZONE: &str = "UTC";

/// Create a schedule
///
/// The request is validated now by the rules of `POST /v1/jobs`. A start that is not possible
/// creates a `failed` job with the error `schedule_previous_run_in_progress`,
/// `schedule_missed_window` or `schedule_start_failed`. A slot that does not exist because summer
/// time begins fires right after the change; one that occurs twice fires once.
#[utoipa::path(
    post,
    path = "/v1/schedules",
    operation_id = "create_schedule",
    tag = "schedules",
    request_body(content = CreateSchedule, description = "What to start, and when.",
        example = json!(example::schedule::create())),
    responses(
        (status = 201, description = "The schedule.", body = Schedule,
            example = json!(example::schedule::schedule())),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn create_schedule(
    State(state): State<ApiState>,
    caller: Granted<JobsWrite>,
    Extension(request): Extension<RequestId>,
    JsonBody(body): JsonBody,
) -> Result<(StatusCode, Json<Schedule>), ApiError> {
    let now = state.now();
    let mut fields = BodyFields::of(&body)?;
    let given_name = fields.label();
    let cron = fields.text("cron");
    fields.require("cron");
    let timezone = fields.text("timezone").unwrap_or(DEFAULT_ZONE);
    let paused = fields.flag("paused").unwrap_or(false);
    let order = fields.value("request");
    fields.require("request");
    let mut first = None;
    if let Some(cron) = cron {
        match first_slot(cron, timezone, state.settings(), now) {
            Ok(slot) => first = Some((cron, slot)),
            Err(error) => fields.wrong(&error.field, error.message),
        }
    }
    let errors = fields.finish();
    let order = match order.map(|order| standing_order(order, &caller, request, &state)) {
        Some(Ok(order)) => Some(order),
        Some(Err(error)) => return Err(error.within("request", errors)),
        None => None,
    };
    let (Some(order), Some((cron, next_at)), true) = (order, first, errors.is_empty()) else {
        return Err(ApiError::invalid(errors));
    };
    check_assistant(&caller, order.acceptance.is_some(), &state).await?;
    let new = NewSchedule {
        name: given_name.unwrap_or_else(|| order.host.clone()),
        cron: cron.trim().to_owned(),
        timezone: timezone.to_owned(),
        job: order,
        paused,
        next_at,
        created_by: caller.creator(),
    };
    match caller.store(&state).create_schedule(&caller.account, new, now).await? {
        Some(made) => Ok((StatusCode::CREATED, Json(public_schedule(made, now)))),
        None => Err(ApiError::new(
            ProblemCode::Conflict,
            format!(
                "account limit: the account has {} schedules; delete one first",
                state.settings().schedules
            ),
        )),
    }
}
