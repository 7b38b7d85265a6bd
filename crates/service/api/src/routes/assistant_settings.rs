//! `GET` and `PUT /assistant-settings`: the rights of MCP clients.

use axum::Json;
use axum::extract::State;
use contract::{AssistantSettings, BodyFields};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::body::JsonBody;
use crate::caller::{AccountSession, Granted};
use crate::openapi::problems;

problems!(ReadRouteErrors: Unauthorized, RateLimited, ServerError, Unavailable);
problems!(RouteErrors: InvalidJson, Unauthorized, RequestTimeout, PayloadTooLarge,
    UnsupportedMediaType, ValidationFailed, RateLimited, ServerError, Unavailable);

/// Get assistant settings
///
/// What assistants that use this account over MCP may do without the owner.
#[utoipa::path(
    get,
    path = "/assistant-settings",
    operation_id = "get_assistant_settings",
    tag = "account",
    responses(
        (status = 200, description = "The settings.", body = AssistantSettings,
            example = json!({"may_accept_legal_basis": false})),
        ReadRouteErrors,
    ),
    security(("session" = [])),
)]
pub(crate) async fn get_assistant_settings(
    State(state): State<ApiState>,
    caller: Granted<AccountSession>,
) -> Result<Json<AssistantSettings>, ApiError> {
    let allowed = state.store().assistants_may_accept_legal_basis(&caller.account).await?;
    Ok(Json(AssistantSettings { may_accept_legal_basis: allowed }))
}

/// Set assistant settings
///
/// A `contacts` job collects personal data and needs a confirmed lawful basis. An assistant cannot
/// confirm it on behalf of the owner until the owner enables it here.
#[utoipa::path(
    put,
    path = "/assistant-settings",
    operation_id = "set_assistant_settings",
    tag = "account",
    request_body(content = AssistantSettings, description = "The new settings.",
        example = json!({"may_accept_legal_basis": true})),
    responses(
        (status = 200, description = "The settings after the change.", body = AssistantSettings,
            example = json!({"may_accept_legal_basis": true})),
        RouteErrors,
    ),
    security(("session" = [])),
)]
pub(crate) async fn set_assistant_settings(
    State(state): State<ApiState>,
    caller: Granted<AccountSession>,
    JsonBody(body): JsonBody,
) -> Result<Json<AssistantSettings>, ApiError> {
    let mut fields = BodyFields::of(&body)?;
    let allowed = fields.flag("may_accept_legal_basis");
    fields.require("may_accept_legal_basis");
    let errors = fields.finish();
    let (Some(allowed), true) = (allowed, errors.is_empty()) else {
        return Err(ApiError::invalid(errors));
    };
    let store = caller.store(&state);
    store.set_assistants_may_accept_legal_basis(&caller.account, allowed).await?;
    Ok(Json(AssistantSettings { may_accept_legal_basis: allowed }))
}
