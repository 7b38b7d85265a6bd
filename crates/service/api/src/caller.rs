//! The caller of a request: an API key, an access token of an application, or an account session.
//!
//! A route states the scope it needs by the type of its argument, `Granted<JobsRead>`. The
//! extractor authenticates the credential, counts the request, and checks suspension, networks and
//! scope before the rest of the request is read.

use std::marker::PhantomData;
use std::net::IpAddr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use contract::{
    AccountId, AccountKey, AuditActorKind, CallOrigin, Creator, CredentialLimits, Mode, OauthScope,
    SessionId,
};
use store::{AccessToken, ApplicationCaller, AuditOrigin, CredentialId, SessionToken, Store};
use tracing::Span;

use crate::ApiState;
use crate::address::caller_address;
use crate::api_error::{ApiError, ApiResult};
use crate::guarded_body::PermitSlot;
use crate::request_context::QuotaSlot;
use crate::token_bucket::{Quota, QuotaScope};
use crate::{credential_limits, oauth};

/// `Retry-After` when the account has too many requests in flight, in seconds.
const BUSY_WAIT: u64 = 1;

/// The scope that a route requires of its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RouteScope {
    JobsRead,
    JobsWrite,
    AccountRead,
    /// The audit log: as `AccountRead`, and also with an account session.
    AuditRead,
    WebhooksRead,
    WebhooksWrite,
    /// Managing keys, applications and sessions: for people, never for programs.
    AccountSession,
    /// Ending the own session: as `AccountSession`, and also while the account is suspended.
    SignOut,
}

impl RouteScope {
    /// The OAuth scope that applications and limited keys need; none for routes of people.
    fn oauth_scope(self) -> Option<OauthScope> {
        match self {
            Self::JobsRead => Some(OauthScope::JobsRead),
            Self::JobsWrite => Some(OauthScope::JobsWrite),
            Self::AccountRead | Self::AuditRead => Some(OauthScope::AccountRead),
            Self::WebhooksRead => Some(OauthScope::WebhooksRead),
            Self::WebhooksWrite => Some(OauthScope::WebhooksWrite),
            Self::AccountSession | Self::SignOut => None,
        }
    }
}

/// A scope as a type, for the argument `Granted<…>` of a handler.
pub(crate) trait RequiredScope: Send {
    const SCOPE: RouteScope;
}

macro_rules! route_scopes {
    ($($name:ident),+) => {$(
        #[derive(Debug)]
        pub(crate) struct $name;

        impl RequiredScope for $name {
            const SCOPE: RouteScope = RouteScope::$name;
        }
    )+};
}
route_scopes!(
    JobsRead,
    JobsWrite,
    AccountRead,
    AuditRead,
    WebhooksRead,
    WebhooksWrite,
    AccountSession,
    SignOut
);

/// The authenticated caller.
#[derive(Debug)]
pub(crate) struct ApiCaller {
    pub account: AccountId,
    is_suspended: bool,
    pub credential: Credential,
    /// Set for calls from inside the process.
    origin: Option<CallOrigin>,
    /// The actor in the audit log.
    audit_origin: AuditOrigin,
}

impl ApiCaller {
    /// The channel that jobs of this caller are counted for.
    pub fn source(&self) -> String {
        match (&self.credential, self.origin) {
            (Credential::Key(key), _) => key.source.clone(),
            (Credential::Application(_), Some(CallOrigin::Mcp)) => "mcp".to_owned(),
            (
                Credential::Application(_),
                Some(CallOrigin::Console | CallOrigin::Firecrawl) | None,
            )
            | (Credential::Session(..), _) => "direct".to_owned(),
        }
    }

    /// The store, with this caller as the actor of all changes made through it.
    pub fn store(&self, state: &ApiState) -> Store {
        state.store.acting(self.audit_origin.clone())
    }

    /// The session of the request; none for keys and applications.
    pub fn session(&self) -> Option<&SessionId> {
        match &self.credential {
            Credential::Session(_, id) => Some(id),
            Credential::Key(_) | Credential::Application(_) => None,
        }
    }

    /// Whether the caller is an assistant: through MCP, or by a key of the channel `mcp`.
    pub fn is_assistant(&self) -> bool {
        match &self.credential {
            Credential::Key(key) => self.origin == Some(CallOrigin::Mcp) || key.source == "mcp",
            Credential::Application(_) | Credential::Session(..) => {
                self.origin == Some(CallOrigin::Mcp)
            }
        }
    }

