//! Leases on webhook endpoints: one node at a time sends the deliveries of an endpoint.
//!
//! The lease is on the endpoint, not on each delivery: the holder limits the concurrent requests
//! to a receiver, whatever the number of nodes, and reading the next delivery writes nothing.
//! The deliveries of a node that dies stay pending; another node sends them when the lease has
//! expired, with the same event ids.

use std::collections::BTreeMap;
use std::time::Duration;

use contract::{
    AccountId, DeliveryAttempt, DeliveryId, JobId, Millis, SecretText, WebhookFormat, WebhookId,
};
use tokio::sync::watch;

use crate::columns::{ExecuteIn, ReadColumn, Tx, read_row, scalar, signed, sql, to_json};
use crate::delivery::HOLD_PENDING;
use crate::secret_key::SealedFor;
use crate::{JobPart, NodeName, Result, Store, StoreError, WebhookSecret};

/// Attempts that the history of a delivery keeps; older ones are dropped.
const KEPT_ATTEMPTS: usize = 20;

/// The endpoints that have deliveries due.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DueEndpoints {
    pub held: Vec<WebhookId>,
    /// Without a valid lease.
    pub free: Vec<WebhookId>,
}

/// An endpoint that this node has leased, with what it needs to send deliveries.
#[derive(Debug, Clone)]
pub struct EndpointLease {
    pub webhook: WebhookId,
    pub account: AccountId,
    pub url: String,
    pub secret: WebhookSecret,
    /// The first failed attempt since the last success.
    pub failing_since: Option<Millis>,
    pub format: WebhookFormat,
    /// Sent with every delivery.
    pub headers: BTreeMap<String, SecretText>,
}

/// The result of [`Store::claim_endpoints`].
#[derive(Debug, Default)]
pub struct ClaimedEndpoints {
    pub leases: Vec<EndpointLease>,
    /// Not claimed, because the configured `secret_key` does not decrypt their secrets.
    pub undecryptable: Vec<WebhookId>,
}

/// A pending delivery that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    pub webhook: WebhookId,
    pub id: DeliveryId,
    /// The event, byte for byte as it is sent in the format of the API; empty without an event.
    pub body: String,
    /// The job that it is about; `None` for events of an account.
    pub job: Option<JobId>,
    /// The part of a job that is reported instead of an event.
    pub part: Option<(JobId, JobPart)>,
    /// Attempts of the retry schedule so far; manual attempts are not counted.
    pub attempts: u32,
    /// Sent on request of the owner: tried once, and a failure does not count against the endpoint.
    pub manual: bool,
    pub history: Vec<DeliveryAttempt>,
}

/// How a delivery continues after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The receiver answered with a 2xx status.
    Delivered,
    /// The next attempt is due at `at`.
    Retry { at: Millis },
    /// The delivery has failed and the endpoint is disabled: the retry schedule is exhausted, or
    /// the receiver answered 410.
    Exhausted,
    /// The delivery has failed; the endpoint stays as it is.
    Failed,
}

/// An attempt with its outcome, to be stored by [`Store::record_attempts`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletedAttempt {
    pub due: DueDelivery,
    pub attempt: DeliveryAttempt,
    pub outcome: DeliveryOutcome,
}

