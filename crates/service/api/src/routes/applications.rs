//! Applications that are connected to the account.

use axum::Json;
use axum::http::StatusCode;
use contract::{ApplicationId, BodyFields, ConnectedApplication, SetLimits};

use crate::api_error::{ApiError, ApiResult};
use crate::body::{JsonBody, finish};
use crate::caller::{AccountSession, Granted};
use crate::credential_limits;
use crate::path::PathId;

/// List connected applications
///
/// The applications that the user has authorized, the latest first.
#[utoipa::path(
    get, path = "/oauth/applications", tag = "oauth",
    responses((status = 200, description = "The applications.", body = Vec<ConnectedApplication>)),
    security(("session" = [])),
)]
pub(crate) async fn list_applications(
    Granted { state, caller, .. }: Granted<AccountSession>,
) -> ApiResult<Json<Vec<ConnectedApplication>>> {
    Ok(Json(state.store.connected_applications(&caller.account, state.now()).await?))
}

/// Change the limits of an application
///
/// Omitted members stay unchanged; null or an empty list removes a limit. The change applies from
/// the next call and the next result on.
#[utoipa::path(
    patch, path = "/oauth/applications/{id}", tag = "oauth",
    params(("id" = ApplicationId, Path, description = "The application.")),
    request_body(content = SetLimits, description = "The changes."),
    responses(
        (status = 200, description = "The application after the change.",
            body = ConnectedApplication),
    ),
    security(("session" = [])),
)]
pub(crate) async fn change_application(
    Granted { state, caller, .. }: Granted<AccountSession>,
    PathId(id): PathId<ApplicationId>,
    JsonBody(body): JsonBody,
) -> ApiResult<Json<ConnectedApplication>> {
    let now = state.now();
    let mut fields = BodyFields::of(&body)?;
    let change = credential_limits::read(&mut fields, now);
    finish(fields, Some(()))?;
    let store = caller.store(&state);
    if !store.change_application_limits(&caller.account, &id, &change).await? {
        return Err(ApiError::not_found());
    }
    let connected = store.connected_applications(&caller.account, now).await?;
    connected.into_iter().find(|one| one.id == id).map(Json).ok_or_else(ApiError::not_found)
}

/// Disconnect an application
///
/// Its codes and tokens for this account are invalid at once. Its jobs continue; the schedules that
/// it created are paused, and its webhooks are disabled.
#[utoipa::path(
    delete, path = "/oauth/applications/{id}", tag = "oauth",
    params(("id" = ApplicationId, Path, description = "The application.")),
    responses((status = 200, description = "The application is disconnected; the body is empty.")),
    security(("session" = [])),
)]
pub(crate) async fn disconnect_application(
    Granted { state, caller, .. }: Granted<AccountSession>,
    PathId(id): PathId<ApplicationId>,
) -> ApiResult<StatusCode> {
    let removed = caller.store(&state).disconnect_application(&caller.account, &id).await?;
    removed.then_some(StatusCode::OK).ok_or_else(ApiError::not_found)
}
