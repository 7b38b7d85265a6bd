//! `POST /v1/webhooks/{id}/test`: its owner tries an endpoint.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use contract::{Delivery, WebhookId};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{Granted, WebhooksWrite};
use crate::openapi::{example, problems};
use crate::path::PathId;

problems!(Refusals: Unauthorized, Forbidden, NotFound, RateLimited, ServerError, Unavailable);

/// Test a webhook
///
/// Sends a `webhook.test`, signed as every delivery is, once, whether the endpoint is active or
/// not. The list of deliveries tells what came of it; a failure is not held against the
/// endpoint. A body is not looked at.
#[utoipa::path(
    post,
    path = "/v1/webhooks/{id}/test",
    operation_id = "test_webhook",
    tag = "webhooks",
    params(("id" = WebhookId, Path, description = "The endpoint.")),
    responses(
        (status = 202, description = "It is on its way.", body = Delivery,
            example = json!(example::test_delivery())),
        Refusals,
    ),
    security(("api_key" = []), ("oauth" = ["webhooks:write"])),
)]
pub(crate) async fn test_webhook(
    State(state): State<ApiState>,
    caller: Granted<WebhooksWrite>,
    PathId(id): PathId<WebhookId>,
) -> Result<(StatusCode, Json<Delivery>), ApiError> {
    let store = state.store();
    let webhook = store.webhook_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    let sent = store.test_webhook(&caller.account, &webhook.id, state.now()).await?;
    Ok((StatusCode::ACCEPTED, Json(sent.ok_or_else(ApiError::not_found)?)))
}
