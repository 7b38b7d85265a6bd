//! `DELETE /sessions/{id}`: ends one session of the account.

use axum::extract::State;
use axum::http::StatusCode;
use contract::SessionId;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{AccountSession, Granted};
use crate::openapi::problems;
use crate::path::PathId;

problems!(RouteErrors: Unauthorized, NotFound, RateLimited, ServerError, Unavailable);

/// Revoke a session
///
/// The token of the session is invalid at once.
#[utoipa::path(
    delete,
    path = "/sessions/{id}",
    operation_id = "revoke_session",
    tag = "session",
    params(("id" = SessionId, Path, description = "The session (its id, not its token).")),
    responses((status = 200, description = "The session has ended; the body is empty."), RouteErrors),
    security(("session" = [])),
)]
pub(crate) async fn revoke_session(
    State(state): State<ApiState>,
    caller: Granted<AccountSession>,
    PathId(id): PathId<SessionId>,
) -> Result<StatusCode, ApiError> {
    if caller.store(&state).revoke_session(&caller.account, &id).await? {
        Ok(StatusCode::OK)
    } else {
        Err(ApiError::not_found())
    }
}
