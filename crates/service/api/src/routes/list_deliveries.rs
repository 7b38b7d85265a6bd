//! `GET /v1/webhooks/{id}/deliveries`: the deliveries to a webhook endpoint.

use axum::Json;
use axum::extract::State;
use contract::{DeliveryPage, DeliveryState, WebhookId};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{Granted, WebhooksRead};
use crate::openapi::{PageParams, example, problems};
use crate::path::PathId;
use crate::query::Params;

problems!(RouteErrors: Unauthorized, Forbidden, NotFound, ValidationFailed, RateLimited, ServerError, Unavailable);

/// List deliveries
///
/// The deliveries to the endpoint, newest first: time, response status, duration, error, and time of
/// the next attempt. Stored as long as the results of the job.
#[utoipa::path(
    get,
    path = "/v1/webhooks/{id}/deliveries",
    operation_id = "list_deliveries",
    tag = "webhooks",
    params(
        ("id" = WebhookId, Path, description = "The endpoint."),
        ("state" = Option<DeliveryState>, Query, description = "Only deliveries in this state."),
        PageParams,
    ),
    responses(
        (status = 200, description = "A page of deliveries.", body = DeliveryPage,
            example = json!(example::deliveries())),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["webhooks:read"])),
)]
pub(crate) async fn list_deliveries(
    State(state): State<ApiState>,
    caller: Granted<WebhooksRead>,
    PathId(id): PathId<WebhookId>,
    mut params: Params,
) -> Result<Json<DeliveryPage>, ApiError> {
    let page = params.page(&state.settings().limits);
    let wanted = params.one_of("state", DeliveryState::ALL);
    params.finish()?;
    let store = state.store();
    let webhook = store.webhook_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    let (items, total) = store.deliveries(&webhook.id, wanted, page).await?;
    let has_more = page.offset().saturating_add(items.len() as u64) < total;
    Ok(Json(DeliveryPage { items, total, page: page.number, page_size: page.size, has_more }))
}
