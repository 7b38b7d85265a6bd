//! Purchases of credits: each is a row before anybody is asked for money, and its id is what
//! makes asking again harmless.
//!
//! An account has one open purchase at most. It is asked about by whoever holds its lease,
//! under the same id every time, until the provider tells; the state moves once from `open`,
//! in the transaction that grants the credits or tells of the failure.
//! Rows are taken in one order everywhere: the account's top-up, its purchase, the account.

use std::time::Duration;

use contract::{AccountId, CreditPrice, Credits, Millis, RechargeId};
use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};

use crate::account::{account_id, credit, granted};
use crate::job_row::count;
use crate::{PaymentSource, Store, StoreError, Wake, outbox, random};

/// A purchase in the hands of whoever asks for its money.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recharge {
    /// The provider's idempotency key.
    pub id: RechargeId,
    pub account: AccountId,
    pub credits: Credits,
    /// In the smallest unit of the currency.
    pub price: i64,
    pub currency: String,
    pub source: PaymentSource,
    /// The provider's name for it, once it was told.
    pub reference: Option<String>,
    /// With the one that is being made.
    pub attempts: u64,
    /// Attempts before this one of which nobody knows whether they arrived.
    pub in_doubt: u64,
    /// When it was first asked for.
    pub asked_at: Millis,
}

/// How a purchase goes on that nobody has told the outcome of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutOff {
    pub until: Millis,
    /// Whether the provider may have heard of this attempt.
    pub may_have_arrived: bool,
    /// The provider's name for it, where it was told.
    pub reference: Option<String>,
    /// In a sentence, for the account's owner.
    pub why: String,
}

/// What follows from a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consequence {
    /// The next purchase waits: `first` after one failure, twice as long after each further
    /// one, `most` at the most.
    BackOff { first: Duration, most: Duration },
    /// Nothing is bought any more until the owner switches it on again.
    SwitchOff,
}

/// Accounts for which a purchase is opened in one round.
const A_ROUND: i64 = 100;

/// How long an account is left alone that cannot buy what it wants.
const REST: Duration = Duration::from_secs(60 * 60);

/// Goes through the accounts that have it switched on, and through no others.
const CANDIDATES: &str = "SELECT t.account_id FROM auto_top_up t \
    JOIN accounts a ON a.id = t.account_id \
    WHERE t.enabled = 1 AND t.not_before <= $1 AND t.customer IS NOT NULL \
    AND a.suspended_at IS NULL \
    AND a.balance - a.reserved < t.threshold AND NOT EXISTS \
    (SELECT 1 FROM recharges r WHERE r.account_id = t.account_id AND r.state = 'open') LIMIT $2";
/// Holds the row, in one text for both databases.
const HOLD: &str = "UPDATE auto_top_up SET failures = failures WHERE account_id = $1 \
    AND enabled = 1 AND not_before <= $2 \
    RETURNING threshold, amount, monthly_credits, customer, method";
/// Holds the account, unless it was suspended since: a deletion counts open purchases after it has
/// suspended the account.
const HOLD_ACCOUNT: &str = "UPDATE accounts SET balance = balance \
    WHERE id = $1 AND suspended_at IS NULL AND deleted_at IS NULL RETURNING balance - reserved";
const OPEN: &str = "INSERT INTO recharges (id, account_id, credits, price, currency, customer, \
    method, state, attempts, in_doubt, due_at, lease_until, created_at) \
    SELECT $1, t.account_id, $3, $4, $5, $6, $7, 'open', 0, 0, $8, 0, $8 FROM auto_top_up t \
    WHERE t.account_id = $2 AND (t.monthly_credits IS NULL OR $3 + (SELECT \
    CAST(COALESCE(SUM(r.credits), 0) AS BIGINT) FROM recharges r WHERE r.account_id = $2 \
    AND r.state <> 'failed' AND r.created_at >= $9) <= t.monthly_credits) \
    ON CONFLICT DO NOTHING";

const ANY_OPEN: &str = "SELECT COUNT(*) FROM recharges WHERE account_id = $1 AND state = 'open'";

/// An attempt is in doubt from here on: whoever makes it may be gone in the next instant.
macro_rules! claim {
    ($suffix:literal) => {
        concat!(
            "UPDATE recharges SET lease_until = $2, attempts = attempts + 1, \
             in_doubt = in_doubt + 1, asked_at = COALESCE(asked_at, $3) WHERE id = \
             (SELECT id FROM recharges WHERE state = 'open' AND due_at <= $3 \
             AND lease_until <= $1 ORDER BY due_at LIMIT 1",
            $suffix,
            ") RETURNING id, account_id, credits, price, currency, customer, method, reference, \
             attempts, in_doubt, asked_at"
        )
    };
}
const CLAIM: &str = claim!("");
const CLAIM_SKIP_LOCKED: &str = claim!(" FOR UPDATE SKIP LOCKED");
pub(crate) const FREE_RECHARGES: &str = "UPDATE recharges SET lease_until = 0 WHERE state = 'open'";

