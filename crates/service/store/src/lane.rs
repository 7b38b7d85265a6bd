//! Lanes: an endpoint with something to deliver is in the hands of one node at a time.
//!
//! The lease is on the endpoint, not on each delivery: one node bounds what is under way to
//! a receiver, whatever the number of nodes, and picking up the next delivery writes nothing.
//! A node that dies leaves its deliveries as they were; they go out again when its lease has
//! run out, with the same event ids.

use std::collections::BTreeMap;
use std::time::Duration;

use contract::{DeliveryAttempt, DeliveryId, Millis, WebhookId};
use sqlx::{Any, Row, Transaction};
use tokio::sync::watch;

use crate::job_row::signed;
use crate::webhook::{HOLD, webhook_id};
use crate::{NodeId, Store, StoreError, WebhookSecret};

/// How many attempts a delivery tells of.
const REMEMBERED: usize = 20;

/// The endpoints with something due.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lanes {
    /// In the hands of this node.
    pub ours: Vec<WebhookId>,
    /// In nobody's.
    pub free: Vec<WebhookId>,
}

/// An endpoint in the hands of this node.
#[derive(Debug, Clone)]
pub struct Lane {
    pub webhook: WebhookId,
    pub url: String,
    pub secret: WebhookSecret,
    /// The first failed attempt since the last success.
    pub failing_since: Option<Millis>,
}

/// What was taken of the endpoints that were free.
#[derive(Debug, Default)]
pub struct Taken {
    pub lanes: Vec<Lane>,
    /// Left alone: their secrets do not open with our key.
    pub unreadable: Vec<WebhookId>,
}

/// A delivery whose time has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    pub webhook: WebhookId,
    pub id: DeliveryId,
    /// What is sent, byte for byte.
    pub body: String,
    /// Attempts of its schedule so far.
    pub attempts: u32,
    /// Whether its owner asked for it by hand: it is tried once and held against nobody.
    pub manual: bool,
    /// What became of the earlier attempts.
    pub history: Vec<DeliveryAttempt>,
}

/// What follows from an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It has arrived.
    Delivered,
    /// It is tried again.
    Retry {
        /// When.
        at: Millis,
    },
    /// It is given up, and the endpoint with it: its attempts are exhausted, or the receiver
    /// wants no more.
    Exhausted,
    /// It is given up, which says nothing of the endpoint.
    Failed,
}

/// An attempt that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempted {
    pub due: DueDelivery,
    pub attempt: DeliveryAttempt,
    pub verdict: Verdict,
}

/// Each endpoint with pending deliveries is found by one step in the index, however
/// many are pending: a receiver with a backlog costs the others nothing.
const DUE_LANES: &str = "WITH RECURSIVE lanes (id) AS ( \
    SELECT (SELECT MIN(webhook_id) FROM deliveries WHERE state = 'pending') \
    UNION ALL \
    SELECT (SELECT MIN(d.webhook_id) FROM deliveries d \
            WHERE d.state = 'pending' AND d.webhook_id > lanes.id) \
    FROM lanes WHERE lanes.id IS NOT NULL) \
    SELECT w.id, w.owner, w.lease_until FROM lanes JOIN webhooks w ON w.id = lanes.id \
    WHERE (SELECT MIN(d.due_at) FROM deliveries d \
           WHERE d.webhook_id = w.id AND d.state = 'pending') <= $1 \
    AND NOT EXISTS (SELECT 1 FROM accounts a \
        WHERE a.id = w.account_id AND a.suspended_at IS NOT NULL) ORDER BY w.id";
macro_rules! take {
    ($suffix:literal) => {
        concat!(
            "UPDATE webhooks SET owner = $2, lease_until = $3 WHERE id IN \
             (SELECT id FROM webhooks WHERE id = $1 AND (lease_until <= $4 OR owner = $2)",
            $suffix,
            ") RETURNING url, secret, failing_since"
        )
    };
}
const TAKE: &str = take!("");
const TAKE_SKIP_LOCKED: &str = take!(" FOR UPDATE SKIP LOCKED");
const RENEW: &str = "UPDATE webhooks SET lease_until = $2 WHERE owner = $1";
const HELD: &str = "SELECT id FROM webhooks WHERE owner = $1";
const GIVE_BACK: &str =
    "UPDATE webhooks SET owner = NULL, lease_until = 0 WHERE id = $1 AND owner = $2";
