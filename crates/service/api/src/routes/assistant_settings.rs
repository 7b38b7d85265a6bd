//! `GET` and `PUT /assistant-settings`: what the owner lets assistants (MCP) do.

use axum::Json;
use axum::extract::State;
use contract::AssistantSettings;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::body::{BodyFields, JsonBody};
use crate::caller::{AccountSession, Granted};
use crate::openapi::problems;

problems!(Reading: Unauthorized, RateLimited, ServerError, Unavailable);
problems!(Refusals: InvalidJson, Unauthorized, RequestTimeout, PayloadTooLarge,
    UnsupportedMediaType, ValidationFailed, RateLimited, ServerError, Unavailable);

/// Get assistant settings
///
/// What assistants that use this account over MCP may do by themselves.
#[utoipa::path(
    get,
    path = "/assistant-settings",
    operation_id = "get_assistant_settings",
    tag = "account",
    responses(
        (status = 200, description = "As they are.", body = AssistantSettings,
            example = json!({"may_accept_legal_basis": false})),
        Reading,
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
/// A `contacts` run collects personal data and needs somebody who confirms a lawful basis for
/// it. Until its owner switches this on, an assistant cannot confirm that in the owner's name.
#[utoipa::path(
    put,
    path = "/assistant-settings",
    operation_id = "set_assistant_settings",
    tag = "account",
    request_body(content = AssistantSettings, description = "What they may do from now on.",
        example = json!({"may_accept_legal_basis": true})),
    responses(
        (status = 200, description = "As they are now.", body = AssistantSettings,
            example = json!({"may_accept_legal_basis": true})),
        Refusals,
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
    fields.missing("may_accept_legal_basis");
    let errors = fields.finish();
    let (Some(allowed), true) = (allowed, errors.is_empty()) else {
        return Err(ApiError::invalid(errors));
    };
    let store = caller.store(&state);
    store.let_assistants_accept_legal_basis(&caller.account, allowed).await?;
    Ok(Json(AssistantSettings { may_accept_legal_basis: allowed }))
}
