//! Deliveries to webhook endpoints, and the events of the account.

use axum::Json;
use axum::http::StatusCode;
use contract::{
    Delivery, DeliveryId, DeliveryPage, DeliveryState, EventId, EventList, FieldError, WebhookId,
};

use crate::api_error::{ApiError, ApiResult};
use crate::caller::{Granted, WebhooksRead, WebhooksWrite};
use crate::openapi::{EventParams, PageParams};
use crate::path::{DeliveryPath, PathId};
use crate::query::Params;

/// List deliveries
///
/// The deliveries to the endpoint, newest first: time, response status, duration, error, and time of
/// the next attempt. Stored as long as the results of the job.
#[utoipa::path(
    get, path = "/v1/webhooks/{id}/deliveries", tag = "webhooks",
    params(
        ("id" = WebhookId, Path, description = "The endpoint."),
        ("state" = Option<DeliveryState>, Query, description = "Only deliveries in this state."),
        PageParams,
    ),
    responses((status = 200, description = "A page of deliveries.", body = DeliveryPage)),
    security(("api_key" = []), ("oauth" = ["webhooks:read"])),
)]
pub(crate) async fn list_deliveries(
    Granted { state, caller, .. }: Granted<WebhooksRead>,
    PathId(id): PathId<WebhookId>,
    mut params: Params,
) -> ApiResult<Json<DeliveryPage>> {
    let page = params.page(&state.settings.limits);
    let wanted = params.one_of("state", DeliveryState::ALL);
    params.finish()?;
    let store = &state.store;
    let webhook = store.webhook_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    let (items, total) = store.deliveries(&webhook.id, wanted, page).await?;
    let has_more = page.offset().saturating_add(items.len() as u64) < total;
    Ok(Json(DeliveryPage { items, total, page: page.number, page_size: page.size, has_more }))
}

/// Test a webhook
///
/// Sends a signed `webhook.test` event once, also to a disabled endpoint. The list of deliveries
/// shows the result; a failure does not count as a failure of the endpoint. A body is ignored.
#[utoipa::path(
    post, path = "/v1/webhooks/{id}/test", tag = "webhooks",
    params(("id" = WebhookId, Path, description = "The endpoint.")),
    responses((status = 202, description = "The delivery is queued.", body = Delivery)),
    security(("api_key" = []), ("oauth" = ["webhooks:write"])),
)]
pub(crate) async fn test_webhook(
    Granted { state, caller, .. }: Granted<WebhooksWrite>,
    PathId(id): PathId<WebhookId>,
) -> ApiResult<(StatusCode, Json<Delivery>)> {
    let store = &state.store;
    let webhook = store.webhook_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    let sent = store.test_webhook(&caller.account, &webhook.id, state.now()).await?;
    Ok((StatusCode::ACCEPTED, Json(sent.ok_or_else(ApiError::not_found)?)))
}

/// Redeliver an event
///
/// Sends the same event with the same id at once. A pending delivery keeps its retry schedule;
/// others are tried once, also to a disabled endpoint, and a failure does not count as a failure of
/// the endpoint. A body is ignored.
#[utoipa::path(
    post, path = "/v1/webhooks/{id}/deliveries/{delivery}/redeliver", tag = "webhooks",
    params(
        ("id" = WebhookId, Path, description = "The endpoint."),
        ("delivery" = DeliveryId, Path, description = "The delivery."),
    ),
    responses((status = 202, description = "The delivery is queued.", body = Delivery)),
    security(("api_key" = []), ("oauth" = ["webhooks:write"])),
)]
pub(crate) async fn redeliver(
    Granted { state, caller, .. }: Granted<WebhooksWrite>,
    PathId(id): PathId<WebhookId>,
    DeliveryPath(delivery): DeliveryPath,
) -> ApiResult<(StatusCode, Json<Delivery>)> {
    let store = &state.store;
    let webhook = store.webhook_of(&caller.account, &id).await?.ok_or_else(ApiError::not_found)?;
    let sent = store.redeliver(&webhook.id, &delivery, state.now()).await?;
    Ok((StatusCode::ACCEPTED, Json(sent.ok_or_else(ApiError::not_found)?)))
}

/// List events
///
/// All events of the account after `after`, oldest first, also those without a webhook. Events are
/// returned in a gapless order: a client that has read one has missed none before it. Stored as
/// long as the results of the job.
#[utoipa::path(
    get, path = "/v1/events", tag = "webhooks",
    params(EventParams),
    responses((status = 200, description = "Events, oldest first.", body = EventList)),
    security(("api_key" = []), ("oauth" = ["webhooks:read"])),
)]
pub(crate) async fn list_events(
    Granted { state, caller, .. }: Granted<WebhooksRead>,
    mut params: Params,
) -> ApiResult<Json<EventList>> {
    let most = params.page_size(&state.settings.limits);
    let after: Option<EventId> = params.id("after", "an event");
    params.finish()?;
    match state.store.events_after(&caller.account, after.as_ref(), most).await? {
        Some((items, has_more)) => Ok(Json(EventList { items, has_more })),
        None => {
            let message = "is not a stored event; omit it to start with the oldest";
            Err(FieldError::new("after", message).into())
        }
    }
}
