//! `job.progress` events: at most one per job and interval.
//!
//! An event that comes too early is deferred: its due time is stored in the job's row, and
//! [`Store::send_due_progress`] emits it then, on any node and after any restart. A newer event
//! or the end of the job replaces it.

use contract::{EventData, EventKind, JobId, Millis, Status};
use job::Job;
use sqlx::{Any, Row, Transaction};

use crate::columns::parsed;
use crate::{Store, StoreError, Wake, job_row, outbox, transition};

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
    pub(crate) async fn emit_progress(
        &self,
        tx: &mut Transaction<'static, Any>,
        job: &Job,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let last: Option<i64> =
            sqlx::query_scalar(LAST).bind(job.id.as_str()).fetch_one(&mut **tx).await?;
        let every = self.inner.settings.progress_every;
        if let Some(last) = last.map(Millis)
            && now.since(last) < every
        {
            let due = last.plus(every);
            sqlx::query(DEFER).bind(job.id.as_str()).bind(due.0).execute(&mut **tx).await?;
            return Ok(false);
        }
        let has_deliveries =
            self.emit(tx, &transition::event(job, EventKind::JobProgress, now)).await?;
        sqlx::query(SET_EMITTED).bind(job.id.as_str()).bind(now.0).execute(&mut **tx).await?;
        Ok(has_deliveries)
    }

    /// Emits the deferred `job.progress` events that are due, each with the current state of the
    /// job. Returns their number.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn send_due_progress(&self, now: Millis) -> Result<u64, StoreError> {
        let query = sqlx::query(DUE).bind(now.0).bind(BATCH);
        let rows = query.fetch_all(self.reader()?).await?;
        let mut sent = 0;
        for row in &rows {
            let id: JobId = parsed(row, "id")?;
            sent += u64::from(self.send_progress(&id, now).await?);
        }
        Ok(sent)
    }

    /// Emits the deferred event of one job, if it is still due.
    async fn send_progress(&self, id: &JobId, now: Millis) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let row = sqlx::query(job_row::LOCK).bind(id.as_str()).fetch_optional(&mut *tx).await?;
        let Some(row) = row else { return Ok(false) };
        let due = row.try_get::<Option<i64>, _>("progress_due_at")?;
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
            sqlx::query(DROP).bind(id.as_str()).execute(&mut *tx).await?;
        }
        tx.commit().await?;
        if has_deliveries {
            self.wake_local(Wake::Delivery);
        }
        Ok(has_news)
    }
}

/// Whether the counts differ from those of the last `job.progress` event.
pub(crate) async fn has_moved(
    tx: &mut Transaction<'static, Any>,
    job: &Job,
) -> Result<bool, StoreError> {
    Ok(match outbox::last_progress(tx, &job.id).await?.map(|event| event.data) {
        Some(EventData::Job { job: emitted }) => emitted.counts != job.counts,
        Some(EventData::Account { .. }) | None => true,
    })
}
