//! Skipped URLs of a job, and changes since an earlier run.

use axum::Json;
use contract::{
    AccountId, ChangeCounts, ChangeKind, ChangesPage, FieldError, JobId, ProblemCode,
    RequestLogPage, SkipReason, SkippedPage, Status,
};
use job::Job;
use serde_json::Value;

use crate::ApiState;
use crate::api_error::{ApiError, ApiResult};
use crate::caller::{Granted, JobsRead};
use crate::item_files::link_failed_actions;
use crate::openapi::PageParams;
use crate::path::PathId;
use crate::query::Params;

/// Read skipped URLs
///
/// The URLs that the run found and did not deliver, each with its reason, in the order of discovery,
/// also while the job runs. `reasons` has the number per reason; `reason` filters by one.
#[utoipa::path(
    get, path = "/v1/jobs/{id}/skipped", tag = "jobs",
    params(
        ("id" = JobId, Path, description = "The job."),
        ("reason" = Option<SkipReason>, Query, description = "Only URLs skipped for this reason."),
        PageParams,
    ),
    responses((status = 200, description = "A page of skipped URLs.", body = SkippedPage)),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn get_skipped(
    Granted { state, caller, .. }: Granted<JobsRead>,
    PathId(id): PathId<JobId>,
    mut params: Params,
) -> ApiResult<Json<SkippedPage>> {
    let page = params.page(&state.settings.limits);
    let reason = params.one_of("reason", SkipReason::ALL);
    params.finish()?;
    let job = state.store.job_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    let mut found = state.store.skipped(&job.id, reason, page).await?;
    link_failed_actions(&state, &job.id, &mut found.items).await?;
    Ok(Json(found))
}

/// Read the request log
///
/// The newest requests of the run, newest first, with status, size, time and failure, also while the
/// job runs: a few seconds after they ended. Older ones are dropped; results and skipped URLs are
/// complete.
#[utoipa::path(
    get, path = "/v1/jobs/{id}/requests", tag = "jobs",
    params(("id" = JobId, Path, description = "The job."), PageParams),
    responses((status = 200, description = "A page of requests.", body = RequestLogPage)),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn get_requests(
    Granted { state, caller, .. }: Granted<JobsRead>,
    PathId(id): PathId<JobId>,
    mut params: Params,
) -> ApiResult<Json<RequestLogPage>> {
    let page = params.page(&state.settings.limits);
    params.finish()?;
    let job = state.store.job_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    let requests = state.store.request_log(&job.id).await?;
    let total = requests.len() as u64;
    let skipped = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let kept = usize::try_from(page.size).unwrap_or(usize::MAX);
    Ok(Json(RequestLogPage {
        job_id: job.id,
        items: requests.into_iter().skip(skipped).take(kept).collect(),
        total,
        page: page.number,
        page_size: page.size,
        has_more: page.offset().saturating_add(page.size) < total,
    }))
}

/// `Retry-After` of a comparison over the limit, in seconds.
const RETRY_AFTER: u64 = 5;

/// Read changes
///
/// Compares a completed run with the previous completed run of its schedule, or with the run that
/// `since` names. Only the content of items is compared, not how and when they were fetched. The
/// first request waits for the comparison, which is stored as long as both runs are.
#[utoipa::path(
    get, path = "/v1/jobs/{id}/changes", tag = "schedules",
    params(
        ("id" = JobId, Path, description = "The job."),
        ("since" = Option<JobId>, Query,
            description = "An earlier run of the same mode; the schedule's previous one when \
                omitted."),
        ("kind" = Option<ChangeKind>, Query, description = "Only changes of this kind."),
        PageParams,
    ),
    responses((status = 200, description = "A page of changes.", body = ChangesPage)),
    extensions(("x-problems" = json!([ProblemCode::Conflict]))),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn get_changes(
    Granted { state, caller, .. }: Granted<JobsRead>,
    PathId(id): PathId<JobId>,
    mut params: Params,
) -> ApiResult<Json<ChangesPage<Value>>> {
    let page = params.page(&state.settings.limits);
    let kind = params.one_of("kind", ChangeKind::ALL);
    let since: Option<JobId> = params.id("since", "a job");
    if since.as_ref() == Some(&id) {
        params.contradicts("since", "must be another run");
    }
    params.finish()?;
    let store = &state.store;
    let job = store.job_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    let since = match since {
        Some(since) => Some(named(&state, &caller.account, &job, &since).await?),
        None => previous(&state, &job).await?,
    };
    if job.status != Status::Completed {
        let message = format!("only completed runs are compared; this one is {}", job.status);
        return Err(ApiError::new(ProblemCode::Conflict, message));
    }
    let (mut counts, mut items) = (ChangeCounts::default(), Vec::new());
    if let Some(since) = &since {
        let account = caller.account.as_str();
        let _permit = state.account_comparisons.take(account).ok_or_else(|| {
            let limit = state.account_comparisons.limit();
            let message = format!(
                "account limit: {limit} comparisons of the account are running; wait for one"
            );
            ApiError::rate_limited(message, RETRY_AFTER)
        })?;
        let slot = state.comparisons.acquire().await;
        let _slot = slot.map_err(|_| ApiError::internal("the comparison semaphore is closed"))?;
        let comparison = &registry::item_schema(job.mode).comparison;
        counts = store.compare(&job, since, comparison).await?;
        items = store.changes(&job, since, comparison, kind, page).await?;
    }
    let total = kind.map_or_else(|| counts.total(), |kind| counts.of(kind));
    Ok(Json(ChangesPage {
        job_id: id,
        since: since.map(|since| since.id),
        mode: job.mode,
        counts,
        has_more: page.offset().saturating_add(page.size) < total,
        items,
        total,
        page: page.number,
        page_size: page.size,
    }))
}

/// The run that `since` names, if it is comparable.
async fn named(state: &ApiState, account: &AccountId, job: &Job, since: &JobId) -> ApiResult<Job> {
    let wrong = |message: String| ApiError::from(FieldError::new("since", message));
    let found = state.store.job_of(account, since).await?;
    let since = found.ok_or_else(|| {
        wrong("there is no such job, it is not yours, or its results are no longer kept".to_owned())
    })?;
    if since.mode != job.mode {
        let (mode, other) = (job.mode, since.mode);
        return Err(wrong(format!("must be of mode {mode} as well; it is of mode {other}")));
    }
    if since.status != Status::Completed {
        return Err(wrong(format!("only completed runs are compared; it is {}", since.status)));
    }
    Ok(since)
}

/// The previous run of the job's schedule, if one is kept.
async fn previous(state: &ApiState, job: &Job) -> ApiResult<Option<Job>> {
    let store = &state.store;
    let Some(schedule) = store.schedule_of_run(&job.id).await? else {
        return Err(ApiError::new(
            ProblemCode::NotFound,
            "no schedule started this job; name the run to compare it with by since",
        ));
    };
    match store.previous_run(&schedule, job).await? {
        Some(previous) => Ok(store.job(&previous).await?),
        None => Ok(None),
    }
}
