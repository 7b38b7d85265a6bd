//! The form body of requests to the token and revocation endpoints (RFC 6749).

use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use contract::ProblemCode;
use url::form_urlencoded;

use super::{OauthRejection, OauthResult};
use crate::ApiState;
use crate::api_error::ApiError;
use crate::body::{bytes, has_content_type};

/// The parameters of a form, and the headers of its request.
#[derive(Debug)]
pub(crate) struct OauthForm {
    pairs: Vec<(String, String)>,
    pub headers: HeaderMap,
}

impl FromRequest<ApiState> for OauthForm {
    type Rejection = OauthRejection;

    async fn from_request(request: Request, state: &ApiState) -> OauthResult<Self> {
        let (headers, bytes) = bytes(request, &state.settings.inbound).await?;
        if !has_content_type(&headers, "application/x-www-form-urlencoded") {
            return Err(ApiError::new(
                ProblemCode::UnsupportedMediaType,
                "send a form with Content-Type: application/x-www-form-urlencoded",
            )
            .into());
        }
        let pairs: Vec<(String, String)> = form_urlencoded::parse(&bytes).into_owned().collect();
        if let Some(name) = duplicate(&pairs) {
            return Err(OauthRejection::request(format!("{name} must not be given twice")));
        }
        Ok(Self { pairs, headers })
    }
}

impl OauthForm {
    /// The value of a parameter; `None` if it is empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        value(&self.pairs, name)
    }

    pub fn required(&self, name: &str) -> OauthResult<&str> {
        self.get(name).ok_or_else(|| OauthRejection::request(format!("{name} is required")))
    }
}

/// The value of a parameter; `None` if it is empty.
pub(super) fn value<'p>(pairs: &'p [(String, String)], name: &str) -> Option<&'p str> {
    let found = pairs.iter().find(|(given, _)| given == name);
    found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
}

/// A known parameter that occurs twice, which is an error (RFC 6749, section 3.1).
pub(super) fn duplicate(pairs: &[(String, String)]) -> Option<&'static str> {
    KNOWN.iter().copied().find(|known| pairs.iter().filter(|(name, _)| name == known).count() > 1)
}

/// All parameters of the OAuth endpoints.
const KNOWN: &[&str] = &[
    "client_id",
    "client_secret",
    "code",
    "code_challenge",
    "code_challenge_method",
    "code_verifier",
    "grant_type",
    "redirect_uri",
    "refresh_token",
    "resource",
    "response_type",
    "scope",
    "state",
    "token",
];
