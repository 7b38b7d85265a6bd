//! Events, written in the transaction of what they tell of: no crash loses one.

use contract::{AccountId, Event, EventData, JobId, Millis};
use sqlx::{Any, Row, Transaction};

use crate::{Store, StoreError};

/// Events of a job are numbered: clocks of several nodes do not tell their order.
/// Whoever writes one holds the job's row.
const INSERT: &str = "INSERT INTO outbox \
    (id, account_id, job_id, number, kind, body, emitted_at) VALUES ($1, $2, $3, \
    (SELECT COALESCE(MAX(number), 0) + 1 FROM outbox WHERE job_id = $3), $4, $5, $6)";
const BY_JOB: &str = "SELECT body FROM outbox WHERE job_id = $1 ORDER BY number";

pub(crate) async fn insert(
    tx: &mut Transaction<'static, Any>,
    (account, event): &(AccountId, Event),
) -> Result<(), StoreError> {
    let EventData::Job { job } = &event.data;
    let body =
        serde_json::to_string(event).map_err(|cause| StoreError::Damaged(cause.to_string()))?;
    let Millis(emitted_at) = event.emitted_at;
    sqlx::query(INSERT)
        .bind(event.id.as_str())
        .bind(account.as_str())
        .bind(job.job_id.as_str())
        .bind(event.kind.as_str())
        .bind(body)
        .bind(emitted_at)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

impl Store {
    /// The events of a job, oldest first.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn events(&self, job: &JobId) -> Result<Vec<Event>, StoreError> {
        let rows = sqlx::query(BY_JOB).bind(job.as_str()).fetch_all(self.reader()?).await?;
        rows.iter()
            .map(|row| {
                serde_json::from_str(&row.try_get::<String, _>("body")?)
                    .map_err(|cause| StoreError::Damaged(cause.to_string()))
            })
            .collect()
    }
}
