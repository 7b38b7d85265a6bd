//! The caller of a request: an API key, an access token of an application, or an account session.
//!
//! A route states the scope it needs by the type of its argument, `Granted<JobsRead>`. The
//! extractor authenticates the credential, counts the request, and checks suspension, networks and
//! scope before the rest of the request is read.

use std::marker::PhantomData;
use std::net::IpAddr;
use std::ops::Deref;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use contract::{
    AccountId, AccountKey, AuditActorKind, Creator, CredentialLimits, Door, Mode, OauthScope,
    SessionId,
};
use store::{
    AccessToken, AccountState, ApplicationCaller, AuditOrigin, CredentialId, SessionToken, Store,
};
use tracing::Span;

use crate::ApiState;
use crate::address::caller_address;
use crate::attend::QuotaSlot;
use crate::bucket::{Quota, QuotaOf};
use crate::fault::Fault;
use crate::held_body::ShareSlot;
use crate::{limits, oauth};

/// Seconds after which one of the account's requests has been answered.
const BUSY_WAIT: u64 = 1;

/// What a route needs its caller to be allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    JobsRead,
    JobsWrite,
    AccountRead,
    /// The audit log: as `AccountRead`, and also with an account session.
    AuditRead,
    WebhooksRead,
    WebhooksWrite,
    /// Managing keys, applications and sessions: for people, never for programs.
    Session,
    /// Ending the own session: as `Session`, and also while the account is suspended.
    SignOut,
}

impl Scope {
    /// What an application has to be allowed; none where no application may come.
    fn of_applications(self) -> Option<OauthScope> {
        match self {
            Self::JobsRead => Some(OauthScope::JobsRead),
            Self::JobsWrite => Some(OauthScope::JobsWrite),
            Self::AccountRead | Self::AuditRead => Some(OauthScope::AccountRead),
            Self::WebhooksRead => Some(OauthScope::WebhooksRead),
            Self::WebhooksWrite => Some(OauthScope::WebhooksWrite),
            Self::Session | Self::SignOut => None,
        }
    }
}

/// A scope as a type, for a route to state.
pub(crate) trait Needed: Send {
    const SCOPE: Scope;
}

macro_rules! needed {
    ($($name:ident),+) => {$(
        #[derive(Debug)]
        pub(crate) struct $name;

        impl Needed for $name {
            const SCOPE: Scope = Scope::$name;
        }
    )+};
}
needed!(JobsRead, JobsWrite, AccountRead, AuditRead, WebhooksRead, WebhooksWrite, Session, SignOut);

/// The authenticated caller.
#[derive(Debug)]
pub(crate) struct Caller {
    pub account: AccountId,
    pub credential: Credential,
    /// Where the call came in, if not over the wire.
    door: Option<Door>,
    /// The actor in the audit log.
    origin: AuditOrigin,
}

impl Caller {
    /// The channel that what this caller starts counts for.
    pub fn source(&self) -> String {
        match (&self.credential, self.door) {
            (Credential::Key(key), _) => key.source.clone(),
            (Credential::Application(_), Some(Door::Mcp)) => "mcp".to_owned(),
            (Credential::Application(_), Some(Door::Console) | None)
            | (Credential::Session(..), _) => "direct".to_owned(),
        }
    }

    /// The store, with this caller as the actor of all changes made through it.
    pub fn store(&self, state: &ApiState) -> Store {
        state.store().acting(self.origin.clone())
    }

    /// The session of the request, where a person calls.
    pub fn session(&self) -> Option<&SessionId> {
        match &self.credential {
            Credential::Session(_, id) => Some(id),
            Credential::Key(_) | Credential::Application(_) => None,
        }
    }

    /// Whether an assistant calls: through the tools, or by a key of their channel.
    pub fn is_assistant(&self) -> bool {
        match &self.credential {
            Credential::Key(key) => self.door == Some(Door::Mcp) || key.source == "mcp",
            Credential::Application(_) | Credential::Session(..) => self.door == Some(Door::Mcp),
        }
    }

    /// Where the request came from.
    pub fn address(&self) -> Option<IpAddr> {
        self.origin.address
    }

