//! Errors of pages.
//!
//! An error is an extension of an empty response; `page_middleware` renders it, because only there
//! the request id is known. Internal errors are logged there once and never shown.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use client::{ApiCallError, UnexpectedResponse};
use contract::{Problem, ProblemCode};
use store::StoreError;

use crate::local_path::see_other;

/// Why a page cannot be shown.
#[derive(Debug, Clone)]
pub(crate) enum PageError {
    /// No valid session: redirect to the sign-in page, and from there to `next`.
    SignIn { next: Option<String> },
    /// No valid session, for a request of a script.
    SignedOut,
    /// The form was not sent from a page of this session (CSRF check failed).
    InvalidFormToken,
    /// The page does not exist, or belongs to another account.
    NotFound,
    /// A rejected request with a message for the user.
    Rejected { status: StatusCode, message: String },
    /// An error response of the API.
    ApiError { status: StatusCode, problem: Box<Problem> },
    /// The database is unavailable for the moment.
    Unavailable { cause: String },
    /// An internal error. The cause is logged only.
    Internal { cause: String },
}

/// A page, or why it cannot be shown.
pub(crate) type PageResult<T = Response> = Result<T, PageError>;

impl PageError {
    pub fn rejected(status: StatusCode, message: impl Into<String>) -> Self {
        Self::Rejected { status, message: message.into() }
    }

    pub fn internal(cause: impl Into<String>) -> Self {
        Self::Internal { cause: cause.into() }
    }

    pub fn status(&self) -> StatusCode {
        match self {
            Self::SignIn { .. } => StatusCode::SEE_OTHER,
            Self::SignedOut => StatusCode::UNAUTHORIZED,
            Self::InvalidFormToken => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Rejected { status, .. } | Self::ApiError { status, .. } => *status,
            Self::Unavailable { .. } => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal { .. } => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub fn title_and_message(&self) -> (&'static str, String) {
        match self {
            Self::SignIn { .. } | Self::SignedOut => {
                ("Signed out", "Your session has ended. Sign in again.".to_owned())
            }
            Self::InvalidFormToken => (
                "This form is not valid",
                "It was not sent from this console, or your session has changed since the page \
                 was opened. Open the page again and repeat."
                    .to_owned(),
            ),
            Self::NotFound => (
                "Page not found",
                "There is no page at this address, or it belongs to another account.".to_owned(),
            ),
            Self::Rejected { message, .. } => ("The request failed", message.clone()),
            Self::ApiError { problem, .. } => ("The request failed", problem.message.clone()),
            Self::Unavailable { .. } => (
                "The database is unavailable",
                "No data is lost. Try again in a few seconds.".to_owned(),
            ),
            Self::Internal { .. } => (
                "Internal error",
                "The server log has the cause, under the request id below.".to_owned(),
            ),
        }
    }
}

impl From<ApiCallError> for PageError {
    fn from(refused: ApiCallError) -> Self {
        match refused {
            ApiCallError::Problem { status, problem } => match problem.code {
                ProblemCode::Unauthorized => Self::SignIn { next: None },
                ProblemCode::NotFound => Self::NotFound,
                _ => Self::ApiError { status, problem },
            },
            ApiCallError::Unexpected(cause) => cause.into(),
        }
    }
}

impl From<UnexpectedResponse> for PageError {
    fn from(cause: UnexpectedResponse) -> Self {
        Self::internal(cause.to_string())
    }
}

impl From<StoreError> for PageError {
    fn from(error: StoreError) -> Self {
        let cause = error.to_string();
        if error.is_transient() { Self::Unavailable { cause } } else { Self::Internal { cause } }
    }
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        if let Self::SignIn { next } = &self {
            let query =
                crate::ListQuery::default().with("next", next.as_deref().unwrap_or_default());
            return see_other(&query.on("/sign-in"));
        }
        let mut response = self.status().into_response();
        if matches!(self, Self::Unavailable { .. }) {
            let soon = axum::http::HeaderValue::from_static("2");
            response.headers_mut().insert(header::RETRY_AFTER, soon);
        }
        response.extensions_mut().insert(self);
        response
    }
}
