//! An answer: what was asked for, or the problem that stood in the way.

use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use contract::Problem;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::Unreachable;

/// An answer, whole.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// Why a call did not give what it asks for.
#[derive(Debug, Error)]
pub enum Refused {
    /// The operation said no, and why.
    #[error("{}", problem.message)]
    Problem { status: StatusCode, problem: Box<Problem> },
    /// Not an answer of the interface.
    #[error(transparent)]
    Unexpected(#[from] UnexpectedAnswer),
}

/// An answer that the interface does not know, or none.
#[derive(Debug, Error)]
pub enum UnexpectedAnswer {
    /// Nobody answers there.
    #[error(transparent)]
    Unreachable(#[from] Unreachable),
    /// It ended before it was whole.
    #[error("the answer broke off")]
    BrokeOff,
    /// It is neither the result nor a problem.
    #[error("the answer with status {0} is not one of the interface")]
    Unreadable(StatusCode),
}

impl Answer {
    /// The whole of a response that was opened as a stream.
    ///
    /// # Errors
    /// [`UnexpectedAnswer`] when it breaks off, or when there was nobody to answer.
    pub async fn of(response: Response) -> Result<Self, UnexpectedAnswer> {
        let (mut parts, body) = response.into_parts();
        if let Some(unreachable) = parts.extensions.remove::<Unreachable>() {
            return Err(unreachable.into());
        }
        let body = body.collect().await.map_err(|_| UnexpectedAnswer::BrokeOff)?;
        Ok(Self { status: parts.status, headers: parts.headers, body: body.to_bytes() })
    }

    /// The result, or why there is none.
    ///
    /// # Errors
    /// [`Refused`] with the problem that was told, or because the answer makes no sense.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Refused> {
        self.check()?;
        serde_json::from_slice(&self.body)
            .map_err(|_| UnexpectedAnswer::Unreadable(self.status).into())
    }

    /// Whether it went well, for operations whose answer says nothing more.
    ///
    /// # Errors
    /// As [`Answer::json`].
    pub fn check(&self) -> Result<(), Refused> {
        if self.status.is_success() {
            return Ok(());
        }
        match serde_json::from_slice(&self.body) {
            Ok(problem) => {
                Err(Refused::Problem { status: self.status, problem: Box::new(problem) })
            }
            Err(_) => Err(UnexpectedAnswer::Unreadable(self.status).into()),
        }
    }
}
