//! `POST /v1/webhooks/{id}/deliveries/{delivery}/redeliver`: sends an event again.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use contract::{Delivery, DeliveryId, WebhookId};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{Granted, WebhooksWrite};
use crate::openapi::{example, problems};
use crate::path::{self, PathId};

problems!(RouteErrors: Unauthorized, Forbidden, NotFound, RateLimited, ServerError, Unavailable);

/// Redeliver an event
///
/// Sends the same event with the same id at once. A pending delivery keeps its retry schedule;
/// others are tried once, also to a disabled endpoint, and a failure does not count as a failure of
/// the endpoint. A body is ignored.
#[utoipa::path(
    post,
    path = "/v1/webhooks/{id}/deliveries/{delivery}/redeliver",
    operation_id = "redeliver",
    tag = "webhooks",
    params(
        ("id" = WebhookId, Path, description = "The endpoint."),
        ("delivery" = DeliveryId, Path, description = "The delivery."),
    ),
    responses(
        (status = 202, description = "The delivery is queued.", body = Delivery,
            example = json!(example::delivery())),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["webhooks:write"])),
)]
pub(crate) async fn redeliver(
    State(state): State<ApiState>,
    caller: Granted<WebhooksWrite>,
    PathId(id): PathId<WebhookId>,
    path::DeliveryPath(delivery): path::DeliveryPath,
) -> Result<(StatusCode, Json<Delivery>), ApiError> {
    let store = state.store();
    let webhook = store.webhook_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    let sent = store.redeliver(&webhook.id, &delivery, state.now()).await?;
    Ok((StatusCode::ACCEPTED, Json(sent.ok_or_else(ApiError::not_found)?)))
}
