//! A response body that holds a guard: a permit or a counter that is released when the response
//! is sent or dropped.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};
use parking_lot::Mutex;

use crate::keyed_limit::KeyedPermit;

/// Carries the permit of the account's requests from authentication to the response.
#[derive(Debug, Clone, Default)]
pub(crate) struct PermitSlot(Arc<Mutex<Option<KeyedPermit>>>);

impl PermitSlot {
    pub fn fill(&self, permit: KeyedPermit) {
        *self.0.lock() = Some(permit);
    }

    /// Moves the permit into the response, until its last byte is sent. A live stream does not
    /// hold it: streams have their own limit and last as long as their job.
    pub fn attach_to(&self, response: Response) -> Response {
        let permit = self.0.lock().take();
        match permit {
            Some(permit) if !is_live(response.headers()) => {
                response.map(|body| Body::new(GuardedBody::until_sent(body, permit)))
            }
            Some(_) | None => response,
        }
    }
}

/// Header of responses that send bytes as they appear: proxies such as nginx must not buffer them.
pub(crate) const UNBUFFERED: (HeaderName, HeaderValue) =
    (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));

/// Whether a response with these headers sends bytes as they appear, for as long as a job lasts.
pub(crate) fn is_live(headers: &HeaderMap) -> bool {
    headers.get("x-accel-buffering").is_some_and(|value| value == "no")
}

/// A body that owns a guard.
#[derive(Debug)]
pub(crate) struct GuardedBody<G> {
    body: Body,
    guard: G,
    map_data: fn(&G, Bytes) -> Bytes,
}

impl<G: Send + Sync + 'static> GuardedBody<Arc<G>> {
    /// Holds the guard until the last byte is sent. The server queues a response of many megabytes
    /// at once and drops the body then, so that each chunk holds the guard as well.
    pub fn until_sent(body: Body, guard: G) -> Self {
        let map_data = |guard: &Arc<G>, bytes| {
            Bytes::from_owner(GuardedChunk { bytes, _guard: Arc::clone(guard) })
        };
        Self { body, guard: Arc::new(guard), map_data }
    }
}

/// Bytes of a body in the server's queue.
struct GuardedChunk<G> {
    bytes: Bytes,
    _guard: Arc<G>,
}

impl<G> AsRef<[u8]> for GuardedChunk<G> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<G: Unpin> hyper::body::Body for GuardedBody<G> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        polled.map_ok(|frame| frame.map_data(|bytes| (self.map_data)(&self.guard, bytes)))
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
    use crate::keyed_limit::KeyedLimit;

    #[tokio::test]
    async fn permit_is_held_by_unsent_bytes_and_not_by_live_streams() {
        let limit = KeyedLimit::new(1);
        let slot = PermitSlot::default();
        slot.fill(limit.take("a").expect("a permit"));
        let response = slot.attach_to(Response::new(Body::from("text")));
        let bytes = response.into_body().collect().await.expect("a body").to_bytes();
        assert!(limit.take("a").is_none(), "the bytes are not sent yet");
        assert_eq!(bytes, "text");
        drop(bytes);
        slot.fill(limit.take("a").expect("the permit is released"));
        let mut live = Response::new(Body::from("data: 1\n\n"));
        live.headers_mut().insert(UNBUFFERED.0, UNBUFFERED.1);
        let _live = slot.attach_to(live);
        assert!(limit.take("a").is_some());
    }
}
