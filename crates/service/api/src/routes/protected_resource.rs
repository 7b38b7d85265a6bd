//! `GET /.well-known/oauth-protected-resource`: who gives tokens for this service (RFC 9728).

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use contract::OauthScope;
use serde_json::{Value, json};

use crate::openapi::example;
use crate::{ApiSettings, ApiState};

/// Get the metadata of the service
///
/// Who gives access tokens for the operations under `/v1` (RFC 9728).
#[utoipa::path(
    get,
    path = "/.well-known/oauth-protected-resource",
    operation_id = "protected_resource",
    tag = "oauth",
    responses((status = 200, description = "The metadata.", body = Object,
        example = json!(example::protected_resource("")))),
    security(()),
)]
pub(crate) async fn protected_resource(State(state): State<ApiState>) -> impl IntoResponse {
    answer(state.settings(), "")
}

/// Get the metadata of the tools
///
/// Who gives access tokens for `/mcp` (RFC 9728).
#[utoipa::path(
    get,
    path = "/.well-known/oauth-protected-resource/mcp",
    operation_id = "protected_tools",
    tag = "oauth",
    responses((status = 200, description = "The metadata.", body = Object,
        example = json!(example::protected_resource("/mcp")))),
    security(()),
)]
pub(crate) async fn protected_tools(State(state): State<ApiState>) -> impl IntoResponse {
    answer(state.settings(), "/mcp")
}

fn answer(settings: &ApiSettings, path: &str) -> impl IntoResponse + use<> {
    ([(header::CACHE_CONTROL, "public, max-age=300")], Json(metadata(settings, path)))
}

/// What the tools of assistants need, and no more: it is what their users are asked for.
const OF_TOOLS: &[OauthScope] =
    &[OauthScope::JobsRead, OauthScope::JobsWrite, OauthScope::AccountRead];

/// The document on what lies at `path`.
pub(crate) fn metadata(settings: &ApiSettings, path: &str) -> Value {
    let scopes = if path == "/mcp" { OF_TOOLS } else { OauthScope::ALL };
    json!({
        "resource": settings.address_of(path),
        "authorization_servers": [settings.address_of("")],
        "scopes_supported": scopes,
        "bearer_methods_supported": ["header"],
        "resource_name": "Trawl",
        "resource_documentation": settings.address_of("/docs/"),
    })
}
