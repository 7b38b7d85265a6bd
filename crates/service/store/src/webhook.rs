//! Webhook endpoints: create, list, change, remove. The endpoint of a job is created and deleted with
//! it, and is not listed with the endpoints of the account.
//!
//! Rows are always locked in the same order: the endpoint, then its deliveries.

use std::collections::BTreeMap;

use contract::{
    AccountId, AuditAction, CreatedWebhook, Creator, EventKind, JobId, JobWebhook, Millis,
    SecretText, Webhook, WebhookFormat, WebhookId,
};
use job::Job;
use sqlx::any::AnyRow;

use crate::account_lock::lock_active_account;
use crate::columns::{ExecuteIn, ReadColumn, Tx, read_row, scalar, sql, to_json};
use crate::delivery::HOLD_PENDING;
use crate::secret_key::SealedFor;
use crate::{AuditRecord, Result, Store, Wake, WebhookSecret, creator, random};

#[derive(Debug, Clone)]
pub struct NewWebhook {
    /// Validated by the caller.
    pub url: String,
    /// `None` for every event, including kinds added by later releases.
    pub events: Option<Vec<EventKind>>,
    /// The key or application that creates the endpoint.
    pub created_by: Option<Creator>,
}

/// The columns of an endpoint, read by every statement that returns one.
macro_rules! columns {
    () => {
        "id, url, events, active, created_at, last_success_at, failing_since, last_error, created_by"
    };
}

const COUNT: &str = "SELECT COUNT(*) FROM webhooks WHERE account_id = $1 AND job_id IS NULL";
const INSERT: &str = "INSERT INTO webhooks (id, account_id, url, events, secret, active, \
    exhausted, created_at, lease_until, created_by, job_id) \
    VALUES ($1, $2, $3, $4, $5, 1, 0, $6, 0, $7, $8)";
const SET_FORMAT: &str =
    "UPDATE webhooks SET format = $2, headers = CAST($3 AS blob) WHERE id = $1";
const LIST: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM webhooks WHERE account_id = $1 AND job_id IS NULL ORDER BY id DESC"
);
const ONE: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM webhooks WHERE id = $1 AND account_id = $2 AND job_id IS NULL"
);
/// Locks the row and returns it unchanged.
const LOCK: &str = concat!(
    "UPDATE webhooks SET active = active ",
    "WHERE id = $1 AND account_id = $2 AND job_id IS NULL RETURNING ",
    columns!()
);
/// Enabling an endpoint resets `exhausted`.
const CHANGE: &str = concat!(
    "UPDATE webhooks SET active = COALESCE($3, active), events = COALESCE($4, events), ",
    "exhausted = CASE WHEN COALESCE($3, active) = 1 THEN 0 ELSE exhausted END ",
    "WHERE id = $1 AND account_id = $2 RETURNING ",
    columns!()
);
const REMOVE: &str = "DELETE FROM webhooks WHERE id = $1 AND account_id = $2 AND job_id IS NULL";
const REMOVE_DELIVERIES: &str = "DELETE FROM deliveries WHERE webhook_id = $1";
const RELEASE_HELD: &str =
    "UPDATE deliveries SET state = 'pending' WHERE webhook_id = $1 AND state = 'held'";
const EXHAUSTED: &str = "SELECT COUNT(*) FROM webhooks \
    WHERE account_id = $1 AND job_id IS NULL AND active = 0 AND exhausted = 1";

impl Store {
    /// Creates an endpoint; `None` when the account has reached `StoreSettings::webhooks`.
    ///
    /// # Errors
    /// [`crate::StoreError`] when the database fails, or when no `secret_key` is configured.
    pub async fn create_webhook(
        &self,
        account: &AccountId,
        new: NewWebhook,
        now: Millis,
    ) -> Result<Option<CreatedWebhook>> {
        let secret = WebhookSecret::mint();
        let id = WebhookId::new(now, random());
        let mut tx = self.begin().await?;
        // The lock keeps concurrent creations from exceeding the limit together.
        lock_active_account(&mut tx, account).await?;
        creator::lock_creator(&mut tx, account, new.created_by.as_ref()).await?;
        let count: i64 = scalar!(COUNT; account).fetch_one(&mut *tx).await?;
        if count >= i64::from(self.inner.settings.webhooks) {
            return Ok(None);
        }
        self.insert_webhook(&mut tx, &id, account, (&new, &secret), None, now).await?;
        let record = AuditRecord::of(account, AuditAction::WebhookCreated)
            .object("webhook", id.as_str())
            .detail("url", host_of(&new.url))
            .at(now);
        self.commit_audited(tx, record).await?;
        let details = Webhook {
            id,
            url: new.url,
            events: new.events.unwrap_or_else(|| EventKind::ALL.to_vec()),
            active: true,
            created_at: now,
            last_success_at: None,
            failing_since: None,
            last_error: None,
            created_by: new.created_by,
        };
        Ok(Some(CreatedWebhook { details, secret: secret.reveal().to_owned() }))
    }

