//! How much CPU time a browser may take: a bucket that holds a burst and fills at a rate.

use std::time::{Duration, Instant};

/// A token bucket in seconds of CPU time.
#[derive(Debug)]
pub(crate) struct CpuBudget {
    /// Seconds of CPU time that it gains a second.
    cores: f64,
    /// As much as it holds, in seconds.
    burst: f64,
    left: f64,
    /// What all processes had taken together when they were last looked at.
    taken: Duration,
    at: Instant,
}

impl CpuBudget {
    pub(crate) fn new(cores: f64, burst: Duration, now: Instant) -> Self {
        let burst = burst.as_secs_f64();
        Self { cores, burst, left: burst, taken: Duration::ZERO, at: now }
    }

    /// Charges what was taken since the last look; false when there was less than that left.
    /// `taken` falls when a process ends whose time nobody inherits: that costs nothing.
    pub(crate) fn charge(&mut self, taken: Duration, now: Instant) -> bool {
        let used = taken.saturating_sub(self.taken).as_secs_f64();
        let gained = now.saturating_duration_since(self.at).as_secs_f64() * self.cores;
        self.left = (self.left + gained - used).min(self.burst);
        (self.taken, self.at) = (taken, now);
        self.left >= 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steady_use_within_the_rate_passes_and_more_does_not() {
        let start = Instant::now();
        let second = |n: u64| start + Duration::from_secs(n);
        let mut steady = CpuBudget::new(2.0, Duration::from_secs(10), start);
        for n in 1..=100 {
            assert!(steady.charge(Duration::from_secs(2 * n), second(n)), "{n}");
        }
        let mut greedy = CpuBudget::new(2.0, Duration::from_secs(10), start);
        let over = (1..=100).find(|n| !greedy.charge(Duration::from_secs(4 * n), second(*n)));
        assert_eq!(over, Some(6), "a burst of 10 s at 2 s a second beyond the rate");
        let mut falling = CpuBudget::new(0.0, Duration::from_secs(5), start);
        assert!(falling.charge(Duration::from_secs(4), second(1)));
        assert!(falling.charge(Duration::from_secs(1), second(2)));
        assert!(!falling.charge(Duration::from_secs(3), second(3)));
    }
}