/// Whether `d` may be sent before the other pending deliveries of its endpoint `w`. Where the format
/// has an order, the start of the job comes first, and its end after all results: each condition is
/// one step in the index of these deliveries.
macro_rules! is_next {
    () => {
        "(w.format IS NULL OR d.item = -1 OR NOT EXISTS (SELECT 1 FROM deliveries s \
         WHERE s.webhook_id = w.id AND s.state = 'pending' AND s.item = -1)) \
         AND (w.format IS NULL OR d.item IS NOT NULL OR NOT EXISTS (SELECT 1 FROM deliveries r \
         WHERE r.webhook_id = w.id AND r.state = 'pending' AND r.item >= 0))"
    };
}
/// Finds each endpoint with pending deliveries by one index step, however many deliveries are
/// pending: the backlog of one endpoint does not slow down the others.
const DUE_ENDPOINTS: &str = concat!(
    "WITH RECURSIVE endpoints (id) AS ( \
     SELECT (SELECT MIN(webhook_id) FROM deliveries WHERE state = 'pending') \
     UNION ALL \
     SELECT (SELECT MIN(d.webhook_id) FROM deliveries d \
             WHERE d.state = 'pending' AND d.webhook_id > endpoints.id) \
     FROM endpoints WHERE endpoints.id IS NOT NULL) \
     SELECT w.id, w.owner, w.lease_until FROM endpoints JOIN webhooks w ON w.id = endpoints.id \
     WHERE (SELECT MIN(d.due_at) FROM deliveries d \
            WHERE d.webhook_id = w.id AND d.state = 'pending' AND ",
    is_next!(),
    ") <= $1 \
     AND NOT EXISTS (SELECT 1 FROM accounts a \
         WHERE a.id = w.account_id AND a.suspended_at IS NOT NULL) ORDER BY w.id"
);
macro_rules! claim {
    ($suffix:literal) => {
        concat!(
            "UPDATE webhooks SET owner = $2, lease_until = $3 WHERE id IN \
             (SELECT id FROM webhooks WHERE id = $1 AND (lease_until <= $4 OR owner = $2)",
            $suffix,
            ") RETURNING account_id, url, secret, failing_since, format, headers"
        )
    };
}
const CLAIM: &str = claim!("");
const CLAIM_SKIP_LOCKED: &str = claim!(" FOR UPDATE SKIP LOCKED");
const RENEW: &str = "UPDATE webhooks SET lease_until = $2 WHERE owner = $1";
const HELD: &str = "SELECT id FROM webhooks WHERE owner = $1";
const RELEASE: &str =
    "UPDATE webhooks SET owner = NULL, lease_until = 0 WHERE id = $1 AND owner = $2";
pub(crate) const RELEASE_ENDPOINTS: &str =
    "UPDATE webhooks SET owner = NULL, lease_until = 0 WHERE owner IS NOT NULL";
const DUE: &str = concat!(
    "SELECT d.id, d.attempts, d.manual, d.history, d.job_id, d.item, \
     COALESCE(d.body, o.body) AS body, w.active FROM deliveries d \
     JOIN webhooks w ON w.id = d.webhook_id LEFT JOIN outbox o ON o.id = d.event_id \
     WHERE d.webhook_id = $1 AND d.state = 'pending' AND d.due_at <= $2 \
     AND NOT EXISTS (SELECT 1 FROM accounts a \
         WHERE a.id = w.account_id AND a.suspended_at IS NOT NULL) AND ",
    is_next!(),
    " ORDER BY d.due_at, d.item, d.id LIMIT $3"
);

const SUCCEEDED: &str = "UPDATE webhooks SET last_success_at = $2, failing_since = NULL, \
    last_error = NULL WHERE id = $1";
const FAILED: &str = "UPDATE webhooks SET failing_since = COALESCE(failing_since, $2), \
    last_error = $3 WHERE id = $1";
const DISABLE: &str = "UPDATE webhooks SET active = 0, exhausted = 1 WHERE id = $1";
const LOCK: &str = "UPDATE webhooks SET active = active WHERE id = $1";
const SET_DELIVERED: &str = "UPDATE deliveries SET state = 'delivered', attempts = attempts + $3, \
    history = $4 WHERE webhook_id = $1 AND id = $2";
/// These are not listed, and there may be very many: only the result itself stays.
const DROP_DELIVERED: &str = "DELETE FROM deliveries WHERE webhook_id = $1 AND id = $2";
const SET_FAILED: &str = "UPDATE deliveries SET attempts = attempts + $3, history = $4, \
    state = CASE state WHEN 'pending' THEN 'failed' WHEN 'held' THEN 'failed' ELSE state END \
    WHERE webhook_id = $1 AND id = $2";
/// A delivery that was superseded or held during the attempt keeps that state. A `job.progress`
/// delivery is superseded instead of retried when a newer one exists.
const SET_RETRY: &str = "UPDATE deliveries SET attempts = attempts + $3, history = $4, due_at = $5, \
    state = CASE WHEN state = 'pending' AND kind = 'job.progress' AND EXISTS \
    (SELECT 1 FROM deliveries n WHERE n.job_id = deliveries.job_id \
     AND n.webhook_id = deliveries.webhook_id AND n.kind = 'job.progress' \
     AND n.id > deliveries.id) THEN 'superseded' ELSE state END \
    WHERE webhook_id = $1 AND id = $2";

impl Store {
    /// Wake-ups for new deliveries, from now on. They may be lost: a notifier polls as well.
    #[must_use]
    pub fn deliveries_due(&self) -> watch::Receiver<()> {
        self.inner.deliveries_due.subscribe()
    }

