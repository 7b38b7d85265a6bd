//! Whether a request is under way on a connection, or the connection is at rest.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};

/// The requests of one connection. Clones count the same ones.
#[derive(Debug, Clone, Default)]
pub(super) struct Turns(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    begun: AtomicU64,
    ended: AtomicU64,
}

impl Turns {
    /// A request has come; it is under way until what this returns is dropped.
    pub fn begin(&self) -> UnderWay {
        self.0.begun.fetch_add(1, Ordering::Relaxed);
        UnderWay(self.clone())
    }

    /// How many requests came before, if none is under way.
    pub fn at_rest_after(&self) -> Option<u64> {
        let ended = self.0.ended.load(Ordering::Relaxed);
        (self.0.begun.load(Ordering::Relaxed) == ended).then_some(ended)
    }
}

/// A request that is not answered yet.
#[derive(Debug)]
pub(super) struct UnderWay(Turns);

impl UnderWay {
    /// The body of its answer: the request ends with it.
    pub fn answered_by(self, body: Body) -> Answer {
        Answer { body, _under_way: self }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.0.ended.fetch_add(1, Ordering::Relaxed);
    }
}

/// The body of an answer that is being sent.
#[derive(Debug)]
pub(super) struct Answer {
    body: Body,
    _under_way: UnderWay,
}

impl hyper::body::Body for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
