//! Counts the requests of a connection, to tell an idle connection from a busy one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The requests of one connection. Clones share the counts.
#[derive(Debug, Clone, Default)]
pub(super) struct InFlightRequests(Arc<RequestCounts>);

#[derive(Debug, Default)]
struct RequestCounts {
    started: AtomicU64,
    ended: AtomicU64,
}

impl InFlightRequests {
    /// Counts a request, which is in flight until the guard is dropped.
    pub fn start(&self) -> InFlightGuard {
        self.0.started.fetch_add(1, Ordering::Relaxed);
        InFlightGuard(self.clone())
    }

    /// The number of requests so far, if none is in flight.
    pub fn idle_after(&self) -> Option<u64> {
        let ended = self.0.ended.load(Ordering::Relaxed);
        (self.0.started.load(Ordering::Relaxed) == ended).then_some(ended)
    }
}

/// A request in flight. The body of its response holds the guard.
#[derive(Debug)]
pub(super) struct InFlightGuard(InFlightRequests);

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.0.0.ended.fetch_add(1, Ordering::Relaxed);
    }
}
