//! The response to a call: a result or a problem.

use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use contract::Problem;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::ServiceUnreachable;

/// Maximum bytes of a response; the largest, a page of results, has 16 MiB and an item.
const MAX_BODY_BYTES: usize = 256 * 1024 * 1024;

/// A response with its whole body.
#[derive(Debug, Clone)]
pub struct ApiResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// Why an API call failed.
#[derive(Debug, Error)]
pub enum ApiCallError {
    /// The API returned an error.
    #[error("{}", problem.message)]
    Problem { status: StatusCode, problem: Box<Problem> },
    /// The response is not one of the API.
    #[error(transparent)]
    Unexpected(#[from] UnexpectedResponse),
}

/// A response that is not one of the API, or none.
#[derive(Debug, Error)]
pub enum UnexpectedResponse {
    /// The service did not respond.
    #[error(transparent)]
    ServiceUnreachable(#[from] ServiceUnreachable),
    /// The connection ended before the end of the body.
    #[error("the response is incomplete")]
    Incomplete,
    /// The body is larger than any response of the API.
    #[error("the response is too large")]
    TooLarge,
    /// The body is neither the expected result nor a problem.
    #[error("the response with status {0} is not one of the API")]
    Unreadable(StatusCode),
}

impl ApiResponse {
    /// Reads the whole body of a response.
    ///
    /// # Errors
    /// [`UnexpectedResponse`] if the body is incomplete or the service was unreachable.
    pub async fn of(response: Response) -> Result<Self, UnexpectedResponse> {
        let (mut parts, body) = response.into_parts();
        if let Some(unreachable) = parts.extensions.remove::<ServiceUnreachable>() {
            return Err(unreachable.into());
        }
        let body = Limited::new(body, MAX_BODY_BYTES).collect().await.map_err(|error| {
            match error.is::<LengthLimitError>() {
                true => UnexpectedResponse::TooLarge,
                false => UnexpectedResponse::Incomplete,
            }
        })?;
        Ok(Self { status: parts.status, headers: parts.headers, body: body.to_bytes() })
    }

    /// The result as JSON.
    ///
    /// # Errors
    /// [`ApiCallError`] with the returned problem, or if the body is not the expected JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, ApiCallError> {
        self.check()?;
        serde_json::from_slice(&self.body)
            .map_err(|_| UnexpectedResponse::Unreadable(self.status).into())
    }

    /// Checks the status, for operations without a result.
    ///
    /// # Errors
    /// As [`ApiResponse::json`].
    pub fn check(&self) -> Result<(), ApiCallError> {
        if self.status.is_success() {
            return Ok(());
        }
        match serde_json::from_slice(&self.body) {
            Ok(problem) => {
                Err(ApiCallError::Problem { status: self.status, problem: Box::new(problem) })
            }
            Err(_) => Err(UnexpectedResponse::Unreadable(self.status).into()),
        }
    }
}
