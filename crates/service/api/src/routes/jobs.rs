//! Jobs: list, get, delete, confirm and abort.

use axum::Json;
use axum::http::StatusCode;
use contract::{
    BodyFields, ChangeJob, Confirm, Credits, JobId, JobLabels, JobList, JobSort, Mode, ProblemCode,
    PublicJob, ScheduleId, Status,
};
use store::{JobFilter, JobOrder};

use crate::ApiState;
use crate::api_error::{ApiError, ApiResult};
use crate::body::{JsonBody, OptionalJsonBody, finish};
use crate::caller::{Granted, JobsRead, JobsWrite};
use crate::openapi::PageParams;
use crate::path::PathId;
use crate::query::Params;

/// Maximum characters of a searched text.
const MAX_SEARCH_CHARS: usize = 200;

/// List jobs
///
/// The account's jobs, newest first unless `sort` says otherwise. A page beyond the last is empty.
#[utoipa::path(
    get, path = "/v1/jobs", tag = "jobs",
    params(
        PageParams,
        ("status" = Option<Status>, Query, description = "Only jobs with this status."),
        ("mode" = Option<Mode>, Query, description = "Only jobs of this mode."),
        ("source" = Option<String>, Query, description = "Only jobs of this channel."),
        ("schedule" = Option<ScheduleId>, Query, description = "Only runs of this schedule."),
        ("q" = Option<String>, Query, max_length = 200,
            description = "Only jobs whose URL or name contains this text, in upper or lower \
                case."),
        ("tag" = Option<String>, Query, max_length = 40, description = "Only jobs with this tag."),
        ("from" = Option<String>, Query, example = "2026-11-15",
            description = "Only jobs created at this date or date-time or later."),
        ("to" = Option<String>, Query, example = "2026-11-16",
            description = "Only jobs created before this date or date-time."),
        ("sort" = Option<JobSort>, Query,
            description = "`newest` (default), `oldest`, `results` or `credits`: most first."),
    ),
    responses((status = 200, description = "A page of jobs.", body = JobList)),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn list_jobs(
    Granted { state, caller, .. }: Granted<JobsRead>,
    mut params: Params,
) -> ApiResult<Json<JobList>> {
    let settings = &state.settings;
    let page = params.page(&settings.limits);
    let filter = JobFilter {
        account: Some(caller.account.clone()),
        status: params.one_of("status", Status::ALL),
        mode: params.one_of("mode", Mode::ALL),
        source: params.one_of("source", &settings.sources),
        schedule: params.id("schedule", "a schedule"),
        text: params.short_text("q", MAX_SEARCH_CHARS),
        tag: params.short_text("tag", JobLabels::MAX_TAG_CHARS),
        from: params.instant("from"),
        to: params.instant("to"),
        order: match params.one_of("sort", JobSort::ALL) {
            Some(JobSort::Newest) | None => JobOrder::NewestFirst,
            Some(JobSort::Oldest) => JobOrder::OldestFirst,
            Some(JobSort::Results) => JobOrder::MostResults,
            Some(JobSort::Credits) => JobOrder::MostCredits,
        },
    };
    params.finish()?;
    let (jobs, total) = state.store.jobs(&filter, page).await?;
    let ids: Vec<_> = jobs.iter().map(|job| &job.id).collect();
    let mut labels = state.store.job_labels(&caller.account, &ids).await?;
    let labelled =
        |job: &job::Job| job.public().labelled(labels.remove(&job.id).unwrap_or_default());
    Ok(Json(JobList {
        items: jobs.iter().map(labelled).collect(),
        total,
        page: page.number,
        page_size: page.size,
    }))
}

/// Get a job
///
/// Poll this operation, or wait for a webhook, until the status is final. The response also has
/// `scope`, `options` and the limits of the request as they were accepted.
#[utoipa::path(
    get, path = "/v1/jobs/{id}", tag = "jobs",
    params(("id" = JobId, Path, description = "The job.")),
    responses((status = 200, description = "The job.", body = PublicJob)),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn get_job(
    Granted { state, caller, .. }: Granted<JobsRead>,
    PathId(id): PathId<JobId>,
) -> ApiResult<Json<PublicJob>> {
    let job = state.store.job_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    let files = match job.access.formats.is_empty() {
        true => None,
        false => Some(state.store.job_files(&job.id).await?),
    };
    let labels = labels_of(&state, &job).await?;
    Ok(Json(PublicJob { files, ..job.with_request() }.labelled(labels)))
}

/// Name and tags of a job.
async fn labels_of(state: &ApiState, job: &job::Job) -> ApiResult<JobLabels> {
    let mut labels = state.store.job_labels(&job.account, &[&job.id]).await?;
    Ok(labels.remove(&job.id).unwrap_or_default())
}

