//! `DELETE /sessions`: signs out all sessions of the account.

use axum::Json;
use axum::extract::State;
use contract::SessionsEnded;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{AccountSession, Granted};
use crate::openapi::problems;

problems!(RouteErrors: Unauthorized, RateLimited, ServerError, Unavailable);

/// End all sessions
///
/// Ends all sessions of the account, including this one. API keys and connected applications stay
/// valid.
#[utoipa::path(
    delete,
    path = "/sessions",
    operation_id = "end_sessions",
    tag = "session",
    responses(
        (status = 200, description = "All sessions have ended.", body = SessionsEnded,
            example = json!({"ended": 3})),
        RouteErrors,
    ),
    security(("session" = [])),
)]
pub(crate) async fn end_sessions(
    State(state): State<ApiState>,
    caller: Granted<AccountSession>,
) -> Result<Json<SessionsEnded>, ApiError> {
    let ended = caller.store(&state).end_sessions(&caller.account).await?;
    Ok(Json(SessionsEnded { ended }))
}
