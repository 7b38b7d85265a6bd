//! Webhook endpoints.

use axum::Json;
use axum::http::StatusCode;
use contract::{
    BodyFields, ChangeWebhook, CreateWebhook, CreatedWebhook, FieldError, ProblemCode, Webhook,
    WebhookId, read_events,
};
use net::FetchError;
use store::NewWebhook;
use urls::{CanonicalUrl, is_public};

use crate::ApiState;
use crate::api_error::{ApiError, ApiResult};
use crate::body::{JsonBody, finish};
use crate::caller::{Granted, WebhooksRead, WebhooksWrite};
use crate::path::PathId;
use crate::receiver_url::{check_plain_receiver, denied, private, receiver_url};

/// List webhooks
///
/// Every webhook endpoint of the account, newest first.
#[utoipa::path(
    get, path = "/v1/webhooks", tag = "webhooks",
    responses((status = 200, description = "The endpoints.", body = Vec<Webhook>)),
    security(("api_key" = []), ("oauth" = ["webhooks:read"])),
)]
pub(crate) async fn list_webhooks(
    Granted { state, caller, .. }: Granted<WebhooksRead>,
) -> ApiResult<Json<Vec<Webhook>>> {
    Ok(Json(state.store.webhooks(&caller.account).await?))
}

/// Create a webhook
///
/// Events are sent by POST to the HTTPS URL of the endpoint, signed with the secret that is returned
/// in this response only. The host is resolved at once: private and loopback addresses are rejected,
/// now and at each delivery.
#[utoipa::path(
    post, path = "/v1/webhooks", tag = "webhooks",
    request_body(content = CreateWebhook, description = "The URL and the events."),
    responses(
        (status = 201, description = "The endpoint, with its secret.", body = CreatedWebhook),
    ),
    extensions(("x-problems" = json!([ProblemCode::Conflict, ProblemCode::UrlNotResolved]))),
    security(("api_key" = []), ("oauth" = ["webhooks:write"])),
)]
pub(crate) async fn create_webhook(
    Granted { state, caller, .. }: Granted<WebhooksWrite>,
    JsonBody(body): JsonBody,
) -> ApiResult<(StatusCode, Json<CreatedWebhook>)> {
    let mut fields = BodyFields::of(&body)?;
    let text = fields.text("url");
    fields.require("url");
    let mut receiver = None;
    match text.map(|text| receiver_url(text, &state.settings)) {
        Some(Ok(url)) => receiver = Some(url),
        Some(Err(problem)) => fields.wrong("url", problem),
        None => {}
    }
    let events = read_events(&mut fields);
    let (text, receiver) = finish(fields, text.zip(receiver))?;
    check_addresses(&state, "url", &receiver).await?;
    let created_by = caller.creator();
    let new = NewWebhook { url: text.trim().to_owned(), events, created_by };
    let created = caller.store(&state).create_webhook(&caller.account, new, state.now()).await?;
    let limit = state.settings.limits.webhooks;
    created
        .map(|created| (StatusCode::CREATED, Json(created)))
        .ok_or_else(|| ApiError::account_limit(limit, "webhooks", "delete one"))
}

/// Resolves the host of the URL in `field` and checks its addresses. Repeated at each connection.
pub(crate) async fn check_addresses(
    state: &ApiState,
    field: &str,
    url: &CanonicalUrl,
) -> ApiResult<()> {
    let wrong = |problem: String| ApiError::from(FieldError::new(field, problem));
    match state.receivers.resolve(url.host(), url.port()).await {
        Ok(addresses) => check_plain_receiver(url, &addresses, &state.settings).map_err(wrong),
        // The message names the host only: the client must not learn the operator's addresses.
        Err(FetchError::AddressRefused(address)) if is_public(address) => {
            Err(wrong(denied(url.host())))
        }
        Err(FetchError::AddressRefused(_)) => Err(wrong(private(&format!("of {}", url.host())))),
        Err(error @ FetchError::PortRefused(_)) => Err(wrong(error.to_string())),
        Err(_) => {
            let message = format!("the host {} does not resolve to an address", url.host());
            Err(ApiError::of_field(ProblemCode::UrlNotResolved, field, message))
        }
    }
}

/// Change a webhook
///
/// Omitted members stay unchanged. A disabled endpoint gets no deliveries; they are held and sent
/// when it is enabled again. An endpoint that was disabled because its attempts were exhausted
/// gets deliveries again.
#[utoipa::path(
    patch, path = "/v1/webhooks/{id}", tag = "webhooks",
    params(("id" = WebhookId, Path, description = "The endpoint.")),
    request_body(content = ChangeWebhook, description = "The changes."),
    responses((status = 200, description = "The endpoint after the change.", body = Webhook)),
    security(("api_key" = []), ("oauth" = ["webhooks:write"])),
)]
pub(crate) async fn change_webhook(
    Granted { state, caller, .. }: Granted<WebhooksWrite>,
    PathId(id): PathId<WebhookId>,
    JsonBody(body): JsonBody,
) -> ApiResult<Json<Webhook>> {
    let mut fields = BodyFields::of(&body)?;
    let active = fields.flag("active");
    let events = read_events(&mut fields);
    finish(fields, Some(()))?;
    let store = caller.store(&state);
    let changed = store.change_webhook(&caller.account, &id, active, events.as_deref()).await?;
    changed.map(Json).ok_or_else(ApiError::not_found)
}

/// Delete a webhook
///
/// Pending deliveries to the endpoint are deleted as well.
#[utoipa::path(
    delete, path = "/v1/webhooks/{id}", tag = "webhooks",
    params(("id" = WebhookId, Path, description = "The endpoint.")),
    responses((status = 200, description = "The endpoint is deleted; the body is empty.")),
    security(("api_key" = []), ("oauth" = ["webhooks:write"])),
)]
pub(crate) async fn remove_webhook(
    Granted { state, caller, .. }: Granted<WebhooksWrite>,
    PathId(id): PathId<WebhookId>,
) -> ApiResult<StatusCode> {
    let removed = caller.store(&state).remove_webhook(&caller.account, &id).await?;
    removed.then_some(StatusCode::OK).ok_or_else(ApiError::not_found)
}
