//! The body of an answer that holds a share until its last byte is sent or dropped.
//!
//! The server takes a whole answer of many megabytes into its queue at once and drops the body
//! then, so the share belongs to each chunk as well.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use hyper::body::{Frame, SizeHint};

use crate::shares::Share;

/// Where the authentication of a request leaves its account's share of requests under way.
#[derive(Debug, Clone, Default)]
pub(crate) struct ShareSlot(Arc<Mutex<Option<Share>>>);

impl ShareSlot {
    pub fn fill(&self, share: Share) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(share);
    }

    /// The answer, which holds the share from now on. A live stream does not: it has a ceiling of
    /// its own and lasts as long as its job.
    pub fn held_by(&self, response: Response) -> Response {
        let share = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let is_live = response
            .headers()
            .get(CONTENT_TYPE)
            .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
        match share {
            Some(share) if !is_live => {
                response.map(|body| Body::new(HeldBody { body, share: Arc::new(share) }))
            }
            Some(_) | None => response,
        }
    }
}

#[derive(Debug)]
struct HeldBody {
    body: Body,
    share: Arc<Share>,
}

/// Bytes of the body, which may wait in the server's queue for long.
struct HeldChunk {
    bytes: Bytes,
    _share: Arc<Share>,
}

impl AsRef<[u8]> for HeldChunk {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl hyper::body::Body for HeldBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        polled.map_ok(|frame| {
            frame.map_data(|bytes| {
                Bytes::from_owner(HeldChunk { bytes, _share: Arc::clone(&self.share) })
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;
    use crate::shares::Shares;

    #[tokio::test]
    async fn share_is_held_by_the_bytes_and_not_by_live_streams() {
        let shares = Shares::new(1);
        let slot = ShareSlot::default();
        slot.fill(shares.take("a").expect("a share"));
        let answer = slot.held_by(Response::new(Body::from("text")));
        let bytes = answer.into_body().collect().await.expect("a body").to_bytes();
        assert!(shares.take("a").is_none(), "the bytes are not sent");
        assert_eq!(bytes, "text");
        drop(bytes);
        slot.fill(shares.take("a").expect("it was given back"));
        let mut live = Response::new(Body::from("data: 1\n\n"));
        live.headers_mut().insert(CONTENT_TYPE, "text/event-stream".parse().expect("a value"));
        let _live = slot.held_by(live);
        assert!(shares.take("a").is_some());
    }
}
