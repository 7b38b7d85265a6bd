//! Metadata documents of OAuth (RFC 8414, RFC 9728).

use contract::{ClientAuth, OauthScope};
use serde_json::{Value, json};

use crate::{ApiSettings, Registration};

/// Metadata of the authorization server (RFC 8414).
pub(crate) fn authorization_server_metadata(settings: &ApiSettings) -> Value {
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

/// The scopes that MCP clients request: those that the tools need.
const MCP_SCOPES: &[OauthScope] =
    &[OauthScope::JobsRead, OauthScope::JobsWrite, OauthScope::AccountRead];

/// Metadata of the protected resource at `path` (RFC 9728).
pub(crate) fn protected_resource_metadata(settings: &ApiSettings, path: &str) -> Value {
    let scopes = if path == "/mcp" { MCP_SCOPES } else { OauthScope::ALL };
    json!({
        "resource": settings.address_of(path),
        "authorization_servers": [settings.address_of("")],
        "scopes_supported": scopes,
        "bearer_methods_supported": ["header"],
        "resource_name": "Trawl",
        "resource_documentation": settings.address_of("/docs/"),
    })
}
