//! `GET /v1/schedules`: the account's schedules, newest first.

use axum::Json;
use axum::extract::State;
use contract::ScheduleList;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{Granted, JobsRead};
use crate::openapi::{PageParams, example, problems};
use crate::query::Params;
use crate::scheduling::public_schedule;

problems!(RouteErrors: Unauthorized, Forbidden, ValidationFailed, RateLimited, ServerError,
    Unavailable);

/// List schedules
///
/// The account's schedules, newest first, each with its next starts and its newest run. All
/// jobs of one are at `GET /v1/jobs?schedule=`. A page ends at 16 MiB: `has_more` tells whether
/// another page follows.
#[utoipa::path(
    get,
    path = "/v1/schedules",
    operation_id = "list_schedules",
    tag = "schedules",
    params(PageParams),
    responses(
        (status = 200, description = "A page of schedules.", body = ScheduleList,
            example = json!(example::schedule::list())),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["jobs:read"])),
)]
pub(crate) async fn list_schedules(
    State(state): State<ApiState>,
    caller: Granted<JobsRead>,
    mut params: Params,
) -> Result<Json<ScheduleList>, ApiError> {
    let page = params.page(&state.settings().limits);
    params.finish()?;
    let (records, numbers, total) = state.store().schedules_on_page(&caller.account, page).await?;
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
