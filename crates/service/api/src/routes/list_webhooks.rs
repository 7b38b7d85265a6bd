//! `GET /v1/webhooks`: the account's endpoints, never their secrets.

use axum::Json;
use axum::extract::State;
use contract::Webhook;

use crate::ApiState;
use crate::api_error::ApiError;
use crate::caller::{Granted, WebhooksRead};
use crate::openapi::{example, problems};

problems!(RouteErrors: Unauthorized, Forbidden, RateLimited, ServerError, Unavailable);

/// List webhooks
///
/// Every webhook endpoint of the account, newest first.
#[utoipa::path(
    get,
    path = "/v1/webhooks",
    operation_id = "list_webhooks",
    tag = "webhooks",
    responses(
        (status = 200, description = "The endpoints.", body = Vec<Webhook>,
            example = json!([example::webhook()])),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["webhooks:read"])),
)]
pub(crate) async fn list_webhooks(
    State(state): State<ApiState>,
    caller: Granted<WebhooksRead>,
) -> Result<Json<Vec<Webhook>>, ApiError> {
    Ok(Json(state.store().webhooks(&caller.account).await?))
}
