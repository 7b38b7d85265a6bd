//! `GET /oauth/applications`: the applications that are connected to the account.

use axum::Json;
use axum::extract::State;
use contract::ConnectedApplication;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{AccountSession, Granted};
use crate::openapi::{example, problems};

problems!(RouteErrors: Unauthorized, RateLimited, ServerError, Unavailable);

/// List connected applications
///
/// The applications that the user has authorized, the latest first.
#[utoipa::path(
    get,
    path = "/oauth/applications",
    operation_id = "list_applications",
    tag = "oauth",
    responses(
        (status = 200, description = "The applications.", body = Vec<ConnectedApplication>,
            example = json!([example::connected_application()])),
        RouteErrors,
    ),
    security(("session" = [])),
)]
pub(crate) async fn list_applications(
    State(state): State<ApiState>,
    caller: Granted<AccountSession>,
) -> Result<Json<Vec<ConnectedApplication>>, ApiError> {
    Ok(Json(state.store().connected_applications(&caller.account, state.now()).await?))
}
