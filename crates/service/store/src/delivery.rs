//! Deliveries of a webhook endpoint: list, send a test, send again.

use contract::{
    AccountId, Delivery, DeliveryId, DeliveryState, EventId, Millis, TEST_EVENT, WebhookId,
};
use serde_json::json;
use sqlx::any::AnyRow;

use crate::columns::{ExecuteIn, ReadColumn, Tx, read_row, scalar, sql};
use crate::{PageRequest, Result, Store, Wake, random};

/// The columns of a delivery, read by every statement that returns one.
macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT d.id, d.event_id, d.kind, d.state, d.history, d.due_at, d.created_at, \
             COALESCE(d.body, o.body) AS body FROM deliveries d \
             LEFT JOIN outbox o ON o.id = d.event_id WHERE d.webhook_id = $1 ",
            $rest
        )
    };
}
const LIST: &str =
    select!("AND (CAST($2 AS TEXT) IS NULL OR d.state = $2) ORDER BY d.id DESC LIMIT $3 OFFSET $4");
const COUNT: &str = "SELECT COUNT(*) FROM deliveries \
    WHERE webhook_id = $1 AND (CAST($2 AS TEXT) IS NULL OR state = $2)";
const ONE: &str = select!("AND d.id = $2");
/// Locks the endpoint: its removal deletes the new delivery too, or makes this update no row.
const LOCK_WEBHOOK: &str = "UPDATE webhooks SET active = active \
    WHERE id = $1 AND account_id = $2 AND job_id IS NULL";
const INSERT_TEST: &str = "INSERT INTO deliveries (webhook_id, id, event_id, job_id, kind, body, \
    state, manual, attempts, history, due_at, created_at) \
    VALUES ($1, $2, $3, $4, $5, $6, 'pending', 1, 0, '[]', $7, $7)";
/// A pending delivery keeps its retry schedule and is due now; any other becomes a manual one.
const REDELIVER: &str = "UPDATE deliveries SET due_at = $3, state = 'pending', \
    manual = CASE state WHEN 'pending' THEN manual ELSE 1 END WHERE webhook_id = $1 AND id = $2";
/// Holds the pending deliveries of a disabled endpoint until it is enabled again.
pub(crate) const HOLD_PENDING: &str = "UPDATE deliveries SET state = 'held' \
    WHERE webhook_id = $1 AND state = 'pending' AND manual = 0";

impl Store {
    /// A page of the deliveries of an endpoint, newest first, and their total number.
    pub async fn deliveries(
        &self,
        webhook: &WebhookId,
        state: Option<DeliveryState>,
        page: PageRequest,
    ) -> Result<(Vec<Delivery>, u64)> {
        let reader = self.reader()?;
        let state = state.map(DeliveryState::as_str);
        let rows = sql!(LIST; webhook, state, page.size, page.offset()).fetch_all(reader).await?;
        let total: i64 = scalar!(COUNT; webhook, state).fetch_one(reader).await?;
        let deliveries = rows.iter().map(read).collect::<Result<_, _>>()?;
        Ok((deliveries, u64::try_from(total).unwrap_or(0)))
    }

    /// Queues a `webhook.test` delivery, for a disabled endpoint too; `None` when the account has
    /// no such endpoint.
    pub async fn test_webhook(
        &self,
        account: &AccountId,
        webhook: &WebhookId,
        now: Millis,
    ) -> Result<Option<Delivery>> {
        let (id, event) = (DeliveryId::new(now, random()), EventId::new(now, random()));
        let body = json!({
            "id": event,
            "type": TEST_EVENT,
            "emitted_at": now,
            "data": {"webhook": webhook},
        });
        let mut tx = self.begin().await?;
        if sql!(LOCK_WEBHOOK; webhook, account).run(&mut tx).await? == 0 {
            return Ok(None);
        }
        sql!(INSERT_TEST; webhook, id, event, account, TEST_EVENT, body.to_string(), now)
            .run(&mut tx)
            .await?;
        self.commit_delivery(tx, webhook, &id).await
    }

    /// Queues a delivery again, or makes a pending one due now; `None` when the endpoint has no
    /// such delivery.
    pub async fn redeliver(
        &self,
        webhook: &WebhookId,
        id: &DeliveryId,
        now: Millis,
    ) -> Result<Option<Delivery>> {
        let mut tx = self.begin().await?;
        sql!(REDELIVER; webhook, id, now).run(&mut tx).await?;
        self.commit_delivery(tx, webhook, id).await
    }

    /// Commits, wakes the notifiers, and returns the delivery.
    async fn commit_delivery(
        &self,
        mut tx: Tx,
        webhook: &WebhookId,
        id: &DeliveryId,
    ) -> Result<Option<Delivery>> {
        let row = sql!(ONE; webhook, id).fetch_optional(&mut *tx).await?;
        self.commit_and_notify(tx, &[Wake::Delivery]).await?;
        row.as_ref().map(read).transpose()
    }
}

fn read(row: &AnyRow) -> Result<Delivery> {
    let state = row.read::<DeliveryState>("state")?;
    let due_at = row.read("due_at")?;
    Ok(read_row!(row => Delivery {
        id, event_id, kind, created_at;
        state,
        attempts: row.read_json("history")?,
        next_attempt_at: (state == DeliveryState::Pending).then_some(due_at),
        payload: row.read_json("body")?,
    }))
}
