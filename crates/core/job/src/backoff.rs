//! Exponential back-off.

use std::time::Duration;

/// A pause that doubles with each failure in a row, up to a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// The pause after the first failure.
    pub first: Duration,
    pub longest: Duration,
}

impl Backoff {
    /// The pause after this many failures in a row; zero without a failure.
    #[must_use]
    pub fn pause(self, failures: u64) -> Duration {
        let Some(doublings) = failures.checked_sub(1) else { return Duration::ZERO };
        let doublings = u32::try_from(doublings).unwrap_or(u32::MAX).min(31);
        self.first.saturating_mul(1 << doublings).min(self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pause_doubles_with_each_failure_up_to_the_longest() {
        let backoff = Backoff { first: Duration::from_secs(5), longest: Duration::from_secs(60) };
        let seconds =
            [0, 1, 2, 3, 4, 5, u64::MAX].map(|failures| backoff.pause(failures).as_secs());
        assert_eq!(seconds, [0, 5, 10, 20, 40, 60, 60]);
    }
}