pub(crate) const FREE_LANES: &str =
    "UPDATE webhooks SET owner = NULL, lease_until = 0 WHERE owner IS NOT NULL";
const DUE: &str = "SELECT d.id, d.attempts, d.manual, d.history, \
    COALESCE(d.body, o.body) AS body, w.active FROM deliveries d \
    JOIN webhooks w ON w.id = d.webhook_id LEFT JOIN outbox o ON o.id = d.event_id \
    WHERE d.webhook_id = $1 AND d.state = 'pending' AND d.due_at <= $2 \
    AND NOT EXISTS (SELECT 1 FROM accounts a \
        WHERE a.id = w.account_id AND a.suspended_at IS NOT NULL) \
    ORDER BY d.due_at, d.id LIMIT $3";

const SUCCEEDED: &str = "UPDATE webhooks SET last_success_at = $2, failing_since = NULL, \
    last_error = NULL WHERE id = $1";
const FAILED: &str = "UPDATE webhooks SET failing_since = COALESCE(failing_since, $2), \
    last_error = $3 WHERE id = $1";
const SWITCH_OFF: &str = "UPDATE webhooks SET active = 0, exhausted = 1 WHERE id = $1";
const IS_THERE: &str = "UPDATE webhooks SET active = active WHERE id = $1";
const ARRIVED: &str = "UPDATE deliveries SET state = 'delivered', attempts = attempts + $3, \
    history = $4 WHERE webhook_id = $1 AND id = $2";
const GIVEN_UP: &str = "UPDATE deliveries SET attempts = attempts + $3, history = $4, \
    state = CASE state WHEN 'pending' THEN 'failed' WHEN 'held' THEN 'failed' ELSE state END \
    WHERE webhook_id = $1 AND id = $2";
/// What was replaced or held while it was under way stays so; and a progress does not come
/// back when a newer one is on its way.
const AGAIN: &str = "UPDATE deliveries SET attempts = attempts + $3, history = $4, due_at = $5, \
    state = CASE WHEN state = 'pending' AND kind = 'job.progress' AND EXISTS \
    (SELECT 1 FROM deliveries n WHERE n.job_id = deliveries.job_id \
     AND n.webhook_id = deliveries.webhook_id AND n.kind = 'job.progress' \
     AND n.id > deliveries.id) THEN 'superseded' ELSE state END \
    WHERE webhook_id = $1 AND id = $2";

impl Store {
    /// Hints, from now on, that there may be something to deliver. One may be lost: polling
    /// suffices.
    #[must_use]
    pub fn deliveries_due(&self) -> watch::Receiver<()> {
        self.inner.deliveries_due.subscribe()
    }

