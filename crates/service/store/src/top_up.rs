//! Settings and state of the automatic top-ups of an account.

use contract::{AccountId, AuditAction, Credits, Millis};
use serde_json::{Value, json};
use sqlx::any::AnyRow;

use crate::account_lock::lock_active_account;
use crate::columns::{ExecuteIn, ReadColumn, read_row, sql};
use crate::{AuditRecord, Result, Store};

/// The payment provider's ids of the customer and the payment method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentSource {
    pub customer: String,
    pub method: String,
}

/// Settings and state of the automatic top-ups of an account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TopUpRecord {
    pub enabled: bool,
    pub threshold: Option<Credits>,
    pub amount: Option<Credits>,
    /// Maximum credits per calendar month (UTC).
    pub monthly: Option<Credits>,
    pub source: Option<PaymentSource>,
    pub last_recharge_at: Option<Millis>,
    pub last_error: Option<String>,
    /// Failed recharges since the last successful one.
    pub failures: u64,
    /// No recharge is opened before this time.
    pub not_before: Millis,
}

impl TopUpRecord {
    /// The record after a change by the owner, which clears the last failure.
    fn with(&self, change: TopUpChange) -> Self {
        Self {
            enabled: change.enabled,
            threshold: change.threshold.or(self.threshold),
            amount: change.amount.or(self.amount),
            monthly: change.monthly.unwrap_or(self.monthly),
            last_error: None,
            failures: 0,
            not_before: Millis(0),
            ..self.clone()
        }
    }

    /// Whether recharges wait after a failure.
    fn is_backing_off(&self) -> bool {
        self.last_error.is_some() || self.failures > 0 || self.not_before > Millis(0)
    }

    /// The settings, as details of an audit entry.
    fn settings(&self) -> Value {
        json!({
            "enabled": self.enabled,
            "threshold": self.threshold,
            "amount": self.amount,
            "monthly_credits": self.monthly,
        })
    }
}

/// A change of the settings. `None` keeps the current value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TopUpChange {
    pub enabled: bool,
    pub threshold: Option<Credits>,
    pub amount: Option<Credits>,
    /// The monthly ceiling; `Some(None)` removes it.
    pub monthly: Option<Option<Credits>>,
}

const READ: &str = "SELECT enabled, threshold, amount, monthly_credits, customer, method, last_recharge_at, \
    last_error, failures, not_before FROM auto_top_up WHERE account_id = $1";
/// Locks the row and returns it unchanged.
const LOCK: &str = "UPDATE auto_top_up SET failures = failures WHERE account_id = $1 \
    RETURNING enabled, threshold, amount, monthly_credits, customer, method, last_recharge_at, \
    last_error, failures, not_before";
/// $6 is 1 when the monthly ceiling is set or removed. A change ends the pause after a failure.
const SET: &str = "INSERT INTO auto_top_up \
    (account_id, enabled, threshold, amount, monthly_credits, failures, not_before) \
    VALUES ($1, $2, $3, $4, $5, 0, 0) \
    ON CONFLICT (account_id) DO UPDATE SET enabled = excluded.enabled, \
    threshold = COALESCE(excluded.threshold, auto_top_up.threshold), \
    amount = COALESCE(excluded.amount, auto_top_up.amount), \
    monthly_credits = CASE WHEN $6 = 1 THEN excluded.monthly_credits \
    ELSE auto_top_up.monthly_credits END, \
    last_error = NULL, failures = 0, not_before = 0";
const SET_SOURCE: &str = "INSERT INTO auto_top_up \
    (account_id, enabled, customer, method, failures, not_before) VALUES ($1, 0, $2, $3, 0, 0) \
    ON CONFLICT (account_id) DO UPDATE SET customer = excluded.customer, \
    method = excluded.method, last_error = NULL, failures = 0, not_before = 0";

impl Store {
    /// Settings and state of the account's automatic top-ups.
    pub async fn auto_top_up(&self, account: &AccountId) -> Result<TopUpRecord> {
        Ok(self.fetch_optional(sql!(READ; account), read).await?.unwrap_or_default())
    }

    /// Changes the settings and ends the pause after a failure. Without a difference nothing is
    /// written or recorded.
    pub async fn set_auto_top_up(
        &self,
        account: &AccountId,
        change: TopUpChange,
    ) -> Result<TopUpRecord> {
        let mut tx = self.begin().await?;
        let row = sql!(LOCK; account).fetch_optional(&mut *tx).await?;
        let before = row.as_ref().map_or_else(|| Ok(TopUpRecord::default()), read)?;
        let after = before.with(change);
        if after == before {
            lock_active_account(&mut tx, account).await?;
            return Ok(before);
        }
        sql!(SET; account, change.enabled, change.threshold, change.amount,
            change.monthly.flatten(), change.monthly.is_some())
        .run(&mut tx)
        .await?;
        lock_active_account(&mut tx, account).await?;
        let mut record = AuditRecord::of(account, AuditAction::SettingsChanged)
            .object("setting", "auto_top_up")
            .changes(&before.settings(), &after.settings());
        if before.is_backing_off() {
            record = record.detail("wait_ended", true);
        }
        self.commit_audited(tx, record).await?;
        self.auto_top_up(account).await
    }

    /// Sets the customer and payment method.
    pub async fn set_payment_source(
        &self,
        account: &AccountId,
        source: &PaymentSource,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
        sql!(SET_SOURCE; account, source.customer, source.method).run(&mut tx).await?;
        lock_active_account(&mut tx, account).await?;
        let record = AuditRecord::of(account, AuditAction::SettingsChanged)
            .object("setting", "payment_source");
        self.commit_audited(tx, record).await
    }
}

fn read(row: &AnyRow) -> Result<TopUpRecord> {
    let customer: Option<String> = row.read("customer")?;
    let method: Option<String> = row.read("method")?;
    let source = customer.zip(method).map(|(customer, method)| PaymentSource { customer, method });
    Ok(read_row!(row => TopUpRecord {
        enabled, threshold, amount, monthly = "monthly_credits", last_recharge_at, last_error,
        failures, not_before;
        source,
    }))
}
