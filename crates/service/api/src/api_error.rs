//! An error of the API.
//!
//! It travels as an extension of an empty response. The middleware `request_context` renders the
//! body, because it knows the request id, and logs internal causes once. Causes are never sent to
//! clients.

use std::fmt::Display;

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use contract::{
    Credits, ERRORS_PAGE, FieldError, JobId, PageProblem, Problem, ProblemCode, RequestId,
};
use job::Refusal;
use store::{CommandError, PageCover, StoreError};

use crate::ApiSettings;

/// `Retry-After` while the database is unavailable, in seconds.
const UNAVAILABLE_RETRY_AFTER: u64 = 2;

/// Maximum field errors in a response: a hostile body can have a hundred thousand.
const MAX_FIELD_ERRORS: usize = 100;

/// An error of the API, before it is rendered.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    inner: Box<ErrorDetails>,
}

pub(crate) type ApiResult<T> = Result<T, ApiError>;

#[derive(Debug, Clone)]
struct ErrorDetails {
    code: ProblemCode,
    message: String,
    required: Option<Credits>,
    available: Option<Credits>,
    top_up_url: Option<String>,
    job_id: Option<JobId>,
    page: PageProblem,
    errors: Option<Vec<FieldError>>,
    headers: Vec<(HeaderName, HeaderValue)>,
    cause: Option<String>,
}

