//! An answer: what was asked for, or the problem that stood in the way.

use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use contract::Problem;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::ServiceUnreachable;

/// An answer, whole.
#[derive(Debug, Clone)]
pub struct ApiResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// Why a call did not give what it asks for.
#[derive(Debug, Error)]
pub enum ApiCallError {
    /// The operation said no, and why.
    #[error("{}", problem.message)]
    Problem { status: StatusCode, problem: Box<Problem> },
    /// Not an answer of the interface.
    #[error(transparent)]
    Unexpected(#[from] UnexpectedResponse),
}

/// An answer that the interface does not know, or none.
#[derive(Debug, Error)]
pub enum UnexpectedResponse {
    /// Nobody answers there.
    #[error(transparent)]
    ServiceUnreachable(#[from] ServiceUnreachable),
    /// It ended before it was whole.
    #[error("the answer broke off")]
    BrokeOff,
    /// It is neither the result nor a problem.
    #[error("the answer with status {0} is not one of the interface")]
    Unreadable(StatusCode),
}

impl ApiResponse {
    /// The whole of a response that was opened as a stream.
    ///
    /// # Errors
    /// [`UnexpectedResponse`] when it breaks off, or when there was nobody to answer.
    pub async fn of(response: Response) -> Result<Self, UnexpectedResponse> {
        let (mut parts, body) = response.into_parts();
        if let Some(unreachable) = parts.extensions.remove::<ServiceUnreachable>() {
            return Err(unreachable.into());
        }
        let body = body.collect().await.map_err(|_| UnexpectedResponse::BrokeOff)?;
        Ok(Self { status: parts.status, headers: parts.headers, body: body.to_bytes() })
    }

    /// The result, or why there is none.
    ///
    /// # Errors
    /// [`ApiCallError`] with the problem that was told, or because the answer makes no sense.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, ApiCallError> {
        self.check()?;
        serde_json::from_slice(&self.body)
            .map_err(|_| UnexpectedResponse::Unreadable(self.status).into())
    }

    /// Whether it went well, for operations whose answer says nothing more.
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
