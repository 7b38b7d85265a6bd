//! `GET /.well-known/oauth-authorization-server`: how applications come to tokens (RFC 8414).

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use contract::{ClientAuth, OauthScope};
use serde_json::{Value, json};

use crate::openapi::example;
use crate::{ApiSettings, ApiState, Registration};

/// Get the metadata of the authorization server
///
/// Where an application registers, asks and has tokens, and what is supported (RFC 8414).
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
    ([(header::CACHE_CONTROL, "public, max-age=300")], Json(metadata(state.settings())))
}

/// The document of a service with these settings.
pub(crate) fn metadata(settings: &ApiSettings) -> Value {
    let mut metadata = json!({
        "issuer": settings.address_of(""),
        "authorization_endpoint": settings.address_of("/oauth/authorize"),
        "token_endpoint": settings.address_of("/oauth/token"),
        "revocation_endpoint": settings.address_of("/oauth/revoke"),
        "scopes_supported": OauthScope::ALL,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ClientAuth::ALL,
        "revocation_endpoint_auth_methods_supported": ClientAuth::ALL,
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "service_documentation": settings.address_of("/docs/"),
    });
    if settings.registration != Registration::Off {
        metadata["registration_endpoint"] = settings.address_of("/oauth/register").into();
    }
    metadata
}