/// The HTTP status of a code.
pub(crate) fn status(code: ProblemCode) -> StatusCode {
    StatusCode::from_u16(code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// The URL of the documentation of a code.
pub(crate) fn docs_url(public_url: &str, code: ProblemCode) -> String {
    format!("{}{ERRORS_PAGE}#{code}", public_url.trim_end_matches('/'))
}

impl ApiError {
    pub fn new(code: ProblemCode, message: impl Into<String>) -> Self {
        Self {
            inner: Box::new(ErrorDetails {
                code,
                message: message.into(),
                required: None,
                available: None,
                top_up_url: None,
                job_id: None,
                page: PageProblem::default(),
                errors: None,
                headers: Vec::new(),
                cause: None,
            }),
        }
    }

    /// 401. Does not reveal whether the credential is unknown, revoked or of another kind.
    pub fn unauthorized() -> Self {
        Self::refused_credential("invalid API key or token")
    }

    /// 401 for a request without a credential.
    pub fn no_credential() -> Self {
        Self::refused_credential("missing API key: send it as `Authorization: Bearer KEY`")
    }

    fn refused_credential(message: &'static str) -> Self {
        Self::new(ProblemCode::Unauthorized, message)
            .header(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))
    }

    /// The credential is valid, but its account is suspended.
    pub fn suspended() -> Self {
        Self::new(
            ProblemCode::AccountSuspended,
            "the account is suspended: its runs have stopped and its credentials are refused; \
             ask the operator of the service",
        )
    }

    /// The database is prepared, and the rest of the start is not done.
    pub fn starting() -> Self {
        Self::new(ProblemCode::Unavailable, "the service starts; try again later")
            .retry_after(UNAVAILABLE_RETRY_AFTER)
    }

    pub fn stopping() -> Self {
        Self::new(
            ProblemCode::Unavailable,
            "this node is shutting down; send new requests to another node",
        )
        .retry_after(UNAVAILABLE_RETRY_AFTER)
    }

    pub fn not_found() -> Self {
        Self::new(
            ProblemCode::NotFound,
            "not found: it does not exist, or it belongs to another account",
        )
    }

    /// Invalid fields or parameters.
    pub fn invalid(mut errors: Vec<FieldError>) -> Self {
        let message = match errors.as_slice() {
            [only] => format!("{}: {}", only.field, only.message),
            many if many.len() > MAX_FIELD_ERRORS => {
                format!("{} fields are invalid; errors lists the first", many.len())
            }
            many => format!("{} fields are invalid; errors lists each", many.len()),
        };
        errors.truncate(MAX_FIELD_ERRORS);
        Self::new(ProblemCode::ValidationFailed, message).errors(errors)
    }

    /// Moves the field errors below the member `part`, and adds the `errors` of the other members.
    #[must_use]
    pub fn within(self, part: &str, mut errors: Vec<FieldError>) -> Self {
        let inside = self.inner.errors.clone().unwrap_or_default().into_iter();
        errors.extend(inside.map(|error| {
            let field = match error.field.as_str() {
                "body" => part.to_owned(),
                field => format!("{part}.{field}"),
            };
            FieldError::new(field, error.message)
        }));
        match self.inner.code {
            ProblemCode::ValidationFailed => Self::invalid(errors),
            _ => self.errors(errors),
        }
    }

    /// The account has as many objects of a kind as it may have.
    pub fn account_limit(limit: impl Display, objects: &str, remedy: &str) -> Self {
        let message = format!("account limit: the account has {limit} {objects}; {remedy} first");
        Self::new(ProblemCode::Conflict, message)
    }

    /// An error of one field with its own code.
    pub fn of_field(code: ProblemCode, field: &str, message: String) -> Self {
        Self::new(code, message.clone()).errors(vec![FieldError::new(field, message)])
    }

    pub fn rate_limited(message: impl Into<String>, wait: u64) -> Self {
        Self::new(ProblemCode::RateLimited, message).retry_after(wait)
    }

    /// An internal error; `cause` is logged and not sent.
    pub fn internal(cause: impl Into<String>) -> Self {
        let mut error = Self::new(
            ProblemCode::ServerError,
            "internal error; give the request id to the operator",
        );
        error.inner.cause = Some(cause.into());
        error
    }

    pub fn code(&self) -> ProblemCode {
        self.inner.code
    }

    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// The internal cause, for the log.
    pub fn cause(&self) -> Option<&str> {
        self.inner.cause.as_deref()
    }

    /// Headers of the response.
    pub fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        &self.inner.headers
    }

    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.inner.headers.push((name, value));
        self
    }

    #[must_use]
    pub fn retry_after(self, seconds: u64) -> Self {
        self.header(header::RETRY_AFTER, HeaderValue::from(seconds))
    }

    #[must_use]
    pub fn errors(mut self, errors: Vec<FieldError>) -> Self {
        self.inner.errors = Some(errors);
        self
    }

    #[must_use]
    pub fn job(mut self, job: JobId) -> Self {
        self.inner.job_id = Some(job);
        self
    }

    #[must_use]
    pub fn page(mut self, page: PageProblem) -> Self {
        self.inner.page = page;
        self
    }

    /// The body of the error response.
    pub fn problem(&self, request_id: RequestId, public_url: &str) -> Problem {
        let details = (*self.inner).clone();
        let PageProblem {
            cause,
            failure_cause,
            reason,
            status_code,
            credit_per_unit,
            action,
            screenshot,
        } = details.page;
        Problem {
            code: details.code,
            message: details.message,
            request_id,
            docs: docs_url(public_url, details.code),
            required: details.required,
            available: details.available,
            top_up_url: details.top_up_url,
            job_id: details.job_id,
            cause,
            failure_cause,
            reason,
            status_code,
            credit_per_unit,
            action,
            screenshot,
            errors: details.errors,
        }
    }

    /// The error of a page call that another node has answered, as this node returns it.
    pub fn forwarded(problem: Problem, settings: &ApiSettings) -> Self {
        let page = PageProblem {
            cause: problem.cause,
            failure_cause: problem.failure_cause,
            reason: problem.reason,
            status_code: problem.status_code,
            credit_per_unit: problem.credit_per_unit,
            action: problem.action,
            screenshot: problem.screenshot,
        };
        let mut error = Self::new(problem.code, problem.message).page(page);
        error.inner.required = problem.required;
        error.inner.available = problem.available;
        error.inner.top_up_url = problem.top_up_url.map(|_| settings.top_up_url());
        error.inner.errors = problem.errors;
        match problem.code {
            ProblemCode::ServerError => {
                let cause = "the node that has the host logs the cause with this request id";
                error.inner.cause = Some(cause.to_owned());
                error
            }
            ProblemCode::Unavailable => error.retry_after(UNAVAILABLE_RETRY_AFTER),
            _ => error,
        }
    }

    /// A refusal of the job state machine.
    pub fn refused(refusal: Refusal, settings: &ApiSettings) -> Self {
        match refusal {
            Refusal::Invalid { field, message } => FieldError::new(field, message).into(),
            Refusal::InsufficientCredits { required, available } => {
                let which = format!("{available} are available");
                Self::insufficient_credits((required, available), &which, settings)
            }
            Refusal::BudgetExhausted { required, available } => {
                let which = format!(
                    "{available} are left of the budget of the key or application that starts it; \
                     raise the budget, or wait for the next day (UTC) if it is a daily one"
                );
                Self::insufficient_credits((required, available), &which, settings)
            }
            refusal @ (Refusal::Conflict(_) | Refusal::Ended(_) | Refusal::NotRunning(_)) => {
                Self::new(ProblemCode::Conflict, refusal.to_string())
            }
        }
    }

    /// The balance or the budget of the credential does not cover a page.
    pub fn page_not_covered(cover: PageCover, settings: &ApiSettings) -> Self {
        let PageCover { required, available, is_budget } = cover;
        let which = if is_budget {
            format!(
                "{available} are left of the budget of the key or application that reads it; raise \
                 the budget, or wait for the next day (UTC) if it is a daily one"
            )
        } else {
            format!("{available} are available")
        };
        let message = format!("the page needs {required} credits and {which}");
        Self::too_few_credits((required, available), message, settings)
    }

    fn insufficient_credits(
        (required, available): (Credits, Credits),
        which: &str,
        settings: &ApiSettings,
    ) -> Self {
        let message = format!("the job needs {required} credits and {which}");
        Self::too_few_credits((required, available), message, settings)
    }

    fn too_few_credits(
        (required, available): (Credits, Credits),
        message: String,
        settings: &ApiSettings,
    ) -> Self {
        let mut error = Self::new(ProblemCode::InsufficientCredits, message);
        error.inner.required = Some(required);
        error.inner.available = Some(available);
        error.inner.top_up_url = Some(settings.top_up_url());
        error
    }

    /// A failed command to a job.
    pub fn command(error: CommandError, settings: &ApiSettings) -> Self {
        match error {
            CommandError::NotFound => Self::not_found(),
            CommandError::Refused(refusal) => Self::refused(refusal, settings),
            CommandError::Store(error) => error.into(),
            CommandError::LeaseLost => Self::internal("a client command required a lease"),
        }
    }
}