    /// The endpoints that have something due, ours and free ones.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn lanes(&self, node: &NodeId, now: Millis) -> Result<Lanes, StoreError> {
        let rows = sqlx::query(DUE_LANES).bind(now.0).fetch_all(self.reader()?).await?;
        let mut lanes = Lanes::default();
        let mut others = Vec::new();
        for row in &rows {
            let id = webhook_id(row, "id")?;
            if row.try_get::<Option<String>, _>("owner")?.as_deref() == Some(node.as_str()) {
                lanes.ours.push(id);
            } else {
                others.push((id, row.try_get::<i64, _>("lease_until")?));
            }
        }
        if !others.is_empty() {
            let clock = self.database_clock().await?.0;
            let free = others.into_iter().filter(|(_, until)| *until <= clock);
            lanes.free = free.map(|(id, _)| id).collect();
        }
        Ok(lanes)
    }

    /// Takes those of the endpoints that are still free, or ours.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn take_lanes(
        &self,
        node: &NodeId,
        webhooks: &[WebhookId],
        span: Duration,
    ) -> Result<Taken, StoreError> {
        let mut taken = Taken::default();
        let key = self.secret_key()?;
        let take = self.dialect().claim(TAKE, TAKE_SKIP_LOCKED);
        let mut tx = self.begin().await?;
        let clock: i64 = sqlx::query_scalar(self.dialect().clock()).fetch_one(&mut *tx).await?;
        for webhook in webhooks {
            let row = sqlx::query(take)
                .bind(webhook.as_str())
                .bind(node.as_str())
                .bind(Millis(clock).plus(span).0)
                .bind(clock)
                .fetch_optional(&mut *tx)
                .await?;
            let Some(row) = row else { continue };
            let Ok(secret) = key.open(webhook, &row.try_get::<Vec<u8>, _>("secret")?) else {
                let query = sqlx::query(GIVE_BACK).bind(webhook.as_str()).bind(node.as_str());
                query.execute(&mut *tx).await?;
                taken.unreadable.push(webhook.clone());
                continue;
            };
            taken.lanes.push(Lane {
                webhook: webhook.clone(),
                url: row.try_get("url")?,
                secret,
                failing_since: row.try_get::<Option<i64>, _>("failing_since")?.map(Millis),
            });
        }
        tx.commit().await?;
        Ok(taken)
    }

    /// Extends the leases of this node and tells which endpoints it holds.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn renew_lanes(
        &self,
        node: &NodeId,
        span: Duration,
    ) -> Result<Vec<WebhookId>, StoreError> {
        let mut tx = self.begin().await?;
        let clock: i64 = sqlx::query_scalar(self.dialect().clock()).fetch_one(&mut *tx).await?;
        sqlx::query(RENEW)
            .bind(node.as_str())
            .bind(Millis(clock).plus(span).0)
            .execute(&mut *tx)
            .await?;
        let rows = sqlx::query(HELD).bind(node.as_str()).fetch_all(&mut *tx).await?;
        tx.commit().await?;
        rows.iter().map(|row| webhook_id(row, "id")).collect()
    }

    /// Puts endpoints back.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn give_back_lanes(
        &self,
        node: &NodeId,
        webhooks: &[WebhookId],
    ) -> Result<(), StoreError> {
        if webhooks.is_empty() {
            return Ok(());
        }
        let mut tx = self.begin().await?;
        for webhook in webhooks {
            let query = sqlx::query(GIVE_BACK).bind(webhook.as_str()).bind(node.as_str());
            query.execute(&mut *tx).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// The deliveries of a lane whose time has come, the longest waiting first. To an
    /// endpoint that is switched off goes only what its owner asked for by hand.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn due_deliveries(
        &self,
        webhook: &WebhookId,
        now: Millis,
        most: usize,
    ) -> Result<Vec<DueDelivery>, StoreError> {
        let rows = sqlx::query(DUE)
            .bind(webhook.as_str())
            .bind(now.0)
            .bind(signed(most as u64))
            .fetch_all(self.reader()?)
            .await?;
        let mut due = Vec::with_capacity(rows.len());
        let mut is_off = false;
        for row in &rows {
            let manual = row.try_get::<i64, _>("manual")? != 0;
            if !manual && row.try_get::<i64, _>("active")? == 0 {
                is_off = true;
                continue;
            }
            let id: String = row.try_get("id")?;
            let history: String = row.try_get("history")?;
            due.push(DueDelivery {
                webhook: webhook.clone(),
                id: id.parse().map_err(|_| StoreError::Damaged(format!("no delivery: {id}")))?,
                body: row.try_get("body")?,
                attempts: u32::try_from(row.try_get::<i64, _>("attempts")?).unwrap_or(u32::MAX),
                manual,
                history: read_history(&history)?,
            });
        }
        if is_off {
            // Written in the instant in which the endpoint was switched off.
            let mut tx = self.begin().await?;
            sqlx::query(HOLD).bind(webhook.as_str()).execute(&mut *tx).await?;
            tx.commit().await?;
        }
        Ok(due)
    }

    /// Writes down what became of attempts: in the deliveries, and in the health of the
    /// endpoints. All of it or nothing.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn record(&self, attempts: &[Attempted]) -> Result<(), StoreError> {
        // Endpoints in the order of their ids: whoever takes several takes them so.
        let mut by_webhook: BTreeMap<&WebhookId, Vec<&Attempted>> = BTreeMap::new();
        for attempted in attempts {
            by_webhook.entry(&attempted.due.webhook).or_default().push(attempted);
        }
        let mut tx = self.begin().await?;
        for (webhook, attempts) in by_webhook {
            if judge(&mut tx, webhook, &attempts).await? {
                for attempted in attempts {
                    write_down(&mut tx, attempted).await?;
                }
            }
        }
        tx.commit().await?;
        Ok(())
    }
}

