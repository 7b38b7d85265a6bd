//! The bytes of a response as they arrive, for files that are larger than memory.

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http_body_util::BodyExt as _;

use crate::UnexpectedResponse;

/// The body of a successful response.
#[derive(Debug)]
pub struct BodyStream {
    body: Body,
}

impl BodyStream {
    /// The bytes of a response whose status was checked.
    #[must_use]
    pub fn of(response: Response) -> Self {
        Self { body: response.into_body() }
    }

    /// The next bytes; `None` at the end.
    ///
    /// # Errors
    /// [`UnexpectedResponse::Incomplete`] if the connection ends before the body.
    pub async fn next(&mut self) -> Result<Option<Bytes>, UnexpectedResponse> {
        while let Some(frame) = self.body.frame().await {
            let frame = frame.map_err(|_| UnexpectedResponse::Incomplete)?;
            // Trailers have no bytes.
            if let Ok(bytes) = frame.into_data() {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use axum::response::IntoResponse;
    use futures_util::stream;

    use super::*;

    #[tokio::test]
    async fn bytes_are_returned_until_the_end() {
        let parts = ["one", "two"].map(|part| Ok::<_, io::Error>(Bytes::from(part)));
        let mut bytes = BodyStream::of(Body::from_stream(stream::iter(parts)).into_response());
        assert_eq!(bytes.next().await.expect("bytes"), Some(Bytes::from("one")));
        assert_eq!(bytes.next().await.expect("bytes"), Some(Bytes::from("two")));
        assert_eq!(bytes.next().await.expect("the end"), None);
    }

    #[tokio::test]
    async fn connection_that_ends_early_is_an_error() {
        let parts = [Ok(Bytes::from("one")), Err(io::Error::other("cut off"))];
        let mut bytes = BodyStream::of(Body::from_stream(stream::iter(parts)).into_response());
        assert!(bytes.next().await.expect("bytes").is_some());
        assert!(matches!(bytes.next().await, Err(UnexpectedResponse::Incomplete)));
    }
}
