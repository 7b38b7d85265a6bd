//! `POST /v1/jobs/{id}/abort`: aborts a job.

use axum::Json;
use axum::extract::State;
use contract::{JobId, PublicJob};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{Granted, JobsWrite};
use crate::openapi::{example, problems};
use crate::path::PathId;

problems!(RouteErrors: Unauthorized, Forbidden, NotFound, Conflict, RateLimited, ServerError, Unavailable);

/// Abort a job
///
/// Delivered results stay readable. Aborting an aborted job changes nothing; a completed or failed
/// job is 409. A body is ignored.
#[utoipa::path(
    post,
    path = "/v1/jobs/{id}/abort",
    operation_id = "abort_job",
    tag = "jobs",
    params(("id" = JobId, Path, description = "The job.")),
    responses(
        (status = 200, description = "The job, aborted.", body = PublicJob,
            example = json!(example::aborted_job())),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn abort_job(
    State(state): State<ApiState>,
    caller: Granted<JobsWrite>,
    PathId(id): PathId<JobId>,
) -> Result<Json<PublicJob>, ApiError> {
    let aborted = state.store().abort(&caller.account, &id, state.now()).await;
    let job = aborted.map_err(|error| ApiError::command(error, state.settings()))?;
    Ok(Json(job.public()))
}
