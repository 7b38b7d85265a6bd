//! `PATCH /v1/webhooks/{id}`: enables, disables or resubscribes a webhook endpoint.

use axum::Json;
use axum::extract::State;
use contract::{BodyFields, ChangeWebhook, Webhook, WebhookId};

use super::create_webhook::events;
use crate::ApiState;
use crate::api_error::ApiError;
use crate::body::JsonBody;
use crate::caller::{Granted, WebhooksWrite};
use crate::openapi::{example, problems};
use crate::path::PathId;

problems!(RouteErrors: InvalidJson, Unauthorized, Forbidden, NotFound, RequestTimeout, PayloadTooLarge,
    UnsupportedMediaType, ValidationFailed, RateLimited, ServerError, Unavailable);

/// Change a webhook
///
/// Omitted members stay unchanged. A disabled endpoint gets no deliveries; they are held and sent
/// when it is enabled again. An endpoint that was disabled because its attempts were exhausted
/// gets deliveries again.
#[utoipa::path(
    patch,
    path = "/v1/webhooks/{id}",
    operation_id = "change_webhook",
    tag = "webhooks",
    params(("id" = WebhookId, Path, description = "The endpoint.")),
    request_body(content = ChangeWebhook, description = "The changes.",
        example = json!({"active": true})),
    responses(
        (status = 200, description = "The endpoint after the change.", body = Webhook,
            example = json!(example::webhook())),
        RouteErrors,
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
