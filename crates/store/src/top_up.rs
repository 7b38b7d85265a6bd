//! Whether an account buys credits by itself, by what, and how that went.

use contract::{AccountId, AuditAction, Credits, Millis};
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::create::lock_active_account;
use crate::{AuditRecord, Store, StoreError};

/// Who pays, and by what, in the payment provider's own names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentSource {
    pub customer: String,
    pub method: String,
}

/// What is known of an account's top-ups.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TopUpRecord {
    pub enabled: bool,
    pub threshold: Option<Credits>,
    pub amount: Option<Credits>,
    /// Credits that may be bought in one calendar month (UTC).
    pub monthly: Option<Credits>,
    pub source: Option<PaymentSource>,
    pub last_recharge_at: Option<Millis>,
    pub last_error: Option<String>,
    /// Purchases that failed since the last that did not.
    pub failures: u64,
    /// Nothing is bought before this.
    pub not_before: Millis,
}

const READ: &str = "SELECT enabled, threshold, amount, monthly_credits, customer, method, last_recharge_at, \
    last_error, failures, not_before FROM auto_top_up WHERE account_id = $1";
/// Its owner has had a look: what failed before may work now.
const SET: &str = "INSERT INTO auto_top_up \
    (account_id, enabled, threshold, amount, failures, not_before) VALUES ($1, $2, $3, $4, 0, 0) \
    ON CONFLICT (account_id) DO UPDATE SET enabled = excluded.enabled, \
    threshold = COALESCE(excluded.threshold, auto_top_up.threshold), \
    amount = COALESCE(excluded.amount, auto_top_up.amount), \
    last_error = NULL, failures = 0, not_before = 0";
const SET_MONTHLY: &str = "INSERT INTO auto_top_up \
    (account_id, enabled, monthly_credits, failures, not_before) VALUES ($1, 0, $2, 0, 0) \
    ON CONFLICT (account_id) DO UPDATE SET monthly_credits = excluded.monthly_credits, \
    last_error = NULL, failures = 0, not_before = 0";
const SET_SOURCE: &str = "INSERT INTO auto_top_up \
    (account_id, enabled, customer, method, failures, not_before) VALUES ($1, 0, $2, $3, 0, 0) \
    ON CONFLICT (account_id) DO UPDATE SET customer = excluded.customer, \
    method = excluded.method, last_error = NULL, failures = 0, not_before = 0";

impl Store {
    /// What is known of the account's top-ups.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn auto_top_up(&self, account: &AccountId) -> Result<TopUpRecord, StoreError> {
        let row = sqlx::query(READ).bind(account.as_str()).fetch_optional(self.reader()?).await?;
        row.as_ref().map_or_else(|| Ok(TopUpRecord::default()), read)
    }

    /// Switches it on or off; a threshold or an amount that is left out stays. What held it
    /// back after a failure is forgotten.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn set_auto_top_up(
        &self,
        account: &AccountId,
        enabled: bool,
        threshold: Option<Credits>,
        amount: Option<Credits>,
    ) -> Result<TopUpRecord, StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query(SET)
            .bind(account.as_str())
            .bind(i64::from(enabled))
            .bind(threshold.map(|credits| credits.0))
            .bind(amount.map(|credits| credits.0))
            .execute(&mut *tx)
            .await?;
        lock_active_account(&mut tx, account).await?;
        let record = AuditRecord::of(account, AuditAction::SettingsChanged)
            .object("setting", "auto_top_up")
            .detail("enabled", enabled)
            .detail("threshold", threshold.map(|credits| credits.0))
            .detail("amount", amount.map(|credits| credits.0));
        self.append_audit(&mut tx, record).await?;
        tx.commit().await?;
        self.auto_top_up(account).await
    }

    /// Sets the ceiling of what is bought in one calendar month, or removes it.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn set_monthly_top_up(
        &self,
        account: &AccountId,
        monthly: Option<Credits>,
    ) -> Result<TopUpRecord, StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query(SET_MONTHLY)
            .bind(account.as_str())
            .bind(monthly.map(|credits| credits.0))
            .execute(&mut *tx)
            .await?;
        lock_active_account(&mut tx, account).await?;
        let record = AuditRecord::of(account, AuditAction::SettingsChanged)
            .object("setting", "auto_top_up")
            .detail("monthly_credits", monthly.map(|credits| credits.0));
        self.append_audit(&mut tx, record).await?;
        tx.commit().await?;
        self.auto_top_up(account).await
    }

    /// Notes who pays, and by what.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn set_payment_source(
        &self,
        account: &AccountId,
        source: &PaymentSource,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query(SET_SOURCE)
            .bind(account.as_str())
            .bind(&source.customer)
            .bind(&source.method)
            .execute(&mut *tx)
            .await?;
        lock_active_account(&mut tx, account).await?;
        let record = AuditRecord::of(account, AuditAction::SettingsChanged)
            .object("setting", "payment_source");
        self.append_audit(&mut tx, record).await?;
        tx.commit().await?;
        Ok(())
    }
}

fn read(row: &AnyRow) -> Result<TopUpRecord, StoreError> {
    let customer: Option<String> = row.try_get("customer")?;
    let method: Option<String> = row.try_get("method")?;
    let source = customer.zip(method).map(|(customer, method)| PaymentSource { customer, method });
    Ok(TopUpRecord {
        enabled: row.try_get::<i64, _>("enabled")? != 0,
        threshold: row.try_get::<Option<i64>, _>("threshold")?.map(Credits),
        amount: row.try_get::<Option<i64>, _>("amount")?.map(Credits),
        monthly: row.try_get::<Option<i64>, _>("monthly_credits")?.map(Credits),
        source,
        last_recharge_at: row.try_get::<Option<i64>, _>("last_recharge_at")?.map(Millis),
        last_error: row.try_get("last_error")?,
        failures: crate::job_row::count(row, "failures")?,
        not_before: Millis(row.try_get("not_before")?),
    })
}
