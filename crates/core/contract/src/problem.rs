//! The one shape of every error answer.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::job::words;
use crate::{Credits, JobId, RequestId};

words! {
    /// The stable code of an error answer.
    pub enum ProblemCode {
        /// The body is not JSON.
        InvalidJson = "invalid_json",
        /// The credential is missing, unknown or revoked.
        Unauthorized = "unauthorized",
        /// The balance does not cover the job.
        InsufficientCredits = "insufficient_credits",
        /// The credential does not carry the scope that the route needs.
        Forbidden = "forbidden",
        /// The account is suspended: its credentials are refused until it is resumed.
        AccountSuspended = "account_suspended",
        /// Nothing of this name, or not yours.
        NotFound = "not_found",
        /// The path exists, the method does not.
        MethodNotAllowed = "method_not_allowed",
        /// It was here, and can be had no more.
        Gone = "gone",
        /// It does not fit the state of things.
        Conflict = "conflict",
        /// A run for this site waits for the confirm operation.
        AwaitingConfirmation = "awaiting_confirmation",
        /// The same `Idempotency-Key` is being answered right now.
        IdempotencyInProgress = "idempotency_in_progress",
        /// The `Idempotency-Key` was used for another body.
        IdempotencyKeyReused = "idempotency_key_reused",
        /// The body is larger than 1 MiB.
        PayloadTooLarge = "payload_too_large",
        /// The body is not announced as JSON.
        UnsupportedMediaType = "unsupported_media_type",
        /// A field or parameter is wrong; `errors` names each.
        ValidationFailed = "validation_failed",
        /// A name does not exist.
        UrlNotResolved = "url_not_resolved",
        /// `contacts` without `legal_basis_accepted`.
        LegalBasisRequired = "legal_basis_required",
        /// Too many requests or jobs.
        RateLimited = "rate_limited",
        /// The request took too long to arrive.
        RequestTimeout = "request_timeout",
        /// Our fault; the log has the cause under the request id.
        ServerError = "server_error",
        /// The database cannot be reached; try again after `Retry-After`.
        Unavailable = "unavailable",
    }
}

/// An error answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    pub code: ProblemCode,
    pub message: String,
    /// The same as in `X-Request-Id` and in the log.
    pub request_id: RequestId,
    /// The page that says what the code means and what to do.
    #[serde(default)]
    #[schema(required = true)]
    pub docs: String,
    /// With `insufficient_credits`: what the job needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<Credits>,
    /// With `insufficient_credits`: what there is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub available: Option<Credits>,
    /// With `insufficient_credits`: where to buy more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_up_url: Option<String>,
    /// With a conflict: the job that is in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_id: Option<JobId>,
    /// With `validation_failed`: every field that is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<FieldError>>,
}

/// What is wrong with one field or parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldError {
    /// Its path, as `scope.one_page` or `domains[3]`.
    pub field: String,
    pub message: String,
}

impl FieldError {
    /// `message` about `field`.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}