/// Change a job
///
/// Sets its name and its tags, which help people to find it and change nothing else. Omitted members
/// stay unchanged.
#[utoipa::path(
    patch, path = "/v1/jobs/{id}", tag = "jobs",
    params(("id" = JobId, Path, description = "The job.")),
    request_body(content = ChangeJob, description = "The changes."),
    responses((status = 200, description = "The job after the change.", body = PublicJob)),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn change_job(
    Granted { state, caller, .. }: Granted<JobsWrite>,
    PathId(id): PathId<JobId>,
    JsonBody(body): JsonBody,
) -> ApiResult<Json<PublicJob>> {
    let mut fields = BodyFields::of(&body)?;
    let name = fields.text("name").map(str::trim);
    if let Some(message) = name.and_then(JobLabels::wrong_name) {
        fields.wrong("name", message);
    }
    let tags = fields.text_list("tags", JobLabels::MAX_TAGS);
    for (place, tag) in tags.iter().flatten() {
        if let Some(message) = JobLabels::wrong_tag(tag) {
            fields.wrong(&format!("tags[{place}]"), message);
        }
    }
    finish(fields, Some(()))?;
    let job = state.store.job_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    let mut labels = labels_of(&state, &job).await?;
    if let Some(name) = name {
        labels.name = (!name.is_empty()).then(|| name.to_owned());
    }
    if let Some(tags) = tags {
        labels.tags = Vec::new();
        for (_, tag) in tags {
            if !labels.tags.iter().any(|known| known == tag) {
                labels.tags.push(tag.to_owned());
            }
        }
    }
    if !state.store.set_job_labels(&caller.account, &id, &labels).await? {
        return Err(ApiError::not_found());
    }
    Ok(Json(job.public().labelled(labels)))
}

/// Delete a job
///
/// Deletes a job that has ended, with its results, files of pages, skipped URLs, events, comparisons
/// and download links, at once. Its lines of the ledger stay. A job that has not ended is 409: abort it first.
#[utoipa::path(
    delete, path = "/v1/jobs/{id}", tag = "jobs",
    params(("id" = JobId, Path, description = "The job.")),
    responses((status = 200, description = "The job is deleted; the body is empty.")),
    extensions(("x-problems" = json!([ProblemCode::Conflict]))),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn delete_job(
    Granted { state, caller, .. }: Granted<JobsWrite>,
    PathId(id): PathId<JobId>,
) -> ApiResult<StatusCode> {
    let deleted = caller.store(&state).delete_job(&caller.account, &id, state.now()).await;
    deleted.map_err(|error| ApiError::command(error, &state.settings))?;
    Ok(StatusCode::OK)
}

/// Confirm a waiting job
///
/// Accepts the rate of a protected site, continues past a batch boundary (`continue_batch` true), or
/// resumes after a top-up. An empty body is the same as `{}`. A credential with a budget can only
/// confirm jobs that are charged to it.
#[utoipa::path(
    post, path = "/v1/jobs/{id}/confirm", tag = "jobs",
    params(("id" = JobId, Path, description = "The job.")),
    request_body(content = Option<Confirm>, description = "The confirmation."),
    responses((status = 200, description = "The job, queued again.", body = PublicJob)),
    extensions(("x-problems" = json!([ProblemCode::InsufficientCredits, ProblemCode::Conflict]))),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn confirm_job(
    Granted { state, caller, .. }: Granted<JobsWrite>,
    PathId(id): PathId<JobId>,
    OptionalJsonBody(body): OptionalJsonBody,
) -> ApiResult<Json<PublicJob>> {
    let mut fields = BodyFields::of(&body)?;
    let answer = Confirm {
        continue_batch: fields.flag("continue_batch"),
        max_credit_per_unit: fields.integer("max_credit_per_unit", 1).map(Credits),
        max_credits: fields.integer("max_credits", 1).map(Credits),
    };
    finish(fields, Some(()))?;
    if caller.limits().is_some() {
        let job = state.store.job_of(&caller.account, &id).await?;
        let job = job.ok_or_else(ApiError::not_found)?;
        caller.may_spend_for(job.creator.as_ref(), job.mode)?;
    }
    let confirmed = state.store.confirm(&caller.account, &id, answer, state.now()).await;
    let job = confirmed.map_err(|error| ApiError::command(error, &state.settings))?;
    Ok(Json(job.public()))
}

/// Abort a job
///
/// Delivered results stay readable. Aborting an aborted job changes nothing; a completed or failed
/// job is 409. A body is ignored.
#[utoipa::path(
    post, path = "/v1/jobs/{id}/abort", tag = "jobs",
    params(("id" = JobId, Path, description = "The job.")),
    responses((status = 200, description = "The job, aborted.", body = PublicJob)),
    extensions(("x-problems" = json!([ProblemCode::Conflict]))),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn abort_job(
    Granted { state, caller, .. }: Granted<JobsWrite>,
    PathId(id): PathId<JobId>,
) -> ApiResult<Json<PublicJob>> {
    let aborted = state.store.abort(&caller.account, &id, state.now()).await;
    let job = aborted.map_err(|error| ApiError::command(error, &state.settings))?;
    Ok(Json(job.public()))
}
