//! Decides when a page is done: loaded and without requests for a while, or at its deadline. Pure: time
//! is a parameter.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::Instant;

/// A loaded page with up to this many stalled requests counts as done.
const MAX_STREAMS: usize = 2;

/// Requests and load state of a page.
#[derive(Debug)]
pub(crate) struct LoadTracker {
    quiet: Duration,
    stalled: Duration,
    deadline: Instant,
    loaded: bool,
    pending: HashSet<String>,
    last_change: Instant,
}

impl LoadTracker {
    pub(crate) fn new(quiet: Duration, stalled: Duration, deadline: Instant, now: Instant) -> Self {
        Self { quiet, stalled, deadline, loaded: false, pending: HashSet::new(), last_change: now }
    }

    pub(crate) fn request_started(&mut self, request: String, now: Instant) {
        self.last_change = now;
        self.pending.insert(request);
    }

    pub(crate) fn request_finished(&mut self, request: &str, now: Instant) {
        if self.pending.remove(request) {
            self.last_change = now;
        }
    }

    pub(crate) fn mark_loaded(&mut self, now: Instant) {
        self.last_change = now;
        self.loaded = true;
    }

    pub(crate) fn is_loaded(&self) -> bool {
        self.loaded
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// When the page is done if no further event arrives.
    pub(crate) fn done_at(&self) -> Instant {
        let wait = match self.pending.len() {
            _ if !self.loaded => return self.deadline,
            0 => self.quiet,
            1..=MAX_STREAMS => self.stalled.max(self.quiet),
            _ => return self.deadline,
        };
        self.deadline.min(self.last_change + wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn page_is_done_after_the_quiet_time_or_at_its_deadline() {
        let start = Instant::now();
        let deadline = start + 15 * SECOND;
        let mut tracker = LoadTracker::new(SECOND / 2, 3 * SECOND, deadline, start);
        assert_eq!(tracker.done_at(), deadline, "nothing has loaded");
        tracker.request_started("a".to_owned(), start);
        tracker.request_started("b".to_owned(), start);
        tracker.request_started("c".to_owned(), start);
        tracker.mark_loaded(start + SECOND);
        assert_eq!(tracker.done_at(), deadline, "three are too many");
        tracker.request_finished("c", start + 2 * SECOND);
        assert_eq!(tracker.done_at(), start + 5 * SECOND, "two may be streams");
        tracker.request_finished("a", start + 3 * SECOND);
        tracker.request_finished("b", start + 3 * SECOND);
        tracker.request_finished("b", start + 9 * SECOND);
        assert_eq!(tracker.done_at(), start + 7 * SECOND / 2);
        tracker.request_started("d".to_owned(), start + 14 * SECOND);
        assert_eq!(tracker.done_at(), deadline, "the deadline limits the wait");
    }
}
