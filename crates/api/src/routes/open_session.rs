//! `POST /session`: a person signs in.
//!
//! Tries are counted by address and by account before the password is looked at, and
//! an unknown e-mail takes as long as a wrong password.

use axum::Json;
use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use contract::{CreateSession, Session};

use crate::ApiState;
use crate::address::caller_network;
use crate::body::{Fields, JsonBody};
use crate::fault::Fault;
use crate::openapi::{example, problems};

problems!(Refusals: InvalidJson, Unauthorized, RequestTimeout, PayloadTooLarge, UnsupportedMediaType,
    ValidationFailed, RateLimited, ServerError, Unavailable);

/// Longer ones belong to nobody: a password has at most 1,024 characters.
const LONGEST: usize = 1_024;

/// Open a session
///
/// Gives a token for the key operations, for twelve hours.
#[utoipa::path(
    post,
    path = "/session",
    operation_id = "open_session",
    tag = "session",
    request_body(content = CreateSession, description = "Who signs in.",
        example = json!({"email": "operator@localhost", "password": "correct horse"})),
    responses(
        (status = 201, description = "The session.", body = Session,
            example = json!(example::session())),
        Refusals,
    ),
    security(()),
)]
pub(crate) async fn open_session(
    State(state): State<ApiState>,
    _: Address,
    JsonBody(body): JsonBody,
) -> Result<(StatusCode, Json<Session>), Fault> {
    let mut fields = Fields::of(&body)?;
    let (email, password) = (fields.text("email"), fields.text("password"));
    for (name, value) in [("email", email), ("password", password)] {
        fields.missing(name);
        if value.is_some_and(|value| value.chars().count() > LONGEST) {
            fields.wrong(name, format!("must have at most {LONGEST} characters"));
        }
    }
    let errors = fields.finish();
    let (Some(email), Some(password), true) = (email, password, errors.is_empty()) else {
        return Err(Fault::invalid(errors));
    };
    count(&state, &format!("account {}", email.trim().to_lowercase()))?;
    // Closed only with the process, which then has no answer to give either.
    let checking = state.passwords().acquire().await;
    let account = state.store().sign_in(email, password).await?;
    drop(checking);
    let account = account.ok_or_else(Fault::unauthorized)?;
    let session = state.store().open_session(&account, state.now()).await?;
    Ok((StatusCode::CREATED, Json(session)))
}

/// An address that has a try left.
#[derive(Debug)]
pub(crate) struct Address;

impl FromRequestParts<ApiState> for Address {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Fault> {
        if let Some(network) = caller_network(parts, state.settings()) {
            count(state, &format!("address {network}"))?;
        }
        Ok(Self)
    }
}

fn count(state: &ApiState, name: &str) -> Result<(), Fault> {
    match state.sign_ins().take(name, state.now()).wait {
        Some(wait) => Err(Fault::rate_limited("too many tries to sign in; wait a little", wait)),
        None => Ok(()),
    }
}
