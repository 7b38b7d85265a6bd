//! `POST /v1/webhooks`: creates a webhook endpoint and returns its secret once.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use contract::{
    BodyFields, CreateWebhook, CreatedWebhook, EventKind, FieldError, ProblemCode, comma_list,
};
use net::FetchError;
use store::NewWebhook;
use urls::{CanonicalUrl, Target, TargetRefusal, is_public};

use crate::ApiState;
use crate::api_error::ApiError;
use crate::body::JsonBody;
use crate::caller::{Granted, WebhooksWrite};
use crate::openapi::{example, problems};

problems!(RouteErrors: InvalidJson, Unauthorized, Forbidden, RequestTimeout, Conflict, PayloadTooLarge,
    UnsupportedMediaType, ValidationFailed, UrlNotResolved, RateLimited, ServerError, Unavailable);

/// Maximum entries of `events`.
const MAX_EVENTS: usize = 100;

/// Create a webhook
///
/// Events are sent by POST to the HTTPS URL of the endpoint, signed with the secret that is returned
/// in this response only. The host is resolved at once: private and loopback addresses are rejected,
/// now and at each delivery.
#[utoipa::path(
    post,
    path = "/v1/webhooks",
    operation_id = "create_webhook",
    tag = "webhooks",
    request_body(content = CreateWebhook, description = "The URL and the events.",
        example = json!({"url": "https://hooks.example.com/trawl",
            "events": ["job.completed", "job.failed"]})),
    responses(
        (status = 201, description = "The endpoint, with its secret.", body = CreatedWebhook,
            example = json!(example::created_webhook())),
        RouteErrors,
    ),
    security(("api_key" = []), ("oauth" = ["webhooks:write"])),
)]
pub(crate) async fn create_webhook(
    State(state): State<ApiState>,
    caller: Granted<WebhooksWrite>,
    JsonBody(body): JsonBody,
) -> Result<(StatusCode, Json<CreatedWebhook>), ApiError> {
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
    let errors = fields.finish();
    let (Some(text), Some(receiver), true) = (text, receiver, errors.is_empty()) else {
        return Err(ApiError::invalid(errors));
    };
    check_addresses(&state, &receiver).await?;
    let created_by = caller.creator();
    let new = NewWebhook { url: text.trim().to_owned(), events, created_by };
    match caller.store(&state).create_webhook(&caller.account, new, state.now()).await? {
        Some(created) => Ok((StatusCode::CREATED, Json(created))),
        None => Err(ApiError::new(
            ProblemCode::Conflict,
            format!(
                "account limit: the account has {} webhooks; delete one first",
                state.settings().limits.webhooks
            ),
        )),
    }
}

/// The subscribed events; `None` for all.
pub(crate) fn events(fields: &mut BodyFields<'_>) -> Option<Vec<EventKind>> {
    let mut events = Vec::new();
    for (place, name) in fields.texts("events", MAX_EVENTS)? {
        match name.parse::<EventKind>() {
            Ok(event) if events.contains(&event) => {
                fields.wrong(&format!("events[{place}]"), format!("{event} is named twice"));
            }
            Ok(event) => events.push(event),
            Err(_) => {
                let known = comma_list(EventKind::ALL);
                fields.wrong(&format!("events[{place}]"), format!("must be one of {known}"));
            }
        }
    }
    Some(events)
}

/// Checks the URL without network access.
fn parse(text: &str, state: &ApiState) -> Result<CanonicalUrl, String> {
    let settings = state.settings();
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
async fn check_addresses(state: &ApiState, url: &CanonicalUrl) -> Result<(), ApiError> {
    let wrong = |problem: String| ApiError::invalid(vec![FieldError::new("url", problem)]);
    match state.receivers().resolve(url.host(), url.port()).await {
        Ok(_) => Ok(()),
        // The message names the host only: the client must not learn the operator's addresses.
        Err(FetchError::AddressRefused(address)) if is_public(address) => {
            Err(wrong(denied(url.host())))
        }
        Err(FetchError::AddressRefused(_)) => Err(wrong(private(&format!("of {}", url.host())))),
        Err(error @ FetchError::PortRefused(_)) => Err(wrong(error.to_string())),
        Err(_) => {
            let message = format!("the host {} does not resolve to an address", url.host());
            let errors = vec![FieldError::new("url", message.clone())];
            Err(ApiError::new(ProblemCode::UrlNotResolved, message).errors(errors))
        }
    }
}

fn denied(address: &str) -> String {
    format!("this service does not deliver to {address}: its operator denies this network")
}

fn private(address: &str) -> String {
    format!("the address {address} is not public; private and loopback addresses are refused")
}
