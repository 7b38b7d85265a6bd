//! Counts the requests of a connection, to tell an idle connection from a busy one, and notices
//! responses that the client does not read.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use parking_lot::Mutex;
use tokio::time::Instant;

/// The requests of one connection. Clones share the counts.
#[derive(Debug, Clone, Default)]
pub(super) struct InFlightRequests(Arc<RequestCounts>);

#[derive(Debug, Default)]
struct RequestCounts {
    started: AtomicU64,
    ended: AtomicU64,
    /// Another protocol has taken over the connection, such as WebSocket.
    upgraded: AtomicBool,
    /// Responses whose next bytes the client has not made room for, and since when.
    unread: Mutex<HashMap<u64, Instant>>,
}

impl InFlightRequests {
    /// Counts a request, which is in flight until the guard is dropped.
    pub fn start(&self) -> InFlightGuard {
        let number = self.0.started.fetch_add(1, Ordering::Relaxed);
        InFlightGuard { requests: self.clone(), number }
    }

    /// The number of requests so far, if none is in flight.
    pub fn idle_after(&self) -> Option<u64> {
        let ended = self.0.ended.load(Ordering::Relaxed);
        let is_idle = self.0.started.load(Ordering::Relaxed) == ended
            && !self.0.upgraded.load(Ordering::Relaxed);
        is_idle.then_some(ended)
    }

    /// The longest time for which a response has waited for its client.
    pub fn longest_unread(&self) -> Duration {
        let unread = self.0.unread.lock();
        unread.values().min().map_or(Duration::ZERO, |since| since.elapsed())
    }
}

/// A request in flight. The body of its response holds the guard.
#[derive(Debug)]
pub(super) struct InFlightGuard {
    requests: InFlightRequests,
    number: u64,
}

impl InFlightGuard {
    /// The connection is used by another protocol from now on.
    pub fn upgraded(&self) {
        self.requests.0.upgraded.store(true, Ordering::Relaxed);
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.requests.0.unread.lock().remove(&self.number);
        self.requests.0.ended.fetch_add(1, Ordering::Relaxed);
    }
}

/// The body of a response. The server polls it when the client has made room for more: without a
/// poll, it waits for the client.
#[derive(Debug)]
pub(super) struct TrackedBody {
    body: Body,
    guard: InFlightGuard,
}

impl TrackedBody {
    pub fn new(body: Body, guard: InFlightGuard) -> Self {
        let tracked = Self { body, guard };
        tracked.waits_for_client(true);
        tracked
    }

    fn waits_for_client(&self, waits: bool) {
        let mut unread = self.guard.requests.0.unread.lock();
        match waits {
            true => unread.insert(self.guard.number, Instant::now()),
            false => unread.remove(&self.guard.number),
        };
    }
}

impl hyper::body::Body for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        self.waits_for_client(polled.is_ready());
        polled
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

    #[tokio::test(start_paused = true)]
    async fn response_that_is_not_read_is_noticed_and_one_that_waits_for_data_is_not() {
        let requests = InFlightRequests::default();
        let (sender, receiver) = tokio::sync::mpsc::unbounded_channel::<Bytes>();
        let frames = futures_util::stream::unfold(receiver, |mut receiver| async {
            let bytes = receiver.recv().await?;
            Some((Ok::<_, std::convert::Infallible>(bytes), receiver))
        });
        let mut body = TrackedBody::new(Body::from_stream(frames), requests.start());
        tokio::time::advance(Duration::from_secs(3)).await;
        assert_eq!(requests.longest_unread(), Duration::from_secs(3), "never polled");
        assert!(futures_util::poll!(body.frame()).is_pending());
        tokio::time::advance(Duration::from_secs(3)).await;
        assert_eq!(requests.longest_unread(), Duration::ZERO, "it waits for data");
        sender.send(Bytes::from_static(b"data")).expect("sent");
        body.frame().await.expect("a frame").expect("data");
        tokio::time::advance(Duration::from_secs(4)).await;
        assert_eq!(requests.longest_unread(), Duration::from_secs(4), "not polled again");
        assert_eq!(requests.idle_after(), None);
        drop(body);
        assert_eq!((requests.longest_unread(), requests.idle_after()), (Duration::ZERO, Some(1)));
    }

    #[test]
    fn upgraded_connection_is_never_idle() {
        let requests = InFlightRequests::default();
        let guard = requests.start();
        guard.upgraded();
        drop(guard);
        assert_eq!(requests.idle_after(), None);
    }
}
