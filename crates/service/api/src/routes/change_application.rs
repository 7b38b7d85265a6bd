//! `PATCH /oauth/applications/{id}`: changes the limits of a connected application.

use axum::Json;
use axum::extract::State;
use contract::{ApplicationId, BodyFields, ConnectedApplication, SetLimits};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::body::JsonBody;
use crate::caller::{AccountSession, Granted};
use crate::credential_limits;
use crate::openapi::{example, problems};
use crate::path::PathId;

problems!(RouteErrors: InvalidJson, Unauthorized, NotFound, RequestTimeout, PayloadTooLarge,
    UnsupportedMediaType, ValidationFailed, RateLimited, ServerError, Unavailable);

/// Change the limits of an application
///
/// Omitted members stay unchanged; null or an empty list removes a limit. The change applies from
/// the next call and the next result on.
#[utoipa::path(
    patch,
    path = "/oauth/applications/{id}",
    operation_id = "change_application",
    tag = "oauth",
    params(("id" = ApplicationId, Path, description = "The application.")),
    request_body(content = SetLimits, description = "The changes.",
        example = json!({"daily_credits": 1_000})),
    responses(
        (status = 200, description = "The application after the change.", body = ConnectedApplication,
            example = json!(example::connected_application())),
        RouteErrors,
    ),
    security(("session" = [])),
)]
pub(crate) async fn change_application(
    State(state): State<ApiState>,
    caller: Granted<AccountSession>,
    PathId(id): PathId<ApplicationId>,
    JsonBody(body): JsonBody,
) -> Result<Json<ConnectedApplication>, ApiError> {
    let now = state.now();
    let mut fields = BodyFields::of(&body)?;
    let change = credential_limits::read(&mut fields, now);
    let errors = fields.finish();
    if !errors.is_empty() {
        return Err(ApiError::invalid(errors));
    }
    let store = caller.store(&state);
    if !store.change_application_limits(&caller.account, &id, &change).await? {
        return Err(ApiError::not_found());
    }
    let connected = store.connected_applications(&caller.account, now).await?;
    connected.into_iter().find(|one| one.id == id).map(Json).ok_or_else(ApiError::not_found)
}
