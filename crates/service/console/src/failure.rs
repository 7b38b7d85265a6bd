//! What stands between a person and the page that was asked for.
//!
//! It travels as an extension of a bare response; `frame` makes a page of it, because only
//! there is the request's id known. What was wrong on our side is logged there, once, and never
//! told.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use client::{ApiCallError, UnexpectedResponse};
use contract::{Problem, ProblemCode};
use store::StoreError;

use crate::local_path::see_other;

/// Why there is no page.
#[derive(Debug, Clone)]
pub(crate) enum Failure {
    /// Nobody is signed in: whoever asks is led to the sign-in page, and from there to `next`.
    SignIn { next: Option<String> },
    /// The same, told to a script.
    SignedOut,
    /// A form that no page of ours sent, or one of another session.
    Foreign,
    /// There is nothing of this name.
    NotFound,
    /// A plain no, with what to do about it.
    Said { status: StatusCode, message: String },
    /// The API said no.
    Refused { status: StatusCode, problem: Box<Problem> },
    /// The database is away; it passes.
    Away { cause: String },
    /// Our own fault. The cause is for the log.
    Ours { cause: String },
}

impl Failure {
    pub fn said(status: StatusCode, message: impl Into<String>) -> Self {
        Self::Said { status, message: message.into() }
    }

    pub fn ours(cause: impl Into<String>) -> Self {
        Self::Ours { cause: cause.into() }
    }

    pub fn status(&self) -> StatusCode {
        match self {
            Self::SignIn { .. } => StatusCode::SEE_OTHER,
            Self::SignedOut => StatusCode::UNAUTHORIZED,
            Self::Foreign => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Said { status, .. } | Self::Refused { status, .. } => *status,
            Self::Away { .. } => StatusCode::SERVICE_UNAVAILABLE,
            Self::Ours { .. } => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// What happened in a few words, and what to do.
    pub fn told(&self) -> (&'static str, String) {
        match self {
            Self::SignIn { .. } | Self::SignedOut => {
                ("Signed out", "Your session is over. Sign in again.".to_owned())
            }
            Self::Foreign => (
                "This form is not valid",
                "It was not sent from this console, or your session has changed since the page \
                 was opened. Open the page again and repeat."
                    .to_owned(),
            ),
            Self::NotFound => (
                "Nothing here",
                "There is no page at this address, or it belongs to another account.".to_owned(),
            ),
            Self::Said { message, .. } => ("That did not work", message.clone()),
            Self::Refused { problem, .. } => ("That did not work", problem.message.clone()),
            Self::Away { .. } => {
                ("The database is away", "Nothing is lost. Try again in a few seconds.".to_owned())
            }
            Self::Ours { .. } => (
                "Something went wrong on our side",
                "The cause is in the server's log, under the request below.".to_owned(),
            ),
        }
    }
}

impl From<ApiCallError> for Failure {
    fn from(refused: ApiCallError) -> Self {
        match refused {
            ApiCallError::Problem { status, problem } => match problem.code {
                ProblemCode::Unauthorized => Self::SignIn { next: None },
                ProblemCode::NotFound => Self::NotFound,
                _ => Self::Refused { status, problem },
            },
            ApiCallError::Unexpected(cause) => cause.into(),
        }
    }
}

impl From<UnexpectedResponse> for Failure {
    fn from(cause: UnexpectedResponse) -> Self {
        Self::ours(cause.to_string())
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let cause = error.to_string();
        if error.is_passing() { Self::Away { cause } } else { Self::Ours { cause } }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        if let Self::SignIn { next } = &self {
            let query = crate::Query::default().with("next", next.as_deref().unwrap_or_default());
            return see_other(&query.on("/sign-in"));
        }
        let mut response = self.status().into_response();
        if matches!(self, Self::Away { .. }) {
            let soon = axum::http::HeaderValue::from_static("2");
            response.headers_mut().insert(header::RETRY_AFTER, soon);
        }
        response.extensions_mut().insert(self);
        response
    }
}
