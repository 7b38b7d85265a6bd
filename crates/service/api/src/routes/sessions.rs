//! Account sessions: sign in and out, change the password.
//!
//! Attempts are counted by network, by account and network, and by account before the password
//! is checked (`store/sign_in.rs`). An unknown e-mail takes as long as a wrong password.

use std::time::Duration;

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, StatusCode, header};
use contract::{
    AuditActorKind, BodyFields, ChangePassword, CreateSession, FieldError, ProblemCode, Session,
    SessionDetails, SessionId, SessionsEnded,
};
use store::{AccountState, SessionClient, SignInAttempt, SignInGate};

use crate::ApiState;
use crate::address::{ClientOrigin, network};
use crate::api_error::{ApiError, ApiResult};
use crate::body::{JsonBody, finish};
use crate::caller::{AccountSession, Credential, Granted, SignOut};
use crate::path::PathId;

/// Maximum characters of an e-mail or a password.
pub(crate) const MAX_CHARS: usize = 1_024;

/// The device token of an earlier sign-in.
const DEVICE: HeaderName = HeaderName::from_static("x-device-token");

/// Open a session
///
/// Returns a session token, valid for twelve hours. Send the `device` of an earlier response in
/// `X-Device-Token`: failed sign-ins of others do not delay a known device.
#[utoipa::path(
    post, path = "/session", tag = "session",
    params(
        ("X-Device-Token" = Option<String>, Header,
            description = "The `device` of an earlier sign-in."),
    ),
    request_body(content = CreateSession, description = "E-mail and password."),
    responses((status = 201, description = "The session.", body = Session)),
    extensions(("x-problems" = json!([
        ProblemCode::InvalidJson, ProblemCode::Unauthorized, ProblemCode::RequestTimeout,
        ProblemCode::PayloadTooLarge, ProblemCode::UnsupportedMediaType,
        ProblemCode::ValidationFailed, ProblemCode::RateLimited, ProblemCode::ServerError,
        ProblemCode::Unavailable,
    ]))),
    security(()),
)]
pub(crate) async fn open_session(
    State(state): State<ApiState>,
    client: SignInClient,
    JsonBody(body): JsonBody,
) -> ApiResult<(StatusCode, Json<Session>)> {
    let mut fields = BodyFields::of(&body)?;
    let (email, password) = (fields.text("email"), fields.text("password"));
    for (name, value) in [("email", email), ("password", password)] {
        fields.require(name);
        if value.is_some_and(|value| value.chars().count() > MAX_CHARS) {
            fields.wrong(name, format!("must have at most {MAX_CHARS} characters"));
        }
    }
    let (email, password) = finish(fields, email.zip(password))?;
    let attempt = client.attempt(email);
    let attempts = client.admitted(&state, &attempt).await?;
    // The semaphore is never closed.
    let checking = state.passwords.acquire().await;
    let signed_in = state.store.sign_in(email, password).await?;
    drop(checking);
    let now = state.now();
    let anonymous = client.origin.acting(&state, AuditActorKind::Anonymous, None);
    let Some(signed_in) = signed_in else {
        anonymous.record_refused_sign_in(email, attempts, now).await?;
        return Err(ApiError::unauthorized());
    };
    if state.store.account_state(&signed_in.account).await? == AccountState::Suspended {
        anonymous.record_refused_sign_in(email, attempts, now).await?;
        return Err(ApiError::suspended());
    }
    state.store.clear_sign_ins(&attempt).await?;
    let actor = Some(signed_in.account.to_string());
    let store = client.origin.acting(&state, AuditActorKind::Session, actor);
    let session = store.open_session_for(&signed_in, &client.session_client(), now).await?;
    Ok((StatusCode::CREATED, Json(session.ok_or_else(ApiError::unauthorized)?)))
}

/// A client within the sign-in limit of its network.
#[derive(Debug)]
pub(crate) struct SignInClient {
    origin: ClientOrigin,
    user_agent: Option<String>,
    device: Option<String>,
}

impl SignInClient {
    /// The sign-in attempt of this client to the account with this e-mail.
    pub fn attempt(&self, email: &str) -> SignInAttempt {
        SignInAttempt {
            email: email.to_owned(),
            network: self.origin.address.map(network),
            device: self.device.clone(),
        }
    }

    /// Counts the attempt and fails if there were too many. Returns the number of attempts.
    pub async fn admitted(&self, state: &ApiState, attempt: &SignInAttempt) -> ApiResult<u64> {
        let per_minute = state.settings.sign_ins_per_minute;
        match state.store.admit_sign_in(attempt, per_minute, state.now()).await? {
            SignInGate::Open { attempts } => Ok(attempts),
            SignInGate::Wait { wait } => Err(too_many(wait)),
        }
    }

    fn session_client(&self) -> SessionClient {
        SessionClient {
            address: self.origin.address,
            user_agent: self.user_agent.clone(),
            device: self.device.clone(),
        }
    }
}

impl FromRequestParts<ApiState> for SignInClient {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> ApiResult<Self> {
        let origin = ClientOrigin::of(parts, &state.settings);
        if let Some(address) = origin.address {
            let name = format!("address {}", network(address));
            if let Some(wait) = state.sign_ins.take(&name, state.now()).wait {
                return Err(too_many(Duration::from_secs(wait)));
            }
        }
        let text = |name: HeaderName| {
            let value = parts.headers.get(name)?.to_str().ok()?;
            Some(value.to_owned()).filter(|value| !value.is_empty())
        };
        Ok(Self { user_agent: text(header::USER_AGENT), device: text(DEVICE), origin })
    }
}