    /// The client address of the request.
    pub fn address(&self) -> Option<IpAddr> {
        self.audit_origin.address
    }

    /// The limits of its credential; a session has none.
    pub fn limits(&self) -> Option<&CredentialLimits> {
        match &self.credential {
            Credential::Key(key) => Some(&key.limits),
            Credential::Application(caller) => Some(&caller.limits),
            Credential::Session(..) => None,
        }
    }

    /// Fails unless the credential may start jobs of this mode.
    pub fn check_mode(&self, mode: Mode) -> ApiResult<()> {
        credential_limits::check_mode(self.limits(), mode)
    }

    /// Fails unless the credential may start or resume work of this mode that is charged to
    /// `creator`. A credential with a budget can only spend its own.
    pub fn may_spend_for(&self, creator: Option<&Creator>, mode: Mode) -> ApiResult<()> {
        self.check_mode(mode)?;
        let is_own = creator.is_some() && creator == self.creator().as_ref();
        credential_limits::check_budget(self.limits(), is_own)
    }

    /// The creator of jobs, schedules and webhooks of this caller; none for a session.
    pub fn creator(&self) -> Option<Creator> {
        match &self.credential {
            Credential::Key(key) => Some(Creator::Key(key.id.clone())),
            Credential::Application(caller) => {
                Some(Creator::Application(caller.application.clone()))
            }
            Credential::Session(..) => None,
        }
    }

    /// The id of the credential, for streams that outlive the request.
    pub fn credential_id(&self) -> CredentialId {
        match &self.credential {
            Credential::Key(key) => CredentialId::Key(key.id.clone()),
            Credential::Application(caller) => {
                CredentialId::Application(caller.application.clone())
            }
            Credential::Session(_, id) => CredentialId::Session(id.clone()),
        }
    }

    /// The key of its token bucket.
    fn rate_limit_key(&self) -> String {
        match &self.credential {
            Credential::Key(key) => key.id.to_string(),
            Credential::Application(caller) => format!("{} {}", self.account, caller.application),
            Credential::Session(..) => self.account.to_string(),
        }
    }
}

/// The kind of credential of a caller.
#[derive(Debug)]
pub(crate) enum Credential {
    /// An API key with its limits.
    Key(Box<AccountKey>),
    /// The access token of an OAuth application.
    Application(Box<ApplicationCaller>),
    /// An account session with its token.
    Session(SessionSecret, SessionId),
}

/// The token of the caller's session, which signing out needs. Never logged.
pub(crate) struct SessionSecret(String);

impl SessionSecret {
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

runtime::partial_debug!(SessionSecret);

/// A caller with the scope that the route requires, and the state for the handler.
#[derive(Debug)]
pub(crate) struct Granted<S> {
    pub state: ApiState,
    pub caller: ApiCaller,
    scope: PhantomData<S>,
}

impl<S: RequiredScope> FromRequestParts<ApiState> for Granted<S> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> ApiResult<Self> {
        let origin = parts.extensions.get().copied();
        let is_sent = parts.headers.contains_key(header::AUTHORIZATION);
        let unauthorized = || {
            let refusal =
                if is_sent { ApiError::unauthorized() } else { ApiError::no_credential() };
            match S::SCOPE.oauth_scope() {
                Some(_) => oauth::challenged(refusal, origin, &state.settings),
                None => refusal,
            }
        };
        let token = bearer(&parts.headers).ok_or_else(unauthorized)?;
        let caller = identify(token, S::SCOPE, origin, state).await?;
        let mut caller = caller.ok_or_else(unauthorized)?;
        caller.audit_origin.address =
            caller_address(&parts.headers, &parts.extensions, &state.settings);
        caller.audit_origin.request = parts.extensions.get().cloned();
        caller.audit_origin.at = Some(state.now());
        let span = Span::current();
        span.record("account.id", caller.account.as_str());
        match &caller.credential {
            Credential::Key(key) => {
                span.record("key.id", key.id.as_str());
            }
            Credential::Application(caller) => {
                span.record("application.id", caller.application.as_str());
            }
            Credential::Session(..) => {}
        }
        let quota = count(&caller, state);
        if let Some(slot) = parts.extensions.get::<QuotaSlot>() {
            slot.fill(quota);
        }
        if let Some(wait) = quota.wait {
            return Err(ApiError::rate_limited(quota.refusal(), wait));
        }
        if caller.is_suspended && S::SCOPE != RouteScope::SignOut {
            return Err(ApiError::suspended());
        }
        let permit = state.requests_in_flight.take(caller.account.as_str()).ok_or_else(|| {
            let limit = state.requests_in_flight.limit();
            let message = format!(
                "account limit: {limit} requests of the account are in flight; wait for responses"
            );
            ApiError::rate_limited(message, BUSY_WAIT)
        })?;
        if let Some(limits) = caller.limits() {
            credential_limits::check_network(limits, caller.address())?;
        }
        match (&caller.credential, S::SCOPE.oauth_scope()) {
            (Credential::Application(granted), Some(scope)) if !granted.scopes.contains(scope) => {
                Err(oauth::insufficient_scope(scope, origin, &state.settings))
            }
            (Credential::Key(key), Some(scope))
                if !key.scopes.is_empty() && !key.scopes.contains(&scope) =>
            {
                Err(credential_limits::missing_scope(scope))
            }
            _ => {
                state.query_names().check(parts, true)?;
                if let Some(slot) = parts.extensions.get::<PermitSlot>() {
                    slot.fill(permit);
                }
                Ok(Self { state: state.clone(), caller, scope: PhantomData })
            }
        }
    }
}

