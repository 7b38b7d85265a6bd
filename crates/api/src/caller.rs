//! Whoever calls: by an API key or by an account session.
//!
//! A route states what it needs by the type it takes, `Granted<JobsRead>`; the
//! credential, and then the caller's share of requests, are judged before anything
//! else of the request is looked at.

use std::marker::PhantomData;
use std::ops::Deref;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use contract::{AccountId, AccountKey, Door};
use tracing::Span;

use crate::ApiState;
use crate::attend::QuotaSlot;
use crate::fault::Fault;

/// What a route needs its caller to be allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    JobsRead,
    JobsWrite,
    AccountRead,
    WebhooksRead,
    WebhooksWrite,
    /// Managing keys and the session itself: for people, never for programs.
    Session,
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
needed!(JobsRead, JobsWrite, AccountRead, WebhooksRead, WebhooksWrite, Session);

/// Whoever calls.
#[derive(Debug)]
pub(crate) struct Caller {
    pub account: AccountId,
    pub credential: Credential,
}

/// How the caller proved it.
#[derive(Debug)]
pub(crate) enum Credential {
    /// By a key, which carries the whole account.
    Key(Box<AccountKey>),
    /// By a session.
    Session(Token),
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
        let token = bearer(&parts.headers).ok_or_else(Fault::unauthorized)?;
        let door = parts.extensions.get().copied();
        let caller = identify(token, S::SCOPE, door, state).await?;
        let caller = caller.ok_or_else(Fault::unauthorized)?;
        let span = Span::current();
        span.record("account.id", caller.account.as_str());
        let name = match &caller.credential {
            Credential::Key(key) => {
                span.record("key.id", key.id.as_str());
                key.id.as_str()
            }
            Credential::Session(_) => caller.account.as_str(),
        };
        let quota = state.requests().take(name, state.now());
        if let Some(slot) = parts.extensions.get::<QuotaSlot>() {
            slot.fill(quota);
        }
        match quota.wait {
            Some(wait) => {
                let per_minute = quota.rate.per_minute;
                Err(Fault::rate_limited(
                    format!("more than {per_minute} requests a minute; retry with backoff"),
                    wait,
                ))
            }
            None => Ok(Self { caller, scope: PhantomData }),
        }
    }
}

/// Whoever the token belongs to, if it is of the kind that the scope asks for.
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
            Some(Door::Console) => by_session(token, state).await,
            Some(Door::Mcp) | None => by_key(token, state).await,
        },
        Scope::Session => by_session(token, state).await,
    }
}

async fn by_key(token: &str, state: &ApiState) -> Result<Option<Caller>, Fault> {
    let found = state.store().authenticate_key(token, state.now()).await?;
    Ok(found.map(|found| Caller {
        account: found.account,
        credential: Credential::Key(Box::new(found.key)),
    }))
}

async fn by_session(token: &str, state: &ApiState) -> Result<Option<Caller>, Fault> {
    let found = state.store().authenticate_session(token, state.now()).await?;
    Ok(found.map(|found| Caller {
        account: found.account,
        credential: Credential::Session(Token(token.to_owned())),
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
