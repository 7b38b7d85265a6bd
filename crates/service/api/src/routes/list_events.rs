//! `GET /v1/events`: the events of the account, for receivers that missed deliveries.

use axum::Json;
use axum::extract::State;
use contract::{EventId, EventList, FieldError};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{Granted, WebhooksRead};
use crate::openapi::{EventParams, example, problems};
use crate::query::Params;

problems!(RouteErrors: Unauthorized, Forbidden, ValidationFailed, RateLimited, ServerError, Unavailable);

/// List events
///
/// All events of the account after `after`, oldest first, also those without a webhook. Events are
/// returned in a gapless order: a client that has read one has missed none before it. Stored as
/// long as the results of the job.
#[utoipa::path(
    get,
    path = "/v1/events",
    operation_id = "list_events",
    tag = "webhooks",
    params(EventParams),
    responses(
        (status = 200, description = "Events, oldest first.", body = EventList,
            example = json!(example::events())),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["webhooks:read"])),
)]
pub(crate) async fn list_events(
    State(state): State<ApiState>,
    caller: Granted<WebhooksRead>,
    mut params: Params,
) -> Result<Json<EventList>, ApiError> {
    let most = params.page_size(&state.settings().limits);
    let after: Option<EventId> = params.id("after", "an event");
    params.finish()?;
    match state.store().events_after(&caller.account, after.as_ref(), most).await? {
        Some((items, has_more)) => Ok(Json(EventList { items, has_more })),
        None => Err(ApiError::invalid(vec![FieldError::new(
            "after",
            "is not a stored event; omit it to start with the oldest",
        )])),
    }
}
