//! Events, written in the transaction of what they tell of: no crash loses one. What is
//! to be delivered to whom is written in the same breath.

use contract::{AccountId, DeliveryId, Event, EventData, EventId, EventKind, JobId, Millis};
use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};

use crate::job_row::signed;
use crate::{Store, StoreError, Wake, random};

/// Holds the account's row: positions become visible in their order, so that a reader who
/// has seen one has missed none before it.
const NEXT_POSITION: &str =
    "UPDATE accounts SET events = events + 1 WHERE id = $1 RETURNING events";
/// Events of a job are numbered: clocks of several nodes do not tell their order.
/// Whoever writes one holds the job's row, or the account's where no job is behind it.
const INSERT: &str = "INSERT INTO outbox \
    (id, account_id, job_id, number, kind, body, emitted_at, position) VALUES ($1, $2, $3, \
    (SELECT COALESCE(MAX(number), 0) + 1 FROM outbox WHERE job_id = $3), $4, $5, $6, $7)";
const FAN_OUT: &str = "INSERT INTO deliveries (webhook_id, id, event_id, job_id, kind, state, \
    manual, attempts, history, due_at, created_at) \
    SELECT w.id, CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS TEXT), \
    'pending', 0, 0, '[]', CAST($6 AS BIGINT), CAST($6 AS BIGINT) FROM webhooks w \
    WHERE w.account_id = $1 AND w.active = 1 \
    AND (w.events IS NULL OR w.events LIKE CAST($7 AS TEXT))";
/// A newer progress takes the place of one that was not delivered yet. A row that
/// is being written down right now is passed over: waiting for it could go round in a ring.
macro_rules! supersede {
    ($suffix:literal) => {
        concat!(
            "UPDATE deliveries SET state = 'superseded' WHERE (webhook_id, id) IN \
             (SELECT webhook_id, id FROM deliveries WHERE job_id = $1 \
             AND kind = 'job.progress' AND state = 'pending' AND manual = 0",
            $suffix,
            ")"
        )
    };
}
const SUPERSEDE: &str = supersede!("");
const SUPERSEDE_SKIP_LOCKED: &str = supersede!(" FOR UPDATE SKIP LOCKED");

const BY_JOB: &str = "SELECT body FROM outbox WHERE job_id = $1 ORDER BY number";
const LATEST_BY_JOB: &str =
    "SELECT body FROM outbox WHERE job_id = $1 ORDER BY number DESC LIMIT $2";
const LAST_PROGRESS: &str = "SELECT body FROM outbox \
    WHERE job_id = $1 AND kind = 'job.progress' ORDER BY number DESC LIMIT 1";
const POSITION: &str = "SELECT position FROM outbox WHERE id = $1 AND account_id = $2";
const AFTER: &str = "SELECT body FROM outbox WHERE account_id = $1 AND position > $2 \
    ORDER BY position LIMIT $3";

impl Store {
    /// Writes an event and what is to be delivered of it. Whoever commits tells
    /// [`Wake::Delivery`] afterwards when this says so.
    pub(crate) async fn emit(
        &self,
        tx: &mut Transaction<'static, Any>,
        (account, event): &(AccountId, Event),
    ) -> Result<bool, StoreError> {
        let subject = match &event.data {
            EventData::Job { job } => job.job_id.as_str(),
            EventData::Account { account, .. } => account.as_str(),
        };
        let body =
            serde_json::to_string(event).map_err(|cause| StoreError::Damaged(cause.to_string()))?;
        let (Millis(emitted_at), kind) = (event.emitted_at, event.kind.as_str());
        let position: i64 =
            sqlx::query_scalar(NEXT_POSITION).bind(account.as_str()).fetch_one(&mut **tx).await?;
        sqlx::query(INSERT)
            .bind(event.id.as_str())
            .bind(account.as_str())
            .bind(subject)
            .bind(kind)
            .bind(body)
            .bind(emitted_at)
            .bind(position)
            .execute(&mut **tx)
            .await?;
        if event.kind == EventKind::JobProgress {
            let supersede = self.dialect().claim(SUPERSEDE, SUPERSEDE_SKIP_LOCKED);
            sqlx::query(supersede).bind(subject).execute(&mut **tx).await?;
        }
        let told = sqlx::query(FAN_OUT)
            .bind(account.as_str())
            .bind(DeliveryId::new(event.emitted_at, random()).as_str())
            .bind(event.id.as_str())
            .bind(subject)
            .bind(kind)
            .bind(emitted_at)
            .bind(format!("%,{kind},%"))
            .execute(&mut **tx)
            .await?
            .rows_affected();
        if told > 0 {
            self.announce(tx, Wake::Delivery).await?;
        }
        Ok(told > 0)
    }

