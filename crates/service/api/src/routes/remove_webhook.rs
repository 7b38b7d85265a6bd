//! `DELETE /v1/webhooks/{id}`: deletes a webhook endpoint.

use axum::extract::State;
use axum::http::StatusCode;
use contract::WebhookId;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{Granted, WebhooksWrite};
use crate::openapi::problems;
use crate::path::PathId;

problems!(RouteErrors: Unauthorized, Forbidden, NotFound, RateLimited, ServerError, Unavailable);

/// Delete a webhook
///
/// Pending deliveries to the endpoint are deleted as well.
#[utoipa::path(
    delete,
    path = "/v1/webhooks/{id}",
    operation_id = "remove_webhook",
    tag = "webhooks",
    params(("id" = WebhookId, Path, description = "The endpoint.")),
    responses((status = 200, description = "The endpoint is deleted; the body is empty."), RouteErrors),
    security(("api_key" = []), ("oauth" = ["webhooks:write"])),
)]
pub(crate) async fn remove_webhook(
    State(state): State<ApiState>,
    caller: Granted<WebhooksWrite>,
    PathId(id): PathId<WebhookId>,
) -> Result<StatusCode, ApiError> {
    if caller.store(&state).remove_webhook(&caller.account, &id).await? {
        Ok(StatusCode::OK)
    } else {
        Err(ApiError::not_found())
    }
}
