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

/// What a host that shows strain is given on top of the delay, at first.
const RELIEF: Duration = Duration::from_millis(50);

/// Doublings of the relief at most: 3.2 seconds between two starts.
const SLOWEST: u32 = 7;

/// Requests that fail together are one sign of strain, not many.
const ONE_SIGN: Duration = Duration::from_secs(1);

/// How long a sign of strain is remembered of a host that nobody asks.
const STRAIN_REMEMBERED: Duration = Duration::from_secs(10 * 60);

/// Good answers in a row after which a host is trusted with a little more again.
const EASE: u32 = 10;

/// The pace at which one host is asked: at most what the settings allow, and less for as
/// long as the host shows that it cannot bear it.
#[derive(Debug, Clone)]
pub struct HostPace {
    delay: Duration,
    at_a_time: usize,
    under_way: usize,
    next_start: Millis,
    /// Requests at a time that the host bears, as far as is known.
    bears: usize,
    /// How often the relief has doubled; none at zero.
    slowed: u32,
    good_in_a_row: u32,
    strained_at: Option<Millis>,
}

impl HostPace {
    /// At most `at_a_time` requests under way, and `delay` between two starts.
    #[must_use]
    pub fn new(at_a_time: usize, delay: Duration) -> Self {
        let at_a_time = at_a_time.max(1);
        Self {
            delay,
            at_a_time,
            under_way: 0,
            next_start: Millis(0),
            bears: at_a_time,
            slowed: 0,
            good_in_a_row: 0,
            strained_at: None,
        }
    }

    /// Starts a request, or tells what it has to wait for. `gap` is the host's own
    /// wish for the time between two starts, where it is longer than ours.
    ///
    /// # Errors
    /// What the request has to wait for.
    pub fn start(&mut self, gap: Option<Duration>, now: Millis) -> Result<(), Wait> {
        if self.under_way >= self.bears {
            return Err(Wait::ForRoom);
        }
        if now < self.next_start {
            return Err(Wait::Until(self.next_start));
        }
        self.under_way += 1;
        let gap = self.delay.max(gap.unwrap_or_default()).max(self.relief());
        self.next_start = now.plus(gap);
        Ok(())
    }

    /// The host answered well.
    pub fn ease(&mut self) {
        self.good_in_a_row += 1;
        if self.good_in_a_row >= EASE {
            self.good_in_a_row = 0;
            self.slowed = self.slowed.saturating_sub(1);
            self.bears = (self.bears + 1).min(self.at_a_time);
        }
    }

    /// The host showed strain: it refused for haste, failed, or did not answer in time.
    pub fn strain(&mut self, now: Millis) {
        self.good_in_a_row = 0;
        if self.strained_at.is_some_and(|at| now.since(at) < ONE_SIGN) {
            return;
        }
        self.strained_at = Some(now);
        self.slowed = (self.slowed + 1).min(SLOWEST);
        self.bears = (self.bears / 2).max(1);
    }

    fn relief(&self) -> Duration {
        match self.slowed {
            0 => Duration::ZERO,
            times => RELIEF * (1 << (times - 1)),
        }
    }

    /// A request has ended.
    pub fn end(&mut self) {
        self.under_way = self.under_way.saturating_sub(1);
    }

    /// The host asked for a pause.
    pub fn pause_until(&mut self, until: Millis) {
        self.next_start = self.next_start.max(until);
    }

    /// Whether nothing would be lost by forgetting it. What a host could not bear long ago
    /// tells nothing any more: a list of dead domains must not stay in memory.
    #[must_use]
    pub fn is_idle(&self, now: Millis) -> bool {
        let is_strained =
            self.slowed > 0 && self.strained_at.is_some_and(|at| now.since(at) < STRAIN_REMEMBERED);
        self.under_way == 0 && now >= self.next_start && !is_strained
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

    /// The gap after a start at `now`.
    fn gap(pace: &mut HostPace, now: Millis) -> Duration {
        assert_eq!(pace.start(None, now), Ok(()));
        pace.end();
        pace.next_start.since(now)
    }

    #[test]
    fn a_strained_host_is_given_room_and_gets_its_pace_back_slowly() {
        let mut pace = HostPace::new(4, Duration::ZERO);
        let mut now = Millis(0);
        let mut gaps = Vec::new();
        for _ in 0..9 {
            now = now.plus(Duration::from_secs(10));
            // Four requests that fail together.
            (0..4).for_each(|_| pace.strain(now));
            gaps.push(gap(&mut pace, now).as_millis());
        }
        assert_eq!(gaps, [50, 100, 200, 400, 800, 1_600, 3_200, 3_200, 3_200]);
        assert_eq!(pace.bears, 1);
        assert!(!pace.is_idle(now.plus(Duration::from_secs(60))), "it is not forgotten");
        for good in 1..=70 {
            pace.ease();
            if good == 9 {
                assert_eq!((pace.bears, pace.slowed), (1, 7), "not at the first good word");
            }
        }
        now = now.plus(Duration::from_secs(10));
        assert_eq!((pace.bears, gap(&mut pace, now)), (4, Duration::ZERO));
    }

    #[test]
    fn a_delay_that_was_asked_for_is_never_undercut() {
        let mut pace = HostPace::new(4, Duration::from_millis(500));
        pace.strain(Millis(0));
        assert_eq!(gap(&mut pace, Millis(10_000)).as_millis(), 500, "relief is not added on top");
        (0..100).for_each(|_| pace.ease());
        assert_eq!(gap(&mut pace, Millis(20_000)).as_millis(), 500);
    }
}
