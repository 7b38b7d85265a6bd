//! `GET /v1/jobs/{id}`: returns a job.

use axum::Json;
use axum::extract::State;
use contract::{JobId, PublicJob};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{Granted, JobsRead};
use crate::openapi::{example, problems};
use crate::path::PathId;

problems!(RouteErrors: Unauthorized, Forbidden, NotFound, RateLimited, ServerError, Unavailable);

/// Get a job
///
/// Poll this operation, or wait for a webhook, until the status is final.
#[utoipa::path(
    get,
    path = "/v1/jobs/{id}",
    operation_id = "get_job",
    tag = "jobs",
    params(("id" = JobId, Path, description = "The job.")),
    responses(
        (status = 200, description = "The job.", body = PublicJob, example = json!(example::job())),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn get_job(
    State(state): State<ApiState>,
    caller: Granted<JobsRead>,
    PathId(id): PathId<JobId>,
) -> Result<Json<PublicJob>, ApiError> {
    let job = state.store().job_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    Ok(Json(job.public()))
}
