//! What of a request's body nobody has read.
//!
//! A refusal is often known before the body has come. Answered at once, the connection would end,
//! with the client still writing: it saw a broken pipe in place of the answer, or lost the
//! connection that it meant to go on with. A small body is therefore read past first.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};

/// What is read past at most; the connection of whoever sends more ends.
const MOST_BYTES: usize = 64 * 1024;

/// How long is waited for it.
const PATIENCE: Duration = Duration::from_secs(2);

type Slot = Arc<Mutex<Option<Incoming>>>;

/// A body that leaves what is unread of it behind.
#[derive(Debug)]
pub(super) struct Watched {
    body: Option<Incoming>,
    slot: Slot,
}

/// What was left behind.
#[derive(Debug)]
pub(super) struct Unread(Slot);

impl Watched {
    pub fn new(body: Incoming) -> (Self, Unread) {
        let slot = Slot::default();
        let unread = Unread(Arc::clone(&slot));
        (Self { body: Some(body), slot }, unread)
    }
}

impl Unread {
    /// Reads past what is left, within bounds.
    pub async fn read_past(self) {
        let left = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut body) = left else { return };
        let mut bytes = 0;
        let read = async {
            while let Some(Ok(frame)) = body.frame().await {
                bytes += frame.data_ref().map_or(0, Bytes::len);
                if bytes > MOST_BYTES {
                    break;
                }
            }
        };
        // Whoever is slower than that is answered, and closed.
        let _ = tokio::time::timeout(PATIENCE, read).await;
    }
}

impl Body for Watched {
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

impl Drop for Watched {
    fn drop(&mut self) {
        let unread = self.body.take().filter(|body| !body.is_end_stream());
        *self.slot.lock().unwrap_or_else(PoisonError::into_inner) = unread;
    }
}
