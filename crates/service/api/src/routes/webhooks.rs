//! Webhook endpoints.

use axum::Json;
use axum::http::StatusCode;
use contract::{
    BodyFields, ChangeWebhook, CreateWebhook, CreatedWebhook, EventKind, FieldError, ProblemCode,
    Webhook, WebhookId, comma_list,
};
use net::FetchError;
use store::NewWebhook;
use urls::{CanonicalUrl, Target, TargetRefusal, is_public};

use crate::ApiState;
use crate::api_error::{ApiError, ApiResult};
use crate::body::{JsonBody, finish};
use crate::caller::{Granted, WebhooksRead, WebhooksWrite};
use crate::path::PathId;

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

/// Maximum entries of `events`.
const MAX_EVENTS: usize = 100;

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
    match text.map(|text| parse(text, &state)) {
        Some(Ok(url)) => receiver = Some(url),
        Some(Err(problem)) => fields.wrong("url", problem),
        None => {}
    }
    let events = events(&mut fields);
    let (text, receiver) = finish(fields, text.zip(receiver))?;
    check_addresses(&state, &receiver).await?;
    let created_by = caller.creator();
    let new = NewWebhook { url: text.trim().to_owned(), events, created_by };
    let created = caller.store(&state).create_webhook(&caller.account, new, state.now()).await?;
    let limit = state.settings.limits.webhooks;
    created
        .map(|created| (StatusCode::CREATED, Json(created)))
        .ok_or_else(|| ApiError::account_limit(limit, "webhooks", "delete one"))
}

/// The subscribed events; `None` for all.
pub(crate) fn events(fields: &mut BodyFields<'_>) -> Option<Vec<EventKind>> {
    let mut events = Vec::new();
    for (index, name) in fields.texts("events", MAX_EVENTS)? {
        match name.parse::<EventKind>() {
            Ok(event) if events.contains(&event) => {
                fields.wrong(&format!("events[{index}]"), format!("{event} is named twice"));
            }
            Ok(event) => events.push(event),
            Err(_) => {
                let known = comma_list(EventKind::ALL);
                fields.wrong(&format!("events[{index}]"), format!("must be one of {known}"));
            }
        }
    }
    Some(events)
}

/// Checks the URL without network access.
fn parse(text: &str, state: &ApiState) -> Result<CanonicalUrl, String> {
    let settings = &state.settings;
    let known = |name: &str| settings.known_names.knows(name);
    let url =
        Target::parse(text, &settings.webhook_networks, known).map_err(
            |refusal| match refusal {
                TargetRefusal::NotAbsolute => "must be absolute and begin with https://".to_owned(),
                TargetRefusal::Port(port) => {
                    format!("port {port} is not delivered to; use 443 or a web port from 1024 up")
                }
                TargetRefusal::PrivateAddress(address) => private(&address),
                TargetRefusal::DeniedAddress(address) => denied(&address),
                TargetRefusal::SpecialUseName(name) => {
                    format!("`{name}` is a name for local use; give a public one")
                }
                other @ (TargetRefusal::TooLong
                | TargetRefusal::Characters
                | TargetRefusal::Credentials
                | TargetRefusal::Host
                | TargetRefusal::NoPort
                | TargetRefusal::DisguisedAddress(_)
                | TargetRefusal::SingleLabel(_)) => other.to_string(),
            },
        )?;
    if url.as_str().starts_with("https://") {
        Ok(url)
    } else {
        Err("must begin with https://: events are never sent in the clear".to_owned())
    }
}

/// Resolves the host and checks its addresses. Repeated at each connection.
async fn check_addresses(state: &ApiState, url: &CanonicalUrl) -> ApiResult<()> {
    let wrong = |problem: String| ApiError::from(FieldError::new("url", problem));
    match state.receivers.resolve(url.host(), url.port()).await {
        Ok(_) => Ok(()),
        // The message names the host only: the client must not learn the operator's addresses.
        Err(FetchError::AddressRefused(address)) if is_public(address) => {
            Err(wrong(denied(url.host())))
        }
        Err(FetchError::AddressRefused(_)) => Err(wrong(private(&format!("of {}", url.host())))),
        Err(error @ FetchError::PortRefused(_)) => Err(wrong(error.to_string())),
        Err(_) => {
            let message = format!("the host {} does not resolve to an address", url.host());
            Err(ApiError::of_field(ProblemCode::UrlNotResolved, "url", message))
        }
    }
}

fn denied(address: &str) -> String {
    format!("this service does not deliver to {address}: its operator denies this network")
}

fn private(address: &str) -> String {
    format!("the address {address} is not public; private and loopback addresses are refused")
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
    let events = events(&mut fields);
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
