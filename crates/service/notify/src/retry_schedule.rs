//! When a delivery that failed is tried again.

use std::time::Duration;

use thiserror::Error;

/// A pause is never longer.
const LONGEST: f64 = 30.0 * 24.0 * 3_600.0;

/// There are never more attempts.
const MOST: usize = 50;

/// A list of pauses that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ScheduleError {
    /// An entry that is no pause.
    #[error("`{0}` is not a number of seconds from 0 to 2592000; write as 5,30,120")]
    Entry(String),
    /// Too many entries.
    #[error("there are more than 50 retries")]
    TooMany,
}

/// The pauses between the attempts at a delivery.
#[derive(Debug, Clone, PartialEq)]
pub struct RetrySchedule {
    pauses: Vec<Duration>,
}

impl Default for RetrySchedule {
    /// Eight attempts over 17 hours.
    fn default() -> Self {
        let seconds = [5, 30, 120, 600, 3_600, 4 * 3_600, 12 * 3_600];
        Self { pauses: seconds.map(Duration::from_secs).to_vec() }
    }
}

impl RetrySchedule {
    /// Reads seconds between attempts, comma-separated; none at all means one attempt.
    ///
    /// # Errors
    /// [`ScheduleError`] that names the entry.
    pub fn parse(text: &str) -> Result<Self, ScheduleError> {
        let pauses = text
            .split(',')
            .map(str::trim)
            .filter(|entry| !entry.is_empty())
            .map(|entry| match entry.parse::<f64>() {
                Ok(seconds) if (0.0..=LONGEST).contains(&seconds) => {
                    Ok(Duration::from_secs_f64(seconds))
                }
                Ok(_) | Err(_) => Err(ScheduleError::Entry(entry.to_owned())),
            })
            .collect::<Result<Vec<_>, _>>()?;
        if pauses.len() > MOST { Err(ScheduleError::TooMany) } else { Ok(Self { pauses }) }
    }

    /// How long to wait after so many failed attempts; `None` when they are exhausted.
    /// `chance`, from 0 to 1, moves the pause by up to a tenth either way, so that what failed
    /// together does not come back together.
    #[must_use]
    pub fn pause(&self, attempts: u32, chance: f64) -> Option<Duration> {
        let index = usize::try_from(attempts.checked_sub(1)?).ok()?;
        Some(self.pauses.get(index)?.mul_f64(0.9 + 0.2 * chance.clamp(0.0, 1.0)))
    }

    /// The longest that all attempts at one delivery can take when each takes `attempt`.
    #[must_use]
    pub fn longest(&self, attempt: Duration) -> Duration {
        let pauses: Duration = self.pauses.iter().sum();
        let attempts = u32::try_from(self.pauses.len()).unwrap_or(u32::MAX).saturating_add(1);
        pauses.mul_f64(1.1).saturating_add(attempt.saturating_mul(attempts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_attempts_by_default_each_pause_within_a_tenth() {
        let schedule = RetrySchedule::default();
        assert_eq!(schedule, RetrySchedule::parse("5,30,120,600,3600,14400,43200").expect("good"));
        let pauses: Vec<_> =
            (1..=8).map(|made| schedule.pause(made, 0.5).map(|pause| pause.as_secs())).collect();
        let middle = [5, 30, 120, 600, 3_600, 14_400, 43_200].map(Some);
        assert_eq!(pauses[..7], middle);
        assert_eq!(pauses[7], None, "exhausted");
        let edges = [0.0, 1.0].map(|chance| schedule.pause(3, chance).expect("a pause"));
        assert_eq!(edges.map(|pause| pause.as_secs()), [108, 132]);
        let hours = schedule.longest(Duration::from_secs(15)).as_secs() / 3_600;
        assert_eq!(hours, 18);
    }

    #[test]
    fn schedules_are_read_and_wrong_ones_named() {
        let quick = RetrySchedule::parse(" 0.05, 1 ,").expect("good");
        assert_eq!(quick.pause(1, 0.5), Some(Duration::from_millis(50)));
        assert_eq!(RetrySchedule::parse("").expect("one attempt").pause(1, 0.5), None);
        for wrong in ["soon", "-1", "5,,x", "nan", "inf", "2592001"] {
            assert!(matches!(RetrySchedule::parse(wrong), Err(ScheduleError::Entry(_))), "{wrong}");
        }
        assert_eq!(RetrySchedule::parse(&"1,".repeat(51)), Err(ScheduleError::TooMany));
    }
}