    /// The endpoints with due deliveries that `node` holds or may claim.
    pub async fn due_endpoints(&self, node: &NodeName, now: Millis) -> Result<DueEndpoints> {
        let rows = sql!(DUE_ENDPOINTS; now).fetch_all(self.reader()?).await?;
        let mut due = DueEndpoints::default();
        let mut others = Vec::new();
        for row in &rows {
            let id: WebhookId = row.read("id")?;
            if row.read::<Option<String>>("owner")?.as_deref() == Some(node.as_str()) {
                due.held.push(id);
            } else {
                others.push((id, row.read::<i64>("lease_until")?));
            }
        }
        if !others.is_empty() {
            let clock = self.database_clock().await?.0;
            let free = others.into_iter().filter(|(_, until)| *until <= clock);
            due.free = free.map(|(id, _)| id).collect();
        }
        Ok(due)
    }

    /// Leases those of the endpoints that no other node holds.
    pub async fn claim_endpoints(
        &self,
        node: &NodeName,
        webhooks: &[WebhookId],
        span: Duration,
    ) -> Result<ClaimedEndpoints> {
        let mut claimed = ClaimedEndpoints::default();
        self.secret_key()?;
        let claim = self.dialect().claim(CLAIM, CLAIM_SKIP_LOCKED);
        let mut tx = self.begin().await?;
        let clock: i64 = scalar!(self.dialect().clock()).fetch_one(&mut *tx).await?;
        for webhook in webhooks {
            let row = sql!(claim; webhook, node, Millis(clock).plus(span), clock)
                .fetch_optional(&mut *tx)
                .await?;
            let Some(row) = row else { continue };
            let secret = self.open_webhook_secret(webhook, &row.read::<Vec<u8>>("secret")?);
            let headers = self.open_headers(webhook, row.read("headers")?);
            let (Ok(secret), Ok(headers)) = (secret, headers) else {
                sql!(RELEASE; webhook, node).run(&mut tx).await?;
                claimed.undecryptable.push(webhook.clone());
                continue;
            };
            let format = row.read::<Option<WebhookFormat>>("format")?;
            claimed.leases.push(read_row!(row => EndpointLease {
                account = "account_id", url, failing_since;
                webhook: webhook.clone(),
                secret,
                format: format.unwrap_or(WebhookFormat::Event),
                headers,
            }));
        }
        tx.commit().await?;
        Ok(claimed)
    }

    /// Extends the endpoint leases of this node, and returns the endpoints that it holds.
    pub async fn renew_endpoints(&self, node: &NodeName, span: Duration) -> Result<Vec<WebhookId>> {
        let mut tx = self.begin().await?;
        let clock: i64 = scalar!(self.dialect().clock()).fetch_one(&mut *tx).await?;
        sql!(RENEW; node, Millis(clock).plus(span)).run(&mut tx).await?;
        let rows = sql!(HELD; node).fetch_all(&mut *tx).await?;
        tx.commit().await?;
        rows.iter().map(|row| row.read("id")).collect()
    }

    /// Releases the leases of this node on these endpoints.
    pub async fn release_endpoints(&self, node: &NodeName, webhooks: &[WebhookId]) -> Result<()> {
        if webhooks.is_empty() {
            return Ok(());
        }
        let mut tx = self.begin().await?;
        for webhook in webhooks {
            sql!(RELEASE; webhook, node).run(&mut tx).await?;
        }
        Ok(tx.commit().await?)
    }

    /// The due deliveries of an endpoint, the longest waiting first. A disabled endpoint gets
    /// manual deliveries only.
    pub async fn due_deliveries(
        &self,
        webhook: &WebhookId,
        now: Millis,
        most: usize,
    ) -> Result<Vec<DueDelivery>> {
        let rows = sql!(DUE; webhook, now, most).fetch_all(self.reader()?).await?;
        let mut due = Vec::with_capacity(rows.len());
        let mut is_disabled = false;
        for row in &rows {
            let manual: bool = row.read("manual")?;
            if !manual && !row.read::<bool>("active")? {
                is_disabled = true;
                continue;
            }
            due.push(DueDelivery {
                webhook: webhook.clone(),
                id: row.read("id")?,
                body: row.read::<Option<String>>("body")?.unwrap_or_default(),
                job: row.read::<Option<String>>("job_id")?.and_then(|id| id.parse().ok()),
                part: match row.read::<Option<i64>>("item")? {
                    Some(item) => Some((row.read("job_id")?, JobPart::of_item(item))),
                    None => None,
                },
                attempts: u32::try_from(row.read::<i64>("attempts")?).unwrap_or(u32::MAX),
                manual,
                history: row.read_json("history")?,
            });
        }
        if is_disabled {
            // Inserted while the endpoint was being disabled: hold them as the others.
            self.execute(sql!(HOLD_PENDING; webhook)).await?;
        }
        Ok(due)
    }

