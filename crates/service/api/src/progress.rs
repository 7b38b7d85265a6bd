//! Looks at a job again and again, and tells where it stands and how fast it goes.

use std::collections::VecDeque;
use std::time::Duration;

use contract::{JobId, JobProgress, Status};
use store::{RunProgress, Store, StoreError};
use tokio::time::Instant;

/// How far back the rate looks.
const WINDOW: Duration = Duration::from_secs(10);

/// Two looks that are closer tell nothing of a rate.
const APART: Duration = Duration::from_millis(500);

/// Whoever looks at one job.
#[derive(Debug)]
pub struct ProgressWatch {
    store: Store,
    job: JobId,
    pace: Pace,
}

/// What a look showed.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// Moves with everything but the rate.
    pub revision: i64,
    pub progress: JobProgress,
}

impl ProgressWatch {
    /// Somebody who looks at this job.
    #[must_use]
    pub fn new(store: Store, job: JobId) -> Self {
        Self { store, job, pace: Pace::default() }
    }

    /// Looks now; `None` when there is no such job, or not any more.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn look(&mut self) -> Result<Option<Look>, StoreError> {
        let Some(seen) = self.store.progress(&self.job).await? else { return Ok(None) };
        let rate = match seen.job.status {
            Status::Running => self.pace.learn(Instant::now(), seen.fetched),
            Status::Queued
            | Status::AwaitingConfirmation
            | Status::Paused
            | Status::Completed
            | Status::Failed
            | Status::Aborted => {
                self.pace = Pace::default();
                None
            }
        };
        Ok(Some(told(seen, rate)))
    }
}

fn told(seen: RunProgress, rate: Option<f64>) -> Look {
    let RunProgress { job, revision, fetched, fetching } = seen;
    let job = job.public();
    let progress = JobProgress {
        job_id: job.job_id,
        status: job.status,
        counts: job.counts,
        fetched,
        rate,
        fetching,
        credits_used: job.credits_used,
        batch: job.batch,
        batch_ready: job.batch_ready,
        error: job.error,
    };
    Look { revision, progress }
}

/// How far a run was, and when.
#[derive(Debug, Default)]
struct Pace {
    looks: VecDeque<(Instant, u64)>,
}

impl Pace {
    /// URLs a second since the oldest look within the window, to a tenth.
    fn learn(&mut self, now: Instant, fetched: u64) -> Option<f64> {
        self.looks.push_back((now, fetched));
        // The youngest of those that are too old is where the window begins.
        while self.looks.get(1).is_some_and(|(at, _)| now.duration_since(*at) >= WINDOW) {
            self.looks.pop_front();
        }
        let (since, from) = *self.looks.front()?;
        let span = now.duration_since(since);
        if span < APART {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "a rate need not be exact")]
        let rate = fetched.saturating_sub(from) as f64 / span.as_secs_f64();
        Some((rate * 10.0).round() / 10.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_of_the_last_seconds() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut pace = Pace::default();
        assert_eq!(pace.learn(at(0), 100), None, "one look tells no rate");
        assert_eq!(pace.learn(start + Duration::from_millis(100), 120), None, "too close");
        assert_eq!(pace.learn(at(2), 150), Some(25.0));
        assert_eq!(pace.learn(at(3), 150), Some(16.7));
        // What is older than the window does not count any more.
        for second in 4..=13 {
            pace.learn(at(second), 150);
        }
        assert_eq!(pace.learn(at(14), 155), Some(0.5));
        assert!(pace.looks.len() < 16, "and is forgotten");
    }
}