/// Counts the request against the rate limit of the credential, then against that of the account.
/// Returns the quota of the credential, unless the account's is used up.
fn count(caller: &ApiCaller, state: &ApiState) -> Quota {
    let now = state.now();
    let own = state.requests.take(&caller.rate_limit_key(), now);
    if own.wait.is_some() {
        return own;
    }
    let of_account = state.account_requests.take(caller.account.as_str(), now);
    match of_account.wait {
        Some(_) => Quota { of: QuotaScope::Account, ..of_account },
        None => own,
    }
}

/// The caller that the token belongs to, if the scope accepts tokens of its kind.
async fn identify(
    token: &str,
    scope: RouteScope,
    origin: Option<CallOrigin>,
    state: &ApiState,
) -> ApiResult<Option<ApiCaller>> {
    let is_session = match scope {
        RouteScope::AccountSession | RouteScope::SignOut => true,
        RouteScope::AuditRead if origin.is_none() => token.starts_with(SessionToken::PREFIX),
        // The console calls with the session of its user, which has all rights of a key.
        RouteScope::AuditRead
        | RouteScope::JobsRead
        | RouteScope::JobsWrite
        | RouteScope::AccountRead
        | RouteScope::WebhooksRead
        | RouteScope::WebhooksWrite => origin == Some(CallOrigin::Console),
    };
    let (store, now) = (&state.store, state.now());
    let found = if is_session {
        let found = store.authenticate_session(token, now).await?;
        found.map(|found| {
            let secret = SessionSecret(token.to_owned());
            (found.account, found.is_suspended, Credential::Session(secret, found.session))
        })
    } else if token.starts_with(AccessToken::PREFIX) {
        let found = store.authenticate_access_token(token, now).await?;
        // A token for the resource `/mcp` is not accepted elsewhere.
        let found = found.filter(|found| !found.mcp_only || origin == Some(CallOrigin::Mcp));
        found.map(|found| {
            (found.account.clone(), found.is_suspended, Credential::Application(Box::new(found)))
        })
    } else {
        let found = store.authenticate_key(token, now).await?;
        found.map(|found| (found.account, found.is_suspended, Credential::Key(Box::new(found.key))))
    };
    Ok(found.map(|(account, is_suspended, credential)| {
        let (kind, id) = match &credential {
            Credential::Key(key) => (AuditActorKind::ApiKey, key.id.to_string()),
            Credential::Application(caller) => {
                (AuditActorKind::Application, caller.application.to_string())
            }
            Credential::Session(..) => (AuditActorKind::Session, account.to_string()),
        };
        let audit_origin = AuditOrigin::of(kind, Some(id));
        ApiCaller { account, is_suspended, credential, origin, audit_origin }
    }))
}

/// The token of the one `Authorization: Bearer` header.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next()?;
    // With two headers a proxy may have checked the other one.
    if values.next().is_some() {
        return None;
    }
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}
