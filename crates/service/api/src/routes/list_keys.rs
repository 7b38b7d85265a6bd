//! `GET /api-keys`: the account's keys, never their secrets.

use axum::Json;
use axum::extract::State;
use contract::AccountKey;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{AccountSession, Granted};
use crate::openapi::{example, problems};

problems!(RouteErrors: Unauthorized, RateLimited, ServerError, Unavailable);

/// List API keys
///
/// Every key of the account, newest first, the revoked ones too.
#[utoipa::path(
    get,
    path = "/api-keys",
    operation_id = "list_keys",
    tag = "keys",
    responses(
        (status = 200, description = "The keys.", body = Vec<AccountKey>,
            example = json!([example::key()])),
        RouteErrors,
    ),
    security(("session" = [])),
)]
pub(crate) async fn list_keys(
    State(state): State<ApiState>,
    caller: Granted<AccountSession>,
) -> Result<Json<Vec<AccountKey>>, ApiError> {
    Ok(Json(state.store().keys(&caller.account, state.now()).await?))
}