impl From<FieldError> for ApiError {
    fn from(error: FieldError) -> Self {
        Self::invalid(vec![error])
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::PageTooLarge { fits } => {
                let message = format!("a page of this size exceeds 16 MiB; ask for at most {fits}");
                return FieldError::new("page_size", message).into();
            }
            StoreError::AccountClosed => return Self::suspended(),
            StoreError::CredentialEnded => return Self::unauthorized(),
            StoreError::Setup(_)
            | StoreError::Unavailable(_)
            | StoreError::Bucket(_)
            | StoreError::Locked(_)
            | StoreError::Sql(_)
            | StoreError::Journal(_)
            | StoreError::SecretKeyMissing { .. }
            | StoreError::Damaged(_) => {}
        }
        let mut api_error = if error.is_bucket_failure() {
            let message = "the object storage of files is unavailable; try again later";
            Self::new(ProblemCode::Unavailable, message).retry_after(UNAVAILABLE_RETRY_AFTER)
        } else if error.is_transient() {
            Self::new(ProblemCode::Unavailable, "the service is unavailable; try again later")
                .retry_after(UNAVAILABLE_RETRY_AFTER)
        } else {
            Self::internal("")
        };
        api_error.inner.cause = Some(error.to_string());
        api_error
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = status(self.inner.code).into_response();
        for (name, value) in &self.inner.headers {
            response.headers_mut().insert(name, value.clone());
        }
        response.extensions_mut().insert(self);
        response
    }
}

#[cfg(test)]
mod tests {
    use contract::{ErrorCode, Millis};

    use super::*;

    #[test]
    fn error_of_another_node_is_returned_unchanged() {
        let settings = ApiSettings::default();
        let page = PageProblem {
            cause: Some(ErrorCode::ServerError),
            status_code: Some(503),
            ..PageProblem::default()
        };
        let cover = PageCover { required: Credits(2), available: Credits(1), is_budget: false };
        for error in [
            ApiError::new(ProblemCode::PageFailed, "the site answers with 503").page(page),
            ApiError::of_field(ProblemCode::UrlNotResolved, "url", "no address".to_owned()),
            ApiError::page_not_covered(cover, &settings),
        ] {
            let request = RequestId::new(Millis(1), [1; 10]);
            let problem = error.problem(request.clone(), &settings.public_url);
            let sent = serde_json::to_string(&problem).expect("JSON");
            let received = serde_json::from_str(&sent).expect("a problem");
            let again = ApiError::forwarded(received, &settings);
            assert_eq!(again.problem(request, &settings.public_url), problem);
        }
    }
}