    /// Inserts the endpoint of a job with its secret and its headers. Its events alone are sent
    /// there. The caller holds the account's row.
    pub(crate) async fn insert_job_webhook(
        &self,
        tx: &mut Tx,
        job: &Job,
        (secret, headers): (&WebhookSecret, &BTreeMap<String, SecretText>),
        now: Millis,
    ) -> Result<()> {
        let Some(webhook) = &job.webhook else { return Ok(()) };
        let JobWebhook { url, events, .. } = webhook.clone();
        let new = NewWebhook { url, events, created_by: job.creator.clone() };
        let id = WebhookId::new(now, random());
        self.insert_webhook(tx, &id, &job.account, (&new, secret), Some(&job.id), now).await?;
        let format = webhook.format.filter(|format| *format != WebhookFormat::Event);
        let sealed = if headers.is_empty() {
            None
        } else {
            let owner = SealedFor::WebhookHeaders(id.as_str());
            Some(self.seal(tx, owner, to_json(headers)?.as_bytes()).await?)
        };
        if format.is_some() || sealed.is_some() {
            sql!(SET_FORMAT; id, format.map(WebhookFormat::as_str), sealed).run(tx).await?;
        }
        self.report_start(tx, job, now).await
    }

    async fn insert_webhook(
        &self,
        tx: &mut Tx,
        id: &WebhookId,
        account: &AccountId,
        (new, secret): (&NewWebhook, &WebhookSecret),
        job: Option<&JobId>,
        now: Millis,
    ) -> Result<()> {
        let owner = SealedFor::Webhook(id.as_str());
        let encrypted = self.seal(tx, owner, secret.reveal().as_bytes()).await?;
        sql!(INSERT; id, account, new.url, new.events.as_deref().map(joined), encrypted, now,
            new.created_by, job)
        .run(tx)
        .await
        .map(drop)
    }

    /// The endpoints of the account, newest first.
    pub async fn webhooks(&self, account: &AccountId) -> Result<Vec<Webhook>> {
        self.fetch_all(sql!(LIST; account), read).await
    }

    /// The endpoint, if it belongs to the account.
    pub async fn webhook_of(&self, account: &AccountId, id: &WebhookId) -> Result<Option<Webhook>> {
        self.fetch_optional(sql!(ONE; id, account), read).await
    }

    /// Enables or disables an endpoint, or changes its events; `None` when the account has no such
    /// endpoint.
    pub async fn change_webhook(
        &self,
        account: &AccountId,
        id: &WebhookId,
        active: Option<bool>,
        events: Option<&[EventKind]>,
    ) -> Result<Option<Webhook>> {
        let mut tx = self.begin().await?;
        let held = sql!(LOCK; id, account);
        let Some(before) = held.fetch_optional(&mut *tx).await? else { return Ok(None) };
        let row =
            sql!(CHANGE; id, account, active, events.map(joined)).fetch_optional(&mut *tx).await?;
        let Some(row) = row else { return Ok(None) };
        let mut freed = 0;
        if let Some(active) = active {
            let statement = if active { RELEASE_HELD } else { HOLD_PENDING };
            let moved = sql!(statement; id).run(&mut tx).await?;
            freed = if active { moved } else { 0 };
        }
        let changed = read(&row)?;
        let record = AuditRecord::of(account, AuditAction::WebhookChanged)
            .object("webhook", id.as_str())
            .changes(&read(&before)?, &changed);
        if !record.is_bare() {
            self.append_audit(&mut tx, record).await?;
        }
        let wakes: &[_] = if freed > 0 { &[Wake::Delivery] } else { &[] };
        self.commit_and_notify(tx, wakes).await?;
        Ok(Some(changed))
    }

    /// Removes an endpoint with its deliveries; false when the account has no such endpoint.
    pub async fn remove_webhook(&self, account: &AccountId, id: &WebhookId) -> Result<bool> {
        let mut tx = self.begin().await?;
        if sql!(REMOVE; id, account).run(&mut tx).await? == 0 {
            return Ok(false);
        }
        sql!(REMOVE_DELIVERIES; id).run(&mut tx).await?;
        let record =
            AuditRecord::of(account, AuditAction::WebhookRemoved).object("webhook", id.as_str());
        self.commit_audited(tx, record).await?;
        Ok(true)
    }

    /// Whether an endpoint of the account was disabled because its attempts were exhausted.
    pub async fn webhook_failing(&self, account: &AccountId) -> Result<bool> {
        let exhausted: i64 = scalar!(EXHAUSTED; account).fetch_one(self.reader()?).await?;
        Ok(exhausted > 0)
    }
}

/// The host of a URL, for the audit log: paths and queries of webhook URLs often hold secrets.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// The events between commas, as `,job.completed,job.failed,`: the query of an event's
/// subscribers searches for its name between commas.
fn joined(events: &[EventKind]) -> String {
    let mut joined = ",".to_owned();
    for event in events {
        joined.push_str(event.as_str());
        joined.push(',');
    }
    joined
}

fn read(row: &AnyRow) -> Result<Webhook> {
    let events = match row.read::<Option<String>>("events")? {
        None => EventKind::ALL.to_vec(),
        Some(joined) => {
            joined.split(',').filter_map(|name| name.parse::<EventKind>().ok()).collect()
        }
    };
    Ok(read_row!(row => Webhook {
        id, url, active, created_at, last_success_at, failing_since, last_error, created_by;
        events,
    }))
}
