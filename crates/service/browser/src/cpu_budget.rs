//! How much CPU time browsers take, and how much all of them together may: a bucket that holds a
//! burst and fills at a rate.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// How much of what a browser used before still counts after one more look.
const FADING: f64 = 0.9;

/// A token bucket in seconds of CPU time.
#[derive(Debug)]
pub(crate) struct CpuBudget {
    /// Seconds of CPU time that it gains a second.
    cores: f64,
    /// As much as it holds, in seconds, and as much as it may owe.
    burst: f64,
    left: f64,
    at: Instant,
}

/// Where a budget stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CpuStand {
    Within,
    /// It is used up: no further page begins.
    UsedUp,
    /// As much again was used.
    Exceeded,
}

impl CpuBudget {
    pub(crate) fn new(cores: f64, burst: Duration, now: Instant) -> Self {
        let burst = burst.as_secs_f64();
        Self { cores, burst, left: burst, at: now }
    }

    /// Charges what was used since the last look.
    pub(crate) fn charge(&mut self, used: Duration, now: Instant) -> CpuStand {
        let gained = now.saturating_duration_since(self.at).as_secs_f64() * self.cores;
        self.left = (self.left + gained - used.as_secs_f64()).min(self.burst);
        self.at = now;
        match self.left {
            left if left >= 0.0 => CpuStand::Within,
            left if left >= -self.burst => CpuStand::UsedUp,
            _ => CpuStand::Exceeded,
        }
    }

    /// Forgets what was used: it went with the browser that used it.
    pub(crate) fn refill(&mut self) {
        self.left = self.burst;
    }
}

/// The CPU time of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CpuTimes {
    pub(crate) own: Duration,
    /// That of its children that ended and were waited for.
    pub(crate) children: Duration,
}

/// What the processes of one browser use.
#[derive(Debug, Default)]
pub(crate) struct CpuMeter {
    /// By process.
    seen: HashMap<u32, CpuTimes>,
    /// Seconds that were used lately, the latest at their full weight.
    recent: f64,
}

impl CpuMeter {
    /// What was used since the last look. The time of a process that ended was charged as its own
    /// and then counts among its parent's children: it is charged once. Processes too short-lived
    /// to be seen are charged by their parent.
    pub(crate) fn used(&mut self, now: HashMap<u32, CpuTimes>) -> Duration {
        let (mut own, mut inherited) = (Duration::ZERO, Duration::ZERO);
        for (process, times) in &now {
            let before = self.seen.remove(process).unwrap_or_default();
            own += times.own.saturating_sub(before.own);
            inherited += times.children.saturating_sub(before.children);
        }
        let ended: Duration = self.seen.values().map(|times| times.own + times.children).sum();
        self.seen = now;
        let used = own + inherited.saturating_sub(ended);
        self.recent = self.recent * FADING + used.as_secs_f64();
        used
    }

    pub(crate) fn recent(&self) -> f64 {
        self.recent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn steady_use_within_the_rate_passes_and_more_does_not() {
        let start = Instant::now();
        let after = |n: u32| start + n * SECOND;
        let mut steady = CpuBudget::new(2.0, 10 * SECOND, start);
        assert!((1..=100).all(|n| steady.charge(2 * SECOND, after(n)) == CpuStand::Within));
        let mut greedy = CpuBudget::new(2.0, 10 * SECOND, start);
        let stands: Vec<_> = (1..=11).map(|n| greedy.charge(4 * SECOND, after(n))).collect();
        let first = |stand| stands.iter().position(|it| *it == stand);
        assert_eq!(
            first(CpuStand::UsedUp),
            Some(5),
            "a burst of 10 s, 2 s a second beyond the rate"
        );
        assert_eq!(first(CpuStand::Exceeded), Some(10), "and as much again");
        greedy.refill();
        assert_eq!(greedy.charge(4 * SECOND, after(12)), CpuStand::Within);
    }

    fn times(own: u32, children: u32) -> CpuTimes {
        CpuTimes { own: own * SECOND, children: children * SECOND }
    }

    #[test]
    fn work_of_a_process_is_charged_although_another_ended() {
        let mut meter = CpuMeter::default();
        assert_eq!(meter.used([(1, times(1, 0)), (2, times(9, 0))].into()), 10 * SECOND);
        // The second exited, and its parent did not count its time; the first continued.
        assert_eq!(meter.used([(1, times(3, 0))].into()), 2 * SECOND);
        assert_eq!(meter.used([(1, times(3, 0)), (3, times(4, 0))].into()), 4 * SECOND);
        // The third worked one second more and was waited for.
        assert_eq!(meter.used([(1, times(3, 5))].into()), SECOND);
        // A process began and ended between two looks.
        assert_eq!(meter.used([(1, times(3, 7))].into()), 2 * SECOND);
        assert!(meter.recent() > 3.0);
    }
}
