//! Politeness towards one host: how many requests at a time, how long between starts.

use std::time::Duration;

use contract::Millis;

/// Why a request may not start yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Not before this instant.
    Until(Millis),
    /// Not before another request to the host has ended.
    ForRoom,
}

/// The pace at which one host is asked.
#[derive(Debug, Clone)]
pub struct HostPace {
    delay: Duration,
    at_a_time: usize,
    under_way: usize,
    next_start: Millis,
}

impl HostPace {
    /// At most `at_a_time` requests under way, and `delay` between two starts.
    #[must_use]
    pub fn new(at_a_time: usize, delay: Duration) -> Self {
        Self { delay, at_a_time: at_a_time.max(1), under_way: 0, next_start: Millis(0) }
    }

    /// Starts a request, or tells what it has to wait for. `gap` is the host's own
    /// wish for the time between two starts, where it is longer than ours.
    ///
    /// # Errors
    /// What the request has to wait for.
    pub fn start(&mut self, gap: Option<Duration>, now: Millis) -> Result<(), Wait> {
        if self.under_way >= self.at_a_time {
            return Err(Wait::ForRoom);
        }
        if now < self.next_start {
            return Err(Wait::Until(self.next_start));
        }
        self.under_way += 1;
        self.next_start = now.plus(self.delay.max(gap.unwrap_or_default()));
        Ok(())
    }

    /// A request has ended.
    pub fn end(&mut self) {
        self.under_way = self.under_way.saturating_sub(1);
    }

    /// The host asked for a pause.
    pub fn pause_until(&mut self, until: Millis) {
        self.next_start = self.next_start.max(until);
    }

    /// Whether nothing would be lost by forgetting it.
    #[must_use]
    pub fn is_idle(&self, now: Millis) -> bool {
        self.under_way == 0 && now >= self.next_start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_keep_their_distance_and_their_number() {
        let mut pace = HostPace::new(2, Duration::from_millis(100));
        assert_eq!(pace.start(None, Millis(0)), Ok(()));
        assert_eq!(pace.start(None, Millis(50)), Err(Wait::Until(Millis(100))));
        assert_eq!(pace.start(None, Millis(100)), Ok(()));
        assert_eq!(pace.start(None, Millis(500)), Err(Wait::ForRoom));
        pace.end();
        assert_eq!(pace.start(Some(Duration::from_secs(2)), Millis(500)), Ok(()));
        pace.end();
        assert_eq!(pace.start(None, Millis(2_499)), Err(Wait::Until(Millis(2_500))));
        pace.pause_until(Millis(9_000));
        assert_eq!(pace.start(None, Millis(2_500)), Err(Wait::Until(Millis(9_000))));
        pace.end();
        assert!(!pace.is_idle(Millis(8_999)) && pace.is_idle(Millis(9_000)));
    }
}
