//! The pauses between the attempts at a delivery.

use std::time::Duration;

use thiserror::Error;

/// Maximum pause in seconds.
const MAX_PAUSE: f64 = 30.0 * 24.0 * 3_600.0;

/// Maximum number of retries.
const MAX_RETRIES: usize = 50;

/// Why a retry schedule is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RetryScheduleError {
    /// An entry is not a valid pause.
    #[error("`{0}` is not a number of seconds from 0 to 2592000; write as 5,30,120")]
    Entry(String),
    #[error("there are more than 50 retries")]
    TooMany,
}

/// The pauses between the attempts at a delivery.
#[derive(Debug, Clone, PartialEq)]
pub struct RetrySchedule {
    pauses: Vec<Duration>,
}

impl Default for RetrySchedule {
    /// Eight attempts within 17 hours.
    fn default() -> Self {
        let seconds = [5, 30, 120, 600, 3_600, 4 * 3_600, 12 * 3_600];
        Self { pauses: seconds.map(Duration::from_secs).to_vec() }
    }
}

impl RetrySchedule {
    /// Parses the seconds between attempts, comma-separated; an empty text means one attempt.
    ///
    /// # Errors
    /// [`RetryScheduleError`] that names the entry.
    pub fn parse(text: &str) -> Result<Self, RetryScheduleError> {
        let pauses = text
            .split(',')
            .map(str::trim)
            .filter(|entry| !entry.is_empty())
            .map(|entry| match entry.parse::<f64>() {
                Ok(seconds) if (0.0..=MAX_PAUSE).contains(&seconds) => {
                    Ok(Duration::from_secs_f64(seconds))
                }
                Ok(_) | Err(_) => Err(RetryScheduleError::Entry(entry.to_owned())),
            })
            .collect::<Result<Vec<_>, _>>()?;
        if pauses.len() > MAX_RETRIES {
            return Err(RetryScheduleError::TooMany);
        }
        Ok(Self { pauses })
    }

    /// The pause after this many failed attempts; `None` when the schedule is exhausted. `jitter`,
    /// from 0 to 1, changes the pause by up to 10 % in either direction, so that deliveries that
    /// failed together are not retried together.
    #[must_use]
    pub fn pause(&self, attempts: u32, jitter: f64) -> Option<Duration> {
        let index = usize::try_from(attempts.checked_sub(1)?).ok()?;
        Some(self.pauses.get(index)?.mul_f64(0.9 + 0.2 * jitter.clamp(0.0, 1.0)))
    }

    /// The maximum time for all attempts at one delivery, if each takes `attempt`.
    #[must_use]
    pub fn max_duration(&self, attempt: Duration) -> Duration {
        let pauses: Duration = self.pauses.iter().sum();
        let attempts = u32::try_from(self.pauses.len()).unwrap_or(u32::MAX).saturating_add(1);
        pauses.mul_f64(1.1).saturating_add(attempt.saturating_mul(attempts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_schedule_has_eight_attempts_with_ten_percent_jitter() {
        let schedule = RetrySchedule::default();
        assert_eq!(schedule, RetrySchedule::parse("5,30,120,600,3600,14400,43200").expect("good"));
        let pauses: Vec<_> =
            (1..=8).map(|made| schedule.pause(made, 0.5).map(|pause| pause.as_secs())).collect();
        let middle = [5, 30, 120, 600, 3_600, 14_400, 43_200].map(Some);
        assert_eq!(pauses[..7], middle);
        assert_eq!(pauses[7], None, "exhausted");
        let edges = [0.0, 1.0].map(|jitter| schedule.pause(3, jitter).expect("a pause"));
        assert_eq!(edges.map(|pause| pause.as_secs()), [108, 132]);
        let hours = schedule.max_duration(Duration::from_secs(15)).as_secs() / 3_600;
        assert_eq!(hours, 18);
    }

    #[test]
    fn invalid_schedule_is_rejected_with_its_entry() {
        let quick = RetrySchedule::parse(" 0.05, 1 ,").expect("good");
        assert_eq!(quick.pause(1, 0.5), Some(Duration::from_millis(50)));
        assert_eq!(RetrySchedule::parse("").expect("one attempt").pause(1, 0.5), None);
        for wrong in ["soon", "-1", "5,,x", "nan", "inf", "2592001"] {
            let parsed = RetrySchedule::parse(wrong);
            assert!(matches!(parsed, Err(RetryScheduleError::Entry(_))), "{wrong}");
        }
        assert_eq!(RetrySchedule::parse(&"1,".repeat(51)), Err(RetryScheduleError::TooMany));
    }
}
