//! `POST /v1/jobs/{id}/confirm`: resumes a job that waits for its owner.

use axum::Json;
use axum::extract::State;
use contract::{BodyFields, Confirm, Credits, JobId, PublicJob};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::body::OptionalJsonBody;
use crate::caller::{Granted, JobsWrite};
use crate::openapi::{example, problems};
use crate::path::PathId;

problems!(RouteErrors: InvalidJson, Unauthorized, Forbidden, InsufficientCredits, NotFound, RequestTimeout, Conflict,
    PayloadTooLarge, UnsupportedMediaType, ValidationFailed, RateLimited, ServerError, Unavailable);

/// Confirm a waiting job
///
/// Accepts the rate of a protected site, continues past a batch boundary (`continue_batch` true), or
/// resumes after a top-up. An empty body is the same as `{}`. A credential with a budget can only
/// confirm jobs that are charged to it.
#[utoipa::path(
    post,
    path = "/v1/jobs/{id}/confirm",
    operation_id = "confirm_job",
    tag = "jobs",
    params(("id" = JobId, Path, description = "The job.")),
    request_body(content = Option<Confirm>, description = "The confirmation.",
        example = json!({"continue_batch": true})),
    responses(
        (status = 200, description = "The job, queued again.", body = PublicJob,
            example = json!(example::job())),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["jobs:write"])),
)]
pub(crate) async fn confirm_job(
    State(state): State<ApiState>,
    caller: Granted<JobsWrite>,
    PathId(id): PathId<JobId>,
    OptionalJsonBody(body): OptionalJsonBody,
) -> Result<Json<PublicJob>, ApiError> {
    let mut fields = BodyFields::of(&body)?;
    let answer = Confirm {
        continue_batch: fields.flag("continue_batch"),
        max_credit_per_unit: fields.integer("max_credit_per_unit", 1).map(Credits),
    };
    let errors = fields.finish();
    if !errors.is_empty() {
        return Err(ApiError::invalid(errors));
    }
    if caller.limits().is_some() {
        let job = state.store().job_of(&caller.account, &id).await?;
        let job = job.ok_or_else(ApiError::not_found)?;
        caller.may_spend_for(job.creator.as_ref(), job.mode)?;
    }
    let confirmed = state.store().confirm(&caller.account, &id, answer, state.now()).await;
    let job = confirmed.map_err(|error| ApiError::command(error, state.settings()))?;
    Ok(Json(job.public()))
}
