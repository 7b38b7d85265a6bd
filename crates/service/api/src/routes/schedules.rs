//! Schedules: jobs that start by a cron expression.

use axum::http::StatusCode;
use axum::response::Response;
use axum::{Extension, Json};
use contract::{
    BodyFields, ChangeSchedule, CreateSchedule, Credits, FieldError, JobAccepted, Millis,
    ProblemCode, RequestId, Schedule, ScheduleId, ScheduleList,
};
use job::{JobCommand, Refusal, decide};
use schedule::{CronError, CronSchedule};
use serde_json::Value;
use store::{NewSchedule, ScheduleChange, ScheduleRecord, ScheduledJob};

use super::create_job::{check_assistant, creation_response, validate};
use crate::api_error::{ApiError, ApiResult};
use crate::body::JsonBody;
use crate::caller::{ApiCaller, Granted, JobsRead, JobsWrite};
use crate::openapi::PageParams;
use crate::path::PathId;
use crate::query::Params;
use crate::{ApiSettings, ApiState};

/// Number of future starts in a response.
const NEXT_RUNS: usize = 5;

const DEFAULT_ZONE: &str = "UTC";

/// Create a schedule
///
/// The request is validated now by the rules of `POST /v1/jobs`. A start that is not possible
/// creates a `failed` job with the error `schedule_previous_run_in_progress`,
/// `schedule_missed_window` or `schedule_start_failed`. A slot that does not exist because summer
/// time begins fires right after the change; one that occurs twice fires once.
#[utoipa::path(
    post, path = "/v1/schedules", tag = "schedules",
    request_body(content = CreateSchedule, description = "What to start, and when."),
    responses((status = 201, description = "The schedule.", body = Schedule)),
    extensions(("x-problems" = json!([ProblemCode::Conflict, ProblemCode::LegalBasisRequired]))),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn create_schedule(
    Granted { state, caller, .. }: Granted<JobsWrite>,
    Extension(request): Extension<RequestId>,
    JsonBody(body): JsonBody,
) -> ApiResult<(StatusCode, Json<Schedule>)> {
    let now = state.now();
    let mut fields = BodyFields::of(&body)?;
    let given_name = fields.label();
    let cron = fields.text("cron");
    fields.require("cron");
    let timezone = fields.text("timezone").unwrap_or(DEFAULT_ZONE);
    let paused = fields.flag("paused").unwrap_or(false);
    let job = fields.value("request");
    fields.require("request");
    let mut first = None;
    if let Some(cron) = cron {
        match first_slot(cron, timezone, &state.settings, now) {
            Ok(slot) => first = Some((cron, slot)),
            Err(error) => fields.wrong(&error.field, error.message),
        }
    }
    let errors = fields.finish();
    let job = match job.map(|body| scheduled_job(body, &caller, request, &state)) {
        Some(Ok(job)) => Some(job),
        Some(Err(error)) => return Err(error.within("request", errors)),
        None => None,
    };
    let (Some(job), Some((cron, next_at)), true) = (job, first, errors.is_empty()) else {
        return Err(ApiError::invalid(errors));
    };
    check_assistant(&caller, job.acceptance.is_some(), &state).await?;
    let new = NewSchedule {
        name: given_name.unwrap_or_else(|| job.host.clone()),
        cron: cron.trim().to_owned(),
        timezone: timezone.to_owned(),
        job,
        paused,
        next_at,
        created_by: caller.creator(),
    };
    let made = caller.store(&state).create_schedule(&caller.account, new, now).await?;
    let limit = state.settings.schedules;
    made.map(|made| (StatusCode::CREATED, Json(public_schedule(made, now))))
        .ok_or_else(|| ApiError::account_limit(limit, "schedules", "delete one"))
}

