//! Reads the progress of a job repeatedly and computes its rate.

use std::collections::VecDeque;
use std::time::Duration;

use contract::{JobId, JobProgress, Status};
use store::{RunProgress, Store, StoreError};
use tokio::time::Instant;

/// The rate is the average over this time.
const RATE_WINDOW: Duration = Duration::from_secs(10);

/// A shorter span between two samples gives no rate.
const MIN_SPAN: Duration = Duration::from_millis(500);

/// Reads the progress of one job.
#[derive(Debug)]
pub struct ProgressReader {
    store: Store,
    job: JobId,
    rate: RateWindow,
}

/// The progress of a job at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgressSnapshot {
    /// Increases with every change except changes of the rate.
    pub revision: i64,
    pub progress: JobProgress,
}

impl ProgressReader {
    #[must_use]
    pub fn new(store: Store, job: JobId) -> Self {
        Self { store, job, rate: RateWindow::default() }
    }

    /// The current progress; `None` when the job does not exist or was deleted.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn read(&mut self) -> Result<Option<ProgressSnapshot>, StoreError> {
        let Some(seen) = self.store.progress(&self.job).await? else { return Ok(None) };
        let rate = match seen.job.status {
            Status::Running => self.rate.record(Instant::now(), seen.fetched),
            Status::Queued
            | Status::AwaitingConfirmation
            | Status::Paused
            | Status::Completed
            | Status::Failed
            | Status::Aborted => {
                self.rate = RateWindow::default();
                None
            }
        };
        Ok(Some(snapshot(seen, rate)))
    }
}

fn snapshot(seen: RunProgress, rate: Option<f64>) -> ProgressSnapshot {
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
    ProgressSnapshot { revision, progress }
}

/// Samples of the number of fetched URLs.
#[derive(Debug, Default)]
struct RateWindow {
    samples: VecDeque<(Instant, u64)>,
}

impl RateWindow {
    /// Adds a sample. Returns URLs per second since the oldest sample of the window, to a tenth.
    fn record(&mut self, now: Instant, fetched: u64) -> Option<f64> {
        self.samples.push_back((now, fetched));
        // The youngest sample outside of the window is kept as its start.
        while self.samples.get(1).is_some_and(|(at, _)| now.duration_since(*at) >= RATE_WINDOW) {
            self.samples.pop_front();
        }
        let (since, from) = *self.samples.front()?;
        let span = now.duration_since(since);
        if span < MIN_SPAN {
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
    fn rate_is_the_average_of_the_last_ten_seconds() {
        let start = Instant::now();
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        let mut rate = RateWindow::default();
        assert_eq!(rate.record(at(0), 100), None, "one sample gives no rate");
        assert_eq!(rate.record(start + Duration::from_millis(100), 120), None, "too close");
        assert_eq!(rate.record(at(2), 150), Some(25.0));
        assert_eq!(rate.record(at(3), 150), Some(16.7));
        // Samples older than the window are dropped.
        for second in 4..=13 {
            rate.record(at(second), 150);
        }
        assert_eq!(rate.record(at(14), 155), Some(0.5));
        assert!(rate.samples.len() < 16, "old samples are dropped");
    }
}
