//! A request body whose unread rest can be drained.
//!
//! A request is often rejected before its body has arrived. If the connection closed at once, a
//! client that is still writing would see a broken pipe instead of the response. Small bodies are
//! therefore drained first.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use parking_lot::Mutex;

/// Maximum bytes that are drained; a connection with more is closed.
const MAX_DRAIN_BYTES: usize = 64 * 1024;

/// Maximum time for draining.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

type RemainderSlot = Arc<Mutex<Option<Incoming>>>;

/// A body that leaves its unread rest in a slot when it is dropped.
#[derive(Debug)]
pub(super) struct DrainableBody {
    body: Option<Incoming>,
    slot: RemainderSlot,
}

/// The unread rest of a dropped body.
#[derive(Debug)]
pub(super) struct UnreadRemainder(RemainderSlot);

impl DrainableBody {
    pub fn new(body: Incoming) -> (Self, UnreadRemainder) {
        let slot = RemainderSlot::default();
        let unread = UnreadRemainder(Arc::clone(&slot));
        (Self { body: Some(body), slot }, unread)
    }
}

impl UnreadRemainder {
    /// Reads and discards the rest, within the limits.
    pub async fn drain(self) {
        let left = self.0.lock().take();
        let Some(mut body) = left else { return };
        let mut bytes = 0;
        let read = async {
            while let Some(Ok(frame)) = body.frame().await {
                bytes += frame.data_ref().map_or(0, Bytes::len);
                if bytes > MAX_DRAIN_BYTES {
                    break;
                }
            }
        };
        // After the timeout the client gets its response and the connection is closed.
        let _ = tokio::time::timeout(DRAIN_TIMEOUT, read).await;
    }
}

impl Body for DrainableBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match &mut self.body {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Incoming::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(SizeHint::default, Incoming::size_hint)
    }
}

impl Drop for DrainableBody {
    fn drop(&mut self) {
        let unread = self.body.take().filter(|body| !body.is_end_stream());
        *self.slot.lock() = unread;
    }
}
