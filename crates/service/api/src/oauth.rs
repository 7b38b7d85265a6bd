//! OAuth 2.1 for applications that act for a user.
//!
//! The application registers (RFC 7591), sends the user to the consent page with a PKCE challenge
//! (RFC 7636), gets a code at a registered redirect URI, and exchanges it for tokens. Endpoints for
//! applications return the errors of RFC 6749; endpoints for users return a [`contract::Problem`].

mod client;
mod form;
mod metadata;
mod rate_limit;
mod redirect;
mod rejection;
mod request;

pub(crate) use client::authenticated;
pub(crate) use form::OauthForm;
pub(crate) use metadata::{authorization_server_metadata, protected_resource_metadata};
pub(crate) use rate_limit::{OauthClient, RegistrationLimit};
pub(crate) use redirect::RedirectUri;
pub(crate) use rejection::{OauthRejection, OauthResult};
pub(crate) use request::{AuthorizationOutcome, AuthorizationQuery, AuthorizationRequest};

use axum::http::{HeaderValue, header};
use contract::{CallOrigin, OauthErrorCode, OauthScope, ProblemCode};
use store::{IssuedTokens, TokenRejection};

use crate::ApiSettings;
use crate::api_error::ApiError;

/// Whether a `resource` (RFC 8707) is limited to `/mcp`; `None` if it is not of this service.
pub(crate) fn mcp_only(resource: &str, settings: &ApiSettings) -> Option<bool> {
    let resource = resource.trim_end_matches('/');
    let matches = |path: &str| resource == settings.address_of(path);
    if matches("") || matches("/v1") { Some(false) } else { matches("/mcp").then_some(true) }
}

/// A 401 with the URL of the resource metadata (RFC 9728).
pub(crate) fn challenged(
    refusal: ApiError,
    origin: Option<CallOrigin>,
    settings: &ApiSettings,
) -> ApiError {
    refusal.header(header::WWW_AUTHENTICATE, challenge("Bearer ", origin, settings))
}

/// 403 for an access token without the scope.
pub(crate) fn insufficient_scope(
    needed: OauthScope,
    origin: Option<CallOrigin>,
    settings: &ApiSettings,
) -> ApiError {
    let prefix = format!("Bearer error=\"insufficient_scope\", scope=\"{needed}\", ");
    ApiError::new(
        ProblemCode::Forbidden,
        format!("the access token lacks the scope {needed}; request it from the user"),
    )
    .header(header::WWW_AUTHENTICATE, challenge(&prefix, origin, settings))
}

fn challenge(prefix: &str, origin: Option<CallOrigin>, settings: &ApiSettings) -> HeaderValue {
    let path = match origin {
        Some(CallOrigin::Mcp) => "/.well-known/oauth-protected-resource/mcp",
        Some(CallOrigin::Console | CallOrigin::Firecrawl) | None => {
            "/.well-known/oauth-protected-resource"
        }
    };
    let text = format!("{prefix}resource_metadata=\"{}\"", settings.address_of(path));
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("Bearer"))
}

/// The response of the token endpoint: tokens, or an OAuth error.
pub(crate) fn token_response(
    issued: Result<IssuedTokens, TokenRejection>,
) -> OauthResult<contract::TokenAnswer> {
    let refused = match issued {
        Ok(tokens) => {
            return Ok(contract::TokenAnswer {
                access_token: tokens.access.reveal().to_owned(),
                token_type: "Bearer".to_owned(),
                expires_in: tokens.expires_in.as_secs(),
                refresh_token: tokens.refresh.reveal().to_owned(),
                scope: tokens.scopes.to_string(),
            });
        }
        Err(refused) => refused,
    };
    let (code, message) = match refused {
        TokenRejection::Unknown => (
            OauthErrorCode::InvalidGrant,
            "it is unknown, expired, or of another application; ask the user to authorize again",
        ),
        TokenRejection::Replayed => (
            OauthErrorCode::InvalidGrant,
            "it was used before, so the whole authorization is revoked; ask the user to authorize again",
        ),
        TokenRejection::WrongProof => (
            OauthErrorCode::InvalidGrant,
            "code_verifier or redirect_uri does not match the code; the code is revoked",
        ),
        TokenRejection::Scope => {
            (OauthErrorCode::InvalidScope, "a refresh cannot request more scopes than were granted")
        }
        TokenRejection::Suspended => {
            (OauthErrorCode::InvalidGrant, "the account is suspended; retry when it is resumed")
        }
        TokenRejection::Target => {
            (OauthErrorCode::InvalidTarget, "the resource is not what was granted")
        }
    };
    Err(OauthRejection::new(code, message))
}
