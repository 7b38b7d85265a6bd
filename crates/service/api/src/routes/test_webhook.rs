//! `POST /v1/webhooks/{id}/test`: sends a test event.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use contract::{Delivery, WebhookId};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{Granted, WebhooksWrite};
use crate::openapi::{example, problems};
use crate::path::PathId;

problems!(RouteErrors: Unauthorized, Forbidden, NotFound, RateLimited, ServerError, Unavailable);

/// Test a webhook
///
/// Sends a signed `webhook.test` event once, also to a disabled endpoint. The list of deliveries
/// shows the result; a failure does not count as a failure of the endpoint. A body is ignored.
#[utoipa::path(
    post,
    path = "/v1/webhooks/{id}/test",
    operation_id = "test_webhook",
    tag = "webhooks",
    params(("id" = WebhookId, Path, description = "The endpoint.")),
    responses(
        (status = 202, description = "The delivery is queued.", body = Delivery,
            example = json!(example::test_delivery())),
        RouteErrors,
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