/// List schedules
///
/// The account's schedules, newest first, each with its next starts and its newest run. All
/// jobs of one are at `GET /v1/jobs?schedule=`. A page ends at 16 MiB: `has_more` says whether
/// another page follows.
#[utoipa::path(
    get, path = "/v1/schedules", tag = "schedules",
    params(PageParams),
    responses((status = 200, description = "A page of schedules.", body = ScheduleList)),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn list_schedules(
    Granted { state, caller, .. }: Granted<JobsRead>,
    mut params: Params,
) -> ApiResult<Json<ScheduleList>> {
    let page = params.page(&state.settings.limits);
    params.finish()?;
    let (records, numbers, total) = state.store.schedules_on_page(&caller.account, page).await?;
    let now = state.now();
    Ok(Json(ScheduleList {
        items: records.into_iter().map(|record| public_schedule(record, now)).collect(),
        total,
        page: page.number,
        page_size: page.size,
        has_more: numbers.end < total,
        offset: numbers.start,
    }))
}

/// Get a schedule
///
/// The schedule with its next starts and its newest run.
#[utoipa::path(
    get, path = "/v1/schedules/{id}", tag = "schedules",
    params(("id" = ScheduleId, Path, description = "The schedule.")),
    responses((status = 200, description = "The schedule.", body = Schedule)),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn get_schedule(
    Granted { state, caller, .. }: Granted<JobsRead>,
    PathId(id): PathId<ScheduleId>,
) -> ApiResult<Json<Schedule>> {
    let found = state.store.schedule_of(&caller.account, &id).await?;
    let record = found.ok_or_else(ApiError::not_found)?;
    Ok(Json(public_schedule(record, state.now())))
}

