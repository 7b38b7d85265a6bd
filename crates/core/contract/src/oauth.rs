//! OAuth: scopes, registration, tokens and errors.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::string_enum::string_enum;
use crate::{ApplicationId, CredentialLimits, Millis, SetLimits};

string_enum! {
    /// A right that an application can be granted.
    pub enum OauthScope {
        /// Read jobs, their results and their progress, and request estimates.
        JobsRead = "jobs:read",
        /// Start, confirm and abort jobs, and export their results.
        JobsWrite = "jobs:write",
        /// Read the balance, the limits and the usage.
        AccountRead = "account:read",
        /// Read webhook endpoints, their deliveries and the events.
        WebhooksRead = "webhooks:read",
        /// Create, change, test and delete webhook endpoints.
        WebhooksWrite = "webhooks:write",
    }
}

impl OauthScope {
    /// The description of the scope on the consent page.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::JobsRead => "See your runs and their results, and ask what a run would cost",
            Self::JobsWrite => {
                "Start, confirm and stop runs, which spends your credits, and export results"
            }
            Self::AccountRead => "See your balance, your limits and your usage",
            Self::WebhooksRead => "See your webhooks, what they were sent, and your events",
            Self::WebhooksWrite => "Create, change, test and remove your webhooks",
        }
    }
}

/// A set of scopes: each once, in the order of [`OauthScope::ALL`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OauthScopes(Vec<OauthScope>);

/// The text contains an unknown scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is not a known scope")]
pub struct UnknownScope {
    word: String,
}

impl OauthScopes {
    /// All scopes that exist.
    #[must_use]
    pub fn all() -> Self {
        Self(OauthScope::ALL.to_vec())
    }

    /// The known scopes of a text; unknown ones are ignored.
    #[must_use]
    pub fn known_in(text: &str) -> Self {
        text.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[must_use]
    pub fn contains(&self, scope: OauthScope) -> bool {
        self.0.contains(&scope)
    }

    /// Whether each of them is among `others`.
    #[must_use]
    pub fn are_within(&self, others: &Self) -> bool {
        self.0.iter().all(|scope| others.contains(*scope))
    }

    pub fn iter(&self) -> impl Iterator<Item = OauthScope> {
        self.0.iter().copied()
    }
}

impl FromIterator<OauthScope> for OauthScopes {
    fn from_iter<I: IntoIterator<Item = OauthScope>>(scopes: I) -> Self {
        let mut scopes: Vec<_> = scopes.into_iter().collect();
        scopes.sort_unstable();
        scopes.dedup();
        Self(scopes)
    }
}

impl FromStr for OauthScopes {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        let scope = |word: &str| {
            // Repeated in an error message, hence truncated.
            word.parse::<OauthScope>()
                .map_err(|_| UnknownScope { word: word.chars().take(32).collect() })
        };
        text.split_ascii_whitespace().map(scope).collect()
    }
}

impl fmt::Display for OauthScopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, scope) in self.0.iter().enumerate() {
            let gap = if place == 0 { "" } else { " " };
            write!(f, "{gap}{scope}")?;
        }
        Ok(())
    }
}

string_enum! {
    /// How an application authenticates at the token endpoint.
    pub enum ClientAuth {
        /// A public client without a secret.
        None = "none",
        /// The secret is sent in the `Authorization` header.
        Basic = "client_secret_basic",
        /// The secret is sent in the body.
        Post = "client_secret_post",
    }
}

/// The metadata of an application that registers (RFC 7591). Unknown members are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RegisterApplication {
    /// Redirect URIs: https, http on the loopback interface (any port), or a private scheme with a
    /// dot.
    #[schema(min_items = 1, max_items = 3)]
    pub redirect_uris: Vec<String>,
    /// Name on the consent page; the host of the first redirect URI when omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 100)]
    pub client_name: Option<String>,
    /// URL of a page about the application, shown on the consent page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_uri: Option<String>,
    /// `client_secret_basic` when omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_endpoint_auth_method: Option<ClientAuth>,
    /// Must contain `authorization_code`, if given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_types: Option<Vec<String>>,
    /// Must contain `code`, if given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_types: Option<Vec<String>>,
    /// Scopes that it may request, separated by spaces; all when omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// A registered application.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RegisteredApplication {
    pub client_id: ApplicationId,
    /// Time of the registration, in seconds since 1970.
    pub client_id_issued_at: i64,
    /// The secret, shown only once; none for public clients.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// Always 0 if there is a secret: it does not expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret_expires_at: Option<i64>,
    pub client_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_uri: Option<String>,
    pub redirect_uris: Vec<String>,
    pub token_endpoint_auth_method: ClientAuth,
    pub grant_types: Vec<String>,
    pub response_types: Vec<String>,
    pub scope: String,
}

