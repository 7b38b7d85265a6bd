//! The body of all error responses.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::string_enum::string_enum;
use crate::{Credits, ErrorCode, FailureCause, JobId, PageFile, RequestId, SkipReason};

string_enum! {
    /// The stable code of an error response.
    pub enum ProblemCode {
        /// The body is not valid JSON.
        InvalidJson = "invalid_json",
        /// The credential is missing, unknown or revoked.
        Unauthorized = "unauthorized",
        /// The balance does not cover the job.
        InsufficientCredits = "insufficient_credits",
        /// The credential does not carry the scope that the route needs.
        Forbidden = "forbidden",
        /// The account is suspended: its credentials are refused until it is resumed.
        AccountSuspended = "account_suspended",
        /// The object does not exist, or belongs to another account.
        NotFound = "not_found",
        /// The path does not support this method.
        MethodNotAllowed = "method_not_allowed",
        /// The download link has expired or was already used.
        Gone = "gone",
        /// The request conflicts with the current state.
        Conflict = "conflict",
        /// A job for this site waits for the confirm operation.
        AwaitingConfirmation = "awaiting_confirmation",
        /// A request with the same `Idempotency-Key` is still in progress.
        IdempotencyInProgress = "idempotency_in_progress",
        /// The `Idempotency-Key` was used for another body.
        IdempotencyKeyReused = "idempotency_key_reused",
        /// The body is larger than 1 MiB.
        PayloadTooLarge = "payload_too_large",
        /// The `Content-Type` of the body is not JSON.
        UnsupportedMediaType = "unsupported_media_type",
        /// A field or parameter is invalid; `errors` lists each.
        ValidationFailed = "validation_failed",
        /// The host name does not exist.
        UrlNotResolved = "url_not_resolved",
        /// `contacts` without `legal_basis_accepted`.
        LegalBasisRequired = "legal_basis_required",
        /// The page is not delivered by the rules of the service or of the site.
        PageSkipped = "page_skipped",
        /// The page is behind bot protection, and the request does not accept the rate.
        PageProtected = "page_protected",
        /// The site did not deliver the page.
        PageFailed = "page_failed",
        /// An action of the request could not be executed in the page.
        ActionFailed = "action_failed",
        /// The page was not read within the time of the request.
        PageTimeout = "page_timeout",
        /// Too many requests or jobs.
        RateLimited = "rate_limited",
        /// The request took too long to arrive.
        RequestTimeout = "request_timeout",
        /// Internal error; the log has the cause under the request id.
        ServerError = "server_error",
        /// The database is unavailable; retry after `Retry-After`.
        Unavailable = "unavailable",
    }
}

impl ProblemCode {
    /// The HTTP status of responses with this code.
    #[must_use]
    pub const fn http_status(self) -> u16 {
        match self {
            Self::InvalidJson => 400,
            Self::Unauthorized => 401,
            Self::InsufficientCredits => 402,
            Self::Forbidden | Self::AccountSuspended => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::RequestTimeout => 408,
            Self::Conflict | Self::AwaitingConfirmation | Self::IdempotencyInProgress => 409,
            Self::Gone => 410,
            Self::PayloadTooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::IdempotencyKeyReused
            | Self::PageSkipped
            | Self::PageProtected
            | Self::ActionFailed
            | Self::ValidationFailed
            | Self::UrlNotResolved
            | Self::LegalBasisRequired => 422,
            Self::RateLimited => 429,
            Self::ServerError => 500,
            Self::PageFailed => 502,
            Self::Unavailable => 503,
            Self::PageTimeout => 504,
        }
    }
}

/// The body of an error response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    pub code: ProblemCode,
    pub message: String,
    /// The id of the request, as in `X-Request-Id` and in the log.
    pub request_id: RequestId,
    /// The URL of the documentation of the code.
    #[serde(default)]
    #[schema(required = true)]
    pub docs: String,
    /// With `insufficient_credits`: the credits that the job needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<Credits>,
    /// With `insufficient_credits`: the available credits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub available: Option<Credits>,
    /// With `insufficient_credits`: where to buy more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_up_url: Option<String>,
    /// With a conflict: the conflicting job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_id: Option<JobId>,
    /// With the error of a page: the error that a run of this page would end with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<ErrorCode>,
    /// With the error of a page: what failed, if it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_cause: Option<FailureCause>,
    /// With the error of a page: the reason for which a run would skip it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<SkipReason>,
    /// With the error of a page: the status of the site's response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_code: Option<u16>,
    /// With `page_protected`: the rate that the page needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credit_per_unit: Option<Credits>,
    /// With `action_failed`: the position of the action, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<u32>,
    /// With `action_failed`: the page as it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<PageFile>,
    /// With `validation_failed`: every invalid field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<FieldError>>,
}

/// The error of one field or parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldError {
    /// Its path, as `scope.one_page` or `domains[3]`.
    pub field: String,
    pub message: String,
}

impl FieldError {
    /// An error with the path of the field.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}
