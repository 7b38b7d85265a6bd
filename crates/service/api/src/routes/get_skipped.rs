//! `GET /v1/jobs/{id}/skipped`: the skipped URLs of a job, page by page.

use axum::Json;
use axum::extract::State;
use contract::{JobId, SkipReason, SkippedPage};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{Granted, JobsRead};
use crate::openapi::{PageParams, example, problems};
use crate::path::PathId;
use crate::query::Params;

problems!(RouteErrors: Unauthorized, Forbidden, NotFound, ValidationFailed, RateLimited, ServerError, Unavailable);

/// Read skipped URLs
///
/// The URLs that the run found and did not deliver, each with its reason, in the order of discovery,
/// also while the job runs. `reasons` has the number per reason; `reason` filters by one.
#[utoipa::path(
    get,
    path = "/v1/jobs/{id}/skipped",
    operation_id = "get_skipped",
    tag = "jobs",
    params(
        ("id" = JobId, Path, description = "The job."),
        ("reason" = Option<SkipReason>, Query, description = "Only URLs skipped for this reason."),
        PageParams,
    ),
    responses(
        (status = 200, description = "A page of skipped URLs.", body = SkippedPage,
            example = json!(example::skipped())),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn get_skipped(
    State(state): State<ApiState>,
    caller: Granted<JobsRead>,
    PathId(id): PathId<JobId>,
    mut params: Params,
) -> Result<Json<SkippedPage>, ApiError> {
    let page = params.page(&state.settings().limits);
    let reason = params.one_of("reason", SkipReason::ALL);
    params.finish()?;
    let job = state.store().job_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    Ok(Json(state.store().skipped(&job.id, reason, page).await?))
}
