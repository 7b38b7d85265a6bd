//! What was delivered, what waits, and what an owner asks for by hand.

use contract::{
    AccountId, Delivery, DeliveryId, DeliveryState, EventId, Millis, TEST_EVENT, WebhookId,
};
use serde_json::json;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::job_row::{signed, word};
use crate::lane::read_history;
use crate::{Page, Store, StoreError, Wake, random};

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
/// A removal takes this delivery with it, or comes first.
const HOLD_WEBHOOK: &str = "UPDATE webhooks SET active = active WHERE id = $1 AND account_id = $2";
const INSERT_TEST: &str = "INSERT INTO deliveries (webhook_id, id, event_id, job_id, kind, body, \
    state, manual, attempts, history, due_at, created_at) \
    VALUES ($1, $2, $3, $4, $5, $6, 'pending', 1, 0, '[]', $7, $7)";
/// What still has its schedule keeps it and is tried now; what has not is tried once more.
const ONCE_MORE: &str = "UPDATE deliveries SET due_at = $3, state = 'pending', \
    manual = CASE state WHEN 'pending' THEN manual ELSE 1 END WHERE webhook_id = $1 AND id = $2";

impl Store {
    /// A page of what went to an endpoint, newest first, and how many there are in all.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn deliveries(
        &self,
        webhook: &WebhookId,
        state: Option<DeliveryState>,
        page: Page,
    ) -> Result<(Vec<Delivery>, u64), StoreError> {
        let reader = self.reader()?;
        let state = state.map(DeliveryState::as_str);
        let rows = sqlx::query(LIST)
            .bind(webhook.as_str())
            .bind(state)
            .bind(signed(page.size))
            .bind(signed(page.offset()))
            .fetch_all(reader)
            .await?;
        let total: i64 =
            sqlx::query_scalar(COUNT).bind(webhook.as_str()).bind(state).fetch_one(reader).await?;
        let deliveries = rows.iter().map(read).collect::<Result<_, _>>()?;
        Ok((deliveries, u64::try_from(total).unwrap_or(0)))
    }

    /// Sends a test to an endpoint, whether it is active or not; `None` when the account has no
    /// such endpoint.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn test_webhook(
        &self,
        account: &AccountId,
        webhook: &WebhookId,
        now: Millis,
    ) -> Result<Option<Delivery>, StoreError> {
        let (id, event) = (DeliveryId::new(now, random()), EventId::new(now, random()));
        let body = json!({
            "id": event,
            "type": TEST_EVENT,
            "emitted_at": now,
            "data": {"webhook": webhook},
        });
        let mut tx = self.begin().await?;
        let held = sqlx::query(HOLD_WEBHOOK).bind(webhook.as_str()).bind(account.as_str());
        if held.execute(&mut *tx).await?.rows_affected() == 0 {
            return Ok(None);
        }
        sqlx::query(INSERT_TEST)
            .bind(webhook.as_str())
            .bind(id.as_str())
            .bind(event.as_str())
            .bind(account.as_str())
            .bind(TEST_EVENT)
            .bind(body.to_string())
            .bind(now.0)
            .execute(&mut *tx)
            .await?;
        self.deliver(tx, webhook, &id).await
    }

    /// Sends something again, or at once when it waits for its next attempt; `None` when
    /// nothing of that name went to the endpoint.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn redeliver(
        &self,
        webhook: &WebhookId,
        id: &DeliveryId,
        now: Millis,
    ) -> Result<Option<Delivery>, StoreError> {
        let mut tx = self.begin().await?;
        let query = sqlx::query(ONCE_MORE).bind(webhook.as_str()).bind(id.as_str()).bind(now.0);
        query.execute(&mut *tx).await?;
        self.deliver(tx, webhook, id).await
    }

    async fn deliver(
        &self,
        mut tx: sqlx::Transaction<'static, sqlx::Any>,
        webhook: &WebhookId,
        id: &DeliveryId,
    ) -> Result<Option<Delivery>, StoreError> {
        let query = sqlx::query(ONE).bind(webhook.as_str()).bind(id.as_str());
        let row = query.fetch_optional(&mut *tx).await?;
        self.announce(&mut tx, Wake::Delivery).await?;
        tx.commit().await?;
        self.wake_here(Wake::Delivery);
        row.as_ref().map(read).transpose()
    }
}

fn read(row: &AnyRow) -> Result<Delivery, StoreError> {
    let damaged = |what: &str| StoreError::Damaged(format!("a delivery: {what}"));
    let id: String = row.try_get("id")?;
    let event: String = row.try_get("event_id")?;
    let body: String = row.try_get("body")?;
    let history: String = row.try_get("history")?;
    let state = word(row, "state", |name| name.parse::<DeliveryState>().ok())?;
    let due_at = Millis(row.try_get("due_at")?);
    Ok(Delivery {
        id: id.parse().map_err(|_| damaged(&id))?,
        event_id: event.parse().map_err(|_| damaged(&event))?,
        kind: row.try_get("kind")?,
        state,
        created_at: Millis(row.try_get("created_at")?),
        attempts: read_history(&history)?,
        next_attempt_at: (state == DeliveryState::Pending).then_some(due_at),
        payload: serde_json::from_str(&body).map_err(|cause| damaged(&cause.to_string()))?,
    })
}