    /// Stores the outcomes of attempts in their deliveries and in the health of their endpoints,
    /// in one transaction.
    pub async fn record_attempts(&self, attempts: &[CompletedAttempt]) -> Result<()> {
        // Endpoints are locked in the order of their ids, so that two nodes do not deadlock.
        let mut by_webhook: BTreeMap<&WebhookId, Vec<&CompletedAttempt>> = BTreeMap::new();
        for attempted in attempts {
            by_webhook.entry(&attempted.due.webhook).or_default().push(attempted);
        }
        let mut tx = self.begin().await?;
        for (webhook, attempts) in by_webhook {
            if update_endpoint(&mut tx, webhook, &attempts).await? {
                for attempted in attempts {
                    update_delivery(&mut tx, attempted).await?;
                }
            }
        }
        Ok(tx.commit().await?)
    }

    /// Decrypts the headers of an endpoint's deliveries.
    fn open_headers(
        &self,
        webhook: &WebhookId,
        sealed: Option<Vec<u8>>,
    ) -> Result<BTreeMap<String, SecretText>> {
        let Some(sealed) = sealed else { return Ok(BTreeMap::new()) };
        let opened = self.open(SealedFor::WebhookHeaders(webhook.as_str()), &sealed)?;
        // The cause may quote a secret.
        serde_json::from_slice(&opened).map_err(|_| {
            StoreError::Damaged(format!("the headers of webhook {webhook} are invalid"))
        })
    }
}

/// Updates the health of an endpoint with its attempts, in the order in which they were made.
/// False when the endpoint was removed.
async fn update_endpoint(
    tx: &mut Tx,
    webhook: &WebhookId,
    attempts: &[&CompletedAttempt],
) -> Result<bool> {
    if sql!(LOCK; webhook).run(tx).await? == 0 {
        return Ok(false);
    }
    let last_success = attempts.iter().rposition(|made| made.outcome == DeliveryOutcome::Delivered);
    for (number, CompletedAttempt { due, attempt, outcome }) in attempts.iter().enumerate() {
        match outcome {
            // The last success overwrites the earlier ones.
            DeliveryOutcome::Delivered if Some(number) != last_success => {}
            DeliveryOutcome::Delivered => {
                let arrived = signed(attempt.duration_ms).saturating_add(attempt.at.0);
                sql!(SUCCEEDED; webhook, arrived).run(tx).await?;
            }
            _ if due.manual => {}
            DeliveryOutcome::Retry { .. }
            | DeliveryOutcome::Exhausted
            | DeliveryOutcome::Failed => {
                sql!(FAILED; webhook, attempt.at, attempt.error).run(tx).await?;
                if *outcome == DeliveryOutcome::Exhausted {
                    sql!(DISABLE; webhook).run(tx).await?;
                    sql!(HOLD_PENDING; webhook).run(tx).await?;
                }
            }
        }
    }
    Ok(true)
}

async fn update_delivery(
    tx: &mut Tx,
    CompletedAttempt { due, attempt, outcome }: &CompletedAttempt,
) -> Result<()> {
    if due.part.is_some() && *outcome == DeliveryOutcome::Delivered {
        return sql!(DROP_DELIVERED; due.webhook, due.id).run(tx).await.map(drop);
    }
    let mut history = due.history.clone();
    history.push(attempt.clone());
    let history = &history[history.len().saturating_sub(KEPT_ATTEMPTS)..];
    let history = to_json(&history)?;
    let (statement, retry_at) = match outcome {
        DeliveryOutcome::Delivered => (SET_DELIVERED, None),
        DeliveryOutcome::Exhausted | DeliveryOutcome::Failed => (SET_FAILED, None),
        DeliveryOutcome::Retry { at } => (SET_RETRY, Some(at.0)),
    };
    // A manual attempt does not count for the retry schedule.
    let mut query = sql!(statement; due.webhook, due.id, !due.manual, history);
    if let Some(at) = retry_at {
        query = query.bind(at);
    }
    query.run(tx).await.map(drop)
}
