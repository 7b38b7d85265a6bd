//! `POST /session`: signs in.
//!
//! Attempts are counted by network, by account and network, and by account before the password
//! is checked (`store/sign_in.rs`). An unknown e-mail takes as long as a wrong password.

use std::net::IpAddr;
use std::time::Duration;

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, StatusCode, header};
use contract::{AuditActorKind, BodyFields, CreateSession, RequestId, Session};
use store::{AccountState, AuditOrigin, SessionClient, SignInAttempt, SignInGate, Store};

use crate::ApiState;
use crate::address::{caller_address, network};
use crate::api_error::ApiError;
use crate::body::JsonBody;
use crate::openapi::{example, problems};

problems!(RouteErrors: InvalidJson, Unauthorized, RequestTimeout, PayloadTooLarge, UnsupportedMediaType,
    ValidationFailed, RateLimited, ServerError, Unavailable);

/// Maximum characters of an e-mail or a password.
pub(crate) const MAX_CHARS: usize = 1_024;

/// The device token of an earlier sign-in.
const DEVICE: HeaderName = HeaderName::from_static("x-device-token");

/// Open a session
///
/// Returns a session token, valid for twelve hours. Send the `device` of an earlier response in
/// `X-Device-Token`: failed sign-ins of others do not delay a known device.
#[utoipa::path(
    post,
    path = "/session",
    operation_id = "open_session",
    tag = "session",
    params(("X-Device-Token" = Option<String>, Header,
        description = "The `device` of an earlier sign-in.")),
    request_body(content = CreateSession, description = "E-mail and password.",
        example = json!({"email": "operator@localhost", "password": "correct horse"})),
    responses(
        (status = 201, description = "The session.", body = Session,
            example = json!(example::session())),
        RouteErrors,
    ),
    security(()),
)]
pub(crate) async fn open_session(
    State(state): State<ApiState>,
    client: SignInClient,
    JsonBody(body): JsonBody,
) -> Result<(StatusCode, Json<Session>), ApiError> {
    let mut fields = BodyFields::of(&body)?;
    let (email, password) = (fields.text("email"), fields.text("password"));
    for (name, value) in [("email", email), ("password", password)] {
        fields.require(name);
        if value.is_some_and(|value| value.chars().count() > MAX_CHARS) {
            fields.wrong(name, format!("must have at most {MAX_CHARS} characters"));
        }
    }
    let errors = fields.finish();
    let (Some(email), Some(password), true) = (email, password, errors.is_empty()) else {
        return Err(ApiError::invalid(errors));
    };
    let attempt = client.attempt(email);
    let attempts = client.admitted(&state, &attempt).await?;
    // The semaphore is never closed.
    let checking = state.passwords().acquire().await;
    let signed_in = state.store().sign_in(email, password).await?;
    drop(checking);
    let now = state.now();
    let anonymous = client.acting(&state, AuditActorKind::Anonymous, None);
    let Some(signed_in) = signed_in else {
        anonymous.record_refused_sign_in(email, attempts, now).await?;
        return Err(ApiError::unauthorized());
    };
    if state.store().account_state(&signed_in.account).await? == AccountState::Suspended {
        anonymous.record_refused_sign_in(email, attempts, now).await?;
        return Err(ApiError::suspended());
    }
    state.store().clear_sign_ins(&attempt).await?;
    let actor = Some(signed_in.account.to_string());
    let store = client.acting(&state, AuditActorKind::Session, actor);
    let session = store.open_session_for(&signed_in, &client.session_client(), now).await?;
    Ok((StatusCode::CREATED, Json(session.ok_or_else(ApiError::unauthorized)?)))
}

/// A client within the sign-in limit of its network.
#[derive(Debug)]
pub(crate) struct SignInClient {
    address: Option<IpAddr>,
    user_agent: Option<String>,
    device: Option<String>,
    request: Option<RequestId>,
}

impl SignInClient {
    /// The sign-in attempt of this client to the account with this e-mail.
    pub fn attempt(&self, email: &str) -> SignInAttempt {
        SignInAttempt {
            email: email.to_owned(),
            network: self.address.map(network),
            device: self.device.clone(),
        }
    }

    /// Counts the attempt and fails if there were too many. Returns the number of attempts.
    pub async fn admitted(
        &self,
        state: &ApiState,
        attempt: &SignInAttempt,
    ) -> Result<u64, ApiError> {
        let per_minute = state.settings().sign_ins_per_minute;
        match state.store().admit_sign_in(attempt, per_minute, state.now()).await? {
            SignInGate::Open { attempts } => Ok(attempts),
            SignInGate::Wait { wait } => Err(too_many(wait)),
        }
    }

    fn acting(&self, state: &ApiState, kind: AuditActorKind, id: Option<String>) -> Store {
        state.store().acting(AuditOrigin {
            address: self.address,
            request: self.request.clone(),
            at: Some(state.now()),
            ..AuditOrigin::of(kind, id)
        })
    }

    fn session_client(&self) -> SessionClient {
        SessionClient {
            address: self.address,
            user_agent: self.user_agent.clone(),
            device: self.device.clone(),
        }
    }
}

impl FromRequestParts<ApiState> for SignInClient {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, ApiError> {
        let address = caller_address(&parts.headers, &parts.extensions, state.settings());
        if let Some(address) = address {
            let name = format!("address {}", network(address));
            if let Some(wait) = state.sign_ins().take(&name, state.now()).wait {
                return Err(too_many(Duration::from_secs(wait)));
            }
        }
        let text = |name: HeaderName| {
            let value = parts.headers.get(name)?.to_str().ok()?;
            Some(value.to_owned()).filter(|value| !value.is_empty())
        };
        Ok(Self {
            address,
            user_agent: text(header::USER_AGENT),
            device: text(DEVICE),
            request: parts.extensions.get().cloned(),
        })
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
