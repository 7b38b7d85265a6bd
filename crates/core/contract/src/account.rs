//! The account, its keys and its session. Specification: `docs/spec/account.md`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::credential::limits_body;
use crate::string_enum::string_enum;
use crate::{
    AccountId, AutoTopUp, CredentialLimits, Credits, KeyId, Millis, Mode, OauthScope, SessionId,
};

string_enum! {
    /// How a request authenticated.
    pub enum AuthMethod {
        /// Authenticated by an API key.
        ApiKey = "api_key",
        /// Authenticated by an OAuth access token.
        Oauth = "oauth",
    }
}

string_enum! {
    /// The prefix of the secret of a key.
    pub enum KeyPrefix {
        /// A key for production use.
        Live = "key_live",
        /// A key for tests; it uses the same balance.
        Test = "key_test",
    }
}

/// The account of the caller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Account {
    pub account_id: AccountId,
    /// Credits available to spend.
    pub credits: Credits,
    /// The URL of the page about buying credits.
    pub top_up_url: String,
    /// The key that authenticated this request; null for an OAuth token.
    #[schema(required = true)]
    pub key: Option<AccountKey>,
    pub auth_method: AuthMethod,
    /// The scopes of the caller; empty for an API key with all rights.
    pub scopes: Vec<String>,
    /// Live keys on the account.
    pub keys_active: u64,
    /// True when a webhook has exhausted its retries.
    pub webhook_failing: bool,
    pub limits: Limits,
    pub auto_top_up: AutoTopUp,
    /// Whether an assistant (MCP) may accept the legal basis of a `contacts` job. False until the
    /// owner enables it.
    #[serde(default)]
    #[schema(required = true)]
    pub assistants_may_accept_legal_basis: bool,
}

/// What assistants (MCP) may do with the account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AssistantSettings {
    /// Whether they may start `contacts` jobs, accepting the legal basis on behalf of the owner.
    pub may_accept_legal_basis: bool,
}

/// The limits of the account in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Limits {
    /// Requests of one key, application or session.
    pub requests_per_minute: u32,
    pub request_burst: u32,
    /// Requests of all keys, applications and sessions of the account together.
    #[serde(default)]
    #[schema(required = true)]
    pub account_requests_per_minute: u32,
    pub running_jobs: u32,
    pub queued_jobs: u32,
    pub batch_size: u64,
    pub domains_per_job: u32,
    pub page_size_max: u32,
    pub webhooks: u32,
    pub keys: u32,
    pub export_url_seconds: u32,
    pub results_days: u32,
    /// Concurrent progress streams.
    pub listeners: u32,
    /// Bytes of the files that a job with `formats` keeps, as stored.
    #[serde(default)]
    #[schema(required = true)]
    pub job_file_bytes: u64,
}

/// An API key, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccountKey {
    pub id: KeyId,
    pub name: String,
    pub prefix: KeyPrefix,
    /// Last 4 characters of the secret.
    pub last4: String,
    /// Channel that calls with this key.
    pub source: String,
    pub created_at: Millis,
    #[schema(required = true)]
    pub last_used_at: Option<Millis>,
    #[schema(required = true)]
    pub revoked_at: Option<Millis>,
    /// The scopes of the key; empty for all rights.
    #[serde(default)]
    #[schema(required = true)]
    pub scopes: Vec<OauthScope>,
    #[serde(flatten)]
    pub limits: CredentialLimits,
}

/// A key at its creation: the only time its secret is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CreatedKey {
    #[serde(flatten)]
    pub details: AccountKey,
    /// The secret. Only its SHA-256 is stored.
    #[schema(example = "key_live_00000000000000000000000000000000000000")]
    pub key: String,
}

limits_body! {
    /// The body that creates a key.
    pub struct CreateKey {
        /// Label shown in the key list; `API key` when omitted.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(max_length = 100,
            pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$")]
        pub name: Option<String>,
        /// Channel that will call with this key; `direct` when omitted.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub source: Option<String>,
        /// Create a `key_test_` key instead of a `key_live_` one.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub test: Option<bool>,
        /// The scopes of the key; all rights when omitted.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub scopes: Option<Vec<OauthScope>>,
    }
}

limits_body! {
    /// The body that changes a key. Omitted members stay unchanged; null or an empty list removes the
    /// limit.
    pub struct ChangeKey {
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(max_length = 100,
            pattern = r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$")]
        pub name: Option<String>,
        /// The scopes of the key; an empty list for all rights.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub scopes: Option<Vec<OauthScope>>,
    }
}

/// The body that opens an account session.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateSession {
    #[schema(example = "operator@localhost", max_length = 1024, pattern = r"^[^\x00]*$")]
    pub email: String,
    #[schema(format = Password, max_length = 1024, pattern = r"^[^\x00]*$")]
    pub password: String,
}

impl std::fmt::Debug for CreateSession {
    // The password must not be logged, also not by `{:?}`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CreateSession").field("email", &self.email).finish_non_exhaustive()
    }
}

/// An account session with its token.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Session {
    #[schema(example = "sess_0000000000000000000000000000000000000000000")]
    pub token: String,
    pub expires_at: Millis,
    /// Identifies this client at its next sign-in, in the header `X-Device-Token`: failed sign-ins of
    /// others do not delay it. Store it like a password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "dev_0000000000000000000000000000000000000000000")]
    pub device: Option<String>,
}

impl std::fmt::Debug for Session {
    // The token must not be logged.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}

/// A session, without its token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionDetails {
    pub id: SessionId,
    pub created_at: Millis,
    /// Time of the last request, to the minute.
    #[schema(required = true)]
    pub last_used_at: Option<Millis>,
    pub expires_at: Millis,
    /// The client address of the sign-in.
    #[schema(required = true)]
    pub address: Option<String>,
    /// The `User-Agent` of the sign-in.
    #[schema(required = true)]
    pub user_agent: Option<String>,
    /// Whether it is the session of this request.
    pub current: bool,
}

/// The number of sessions that were ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionsEnded {
    pub ended: u64,
}

/// The body that changes the password.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangePassword {
    #[schema(format = Password, max_length = 1024, pattern = r"^[^\x00]*$")]
    pub current_password: String,
    /// 8 to 1,024 characters.
    #[schema(format = Password, min_length = 8, max_length = 1024, pattern = r"^[^\x00]*$")]
    pub new_password: String,
}

impl std::fmt::Debug for ChangePassword {
    // The password must not be logged, also not by `{:?}`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ChangePassword(…)")
    }
}
