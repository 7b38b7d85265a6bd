//! `GET /v1/ledger`: all changes of the balance.

use axum::Json;
use axum::extract::State;
use contract::LedgerPage;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{AccountRead, Granted};
use crate::openapi::{PageParams, example, problems};
use crate::query::Params;

problems!(RouteErrors: Unauthorized, Forbidden, ValidationFailed, RateLimited, ServerError,
    Unavailable);

/// List the ledger
///
/// All changes of the balance, newest first. The balance is the sum of all lines.
#[utoipa::path(
    get,
    path = "/v1/ledger",
    operation_id = "list_ledger",
    tag = "account",
    params(PageParams),
    responses(
        (status = 200, description = "A page of the ledger.", body = LedgerPage,
            example = json!(example::ledger())),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["account:read"])),
)]
pub(crate) async fn list_ledger(
    State(state): State<ApiState>,
    caller: Granted<AccountRead>,
    mut params: Params,
) -> Result<Json<LedgerPage>, ApiError> {
    let page = params.page(&state.settings().limits);
    params.finish()?;
    let (items, has_more) = state.store().ledger_lines(&caller.account, page).await?;
    Ok(Json(LedgerPage { items, page: page.number, page_size: page.size, has_more }))
}
