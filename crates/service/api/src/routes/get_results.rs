//! `GET /v1/jobs/{id}/results`: the results of a job, page by page.

use axum::Json;
use axum::extract::State;
use contract::{JobId, ResultsPage};
use serde_json::Value;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{Granted, JobsRead};
use crate::openapi::{PageParams, example, problems};
use crate::path::PathId;
use crate::query::Params;

problems!(RouteErrors: Unauthorized, Forbidden, NotFound, ValidationFailed, RateLimited, ServerError, Unavailable);

/// Read results
///
/// Results in a stable order, also while the job runs. The shape of an item depends on the mode.
/// Request successive pages until `has_more` is false. A page ends after `page_size` items or at
/// 16 MiB, whichever comes first; the next page continues there, so that successive pages of one
/// `page_size` contain every item exactly once.
#[utoipa::path(
    get,
    path = "/v1/jobs/{id}/results",
    operation_id = "get_results",
    tag = "jobs",
    params(
        ("id" = JobId, Path, description = "The job."),
        PageParams,
        ("offset" = Option<u64>, Query, minimum = 0, maximum = 9007199254740991_i64,
            description = "Instead of `page`: skip this many items. `offset` plus the \
                number of items of a response is the `offset` of the next."),
    ),
    responses(
        (status = 200, description = "A page of results.", body = ResultsPage,
            examples(
                ("links" = (summary = "URLs", value = json!(example::results()))),
                ("products" = (summary = "Products", value = json!(example::product::results()))),
                ("contacts" = (summary = "Companies", value = json!(example::contact::results()))),
            )),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn get_results(
    State(state): State<ApiState>,
    caller: Granted<JobsRead>,
    PathId(id): PathId<JobId>,
    mut params: Params,
) -> Result<Json<ResultsPage<Value>>, ApiError> {
    let page = params.page(&state.settings().limits);
    let offset = params.offset();
    params.finish()?;
    let job = state.store().job_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    // Never beyond the total of the response: a commit may be written in between.
    let total = job.counts.results;
    let store = state.store();
    let numbers = match offset {
        Some(offset) => store.results_from(&id, total, offset, page.size).await?,
        None => store.results_on_page(&id, total, page).await?,
    };
    let items = match numbers.end.saturating_sub(numbers.start) {
        0 => Vec::new(),
        wanted => store.results(&id, numbers.start, wanted).await?.items,
    };
    Ok(Json(ResultsPage {
        job_id: id,
        mode: job.mode,
        items,
        total,
        page: page.number,
        page_size: page.size,
        has_more: numbers.end < total,
        offset: numbers.start,
    }))
}
