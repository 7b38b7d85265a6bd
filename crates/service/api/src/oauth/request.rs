//! Validation of authorization requests, the query of the consent page.
//!
//! Until the application and its redirect URI are verified, errors are shown to the user. From then
//! on they are sent to the application.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use contract::{FieldError, OauthErrorCode, OauthScopes};
use store::Application;
use url::form_urlencoded;

use super::form::{duplicate, value};
use super::{RedirectUri, mcp_only};
use crate::ApiState;
use crate::api_error::{ApiError, ApiResult};

/// A SHA-256 in base64url, without padding.
const CHALLENGE_LENGTH: usize = 43;

/// The parameters of an authorization request.
#[derive(Debug)]
pub(crate) struct AuthorizationQuery {
    pairs: Vec<(String, String)>,
}

impl FromRequestParts<ApiState> for AuthorizationQuery {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &ApiState) -> ApiResult<Self> {
        let query = parts.uri.query().unwrap_or_default();
        Ok(Self { pairs: form_urlencoded::parse(query.as_bytes()).into_owned().collect() })
    }
}

/// A valid authorization request, for the user to answer.
#[derive(Debug)]
pub(crate) struct AuthorizationRequest {
    pub application: Application,
    pub access: RequestedAccess,
    pub redirect: RedirectTarget,
}

/// The redirect URI with the `state` and issuer of its response.
#[derive(Debug)]
pub(crate) struct RedirectTarget {
    pub redirect_uri: RedirectUri,
    state: Option<String>,
    issuer: String,
}

/// The result of validating an authorization request.
#[derive(Debug)]
pub(crate) enum AuthorizationOutcome {
    /// The request is valid and waits for the user.
    Valid(Box<AuthorizationRequest>),
    /// The URL that returns the error to the application.
    Redirect(String),
}

impl RedirectTarget {
    pub fn approved(&self, code: &str) -> String {
        self.with(&[("code", code)])
    }

    pub fn refused(&self, error: OauthErrorCode, description: &str) -> String {
        self.with(&[("error", error.as_str()), ("error_description", description)])
    }

    fn with(&self, parameters: &[(&str, &str)]) -> String {
        let state = self.state.as_deref().map(|state| ("state", state));
        let issuer = ("iss", self.issuer.as_str());
        let all: Vec<_> = parameters.iter().copied().chain(state).chain([issuer]).collect();
        self.redirect_uri.with(&all)
    }
}

impl AuthorizationQuery {
    /// Validates the request.
    pub async fn validate(&self, state: &ApiState) -> ApiResult<AuthorizationOutcome> {
        let application = self.application(state).await?;
        let redirect = RedirectTarget {
            redirect_uri: self.redirect_uri(&application)?,
            state: value(&self.pairs, "state").map(str::to_owned),
            issuer: state.settings.address_of(""),
        };
        match self.requested_access(&application, state) {
            Ok(access) => {
                let request = AuthorizationRequest { application, access, redirect };
                Ok(AuthorizationOutcome::Valid(Box::new(request)))
            }
            Err((error, description)) => {
                Ok(AuthorizationOutcome::Redirect(redirect.refused(error, &description)))
            }
        }
    }

    async fn application(&self, state: &ApiState) -> ApiResult<Application> {
        let unknown = "is not the id of a registered application";
        let id = self.unique("client_id")?;
        let id = id.ok_or_else(|| invalid("client_id", "is required"))?;
        let id = id.parse().map_err(|_| invalid("client_id", unknown))?;
        let found = state.store.application(&id).await?;
        found.ok_or_else(|| invalid("client_id", unknown))
    }

    fn redirect_uri(&self, application: &Application) -> ApiResult<RedirectUri> {
        let mut registered =
            application.redirect_uris.iter().filter_map(|text| RedirectUri::parse(text).ok());
        match self.unique("redirect_uri")? {
            Some(requested) => RedirectUri::parse(requested)
                .ok()
                .filter(|requested| registered.any(|uri| uri.admits(requested)))
                .ok_or_else(|| {
                    invalid("redirect_uri", "is not a registered redirect URI of the application")
                }),
            None => match (registered.next(), registered.next()) {
                (Some(only), None) => Ok(only),
                _ => Err(invalid(
                    "redirect_uri",
                    "is required: the application has several redirect URIs",
                )),
            },
        }
    }

    /// A parameter that determines the redirect; an error if it is given twice.
    fn unique(&self, name: &str) -> ApiResult<Option<&str>> {
        if self.pairs.iter().filter(|(given, _)| given == name).count() > 1 {
            return Err(invalid(name, "must not be given twice"));
        }
        Ok(value(&self.pairs, name))
    }

    fn requested_access(
        &self,
        application: &Application,
        state: &ApiState,
    ) -> Result<RequestedAccess, (OauthErrorCode, String)> {
        let wrong = |text: String| (OauthErrorCode::InvalidRequest, text);
        if let Some(name) = duplicate(&self.pairs) {
            return Err(wrong(format!("{name} must not be given twice")));
        }
        let get = |name: &str| value(&self.pairs, name);
        match get("response_type") {
            Some("code") => {}
            Some(_) => {
                let text = "response_type must be code".to_owned();
                return Err((OauthErrorCode::UnsupportedResponseType, text));
            }
            None => return Err(wrong("response_type is required and must be code".to_owned())),
        }
        if get("code_challenge_method") != Some("S256") {
            return Err(wrong("code_challenge_method must be S256".to_owned()));
        }
        let challenge = get("code_challenge").filter(|text| is_challenge(text));
        let challenge = challenge.ok_or_else(|| {
            wrong("code_challenge must be the SHA-256 of the verifier in base64url".to_owned())
        })?;
        let invalid_scope = |text: String| (OauthErrorCode::InvalidScope, text);
        let scopes = match get("scope") {
            None => application.scopes.clone(),
            Some(text) => {
                text.parse::<OauthScopes>().map_err(|unknown| invalid_scope(unknown.to_string()))?
            }
        };
        if scopes.is_empty() || !scopes.are_within(&application.scopes) {
            let text = format!("the application may ask for {}", application.scopes);
            return Err(invalid_scope(text));
        }
        let mcp_only = match get("resource") {
            None => false,
            Some(resource) => mcp_only(resource, &state.settings).ok_or_else(|| {
                let text = "resource is not of this service".to_owned();
                (OauthErrorCode::InvalidTarget, text)
            })?,
        };
        Ok(RequestedAccess { scopes, challenge: challenge.to_owned(), mcp_only })
    }
}

/// The parameters that are checked after application and redirect URI.
#[derive(Debug)]
pub(crate) struct RequestedAccess {
    pub scopes: OauthScopes,
    pub challenge: String,
    pub mcp_only: bool,
}

fn is_challenge(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    text.len() == CHALLENGE_LENGTH && text.bytes().all(plain)
}

fn invalid(parameter: &str, message: &str) -> ApiError {
    FieldError::new(parameter, message).into()
}
