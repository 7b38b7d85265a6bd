//! OAuth: what an application may do for a person, and the words of its conversation with us.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::job::words;
use crate::{ApplicationId, CredentialLimits, Millis, SetLimits};

words! {
    /// What an application may do.
    pub enum OauthScope {
        /// See jobs, their results and their progress, and ask for estimates.
        JobsRead = "jobs:read",
        /// Start, confirm and stop jobs, and export their results.
        JobsWrite = "jobs:write",
        /// See the balance, the ceilings and the usage.
        AccountRead = "account:read",
        /// See webhook endpoints, their deliveries and the events.
        WebhooksRead = "webhooks:read",
        /// Make, change, test and remove webhook endpoints.
        WebhooksWrite = "webhooks:write",
    }
}

impl OauthScope {
    /// What it allows, as a person is asked for it.
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

/// A text with a word in it that is no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{word:?} is no scope")]
pub struct UnknownScope {
    word: String,
}

impl OauthScopes {
    /// Everything that an application can be allowed.
    #[must_use]
    pub fn all() -> Self {
        Self(OauthScope::ALL.to_vec())
    }

    /// The words of a text that are scopes; the others are passed over.
    #[must_use]
    pub fn known_in(text: &str) -> Self {
        text.split_ascii_whitespace().filter_map(OauthScope::from_word).collect()
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
            // It is told again: no more of it than a scope could have.
            OauthScope::from_word(word)
                .ok_or_else(|| UnknownScope { word: word.chars().take(32).collect() })
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

words! {
    /// How an application proves at the token endpoint who it is.
    pub enum ClientAuth {
        /// Not at all: it runs where no secret can be kept.
        None = "none",
        /// By its secret in the `Authorization` header.
        Basic = "client_secret_basic",
        /// By its secret in the body.
        Post = "client_secret_post",
    }
}

/// What an application says of itself when it registers (RFC 7591). Members that are not
/// named here are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RegisterApplication {
    /// Where people come back to: https, http on this machine itself (any port), or a scheme
    /// of the application's own with a dot in it.
    #[schema(min_items = 1, max_items = 3)]
    pub redirect_uris: Vec<String>,
    /// What people are shown; the host of the first redirect URI when omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 100)]
    pub client_name: Option<String>,
    /// A page about it, which people are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_uri: Option<String>,
    /// `client_secret_basic` when omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_endpoint_auth_method: Option<ClientAuth>,
    /// Has to hold `authorization_code`, when given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_types: Option<Vec<String>>,
    /// Has to hold `code`, when given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response_types: Option<Vec<String>>,
    /// What it may ask people for, with spaces between; everything when omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// An application that has registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RegisteredApplication {
    pub client_id: ApplicationId,
    /// Seconds since 1970.
    pub client_id_issued_at: i64,
    /// Shown this once; an application without secrets has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// Always 0, beside a secret: it does not expire.
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

/// What an application sends to the token endpoint, as a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TokenRequest {
    /// `authorization_code` or `refresh_token`.
    pub grant_type: String,
    /// With `authorization_code`: the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// With `authorization_code`: what the challenge was made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_verifier: Option<String>,
    /// With `authorization_code`: as it was in the authorization request; may be left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_uri: Option<String>,
    /// With `refresh_token`: the last refresh token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refresh_token: Option<String>,
    /// With `refresh_token`: fewer scopes than were granted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// What the token is for (RFC 8707): this service or its `/mcp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// Which application asks, unless the `Authorization` header says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// With `client_secret_post`: its secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
}

/// What the token endpoint gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TokenAnswer {
    #[schema(example = "oat_0000000000000000000000000000000000000000000")]
    pub access_token: String,
    /// Always `Bearer`.
    pub token_type: String,
    /// Seconds until the access token is refused.
    pub expires_in: u64,
    /// For the next access token. Each is good for one use.
    #[schema(example = "ort_0000000000000000000000000000000000000000000")]
    pub refresh_token: String,
    pub scope: String,
}

/// What an application sends to give a token back (RFC 7009), as a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RevokeToken {
    /// An access token, or a refresh token: with it goes all that came of the same approval.
    pub token: String,
    /// Not needed: tokens tell what they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_type_hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
}

words! {
    /// Why OAuth's own endpoints refuse, in the words of RFC 6749 and its neighbours.
    pub enum OauthErrorCode {
        /// Something is missing, doubled or malformed.
        InvalidRequest = "invalid_request",
        /// No such application, or its secret is wrong.
        InvalidClient = "invalid_client",
        /// The code or the refresh token is unknown, over, used before, or not this application's.
        InvalidGrant = "invalid_grant",
        /// The application may not do this.
        UnauthorizedClient = "unauthorized_client",
        /// Only `authorization_code` and `refresh_token` are known.
        UnsupportedGrantType = "unsupported_grant_type",
        /// Only `code` is known.
        UnsupportedResponseType = "unsupported_response_type",
        /// A scope that is unknown, or was not granted.
        InvalidScope = "invalid_scope",
        /// A `resource` that is not of this service.
        InvalidTarget = "invalid_target",
        /// A redirect URI that cannot be registered.
        InvalidRedirectUri = "invalid_redirect_uri",
        /// Something else that cannot be registered.
        InvalidClientMetadata = "invalid_client_metadata",
        /// The person said no.
        AccessDenied = "access_denied",
        /// Our fault.
        ServerError = "server_error",
        /// Not now; try again after `Retry-After`.
        TemporarilyUnavailable = "temporarily_unavailable",
    }
}

/// A refusal of OAuth's own endpoints (RFC 6749, section 5.2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OauthError {
    pub error: OauthErrorCode,
    pub error_description: String,
}

/// Who asks a person for what, as the consent page shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuthorizationAsked {
    pub application_id: ApplicationId,
    /// As the application calls itself: nobody has checked it.
    pub application_name: String,
    #[schema(required = true)]
    pub application_uri: Option<String>,
    /// Where the person will be sent.
    pub redirect_uri: String,
    pub scopes: Vec<OauthScope>,
}

/// What becomes of an authorization request: a question to the person, or the way back to the
/// application that asked wrongly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum AuthorizationView {
    /// The person is asked.
    Asked {
        /// What the person is asked.
        asked: AuthorizationAsked,
    },
    /// The application is told what is wrong.
    Back {
        /// Where to send the person at once.
        redirect_to: String,
    },
}

/// A person's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnswerAuthorization {
    /// Whether the application may do what it asks for.
    pub approved: bool,
    /// Limits for the application; those of an earlier approval stay when omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<SetLimits>,
}

/// What follows from a person's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuthorizationAnswered {
    /// Where to send the person: the application's redirect URI with `code` or `error`, `state`
    /// and `iss`.
    pub redirect_to: String,
}

/// An application that may act for the account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConnectedApplication {
    pub id: ApplicationId,
    /// As the application calls itself.
    pub name: String,
    #[schema(required = true)]
    pub uri: Option<String>,
    pub scopes: Vec<OauthScope>,
    /// When the person last approved it.
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
    fn scopes_have_one_spelling() {
        let scopes: OauthScopes = " jobs:write  jobs:read jobs:write ".parse().expect("scopes");
        assert_eq!(scopes.to_string(), "jobs:read jobs:write");
        assert!(scopes.are_within(&OauthScopes::all()) && !OauthScopes::all().are_within(&scopes));
        assert!("jobs:read openid".parse::<OauthScopes>().is_err());
        assert_eq!(OauthScopes::known_in("openid account:read").to_string(), "account:read");
    }
}
