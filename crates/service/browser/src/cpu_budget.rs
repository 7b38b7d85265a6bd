//! CPU limits of browsers: a meter per browser, and a token bucket for all browsers.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Weight of earlier CPU use at each further measurement.
const DECAY: f64 = 0.9;

/// A token bucket in seconds of CPU time.
#[derive(Debug)]
pub(crate) struct CpuBudget {
    /// Refill rate in seconds of CPU time per second.
    cores: f64,
    /// Capacity in seconds, and the largest overdraft.
    burst: f64,
    left: f64,
    at: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CpuBudgetState {
    Within,
    /// Used up: no further page starts.
    UsedUp,
    /// Overdrawn by its whole capacity.
    Exceeded,
}

impl CpuBudget {
    pub(crate) fn new(cores: f64, burst: Duration, now: Instant) -> Self {
        let burst = burst.as_secs_f64();
        Self { cores, burst, left: burst, at: now }
    }

    /// Charges the CPU time since the last call.
    pub(crate) fn charge(&mut self, used: Duration, now: Instant) -> CpuBudgetState {
        let gained = now.saturating_duration_since(self.at).as_secs_f64() * self.cores;
        self.left = (self.left + gained - used.as_secs_f64()).min(self.burst);
        self.at = now;
        match self.left {
            left if left >= 0.0 => CpuBudgetState::Within,
            left if left >= -self.burst => CpuBudgetState::UsedUp,
            _ => CpuBudgetState::Exceeded,
        }
    }

    /// Fills the bucket after the browser that used most was killed.
    pub(crate) fn refill(&mut self) {
        self.left = self.burst;
    }
}

/// The CPU time of one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CpuTimes {
    pub(crate) own: Duration,
    /// CPU time of its reaped children.
    pub(crate) children: Duration,
}

/// Measures the CPU time of the processes of one browser.
#[derive(Debug, Default)]
pub(crate) struct CpuMeter {
    /// Last measurement by process id.
    seen: HashMap<u32, CpuTimes>,
    /// Exponentially weighted CPU seconds.
    recent: f64,
}

impl CpuMeter {
    /// CPU time since the last call. The time of an ended process was charged as its own and then
    /// appears among its parent's children; it is charged once. Processes too short-lived to be seen
    /// are charged by their parent.
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
        self.recent = self.recent * DECAY + used.as_secs_f64();
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
    fn use_within_the_rate_passes_and_more_exceeds_the_budget() {
        let start = Instant::now();
        let after = |n: u32| start + n * SECOND;
        let mut steady = CpuBudget::new(2.0, 10 * SECOND, start);
        assert!((1..=100).all(|n| steady.charge(2 * SECOND, after(n)) == CpuBudgetState::Within));
        let mut greedy = CpuBudget::new(2.0, 10 * SECOND, start);
        let states: Vec<_> = (1..=11).map(|n| greedy.charge(4 * SECOND, after(n))).collect();
        let first = |state| states.iter().position(|it| *it == state);
        assert_eq!(
            first(CpuBudgetState::UsedUp),
            Some(5),
            "a burst of 10 s, 2 s a second beyond the rate"
        );
        assert_eq!(first(CpuBudgetState::Exceeded), Some(10), "and as much again");
        greedy.refill();
        assert_eq!(greedy.charge(4 * SECOND, after(12)), CpuBudgetState::Within);
    }

    fn times(own: u32, children: u32) -> CpuTimes {
        CpuTimes { own: own * SECOND, children: children * SECOND }
    }

    #[test]
    fn cpu_time_is_charged_once_when_processes_end() {
        let mut meter = CpuMeter::default();
        assert_eq!(meter.used([(1, times(1, 0)), (2, times(9, 0))].into()), 10 * SECOND);
        // The second exited, and its parent did not count its time; the first continued.
        assert_eq!(meter.used([(1, times(3, 0))].into()), 2 * SECOND);
        assert_eq!(meter.used([(1, times(3, 0)), (3, times(4, 0))].into()), 4 * SECOND);
        // The third used one second more and was reaped.
        assert_eq!(meter.used([(1, times(3, 5))].into()), SECOND);
        // A process started and ended between two measurements.
        assert_eq!(meter.used([(1, times(3, 7))].into()), 2 * SECOND);
        assert!(meter.recent() > 3.0);
    }
}