/// Only once: whoever comes second finds it closed.
const CLOSE: &str = "UPDATE recharges SET state = $2, reference = COALESCE($3, reference), \
    error = $4, finished_at = $5, lease_until = 0 WHERE id = $1 AND state = 'open'";
const SUCCEEDED: &str = "UPDATE auto_top_up SET last_recharge_at = $2, last_error = NULL, \
    failures = 0, not_before = 0 WHERE account_id = $1";
const FAILED: &str = "UPDATE auto_top_up SET last_error = $2, failures = failures + 1 \
    WHERE account_id = $1 RETURNING failures";
const BACK_OFF: &str = "UPDATE auto_top_up SET not_before = $2 WHERE account_id = $1";
const SWITCH_OFF: &str = "UPDATE auto_top_up SET enabled = 0 WHERE account_id = $1";
const NOTE: &str = "UPDATE auto_top_up SET last_error = $2 WHERE account_id = $1";
const PUT_OFF: &str = "UPDATE recharges SET due_at = $2, lease_until = 0, error = $3, \
    reference = COALESCE($4, reference), in_doubt = in_doubt - $5 \
    WHERE id = $1 AND state = 'open'";

impl Store {
    /// Opens a purchase for each account whose available balance has fallen under its
    /// threshold and that has none open. Tells how many.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn open_recharges(
        &self,
        price: &CreditPrice,
        now: Millis,
    ) -> Result<u64, StoreError> {
        let accounts: Vec<String> = sqlx::query_scalar(CANDIDATES)
            .bind(now.0)
            .bind(A_ROUND)
            .fetch_all(self.reader()?)
            .await?;
        let mut opened = 0;
        for account in &accounts {
            opened += u64::from(self.open_recharge(account, price, now).await?);
        }
        Ok(opened)
    }

    async fn open_recharge(
        &self,
        account: &str,
        price: &CreditPrice,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let held = sqlx::query(HOLD).bind(account).bind(now.0).fetch_optional(&mut *tx).await?;
        let Some(held) = held else { return Ok(false) };
        // Read under the hold: a purchase that was granted in the meantime counts.
        let available: Option<i64> =
            sqlx::query_scalar(HOLD_ACCOUNT).bind(account).fetch_optional(&mut *tx).await?;
        let Some(available) = available else { return Ok(false) };
        if available >= held.try_get::<Option<i64>, _>("threshold")?.unwrap_or(i64::MIN) {
            return Ok(false);
        }
        let amount: i64 = held.try_get::<Option<i64>, _>("amount")?.unwrap_or_default();
        let Some(cost) = price.of(Credits(amount)) else {
            // The price is not what it was when the amount was chosen.
            let why = "no single payment can be for that many credits; choose another amount";
            sqlx::query(NOTE).bind(account).bind(why).execute(&mut *tx).await?;
            let until = now.plus(REST).0;
            sqlx::query(BACK_OFF).bind(account).bind(until).execute(&mut *tx).await?;
            tx.commit().await?;
            return Ok(false);
        };
        let opened = sqlx::query(OPEN)
            .bind(RechargeId::new(now, random()).as_str())
            .bind(account)
            .bind(amount)
            .bind(cost)
            .bind(&price.currency)
            .bind(held.try_get::<Option<String>, _>("customer")?.unwrap_or_default())
            .bind(held.try_get::<Option<String>, _>("method")?.unwrap_or_default())
            .bind(now.0)
            .bind(now.month_start().0)
            .execute(&mut *tx)
            .await?;
        let monthly: Option<i64> = held.try_get("monthly_credits")?;
        if let (0, Some(monthly)) = (opened.rows_affected(), monthly) {
            return self.rest_until_next_month(tx, account, monthly, now).await;
        }
        tx.commit().await?;
        Ok(opened.rows_affected() == 1)
    }

    /// The month's purchases are at their ceiling: notes it, tells the owner once, and looks
    /// again when the next month begins or the ceiling is raised. Never opens a purchase.
    async fn rest_until_next_month(
        &self,
        mut tx: Transaction<'static, Any>,
        account: &str,
        monthly: i64,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let open: i64 = sqlx::query_scalar(ANY_OPEN).bind(account).fetch_one(&mut *tx).await?;
        if open > 0 {
            return Ok(false);
        }
        let until = now.next_month_start();
        let why = format!(
            "the monthly ceiling of {monthly} credits for automatic top-ups is reached; raise it, \
             or wait until {}",
            until.day()
        );
        sqlx::query(NOTE).bind(account).bind(&why).execute(&mut *tx).await?;
        sqlx::query(BACK_OFF).bind(account).bind(until.0).execute(&mut *tx).await?;
        let id: AccountId =
            account.parse().map_err(|_| StoreError::Damaged(format!("{account} is no account")))?;
        let is_due = self.emit(&mut tx, &outbox::recharge_failed(&id, &why, now)).await?;
        tx.commit().await?;
        if is_due {
            self.wake_here(Wake::Delivery);
        }
        Ok(false)
    }

    /// Takes a purchase that is due, for as long as `lease`.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn claim_recharge(
        &self,
        lease: Duration,
        now: Millis,
    ) -> Result<Option<Recharge>, StoreError> {
        let mut tx = self.begin().await?;
        let clock: i64 = sqlx::query_scalar(self.dialect().clock()).fetch_one(&mut *tx).await?;
        let row = sqlx::query(self.dialect().claim(CLAIM, CLAIM_SKIP_LOCKED))
            .bind(clock)
            .bind(Millis(clock).plus(lease).0)
            .bind(now.0)
            .fetch_optional(&mut *tx)
            .await?;
        tx.commit().await?;
        row.as_ref().map(read).transpose()
    }

    /// The provider has the money: grants the credits, once. False when that was done before.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn grant_recharge(
        &self,
        recharge: &Recharge,
        reference: &str,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let account = recharge.account.as_str();
        let mut tx = self.begin().await?;
        sqlx::query(SUCCEEDED).bind(account).bind(now.0).execute(&mut *tx).await?;
        if !close(&mut tx, recharge, "granted", Some(reference), None, now).await? {
            return Ok(false);
        }
        if !credit(&mut tx, &recharge.account, recharge.credits, now).await? {
            return Err(StoreError::Damaged(format!("{account} would hold too much")));
        }
        let record = granted(&recharge.account, recharge.credits, now)
            .object("purchase", recharge.id.as_str());
        self.append_audit(&mut tx, record).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// There will be no money: tells the account, once. False when that was done before.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn fail_recharge(
        &self,
        recharge: &Recharge,
        reason: &str,
        consequence: Consequence,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let account = recharge.account.as_str();
        let mut tx = self.begin().await?;
        let failures: i64 =
            sqlx::query_scalar(FAILED).bind(account).bind(reason).fetch_one(&mut *tx).await?;
        if !close(&mut tx, recharge, "failed", None, Some(reason), now).await? {
            return Ok(false);
        }
        match consequence {
            Consequence::BackOff { first, most } => {
                let doublings = u32::try_from(failures - 1).unwrap_or(0).min(31);
                let pause = first.saturating_mul(1 << doublings).min(most);
                let until = now.plus(pause).0;
                sqlx::query(BACK_OFF).bind(account).bind(until).execute(&mut *tx).await?;
            }
            Consequence::SwitchOff => {
                sqlx::query(SWITCH_OFF).bind(account).execute(&mut *tx).await?;
            }
        }
        let event = outbox::recharge_failed(&recharge.account, reason, now);
        let is_due = self.emit(&mut tx, &event).await?;
        tx.commit().await?;
        if is_due {
            self.wake_here(Wake::Delivery);
        }
        Ok(true)
    }

    /// Nobody knows yet: it is asked about again, under the same id. False when it was closed
    /// in the meantime.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn put_off_recharge(
        &self,
        recharge: &Recharge,
        put_off: &PutOff,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let account = recharge.account.as_str();
        sqlx::query(NOTE).bind(account).bind(&put_off.why).execute(&mut *tx).await?;
        let updated = sqlx::query(PUT_OFF)
            .bind(recharge.id.as_str())
            .bind(put_off.until.0)
            .bind(&put_off.why)
            .bind(put_off.reference.as_deref())
            .bind(i64::from(!put_off.may_have_arrived))
            .execute(&mut *tx)
            .await?;
        if updated.rows_affected() == 0 {
            return Ok(false);
        }
        tx.commit().await?;
        Ok(true)
    }
}