    /// The limits of its credential; a person has none.
    pub fn limits(&self) -> Option<&CredentialLimits> {
        match &self.credential {
            Credential::Key(key) => Some(&key.limits),
            Credential::Application(caller) => Some(&caller.limits),
            Credential::Session(..) => None,
        }
    }

    /// Refuses, unless its credential may start jobs of this mode.
    pub fn check_mode(&self, mode: Mode) -> Result<(), Fault> {
        limits::check_mode(self.limits(), mode)
    }

    /// Refuses, unless its credential may let a job or schedule of this mode spend credits of
    /// this creator: one with a budget spends its own alone.
    pub fn may_spend_for(&self, creator: Option<&Creator>, mode: Mode) -> Result<(), Fault> {
        self.check_mode(mode)?;
        let is_own = creator.is_some() && creator == self.creator().as_ref();
        limits::check_budget(self.limits(), is_own)
    }

    /// The credential that what it makes belongs to; none for a person.
    pub fn creator(&self) -> Option<Creator> {
        match &self.credential {
            Credential::Key(key) => Some(Creator::Key(key.id.clone())),
            Credential::Application(caller) => {
                Some(Creator::Application(caller.application.clone()))
            }
            Credential::Session(..) => None,
        }
    }

    /// What it is authenticated by, for what outlives the request.
    pub fn credential_id(&self) -> CredentialId {
        match &self.credential {
            Credential::Key(key) => CredentialId::Key(key.id.clone()),
            Credential::Application(caller) => {
                CredentialId::Application(caller.application.clone())
            }
            Credential::Session(_, id) => CredentialId::Session(id.clone()),
        }
    }

    /// Whose share of requests it takes.
    fn name(&self) -> String {
        match &self.credential {
            Credential::Key(key) => key.id.to_string(),
            Credential::Application(caller) => format!("{} {}", self.account, caller.application),
            Credential::Session(..) => self.account.to_string(),
        }
    }
}

/// How the caller proved it.
#[derive(Debug)]
pub(crate) enum Credential {
    /// By a key, which carries the whole account.
    Key(Box<AccountKey>),
    /// By an access token, which carries what its person has granted.
    Application(Box<ApplicationCaller>),
    /// By a session.
    Session(Token, SessionId),
}

/// The token of the caller's own session, which its end needs to know.
pub(crate) struct Token(String);

impl Token {
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// A caller who may do what the route does.
#[derive(Debug)]
pub(crate) struct Granted<S> {
    caller: Caller,
    scope: PhantomData<S>,
}

impl<S> Deref for Granted<S> {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.caller
    }
}

impl<S: Needed> FromRequestParts<ApiState> for Granted<S> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Fault> {
        let door = parts.extensions.get().copied();
        let unauthorized = || match S::SCOPE.of_applications() {
            Some(_) => oauth::unauthorized(door, state.settings()),
            None => Fault::unauthorized(),
        };
        let token = bearer(&parts.headers).ok_or_else(unauthorized)?;
        let caller = identify(token, S::SCOPE, door, state).await?;
        let mut caller = caller.ok_or_else(unauthorized)?;
        caller.origin.address = caller_address(&parts.headers, &parts.extensions, state.settings());
        caller.origin.request = parts.extensions.get().cloned();
        caller.origin.at = Some(state.now());
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
            return Err(Fault::rate_limited(quota.refusal(), wait));
        }
        match state.store().account_state(&caller.account).await? {
            AccountState::Active => {}
            AccountState::Suspended if S::SCOPE == Scope::SignOut => {}
            AccountState::Suspended => return Err(Fault::suspended()),
            AccountState::NotFound => return Err(unauthorized()),
        }
        let under_way = state.under_way().take(caller.account.as_str()).ok_or_else(|| {
            let most = state.under_way().most();
            let message = format!(
                "account limit: {most} requests of the account are under way; wait for answers"
            );
            Fault::rate_limited(message, BUSY_WAIT)
        })?;
        if let Some(limits) = caller.limits() {
            let ip = caller_address(&parts.headers, &parts.extensions, state.settings());
            limits::check_network(limits, ip)?;
        }
        match (&caller.credential, S::SCOPE.of_applications()) {
            (Credential::Application(granted), Some(needed))
                if !granted.scopes.contains(needed) =>
            {
                Err(oauth::insufficient_scope(needed, door, state.settings()))
            }
            (Credential::Key(key), Some(needed))
                if !key.scopes.is_empty() && !key.scopes.contains(&needed) =>
            {
                Err(limits::missing_scope(needed))
            }
            _ => {
                state.query_names().check(parts, true)?;
                if let Some(slot) = parts.extensions.get::<ShareSlot>() {
                    slot.fill(under_way);
                }
                Ok(Self { caller, scope: PhantomData })
            }
        }
    }
}

