//! When a page is done: it has loaded, and then asked for nothing for a while. It is
//! done at the end of its life in any case. Pure: time comes in.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::Instant;

/// How many answers may be under way without end before a page counts as done.
const STREAMS: usize = 2;

/// What is known of a page's progress.
#[derive(Debug)]
pub(crate) struct PageLife {
    quiet: Duration,
    stalled: Duration,
    end: Instant,
    loaded: bool,
    under_way: HashSet<String>,
    changed: Instant,
}

impl PageLife {
    pub(crate) fn new(quiet: Duration, stalled: Duration, end: Instant, now: Instant) -> Self {
        Self { quiet, stalled, end, loaded: false, under_way: HashSet::new(), changed: now }
    }

    /// The page asks for something.
    pub(crate) fn asks(&mut self, request: String, now: Instant) {
        self.changed = now;
        self.under_way.insert(request);
    }

    /// It has what it asked for, or never will.
    pub(crate) fn has(&mut self, request: &str, now: Instant) {
        if self.under_way.remove(request) {
            self.changed = now;
        }
    }

    /// The document and everything it names has loaded.
    pub(crate) fn has_loaded(&mut self, now: Instant) {
        self.changed = now;
        self.loaded = true;
    }

    pub(crate) fn is_loaded(&self) -> bool {
        self.loaded
    }

    /// The end of its life, come what may.
    pub(crate) fn end(&self) -> Instant {
        self.end
    }

    /// When it is done unless something happens before.
    pub(crate) fn done_at(&self) -> Instant {
        let rest = match self.under_way.len() {
            _ if !self.loaded => return self.end,
            0 => self.quiet,
            1..=STREAMS => self.stalled.max(self.quiet),
            _ => return self.end,
        };
        self.end.min(self.changed + rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_page_is_done_when_it_is_quiet() {
        let start = Instant::now();
        let end = start + 15 * SECOND;
        let mut life = PageLife::new(SECOND / 2, 3 * SECOND, end, start);
        assert_eq!(life.done_at(), end, "nothing has loaded");
        life.asks("a".to_owned(), start);
        life.asks("b".to_owned(), start);
        life.asks("c".to_owned(), start);
        life.has_loaded(start + SECOND);
        assert_eq!(life.done_at(), end, "three are too many");
        life.has("c", start + 2 * SECOND);
        assert_eq!(life.done_at(), start + 5 * SECOND, "two may be streams");
        life.has("a", start + 3 * SECOND);
        life.has("b", start + 3 * SECOND);
        life.has("b", start + 9 * SECOND);
        assert_eq!(life.done_at(), start + 7 * SECOND / 2);
        life.asks("d".to_owned(), start + 14 * SECOND);
        assert_eq!(life.done_at(), end, "a life has an end");
    }
}
