//! `DELETE /oauth/applications/{id}`: revokes the access of an application.

use axum::extract::State;
use axum::http::StatusCode;
use contract::ApplicationId;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{AccountSession, Granted};
use crate::openapi::problems;
use crate::path::PathId;

problems!(RouteErrors: Unauthorized, NotFound, RateLimited, ServerError, Unavailable);

/// Disconnect an application
///
/// Its codes and tokens for this account are invalid at once. Its jobs continue; the schedules that
/// it created are paused, and its webhooks are disabled.
#[utoipa::path(
    delete,
    path = "/oauth/applications/{id}",
    operation_id = "disconnect_application",
    tag = "oauth",
    params(("id" = ApplicationId, Path, description = "The application.")),
    responses(
        (status = 200, description = "The application is disconnected; the body is empty."),
        RouteErrors,
    ),
    security(("session" = [])),
)]
pub(crate) async fn disconnect_application(
    State(state): State<ApiState>,
    caller: Granted<AccountSession>,
    PathId(id): PathId<ApplicationId>,
) -> Result<StatusCode, ApiError> {
    if caller.store(&state).disconnect_application(&caller.account, &id).await? {
        Ok(StatusCode::OK)
    } else {
        Err(ApiError::not_found())
    }
}
