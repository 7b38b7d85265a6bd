//! Errors in the form that Firecrawl clients read: `{"success": false, "error": …}`.

use std::time::Duration;

use axum::Json;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use client::{ApiCallError, UnexpectedResponse};
use contract::{FieldError, Problem, ProblemCode, SkipReason};
use serde_json::{Value, json};
use thiserror::Error;

/// The page that has the table of all fields.
const ABOUT: &str = "docs/firecrawl.md lists what every field does";

/// Why a request failed, as its client reads it.
#[derive(Debug, Error)]
#[error("{message}")]
pub(crate) struct FirecrawlError {
    pub status: StatusCode,
    pub message: String,
    /// A stable code; the clients know some of them.
    code: &'static str,
    /// The invalid fields with their messages.
    details: Vec<FieldError>,
    retry_after: Option<HeaderValue>,
}

pub(crate) type FirecrawlResult<T> = Result<T, FirecrawlError>;

impl FirecrawlError {
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), code, details: Vec::new(), retry_after: None }
    }

    /// An error of fields: a bad request that names each of them.
    pub fn fields(details: Vec<FieldError>) -> Self {
        let named: Vec<_> =
            details.iter().map(|error| format!("{}: {}", error.field, error.message)).collect();
        let message = format!("{} ({ABOUT})", named.join("; "));
        let error = Self::new(StatusCode::BAD_REQUEST, "BAD_REQUEST", message);
        Self { details, ..error }
    }

    /// An operation that this service does not have.
    pub fn unsupported(what: &str) -> Self {
        let message = format!("{what} is not supported by this service ({ABOUT})");
        Self::new(StatusCode::NOT_FOUND, "NOT_SUPPORTED", message)
    }

    /// The error of an API call. `rename` returns the field of the request that a field of the call
    /// was made from.
    pub fn of_call(error: ApiCallError, rename: impl Fn(&str) -> String) -> Self {
        match error {
            ApiCallError::Problem { status, problem } => Self::of_problem(status, *problem, rename),
            ApiCallError::Unexpected(cause) => cause.into(),
        }
    }

    fn of_problem(status: StatusCode, problem: Problem, rename: impl Fn(&str) -> String) -> Self {
        use ProblemCode as P;
        let Problem { code, message, errors, reason, cause, credit_per_unit, job_id, .. } = problem;
        let because = reason.map(|reason| format!(" ({reason})"));
        let because = because.or_else(|| cause.map(|cause| format!(" ({cause})")));
        let because = because.unwrap_or_default();
        match code {
            P::ValidationFailed => {
                let errors = errors.unwrap_or_default().into_iter();
                let errors: Vec<_> = errors
                    .map(|error| FieldError { field: rename(&error.field), ..error })
                    .collect();
                if errors.is_empty() {
                    return Self::new(StatusCode::BAD_REQUEST, "BAD_REQUEST", message);
                }
                Self::fields(errors)
            }
            P::IdempotencyKeyReused => Self::new(StatusCode::BAD_REQUEST, "BAD_REQUEST", message),
            P::UrlNotResolved => {
                Self::new(StatusCode::BAD_REQUEST, "SCRAPE_DNS_RESOLUTION_ERROR", message)
            }
            P::PageProtected => {
                let rate =
                    credit_per_unit.map(|rate| format!(" at {rate} credits")).unwrap_or_default();
                let message = format!(
                    "the page is behind bot protection; send proxy \"auto\" to read it through the \
                     protected tier{rate}"
                );
                Self::new(StatusCode::FORBIDDEN, "SCRAPE_PROTECTED", message)
            }
            P::PageSkipped => {
                let by_site = [SkipReason::Robots, SkipReason::Blocked];
                let (status, code) = match reason {
                    Some(reason) if by_site.contains(&reason) => {
                        (StatusCode::FORBIDDEN, "SCRAPE_FORBIDDEN")
                    }
                    Some(SkipReason::File | SkipReason::Image) => {
                        (StatusCode::BAD_REQUEST, "SCRAPE_UNSUPPORTED_FILE_ERROR")
                    }
                    _ => (StatusCode::UNPROCESSABLE_ENTITY, "SCRAPE_SKIPPED"),
                };
                Self::new(status, code, format!("{message}{because}"))
            }
            // Not 502: the clients repeat a request with this status.
            P::PageFailed => Self::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "SCRAPE_ALL_ENGINES_FAILED",
                format!("{message}{because}"),
            ),
            P::ActionFailed => Self::new(StatusCode::BAD_REQUEST, "SCRAPE_ACTION_ERROR", message),
            P::PageTimeout => Self::new(
                StatusCode::REQUEST_TIMEOUT,
                "SCRAPE_TIMEOUT",
                "the page was not read within `timeout`",
            ),
            P::Conflict | P::AwaitingConfirmation => {
                let job = job_id.map(|id| format!(": {id}")).unwrap_or_default();
                Self::new(status, "CONFLICT", format!("{message}{job}"))
            }
            _ => Self::new(status, upper(code), message),
        }
    }

    /// Adds the `Retry-After` of an answer of the API.
    pub fn with_headers(mut self, headers: &HeaderMap) -> Self {
        self.retry_after = headers.get(header::RETRY_AFTER).cloned();
        self
    }

    /// The time after which the request can be repeated, if only too many were sent.
    pub fn repeat_after(&self) -> Option<Duration> {
        let seconds = self.retry_after.as_ref().and_then(|value| value.to_str().ok()?.parse().ok());
        (self.status == StatusCode::TOO_MANY_REQUESTS)
            .then(|| Duration::from_secs(seconds.unwrap_or(1)))
    }

    fn body(&self) -> Value {
        let mut body = json!({"success": false, "error": self.message, "code": self.code});
        if !self.details.is_empty() {
            body["details"] = json!(self.details);
        }
        body
    }
}

/// The code of an error that has no counterpart in Firecrawl.
fn upper(code: ProblemCode) -> &'static str {
    match code {
        ProblemCode::Unauthorized | ProblemCode::AccountSuspended => "UNAUTHORIZED",
        ProblemCode::Forbidden => "FORBIDDEN",
        ProblemCode::InsufficientCredits => "INSUFFICIENT_CREDITS",
        ProblemCode::NotFound => "NOT_FOUND",
        ProblemCode::RateLimited => "RATE_LIMITED",
        ProblemCode::PayloadTooLarge => "PAYLOAD_TOO_LARGE",
        _ => "ERROR",
    }
}

impl From<UnexpectedResponse> for FirecrawlError {
    fn from(cause: UnexpectedResponse) -> Self {
        tracing::warn!(%cause, "no response from the API");
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "UNAVAILABLE",
            "the service is unavailable; try again",
        )
    }
}

impl From<ApiCallError> for FirecrawlError {
    fn from(error: ApiCallError) -> Self {
        Self::of_call(error, str::to_owned)
    }
}

impl IntoResponse for FirecrawlError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body())).into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}
