//! Metadata of the authorization server (RFC 8414) and of the protected resources (RFC 9728).

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::oauth::{authorization_server_metadata, protected_resource_metadata};
use crate::{ApiSettings, ApiState};

/// Get the metadata of the authorization server
///
/// The endpoints where applications register and get tokens, and what is supported (RFC 8414).
#[utoipa::path(
    get, path = "/.well-known/oauth-authorization-server", tag = "oauth",
    responses((status = 200, description = "The metadata.", body = Object)),
    security(()),
)]
pub(crate) async fn authorization_server(State(state): State<ApiState>) -> impl IntoResponse {
    (
        [(header::CACHE_CONTROL, "public, max-age=300")],
        Json(authorization_server_metadata(&state.settings)),
    )
}

/// Get the metadata of the service
///
/// The authorization server that issues access tokens for the operations under `/v1` (RFC 9728).
#[utoipa::path(
    get, path = "/.well-known/oauth-protected-resource", tag = "oauth",
    responses((status = 200, description = "The metadata.", body = Object)),
    security(()),
)]
pub(crate) async fn protected_resource(State(state): State<ApiState>) -> impl IntoResponse {
    response(&state.settings, "")
}

/// Get the metadata of the tools
///
/// The authorization server that issues access tokens for `/mcp` (RFC 9728).
#[utoipa::path(
    get, path = "/.well-known/oauth-protected-resource/mcp", tag = "oauth",
    responses((status = 200, description = "The metadata.", body = Object)),
    security(()),
)]
pub(crate) async fn protected_tools(State(state): State<ApiState>) -> impl IntoResponse {
    response(&state.settings, "/mcp")
}

fn response(settings: &ApiSettings, path: &str) -> impl IntoResponse + use<> {
    (
        [(header::CACHE_CONTROL, "public, max-age=300")],
        Json(protected_resource_metadata(settings, path)),
    )
}