/// What the attempts say of their endpoint, in the order in which they were made; false
/// when it is gone.
async fn judge(
    tx: &mut Transaction<'static, Any>,
    webhook: &WebhookId,
    attempts: &[&Attempted],
) -> Result<bool, StoreError> {
    let there = sqlx::query(IS_THERE).bind(webhook.as_str()).execute(&mut **tx).await?;
    if there.rows_affected() == 0 {
        return Ok(false);
    }
    let last_success = attempts.iter().rposition(|made| made.verdict == Verdict::Delivered);
    for (number, Attempted { due, attempt, verdict }) in attempts.iter().enumerate() {
        match verdict {
            // The last one says it for all.
            Verdict::Delivered if Some(number) != last_success => {}
            Verdict::Delivered => {
                let arrived = signed(attempt.duration_ms).saturating_add(attempt.at.0);
                sqlx::query(SUCCEEDED)
                    .bind(webhook.as_str())
                    .bind(arrived)
                    .execute(&mut **tx)
                    .await?;
            }
            // What was asked for by hand is held against nobody.
            _ if due.manual => {}
            Verdict::Retry { .. } | Verdict::Exhausted | Verdict::Failed => {
                sqlx::query(FAILED)
                    .bind(webhook.as_str())
                    .bind(attempt.at.0)
                    .bind(&attempt.error)
                    .execute(&mut **tx)
                    .await?;
                if *verdict == Verdict::Exhausted {
                    sqlx::query(SWITCH_OFF).bind(webhook.as_str()).execute(&mut **tx).await?;
                    sqlx::query(HOLD).bind(webhook.as_str()).execute(&mut **tx).await?;
                }
            }
        }
    }
    Ok(true)
}

async fn write_down(
    tx: &mut Transaction<'static, Any>,
    Attempted { due, attempt, verdict }: &Attempted,
) -> Result<(), StoreError> {
    let mut history = due.history.clone();
    history.push(attempt.clone());
    let history = &history[history.len().saturating_sub(REMEMBERED)..];
    let history =
        serde_json::to_string(history).map_err(|cause| StoreError::Damaged(cause.to_string()))?;
    let (statement, again) = match verdict {
        Verdict::Delivered => (ARRIVED, None),
        Verdict::Exhausted | Verdict::Failed => (GIVEN_UP, None),
        Verdict::Retry { at } => (AGAIN, Some(at.0)),
    };
    let mut query = sqlx::query(statement)
        .bind(due.webhook.as_str())
        .bind(due.id.as_str())
        // An attempt by hand takes none from the schedule.
        .bind(i64::from(!due.manual))
        .bind(history);
    if let Some(at) = again {
        query = query.bind(at);
    }
    query.execute(&mut **tx).await?;
    Ok(())
}

pub(crate) fn read_history(text: &str) -> Result<Vec<DeliveryAttempt>, StoreError> {
    serde_json::from_str(text).map_err(|cause| StoreError::Damaged(cause.to_string()))
}
