//! Why a run delivered, skipped or never found a URL.

use axum::Json;
use contract::{BodyFields, ExplainUrl, FieldError, JobId, ProblemCode, UrlExplanation};

use crate::api_error::{ApiError, ApiResult};
use crate::body::{JsonBody, finish};
use crate::caller::{Granted, JobsRead};
use crate::explanation::{self, ExplainError};
use crate::path::PathId;

/// `Retry-After` of an explanation over the limit, in seconds.
const RETRY_AFTER: u64 = 2;

/// Explain a URL
///
/// Why the run delivered or skipped a URL, or never found it: its disposition, the page that links
/// to it, and the rules of the run applied to it. The lines of robots.txt are those that the run has
/// read. `url` may be a path of the site, unless the job is over a list. The disposition is
/// `unknown` if the run is too large to be searched. Not in mode `contacts`.
#[utoipa::path(
    post, path = "/v1/jobs/{id}/explain", tag = "jobs",
    params(("id" = JobId, Path, description = "The job.")),
    request_body(content = ExplainUrl, description = "The URL."),
    responses((status = 200, description = "The explanation.", body = UrlExplanation)),
    extensions(("x-problems" = json!([ProblemCode::Conflict]))),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn explain_url(
    Granted { state, caller, .. }: Granted<JobsRead>,
    PathId(id): PathId<JobId>,
    JsonBody(body): JsonBody,
) -> ApiResult<Json<UrlExplanation>> {
    let mut fields = BodyFields::of(&body)?;
    fields.require("url");
    let url = fields.text("url");
    let url = finish(fields, url)?;
    let job = state.store.job_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    // It reads as much as a small comparison.
    let permit = state.account_comparisons.take(caller.account.as_str());
    let _permit = permit.ok_or_else(|| {
        let message = "account limit: too many explanations or comparisons at a time; wait for one";
        ApiError::rate_limited(message, RETRY_AFTER)
    })?;
    let slot = state.comparisons.acquire().await;
    let _slot = slot.map_err(|_| ApiError::internal("the comparison semaphore is closed"))?;
    let explained = explanation::explain_url(&state.store, &job, url, state.now()).await;
    explained.map(Json).map_err(|error| match error {
        ExplainError::Url(error) => FieldError::new("url", error.to_string()).into(),
        ExplainError::NotASite(_) => ApiError::new(ProblemCode::Conflict, error.to_string()),
        ExplainError::Store(error) => error.into(),
    })
}
