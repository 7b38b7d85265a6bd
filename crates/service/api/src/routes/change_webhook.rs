//! `PATCH /v1/webhooks/{id}`: an endpoint is switched on or off, or told of other events.

use axum::Json;
use axum::extract::State;
use contract::{ChangeWebhook, Webhook, WebhookId};

use super::create_webhook::events;
use crate::ApiState;
use crate::api_error::ApiError;
use crate::body::{BodyFields, JsonBody};
use crate::caller::{Granted, WebhooksWrite};
use crate::openapi::{example, problems};
use crate::path::PathId;

problems!(Refusals: InvalidJson, Unauthorized, Forbidden, NotFound, RequestTimeout, PayloadTooLarge,
    UnsupportedMediaType, ValidationFailed, RateLimited, ServerError, Unavailable);

/// Change a webhook
///
/// What is left out stays as it is. An endpoint that is switched off is told nothing; what
/// waits for it is held and goes out when it is switched on again. One that was switched off
/// because its attempts were exhausted is delivered to again.
#[utoipa::path(
    patch,
    path = "/v1/webhooks/{id}",
    operation_id = "change_webhook",
    tag = "webhooks",
    params(("id" = WebhookId, Path, description = "The endpoint.")),
    request_body(content = ChangeWebhook, description = "What is to be otherwise.",
        example = json!({"active": true})),
    responses(
        (status = 200, description = "The endpoint as it is now.", body = Webhook,
            example = json!(example::webhook())),
        Refusals,
    ),
    security(("api_key" = []), ("oauth" = ["webhooks:write"])),
)]
pub(crate) async fn change_webhook(
    State(state): State<ApiState>,
    caller: Granted<WebhooksWrite>,
    PathId(id): PathId<WebhookId>,
    JsonBody(body): JsonBody,
) -> Result<Json<Webhook>, ApiError> {
    let mut fields = BodyFields::of(&body)?;
    let active = fields.flag("active");
    let events = events(&mut fields);
    let errors = fields.finish();
    if !errors.is_empty() {
        return Err(ApiError::invalid(errors));
    }
    let store = caller.store(&state);
    let changed = store.change_webhook(&caller.account, &id, active, events.as_deref()).await?;
    changed.map(Json).ok_or_else(ApiError::not_found)
}
