//! Politeness towards one host: concurrent requests, and the time between their starts.

use std::time::Duration;

use contract::Millis;

/// Why a request may not start yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    Until(Millis),
    /// Another request to the host must end first.
    ForSlot,
}

/// The first back-off of a failing host, as time between two starts.
const FIRST_BACKOFF: Duration = Duration::from_millis(50);

/// Maximum number of doublings of the back-off: 3.2 seconds between two starts.
const MAX_BACKOFF_STEPS: u32 = 7;

/// Failures within this time count once.
const FAILURE_WINDOW: Duration = Duration::from_secs(1);

/// How long a failure is remembered without requests to the host.
const FAILURE_REMEMBERED: Duration = Duration::from_secs(10 * 60);

/// Successes in a row after which the limits are relaxed by one step.
const SUCCESSES_TO_RECOVER: u32 = 10;

/// The pace of requests to one host: the configured limits, reduced while the host fails.
#[derive(Debug, Clone)]
pub struct HostPace {
    delay: Duration,
    max_concurrency: usize,
    in_flight: usize,
    next_start: Millis,
    /// The current limit of concurrent requests.
    concurrency_limit: usize,
    /// Number of doublings of the back-off; 0 is no back-off.
    backoff_steps: u32,
    successes: u32,
    failed_at: Option<Millis>,
}

impl HostPace {
    /// At most `max_concurrency` requests in flight, and `delay` between two starts.
    #[must_use]
    pub fn new(max_concurrency: usize, delay: Duration) -> Self {
        let max_concurrency = max_concurrency.max(1);
        Self {
            delay,
            max_concurrency,
            in_flight: 0,
            next_start: Millis(0),
            concurrency_limit: max_concurrency,
            backoff_steps: 0,
            successes: 0,
            failed_at: None,
        }
    }

    /// Starts a request. `gap` is the host's `Crawl-delay`; the longer of it and `delay` applies.
    ///
    /// # Errors
    ///
    /// What the request has to wait for.
    pub fn start(&mut self, gap: Option<Duration>, now: Millis) -> Result<(), Wait> {
        if self.in_flight >= self.concurrency_limit {
            return Err(Wait::ForSlot);
        }
        if now < self.next_start {
            return Err(Wait::Until(self.next_start));
        }
        self.in_flight += 1;
        let gap = self.delay.max(gap.unwrap_or_default()).max(self.backoff());
        self.next_start = now.plus(gap);
        Ok(())
    }

    /// Records a good response.
    pub fn record_success(&mut self) {
        self.successes += 1;
        if self.successes >= SUCCESSES_TO_RECOVER {
            self.successes = 0;
            self.backoff_steps = self.backoff_steps.saturating_sub(1);
            self.concurrency_limit = (self.concurrency_limit + 1).min(self.max_concurrency);
        }
    }

    /// Records a 429, a server error or a timeout.
    pub fn record_failure(&mut self, now: Millis) {
        self.successes = 0;
        if self.failed_at.is_some_and(|at| now.since(at) < FAILURE_WINDOW) {
            return;
        }
        self.failed_at = Some(now);
        self.backoff_steps = (self.backoff_steps + 1).min(MAX_BACKOFF_STEPS);
        self.concurrency_limit = (self.concurrency_limit / 2).max(1);
    }

    fn backoff(&self) -> Duration {
        match self.backoff_steps {
            0 => Duration::ZERO,
            times => FIRST_BACKOFF * (1 << (times - 1)),
        }
    }

    pub fn end(&mut self) {
        self.in_flight = self.in_flight.saturating_sub(1);
    }

    /// Starts no request before this time, because the host sent `Retry-After`.
    pub fn pause_until(&mut self, until: Millis) {
        self.next_start = self.next_start.max(until);
    }

    /// Whether the pace can be dropped without loss. Old failures do not count, so that a list of
    /// dead domains does not stay in memory.
    #[must_use]
    pub fn is_idle(&self, now: Millis) -> bool {
        let is_backing_off = self.backoff_steps > 0
            && self.failed_at.is_some_and(|at| now.since(at) < FAILURE_REMEMBERED);
        self.in_flight == 0 && now >= self.next_start && !is_backing_off
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_respect_delay_and_concurrency() {
        let mut pace = HostPace::new(2, Duration::from_millis(100));
        assert_eq!(pace.start(None, Millis(0)), Ok(()));
        assert_eq!(pace.start(None, Millis(50)), Err(Wait::Until(Millis(100))));
        assert_eq!(pace.start(None, Millis(100)), Ok(()));
        assert_eq!(pace.start(None, Millis(500)), Err(Wait::ForSlot));
        pace.end();
        assert_eq!(pace.start(Some(Duration::from_secs(2)), Millis(500)), Ok(()));
        pace.end();
        assert_eq!(pace.start(None, Millis(2_499)), Err(Wait::Until(Millis(2_500))));
        pace.pause_until(Millis(9_000));
        assert_eq!(pace.start(None, Millis(2_500)), Err(Wait::Until(Millis(9_000))));
        pace.end();
        assert!(!pace.is_idle(Millis(8_999)) && pace.is_idle(Millis(9_000)));
    }

    /// The gap after a start at `now`.
    fn gap(pace: &mut HostPace, now: Millis) -> Duration {
        assert_eq!(pace.start(None, now), Ok(()));
        pace.end();
        pace.next_start.since(now)
    }

    #[test]
    fn failing_host_backs_off_and_recovers_slowly() {
        let mut pace = HostPace::new(4, Duration::ZERO);
        let mut now = Millis(0);
        let mut gaps = Vec::new();
        for _ in 0..9 {
            now = now.plus(Duration::from_secs(10));
            // Four requests that fail together.
            (0..4).for_each(|_| pace.record_failure(now));
            gaps.push(gap(&mut pace, now).as_millis());
        }
        assert_eq!(gaps, [50, 100, 200, 400, 800, 1_600, 3_200, 3_200, 3_200]);
        assert_eq!(pace.concurrency_limit, 1);
        assert!(!pace.is_idle(now.plus(Duration::from_secs(60))), "it is not forgotten");
        for good in 1..=70 {
            pace.record_success();
            if good == 9 {
                assert_eq!(
                    (pace.concurrency_limit, pace.backoff_steps),
                    (1, 7),
                    "not at the first good word"
                );
            }
        }
        now = now.plus(Duration::from_secs(10));
        assert_eq!((pace.concurrency_limit, gap(&mut pace, now)), (4, Duration::ZERO));
    }

    #[test]
    fn configured_delay_is_never_undercut() {
        let mut pace = HostPace::new(4, Duration::from_millis(500));
        pace.record_failure(Millis(0));
        assert_eq!(gap(&mut pace, Millis(10_000)).as_millis(), 500, "relief is not added on top");
        (0..100).for_each(|_| pace.record_success());
        assert_eq!(gap(&mut pace, Millis(20_000)).as_millis(), 500);
    }
}
