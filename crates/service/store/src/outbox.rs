//! Events. Each is written to `outbox` in the transaction of its change, with one `deliveries` row
//! per subscribed endpoint.

use contract::{AccountId, DeliveryId, Event, EventData, EventId, EventKind, JobId, Millis};
use sqlx::any::AnyRow;

use crate::columns::{ExecuteIn, ReadColumn, Tx, scalar, sql, to_json};
use crate::{Result, Store, Wake, random};

/// Locks the account's row, so that positions become visible in their order: a reader of one
/// position has missed none before it.
const NEXT_POSITION: &str =
    "UPDATE accounts SET events = events + 1 WHERE id = $1 RETURNING events";
/// Events of a job are numbered, because the clocks of several nodes do not give their order. The
/// caller holds the job's row, or the account's row for an account event.
const INSERT: &str = "INSERT INTO outbox \
    (id, account_id, job_id, number, kind, body, emitted_at, position) VALUES ($1, $2, $3, \
    (SELECT COALESCE(MAX(number), 0) + 1 FROM outbox WHERE job_id = $3), $4, $5, $6, $7)";
const FAN_OUT: &str = "INSERT INTO deliveries (webhook_id, id, event_id, job_id, kind, state, \
    manual, attempts, history, due_at, created_at) \
    SELECT w.id, CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($5 AS TEXT), \
    'pending', 0, 0, '[]', CAST($6 AS BIGINT), CAST($6 AS BIGINT) FROM ( \
    SELECT id, active, events FROM webhooks WHERE account_id = $1 AND job_id IS NULL \
    UNION ALL SELECT id, active, events FROM webhooks WHERE job_id = CAST($4 AS TEXT)) w \
    WHERE w.active = 1 AND (w.events IS NULL OR w.events LIKE CAST($7 AS TEXT))";
/// A newer `job.progress` supersedes pending deliveries of an older one. Rows locked by a notifier
/// are skipped: waiting for them could deadlock.
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
    /// Writes an event and its deliveries. Returns whether there are any: then the caller sends
    /// [`Wake::Delivery`] after its commit.
    pub(crate) async fn emit(
        &self,
        tx: &mut Tx,
        (account, event): &(AccountId, Event),
    ) -> Result<bool> {
        let subject = match &event.data {
            EventData::Job { job } => job.job_id.as_str(),
            EventData::Account { account, .. } => account.as_str(),
            EventData::Test { webhook } => webhook.as_str(),
        };
        let body = to_json(event)?;
        let (Millis(emitted_at), kind) = (event.emitted_at, event.kind.as_str());
        let position: i64 = scalar!(NEXT_POSITION; account).fetch_one(&mut **tx).await?;
        sql!(INSERT; event.id, account, subject, kind, body, emitted_at, position).run(tx).await?;
        if event.kind == EventKind::JobProgress {
            let supersede = self.dialect().claim(SUPERSEDE, SUPERSEDE_SKIP_LOCKED);
            sql!(supersede; subject).run(tx).await?;
        }
        let deliveries = sql!(FAN_OUT; account, DeliveryId::new(event.emitted_at, random()),
            event.id, subject, kind, emitted_at, format!("%,{kind},%"))
        .run(tx)
        .await?;
        if deliveries > 0 {
            self.notify_nodes(tx, Wake::Delivery).await?;
        }
        Ok(deliveries > 0)
    }

    /// Emits `billing.recharge_failed` for the account.
    pub async fn emit_recharge_failed(
        &self,
        account: &AccountId,
        reason: &str,
        now: Millis,
    ) -> Result<Event> {
        let mut tx = self.begin().await?;
        let event = recharge_failed(account, reason, now);
        let is_due = self.emit(&mut tx, &event).await?;
        self.commit_and_wake(tx, is_due.then_some(Wake::Delivery)).await?;
        Ok(event.1)
    }

    /// The events of a job, oldest first.
    pub async fn events(&self, job: &JobId) -> Result<Vec<Event>> {
        self.fetch_all(sql!(BY_JOB; job), read).await
    }

    /// The last `most` events of a job, oldest first.
    pub async fn latest_events(&self, job: &JobId, most: u32) -> Result<Vec<Event>> {
        let rows = sql!(LATEST_BY_JOB; job, most).fetch_all(self.reader()?).await?;
        rows.iter().rev().map(read).collect()
    }

    /// The events of an account after `after`, or from the oldest stored one, in the order in which
    /// they became visible, and whether more follow. `None` when the account has no event `after`,
    /// or it was purged.
    pub async fn events_after(
        &self,
        account: &AccountId,
        after: Option<&EventId>,
        most: u64,
    ) -> Result<Option<(Vec<Event>, bool)>> {
        let reader = self.reader()?;
        let mut from = 0_i64;
        if let Some(after) = after {
            let query = scalar!(POSITION; after, account);
            let Some(position) = query.fetch_optional(reader).await? else { return Ok(None) };
            from = position;
        }
        // One more than requested, to know whether more follow.
        let rows = sql!(AFTER; account, from, most.saturating_add(1)).fetch_all(reader).await?;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let events = rows.iter().take(most).map(read).collect::<Result<_, _>>()?;
        Ok(Some((events, rows.len() > most)))
    }
}

/// The event `billing.recharge_failed` of an account.
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

/// The last `job.progress` event of a job.
pub(crate) async fn last_progress(tx: &mut Tx, job: &JobId) -> Result<Option<Event>> {
    let row = sql!(LAST_PROGRESS; job).fetch_optional(&mut **tx).await?;
    row.as_ref().map(read).transpose()
}

fn read(row: &AnyRow) -> Result<Event> {
    row.read_json("body")
}