/// The form that is sent to the token endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TokenRequest {
    /// `authorization_code` or `refresh_token`.
    pub grant_type: String,
    /// With `authorization_code`: the authorization code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// With `authorization_code`: the PKCE code verifier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_verifier: Option<String>,
    /// With `authorization_code`: as in the authorization request; optional.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_uri: Option<String>,
    /// With `refresh_token`: the latest refresh token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<String>,
    /// With `refresh_token`: a subset of the granted scopes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The resource of the token (RFC 8707): this service or its `/mcp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// The id of the application, unless it is in the `Authorization` header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// With `client_secret_post`: the secret of the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
}

/// The response of the token endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TokenAnswer {
    #[schema(example = "oat_0000000000000000000000000000000000000000000")]
    pub access_token: String,
    /// The token type, always `Bearer`.
    pub token_type: String,
    /// Seconds until the access token expires.
    pub expires_in: u64,
    /// Token for the next access token, for one use.
    #[schema(example = "ort_0000000000000000000000000000000000000000000")]
    pub refresh_token: String,
    pub scope: String,
}

/// The form that revokes a token (RFC 7009).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RevokeToken {
    /// An access token, or a refresh token, which revokes the whole authorization.
    pub token: String,
    /// Ignored: the prefix of the token determines its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_type_hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
}

string_enum! {
    /// The error codes of the OAuth endpoints (RFC 6749 and related standards).
    pub enum OauthErrorCode {
        /// A parameter is missing, repeated or malformed.
        InvalidRequest = "invalid_request",
        /// The application is unknown, or its secret is wrong.
        InvalidClient = "invalid_client",
        /// The code or refresh token is unknown, expired, used, or of another application.
        InvalidGrant = "invalid_grant",
        /// The application may not do this.
        UnauthorizedClient = "unauthorized_client",
        /// Only `authorization_code` and `refresh_token` are supported.
        UnsupportedGrantType = "unsupported_grant_type",
        /// Only `code` is supported.
        UnsupportedResponseType = "unsupported_response_type",
        /// A scope that is unknown, or was not granted.
        InvalidScope = "invalid_scope",
        /// A `resource` that is not of this service.
        InvalidTarget = "invalid_target",
        /// A redirect URI that cannot be registered.
        InvalidRedirectUri = "invalid_redirect_uri",
        /// Client metadata that cannot be registered.
        InvalidClientMetadata = "invalid_client_metadata",
        /// The user denied the request.
        AccessDenied = "access_denied",
        /// Internal error of the service.
        ServerError = "server_error",
        /// Temporarily unavailable; retry after `Retry-After`.
        TemporarilyUnavailable = "temporarily_unavailable",
    }
}

/// An error of the OAuth endpoints (RFC 6749, section 5.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OauthError {
    pub error: OauthErrorCode,
    pub error_description: String,
}

/// An authorization request, as the consent page shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuthorizationAsked {
    pub application_id: ApplicationId,
    /// The name that the application registered; not verified.
    pub application_name: String,
    #[schema(required = true)]
    pub application_uri: Option<String>,
    /// The URI that the user is redirected to.
    pub redirect_uri: String,
    pub scopes: Vec<OauthScope>,
}

/// The result of an authorization request: the data of the consent page, or a redirect with an
/// error to the application.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum AuthorizationView {
    /// The request is valid and waits for the user.
    Asked {
        /// The request to show to the user.
        asked: AuthorizationAsked,
    },
    /// The request is invalid; the application gets the error.
    Back {
        /// The URL to redirect the user to at once.
        redirect_to: String,
    },
}

/// The decision of the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerAuthorization {
    /// Whether the user grants the requested scopes.
    pub approved: bool,
    /// Limits for the application; those of an earlier approval stay when omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<SetLimits>,
}

/// The result of the user's decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuthorizationAnswered {
    /// The URL to redirect the user to: the redirect URI with `code` or `error`, `state` and `iss`.
    pub redirect_to: String,
}

/// An application that is connected to the account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConnectedApplication {
    pub id: ApplicationId,
    /// The name that the application registered.
    pub name: String,
    #[schema(required = true)]
    pub uri: Option<String>,
    pub scopes: Vec<OauthScope>,
    /// When the user last approved it.
    pub connected_at: Millis,
    #[schema(required = true)]
    pub last_used_at: Option<Millis>,
    #[serde(flatten)]
    pub limits: CredentialLimits,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_sorted_and_unique() {
        let scopes: OauthScopes = " jobs:write  jobs:read jobs:write ".parse().expect("scopes");
        assert_eq!(scopes.to_string(), "jobs:read jobs:write");
        assert!(scopes.are_within(&OauthScopes::all()) && !OauthScopes::all().are_within(&scopes));
        assert!("jobs:read openid".parse::<OauthScopes>().is_err());
        assert_eq!(OauthScopes::known_in("openid account:read").to_string(), "account:read");
    }
}