fn too_many(wait: Duration) -> ApiError {
    let seconds = wait.as_millis().div_ceil(1_000);
    let seconds = u64::try_from(seconds).unwrap_or(u64::MAX).max(1);
    ApiError::rate_limited(
        format!("too many attempts to sign in; try again in {seconds} s"),
        seconds,
    )
}

/// End the session
///
/// The token is invalid at once. Also works for a suspended account.
#[utoipa::path(
    delete, path = "/session", tag = "session",
    responses((status = 200, description = "The session has ended; the body is empty.")),
    security(("session" = [])),
)]
pub(crate) async fn end_session(
    Granted { state, caller, .. }: Granted<SignOut>,
) -> ApiResult<StatusCode> {
    match &caller.credential {
        Credential::Session(token, _) => {
            caller.store(&state).end_session(token.reveal()).await?;
            Ok(StatusCode::OK)
        }
        Credential::Key(_) | Credential::Application(_) => Err(ApiError::unauthorized()),
    }
}

/// List sessions
///
/// Every session of the account that has not expired, newest first; at most 100.
#[utoipa::path(
    get, path = "/sessions", tag = "session",
    responses((status = 200, description = "The sessions.", body = Vec<SessionDetails>)),
    security(("session" = [])),
)]
pub(crate) async fn list_sessions(
    Granted { state, caller, .. }: Granted<AccountSession>,
) -> ApiResult<Json<Vec<SessionDetails>>> {
    let sessions = state.store.sessions(&caller.account, caller.session(), state.now()).await?;
    Ok(Json(sessions))
}

/// End all sessions
///
/// Ends all sessions of the account, including this one. API keys and connected applications stay
/// valid.
#[utoipa::path(
    delete, path = "/sessions", tag = "session",
    responses(
        (status = 200, description = "All sessions have ended.", body = SessionsEnded,
            example = json!({"ended": 3})),
    ),
    security(("session" = [])),
)]
pub(crate) async fn end_sessions(
    Granted { state, caller, .. }: Granted<AccountSession>,
) -> ApiResult<Json<SessionsEnded>> {
    let ended = caller.store(&state).end_sessions(&caller.account).await?;
    Ok(Json(SessionsEnded { ended }))
}

/// Revoke a session
///
/// The token of the session is invalid at once.
#[utoipa::path(
    delete, path = "/sessions/{id}", tag = "session",
    params(("id" = SessionId, Path, description = "The session (its id, not its token).")),
    responses((status = 200, description = "The session has ended; the body is empty.")),
    security(("session" = [])),
)]
pub(crate) async fn revoke_session(
    Granted { state, caller, .. }: Granted<AccountSession>,
    PathId(id): PathId<SessionId>,
) -> ApiResult<StatusCode> {
    let removed = caller.store(&state).revoke_session(&caller.account, &id).await?;
    removed.then_some(StatusCode::OK).ok_or_else(ApiError::not_found)
}

/// Change the password
///
/// Ends all other sessions of the account. API keys and connected applications stay valid: revoke
/// those that may be compromised. Wrong passwords count as failed sign-ins.
#[utoipa::path(
    post, path = "/session/password", tag = "session",
    request_body(content = ChangePassword, description = "The old password and the new one."),
    responses(
        (status = 200, description = "The password is changed.", body = SessionsEnded,
            example = json!({"ended": 2})),
    ),
    security(("session" = [])),
)]
pub(crate) async fn change_password(
    Granted { state, caller, .. }: Granted<AccountSession>,
    client: SignInClient,
    JsonBody(body): JsonBody,
) -> ApiResult<Json<SessionsEnded>> {
    let mut fields = BodyFields::of(&body)?;
    let (current, new) = (fields.text("current_password"), fields.text("new_password"));
    for (name, value) in [("current_password", current), ("new_password", new)] {
        fields.require(name);
        if value.is_some_and(|value| value.chars().count() > MAX_CHARS) {
            fields.wrong(name, format!("must have at most {MAX_CHARS} characters"));
        }
    }
    let (current, new) = finish(fields, current.zip(new))?;
    let account = state.store.account(&caller.account).await?.ok_or_else(ApiError::unauthorized)?;
    let attempt = client.attempt(&account.email);
    let attempts = client.admitted(&state, &attempt).await?;
    let store = caller.store(&state);
    // Held until the new password is hashed, which uses as much memory as the check.
    let _checking = state.passwords.acquire().await;
    if !store.is_password(&caller.account, current).await? {
        store.record_refused_sign_in(&account.email, attempts, state.now()).await?;
        let message = "is not the password of this account";
        return Err(FieldError::new("current_password", message).into());
    }
    store.clear_sign_ins(&attempt).await?;
    let set = store.set_password(&caller.account, new, caller.session(), state.now()).await?;
    match set {
        Ok(Some(ended)) => Ok(Json(SessionsEnded { ended })),
        Ok(None) => Err(ApiError::unauthorized()),
        Err(refused) => Err(FieldError::new("new_password", refused.to_string()).into()),
    }
}