async fn close(
    tx: &mut Transaction<'static, Any>,
    recharge: &Recharge,
    state: &str,
    reference: Option<&str>,
    error: Option<&str>,
    now: Millis,
) -> Result<bool, StoreError> {
    let closed = sqlx::query(CLOSE)
        .bind(recharge.id.as_str())
        .bind(state)
        .bind(reference)
        .bind(error)
        .bind(now.0)
        .execute(&mut **tx)
        .await?;
    Ok(closed.rows_affected() == 1)
}

fn read(row: &AnyRow) -> Result<Recharge, StoreError> {
    let id: String = row.try_get("id")?;
    Ok(Recharge {
        id: id.parse().map_err(|_| StoreError::Damaged(format!("no recharge: {id}")))?,
        account: account_id(row, "account_id")?,
        credits: Credits(row.try_get("credits")?),
        price: row.try_get("price")?,
        currency: row.try_get("currency")?,
        source: PaymentSource {
            customer: row.try_get("customer")?,
            method: row.try_get("method")?,
        },
        reference: row.try_get("reference")?,
        attempts: count(row, "attempts")?,
        // The one that is being made stands among them already.
        in_doubt: count(row, "in_doubt")?.saturating_sub(1),
        asked_at: Millis(row.try_get("asked_at")?),
    })
}