    /// Tells the account that an automatic top-up failed.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn tell_recharge_failed(
        &self,
        account: &AccountId,
        reason: &str,
        now: Millis,
    ) -> Result<Event, StoreError> {
        let mut tx = self.begin().await?;
        let told = recharge_failed(account, reason, now);
        let is_due = self.emit(&mut tx, &told).await?;
        tx.commit().await?;
        if is_due {
            self.wake_here(Wake::Delivery);
        }
        Ok(told.1)
    }

    /// The events of a job, oldest first.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn events(&self, job: &JobId) -> Result<Vec<Event>, StoreError> {
        let rows = sqlx::query(BY_JOB).bind(job.as_str()).fetch_all(self.reader()?).await?;
        rows.iter().map(read).collect()
    }

    /// The latest events of a job, at most so many, in their order.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn latest_events(&self, job: &JobId, most: u32) -> Result<Vec<Event>, StoreError> {
        let latest = sqlx::query(LATEST_BY_JOB).bind(job.as_str()).bind(i64::from(most));
        let rows = latest.fetch_all(self.reader()?).await?;
        rows.iter().rev().map(read).collect()
    }

    /// The events of an account after one of them, or from the oldest that is kept, in the
    /// order in which they became visible, and whether more follow. `None` when the
    /// account has no such event, or not any more.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn events_after(
        &self,
        account: &AccountId,
        after: Option<&EventId>,
        most: u64,
    ) -> Result<Option<(Vec<Event>, bool)>, StoreError> {
        let reader = self.reader()?;
        let mut from = 0_i64;
        if let Some(after) = after {
            let query = sqlx::query_scalar(POSITION).bind(after.as_str()).bind(account.as_str());
            let Some(position) = query.fetch_optional(reader).await? else { return Ok(None) };
            from = position;
        }
        let rows = sqlx::query(AFTER)
            .bind(account.as_str())
            .bind(from)
            // One more than is wanted tells whether there is one more.
            .bind(signed(most.saturating_add(1)))
            .fetch_all(reader)
            .await?;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let events = rows.iter().take(most).map(read).collect::<Result<_, _>>()?;
        Ok(Some((events, rows.len() > most)))
    }
}

/// An event that tells an account of a purchase that failed.
pub(crate) fn recharge_failed(
    account: &AccountId,
    reason: &str,
    now: Millis,
) -> (AccountId, Event) {
    let event = Event {
        id: EventId::new(now, random()),
        kind: EventKind::BillingRechargeFailed,
        emitted_at: now,
        data: EventData::Account { account: account.clone(), reason: reason.to_owned() },
    };
    (account.clone(), event)
}

/// What the job's last progress told.
pub(crate) async fn last_progress(
    tx: &mut Transaction<'static, Any>,
    job: &JobId,
) -> Result<Option<Event>, StoreError> {
    let row = sqlx::query(LAST_PROGRESS).bind(job.as_str()).fetch_optional(&mut **tx).await?;
    row.as_ref().map(read).transpose()
}

fn read(row: &AnyRow) -> Result<Event, StoreError> {
    serde_json::from_str(&row.try_get::<String, _>("body")?)
        .map_err(|cause| StoreError::Damaged(cause.to_string()))
}
