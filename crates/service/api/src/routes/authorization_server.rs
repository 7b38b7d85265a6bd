//! `GET /.well-known/oauth-authorization-server`: metadata of the authorization server (RFC 8414).

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::ApiState;
use crate::oauth::authorization_server_metadata;
use crate::openapi::example;

/// Get the metadata of the authorization server
///
/// The endpoints where applications register and get tokens, and what is supported (RFC 8414).
#[utoipa::path(
    get,
    path = "/.well-known/oauth-authorization-server",
    operation_id = "authorization_server",
    tag = "oauth",
    responses((status = 200, description = "The metadata.", body = Object,
        example = json!(example::authorization_server()))),
    security(()),
)]
pub(crate) async fn authorization_server(State(state): State<ApiState>) -> impl IntoResponse {
    (
        [(header::CACHE_CONTROL, "public, max-age=300")],
        Json(authorization_server_metadata(state.settings())),
    )
}
