//! `GET /.well-known/oauth-protected-resource`: metadata of the protected resources (RFC 9728).

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::oauth::protected_resource_metadata;
use crate::openapi::example;
use crate::{ApiSettings, ApiState};

/// Get the metadata of the service
///
/// The authorization server that issues access tokens for the operations under `/v1` (RFC 9728).
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
    response(state.settings(), "")
}

/// Get the metadata of the tools
///
/// The authorization server that issues access tokens for `/mcp` (RFC 9728).
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
    response(state.settings(), "/mcp")
}

fn response(settings: &ApiSettings, path: &str) -> impl IntoResponse + use<> {
    (
        [(header::CACHE_CONTROL, "public, max-age=300")],
        Json(protected_resource_metadata(settings, path)),
    )
}
