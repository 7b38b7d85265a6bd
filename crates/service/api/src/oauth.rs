//! OAuth 2.1: how an application comes to act for a person.
//!
//! The application registers (RFC 7591), sends the person to the consent page with a challenge
//! (RFC 7636), gets a code at a redirect URI that it has registered, and has tokens for it. The
//! endpoints that applications talk to refuse in the words of RFC 6749; what people see is
//! refused as everything else here is.

mod client;
mod fault;
mod form;
mod redirect;
mod request;
mod throttle;

pub(crate) use client::authenticated;
pub(crate) use fault::OauthFault;
pub(crate) use form::Form;
pub(crate) use redirect::RedirectUri;
pub(crate) use request::{AuthorizationRequest, Judged, Query};
pub(crate) use throttle::{MayRegister, MayTalk};

use axum::http::{HeaderValue, header};
use contract::{Door, OauthErrorCode, OauthScope, ProblemCode};
use store::{IssuedTokens, TokenRejection};

use crate::ApiSettings;
use crate::fault::Fault;

/// What `resource` may name (RFC 8707): the service, or its tools for assistants alone. True for
/// the tools.
pub(crate) fn mcp_only(resource: &str, settings: &ApiSettings) -> Option<bool> {
    let resource = resource.trim_end_matches('/');
    let is = |path: &str| resource == settings.address_of(path);
    if is("") || is("/v1") { Some(false) } else { is("/mcp").then_some(true) }
}

/// The refusal of a credential, with the way to a good one (RFC 9728).
pub(crate) fn unauthorized(door: Option<Door>, settings: &ApiSettings) -> Fault {
    Fault::unauthorized().header(header::WWW_AUTHENTICATE, challenge("Bearer ", door, settings))
}

/// The refusal of a token that does not reach that far.
pub(crate) fn insufficient_scope(
    needed: OauthScope,
    door: Option<Door>,
    settings: &ApiSettings,
) -> Fault {
    let begin = format!("Bearer error=\"insufficient_scope\", scope=\"{needed}\", ");
    Fault::new(
        ProblemCode::Forbidden,
        format!("the access token lacks the scope {needed}; ask the person for it"),
    )
    .header(header::WWW_AUTHENTICATE, challenge(&begin, door, settings))
}

fn challenge(begin: &str, door: Option<Door>, settings: &ApiSettings) -> HeaderValue {
    let path = match door {
        Some(Door::Mcp) => "/.well-known/oauth-protected-resource/mcp",
        Some(Door::Console) | None => "/.well-known/oauth-protected-resource",
    };
    let text = format!("{begin}resource_metadata=\"{}\"", settings.address_of(path));
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("Bearer"))
}

/// Tokens as they are told, or the refusal in OAuth's words.
pub(crate) fn told(
    issued: Result<IssuedTokens, TokenRejection>,
) -> Result<contract::TokenAnswer, OauthFault> {
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
            "it is unknown, over, or another application's; ask the person again",
        ),
        TokenRejection::Replayed => (
            OauthErrorCode::InvalidGrant,
            "it was used before, so all that came of it has ended; ask the person again",
        ),
        TokenRejection::WrongProof => (
            OauthErrorCode::InvalidGrant,
            "code_verifier or redirect_uri is not the code's, which is void now",
        ),
        TokenRejection::Scope => {
            (OauthErrorCode::InvalidScope, "a refresh can ask for no more than was granted")
        }
        TokenRejection::Suspended => {
            (OauthErrorCode::InvalidGrant, "the account is suspended; try again when it is resumed")
        }
        TokenRejection::Target => {
            (OauthErrorCode::InvalidTarget, "the resource is not what was granted")
        }
    };
    Err(OauthFault::new(code, message))
}