/// Change a schedule
///
/// Omitted members stay unchanged. A paused schedule starts no jobs; when it is resumed, it
/// continues with the next slot, and missed slots are not started. Runs are charged to the
/// credential that last changed the request. A credential with a budget can resume or reschedule
/// only schedules that are charged to it.
#[utoipa::path(
    patch, path = "/v1/schedules/{id}", tag = "schedules",
    params(("id" = ScheduleId, Path, description = "The schedule.")),
    request_body(content = ChangeSchedule, description = "The changes."),
    responses((status = 200, description = "The schedule after the change.", body = Schedule)),
    extensions(("x-problems" = json!([ProblemCode::LegalBasisRequired]))),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn change_schedule(
    Granted { state, caller, .. }: Granted<JobsWrite>,
    Extension(request): Extension<RequestId>,
    PathId(id): PathId<ScheduleId>,
    JsonBody(body): JsonBody,
) -> ApiResult<Json<Schedule>> {
    let now = state.now();
    let store = caller.store(&state);
    let old = store.schedule_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    let mut fields = BodyFields::of(&body)?;
    let by = caller.creator();
    let mut change = ScheduleChange { name: fields.label(), by, ..ScheduleChange::default() };
    let (cron, timezone) = (fields.text("cron"), fields.text("timezone"));
    change.paused = fields.flag("paused");
    let job = fields.value("request");
    let resumes = old.paused && change.paused == Some(false);
    if resumes || cron.is_some() || timezone.is_some() {
        let (new_cron, new_zone) = (cron.unwrap_or(&old.cron), timezone.unwrap_or(&old.timezone));
        match first_slot(new_cron, new_zone, &state.settings, now) {
            Ok(slot) => change.next_at = Some(slot),
            Err(error) => fields.wrong(&error.field, error.message),
        }
    }
    change.cron = cron.map(|cron| cron.trim().to_owned());
    change.timezone = timezone.map(str::to_owned);
    let errors = fields.finish();
    match job.map(|body| scheduled_job(body, &caller, request, &state)) {
        Some(Ok(job)) => change.job = Some(job),
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
    let accepts = change.job.as_ref().is_some_and(|job| job.acceptance.is_some());
    check_assistant(&caller, accepts, &state).await?;
    let changed = store.change_schedule(&caller.account, &id, &change).await?;
    Ok(Json(public_schedule(changed.ok_or_else(ApiError::not_found)?, now)))
}

/// Delete a schedule
///
/// Its jobs stay, and a running one continues.
#[utoipa::path(
    delete, path = "/v1/schedules/{id}", tag = "schedules",
    params(("id" = ScheduleId, Path, description = "The schedule.")),
    responses((status = 200, description = "The schedule is deleted; the body is empty.")),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn remove_schedule(
    Granted { state, caller, .. }: Granted<JobsWrite>,
    PathId(id): PathId<ScheduleId>,
) -> ApiResult<StatusCode> {
    let removed = caller.store(&state).remove_schedule(&caller.account, &id).await?;
    removed.then_some(StatusCode::OK).ok_or_else(ApiError::not_found)
}

/// Run a schedule now
///
/// Starts the request of the schedule at once, also when it is paused; its slots stay unchanged.
/// Errors are those of `POST /v1/jobs`; then no job is created.
#[utoipa::path(
    post, path = "/v1/schedules/{id}/run", tag = "schedules",
    params(("id" = ScheduleId, Path, description = "The schedule.")),
    responses((status = 202, description = "Accepted: the job is queued.", body = JobAccepted)),
    extensions(("x-problems" = json!([
        ProblemCode::InsufficientCredits, ProblemCode::Conflict, ProblemCode::AwaitingConfirmation,
    ]))),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn run_schedule(
    Granted { state, caller, .. }: Granted<JobsWrite>,
    PathId(id): PathId<ScheduleId>,
) -> ApiResult<Response> {
    let batch_size = state.settings.limits.batch_size;
    let store = &state.store;
    let schedule =
        store.schedule_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    caller.check_mode(schedule.job.request.mode)?;
    let creator = caller.creator();
    let charged = (batch_size, creator.as_ref());
    let run = store.run_schedule(&caller.account, &id, charged, state.now()).await?;
    creation_response(run.ok_or_else(ApiError::not_found)?, &state)
}

/// The next slot of a cron expression in a time zone, or the field error.
fn first_slot(
    cron: &str,
    timezone: &str,
    settings: &ApiSettings,
    now: Millis,
) -> Result<Millis, FieldError> {
    let wrong = |error: CronError| {
        let field = if error.is_about_zone() { "timezone" } else { "cron" };
        FieldError::new(field, error.to_string())
    };
    let timetable = CronSchedule::parse(cron, timezone).map_err(wrong)?;
    timetable.check(settings.schedule_every, now).map_err(wrong)?;
    timetable.next_after(now).ok_or_else(|| wrong(CronError::Never))
}

/// Validates the request of a schedule like `POST /v1/jobs`, without the state of the account.
fn scheduled_job(
    body: &Value,
    caller: &ApiCaller,
    request: RequestId,
    state: &ApiState,
) -> ApiResult<ScheduledJob> {
    let new = validate(body, None, caller, request, state)?;
    if new.draft.list.is_some() {
        let message = "a list expires: give urls, which the schedule keeps";
        return Err(FieldError::new("list_id", message).into());
    }
    if new.draft.webhook.is_some() {
        let message = "belongs to a single job: create an endpoint with POST /v1/webhooks, which \
            gets the events of all runs";
        return Err(FieldError::new("webhook", message).into());
    }
    // Checks the rates. Whether the balance suffices is decided when a run starts.
    let draft = Box::new(new.draft.clone());
    let command = JobCommand::Create { draft, available: Credits(i64::MAX) };
    match decide(None, &command, state.store.rates(), state.now()) {
        Ok(_) | Err(Refusal::InsufficientCredits { .. } | Refusal::BudgetExhausted { .. }) => {
            Ok(ScheduledJob { address: caller.address(), ..ScheduledJob::of(new) })
        }
        Err(refusal) => Err(ApiError::refused(refusal, &state.settings)),
    }
}

/// The schedule as the API returns it.
fn public_schedule(record: ScheduleRecord, now: Millis) -> Schedule {
    let timetable = CronSchedule::parse(&record.cron, &record.timezone).ok();
    let timetable = timetable.filter(|_| !record.paused);
    Schedule {
        id: record.id,
        name: record.name,
        cron: record.cron,
        timezone: record.timezone,
        request: record.job.request,
        paused: record.paused,
        next_runs: timetable.map(|table| table.upcoming(now, NEXT_RUNS)).unwrap_or_default(),
        last_run: record.last_run,
        created_at: record.created_at,
        created_by: record.created_by,
    }
}
