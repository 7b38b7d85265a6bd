//! `job.progress` events: at most one per job and interval.
//!
//! An event that comes too early is deferred: its due time is stored in the job's row, and
//! [`Store::send_due_progress`] emits it then, on any node and after any restart. A newer event
//! or the end of the job replaces it.

use contract::{EventData, EventKind, JobId, Millis, Status};
use job::Job;

use crate::columns::{ExecuteIn, ReadColumn, Tx, scalar, sql};
use crate::{Result, Store, Wake, job_row, outbox, transition};

/// Maximum deferred events per call.
const BATCH: i64 = 100;

const LAST: &str = "SELECT progress_at FROM jobs WHERE id = $1";
const SET_EMITTED: &str = "UPDATE jobs SET progress_at = $2, progress_due_at = NULL WHERE id = $1";
const DEFER: &str = "UPDATE jobs SET progress_due_at = $2 WHERE id = $1";
const DROP: &str = "UPDATE jobs SET progress_due_at = NULL WHERE id = $1";
const DUE: &str = "SELECT id FROM jobs WHERE progress_due_at <= $1 \
    ORDER BY progress_due_at LIMIT $2";

impl Store {
    /// Emits a `job.progress` event, or defers it when the last one of the job is younger than
    /// `progress_every`. The caller holds the job's row. Returns whether it has deliveries.
    pub(crate) async fn emit_progress(&self, tx: &mut Tx, job: &Job, now: Millis) -> Result<bool> {
        let last: Option<i64> = scalar!(LAST; job.id).fetch_one(&mut **tx).await?;
        let every = self.inner.settings.progress_every;
        if let Some(last) = last.map(Millis)
            && now.since(last) < every
        {
            let due = last.plus(every);
            sql!(DEFER; job.id, due).run(tx).await?;
            return Ok(false);
        }
        let has_deliveries =
            self.emit(tx, &transition::event(job, EventKind::JobProgress, now)).await?;
        sql!(SET_EMITTED; job.id, now).run(tx).await?;
        Ok(has_deliveries)
    }

    /// Emits the deferred `job.progress` events that are due, each with the current state of the
    /// job. Returns their number.
    pub async fn send_due_progress(&self, now: Millis) -> Result<u64> {
        let rows = sql!(DUE; now, BATCH).fetch_all(self.reader()?).await?;
        let mut sent = 0;
        for row in &rows {
            let id: JobId = row.read("id")?;
            sent += u64::from(self.send_progress(&id, now).await?);
        }
        Ok(sent)
    }

    /// Emits the deferred event of one job, if it is still due.
    async fn send_progress(&self, id: &JobId, now: Millis) -> Result<bool> {
        let mut tx = self.begin().await?;
        let row = sql!(job_row::LOCK; id).fetch_optional(&mut *tx).await?;
        let Some(row) = row else { return Ok(false) };
        let due = row.read::<Option<i64>>("progress_due_at")?;
        if due.is_none_or(|due| due > now.0) {
            return Ok(false);
        }
        let job = job_row::read(&row)?;
        // A resumed job without new counts emits nothing.
        let has_news = job.status == Status::Paused || has_moved(&mut tx, &job).await?;
        let mut has_deliveries = false;
        if has_news {
            has_deliveries = self.emit_progress(&mut tx, &job, now).await?;
        } else {
            sql!(DROP; id).run(&mut tx).await?;
        }
        self.commit_and_wake(tx, has_deliveries.then_some(Wake::Delivery)).await?;
        Ok(has_news)
    }
}

/// Whether the counts differ from those of the last `job.progress` event.
pub(crate) async fn has_moved(tx: &mut Tx, job: &Job) -> Result<bool> {
    Ok(match outbox::last_progress(tx, &job.id).await?.map(|event| event.data) {
        Some(EventData::Job { job: emitted }) => emitted.counts != job.counts,
        Some(EventData::Account { .. } | EventData::Test { .. }) | None => true,
    })
}
