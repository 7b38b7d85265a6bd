//! `GET /v1/usage`: the usage of an account, aggregated.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use contract::{Millis, Usage, UsageGroup};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{AccountRead, Granted};
use crate::openapi::{UsageParams, example, problems};
use crate::query::Params;

problems!(RouteErrors: Unauthorized, Forbidden, ValidationFailed, RateLimited, ServerError, Unavailable);

/// The default time span.
const DEFAULT_SPAN: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Get usage
///
/// Jobs, units and credits by channel, mode or day, from `from` (inclusive) to `to` (exclusive).
#[utoipa::path(
    get,
    path = "/v1/usage",
    operation_id = "get_usage",
    tag = "account",
    params(UsageParams),
    responses(
        (status = 200, description = "The totals per group.", body = Usage, example = json!(example::usage())),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["account:read"])),
)]
pub(crate) async fn get_usage(
    State(state): State<ApiState>,
    caller: Granted<AccountRead>,
    mut params: Params,
) -> Result<Json<Usage>, ApiError> {
    let to = params.instant("to").unwrap_or_else(|| state.now());
    let span = i64::try_from(DEFAULT_SPAN.as_millis()).unwrap_or(i64::MAX);
    let from = params.instant("from").unwrap_or(Millis(to.0.saturating_sub(span)));
    let group_by = params.one_of("group_by", UsageGroup::ALL).unwrap_or(UsageGroup::Source);
    if from > to {
        params.contradicts("from", "must not be later than to");
    }
    params.finish()?;
    let (items, total) = state.store().usage(&caller.account, from, to, group_by).await?;
    Ok(Json(Usage { from, to, group_by, items, total }))
}
