//! `GET /sessions`: where the account is signed in.

use axum::Json;
use axum::extract::State;
use contract::SessionDetails;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{AccountSession, Granted};
use crate::openapi::{example, problems};

problems!(RouteErrors: Unauthorized, RateLimited, ServerError, Unavailable);

/// List sessions
///
/// Every session of the account that has not expired, newest first; at most 100.
#[utoipa::path(
    get,
    path = "/sessions",
    operation_id = "list_sessions",
    tag = "session",
    responses(
        (status = 200, description = "The sessions.", body = Vec<SessionDetails>,
            example = json!([example::session_details()])),
        RouteErrors,
    ),
    security(("session" = [])),
)]
pub(crate) async fn list_sessions(
    State(state): State<ApiState>,
    caller: Granted<AccountSession>,
) -> Result<Json<Vec<SessionDetails>>, ApiError> {
    let sessions = state.store().sessions(&caller.account, caller.session(), state.now()).await?;
    Ok(Json(sessions))
}
