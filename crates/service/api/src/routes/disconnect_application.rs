//! `DELETE /oauth/applications/{id}`: an application acts for the account no longer.

use axum::extract::State;
use axum::http::StatusCode;
use contract::ApplicationId;

use crate::ApiState;
use crate::caller::{Granted, Session};
use crate::fault::Fault;
use crate::openapi::problems;
use crate::path::Id;

problems!(Refusals: Unauthorized, NotFound, RateLimited, ServerError, Unavailable);

/// Disconnect an application
///
/// From this answer on its codes and tokens for this account are refused. Jobs that it started
/// go on; the schedules that it made are paused, and the webhooks that it made are switched off.
#[utoipa::path(
    delete,
    path = "/oauth/applications/{id}",
    operation_id = "disconnect_application",
    tag = "oauth",
    params(("id" = ApplicationId, Path, description = "The application.")),
    responses(
        (status = 200, description = "It is disconnected; the body is empty."),
        Refusals,
    ),
    security(("session" = [])),
)]
pub(crate) async fn disconnect_application(
    State(state): State<ApiState>,
    caller: Granted<Session>,
    Id(id): Id<ApplicationId>,
) -> Result<StatusCode, Fault> {
    if caller.store(&state).disconnect_application(&caller.account, &id).await? {
        Ok(StatusCode::OK)
    } else {
        Err(Fault::not_found())
    }
}