/// Counts the request against the rate limit of the credential, then against that of the account.
/// Returns the quota of the credential, unless the account's is used up.
fn count(caller: &Caller, state: &ApiState) -> Quota {
    let now = state.now();
    let own = state.requests().take(&caller.name(), now);
    if own.wait.is_some() {
        return own;
    }
    let of_account = state.account_requests().take(caller.account.as_str(), now);
    match of_account.wait {
        Some(_) => Quota { of: QuotaOf::Account, ..of_account },
        None => own,
    }
}

/// The caller that the token belongs to, if the scope accepts tokens of its kind.
async fn identify(
    token: &str,
    scope: Scope,
    door: Option<Door>,
    state: &ApiState,
) -> Result<Option<Caller>, Fault> {
    match scope {
        Scope::JobsRead
        | Scope::JobsWrite
        | Scope::AccountRead
        | Scope::WebhooksRead
        | Scope::WebhooksWrite => match door {
            // A person at the console has no key, and may do what a key can.
            Some(Door::Console) => by_session(token, door, state).await,
            Some(Door::Mcp) | None if token.starts_with(AccessToken::PREFIX) => {
                by_access_token(token, door, state).await
            }
            Some(Door::Mcp) | None => by_key(token, door, state).await,
        },
        Scope::AuditRead => match door {
            Some(Door::Console) => by_session(token, door, state).await,
            Some(Door::Mcp) | None if token.starts_with(AccessToken::PREFIX) => {
                by_access_token(token, door, state).await
            }
            None if token.starts_with(SessionToken::PREFIX) => by_session(token, door, state).await,
            Some(Door::Mcp) | None => by_key(token, door, state).await,
        },
        Scope::Session | Scope::SignOut => by_session(token, door, state).await,
    }
}

async fn by_key(
    token: &str,
    door: Option<Door>,
    state: &ApiState,
) -> Result<Option<Caller>, Fault> {
    let found = state.store().authenticate_key(token, state.now()).await?;
    Ok(found.map(|found| Caller {
        account: found.account,
        origin: AuditOrigin::of(AuditActorKind::ApiKey, Some(found.key.id.to_string())),
        credential: Credential::Key(Box::new(found.key)),
        door,
    }))
}

async fn by_access_token(
    token: &str,
    door: Option<Door>,
    state: &ApiState,
) -> Result<Option<Caller>, Fault> {
    let found = state.store().authenticate_access_token(token, state.now()).await?;
    // What was granted for the tools of an assistant opens nothing beside them.
    let found = found.filter(|found| !found.mcp_only || door == Some(Door::Mcp));
    Ok(found.map(|found| Caller {
        account: found.account.clone(),
        origin: AuditOrigin::of(AuditActorKind::Application, Some(found.application.to_string())),
        credential: Credential::Application(Box::new(found)),
        door,
    }))
}

async fn by_session(
    token: &str,
    door: Option<Door>,
    state: &ApiState,
) -> Result<Option<Caller>, Fault> {
    let found = state.store().authenticate_session(token, state.now()).await?;
    Ok(found.map(|found| Caller {
        origin: AuditOrigin::of(AuditActorKind::Session, Some(found.account.to_string())),
        account: found.account,
        credential: Credential::Session(Token(token.to_owned()), found.session),
        door,
    }))
}

/// The token of the one `Authorization: Bearer` header.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next()?;
    // Two headers are two opinions: whatever stands in front of us may have read the other.
    if values.next().is_some() {
        return None;
    }
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}
