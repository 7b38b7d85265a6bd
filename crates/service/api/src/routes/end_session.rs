//! `DELETE /session`: signs out.

use axum::extract::State;
use axum::http::StatusCode;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{Credential, Granted, SignOut};
use crate::openapi::problems;

problems!(RouteErrors: Unauthorized, RateLimited, ServerError, Unavailable);

/// End the session
///
/// The token is invalid at once. Also works for a suspended account.
#[utoipa::path(
    delete,
    path = "/session",
    operation_id = "end_session",
    tag = "session",
    responses((status = 200, description = "The session has ended; the body is empty."), RouteErrors),
    security(("session" = [])),
)]
pub(crate) async fn end_session(
    State(state): State<ApiState>,
    caller: Granted<SignOut>,
) -> Result<StatusCode, ApiError> {
    match &caller.credential {
        Credential::Session(token, _) => {
            caller.store(&state).end_session(token.reveal()).await?;
            Ok(StatusCode::OK)
        }
        Credential::Key(_) | Credential::Application(_) => Err(ApiError::unauthorized()),
    }
}
