//! Recharges: automatic purchases of credits. Each is stored before the payment provider is called,
//! and its id is the provider's idempotency key, so that calls can be retried.
//!
//! An account has at most one open recharge. The node with its lease calls the provider with the
//! same id until the outcome is known; the state changes once from `open`, in the transaction that
//! grants the credits or emits the failure. Rows are locked in the order top-up settings, recharge,
//! account.

use std::time::Duration;

use contract::{AccountId, CreditPrice, Credits, Millis, RechargeId};
use job::Backoff;
use sqlx::any::AnyRow;

use crate::account::{credit, granted};
use crate::columns::{ExecuteIn, ReadColumn, Tx, read_row, scalar, sql};
use crate::{MailKind, PaymentSource, Result, Store, StoreError, Wake, outbox, random};

/// A recharge that this node has leased.
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
    /// The provider's id of the payment, if known.
    pub reference: Option<String>,
    /// Attempts including the current one.
    pub attempts: u64,
    /// Earlier attempts that may have reached the provider and whose outcome is unknown.
    pub in_doubt: u64,
    /// Time of the first attempt.
    pub asked_at: Millis,
}

/// The next attempt at a recharge whose outcome is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeferredRecharge {
    pub until: Millis,
    /// Whether this attempt may have reached the provider.
    pub may_have_arrived: bool,
    /// The provider's id of the payment, if this attempt returned it.
    pub reference: Option<String>,
    /// A sentence for the account's owner.
    pub reason: String,
}

/// When the next recharge may be opened after a failed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RechargeFailurePolicy {
    /// After a pause that grows with each failure in a row.
    BackOff(Backoff),
    /// When the owner enables automatic top-ups again.
    Disable,
}

/// Maximum recharges that one call of [`Store::open_recharges`] opens.
const MAX_OPENED: i64 = 100;

/// Pause for an account whose amount cannot be bought.
const INVALID_AMOUNT_PAUSE: Duration = Duration::from_secs(60 * 60);

/// Accounts with enabled top-ups whose balance is below the threshold.
const CANDIDATES: &str = "SELECT t.account_id FROM auto_top_up t \
    JOIN accounts a ON a.id = t.account_id \
    WHERE t.enabled = 1 AND t.not_before <= $1 AND t.customer IS NOT NULL \
    AND a.suspended_at IS NULL \
    AND a.balance - a.reserved < t.threshold AND NOT EXISTS \
    (SELECT 1 FROM recharges r WHERE r.account_id = t.account_id AND r.state = 'open') LIMIT $2";
/// Locks the settings; updates no row when they have changed meanwhile.
const LOCK: &str = "UPDATE auto_top_up SET failures = failures WHERE account_id = $1 \
    AND enabled = 1 AND not_before <= $2 \
    RETURNING threshold, amount, monthly_credits, customer, method";
/// Locks the account, unless it was suspended meanwhile: a deletion checks for open recharges after
/// it has suspended the account.
const LOCK_ACCOUNT: &str = "UPDATE accounts SET balance = balance \
    WHERE id = $1 AND suspended_at IS NULL AND deleted_at IS NULL RETURNING balance - reserved";
const OPEN: &str = "INSERT INTO recharges (id, account_id, credits, price, currency, customer, \
    method, state, attempts, in_doubt, due_at, lease_until, created_at) \
    SELECT $1, t.account_id, $3, $4, $5, $6, $7, 'open', 0, 0, $8, 0, $8 FROM auto_top_up t \
    WHERE t.account_id = $2 AND (t.monthly_credits IS NULL OR $3 + (SELECT \
    CAST(COALESCE(SUM(r.credits), 0) AS BIGINT) FROM recharges r WHERE r.account_id = $2 \
    AND r.state <> 'failed' AND r.created_at >= $9) <= t.monthly_credits) \
    ON CONFLICT DO NOTHING";

const ANY_OPEN: &str = "SELECT COUNT(*) FROM recharges WHERE account_id = $1 AND state = 'open'";

/// Counts the attempt as in doubt before it is made: the node may die at any time.
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
pub(crate) const RELEASE_RECHARGES: &str =
    "UPDATE recharges SET lease_until = 0 WHERE state = 'open'";

/// Updates a row only once: a second call finds the recharge closed.
const CLOSE: &str = "UPDATE recharges SET state = $2, reference = COALESCE($3, reference), \
    error = $4, finished_at = $5, lease_until = 0 WHERE id = $1 AND state = 'open'";
const SUCCEEDED: &str = "UPDATE auto_top_up SET last_recharge_at = $2, last_error = NULL, \
    failures = 0, not_before = 0 WHERE account_id = $1";
const FAILED: &str = "UPDATE auto_top_up SET last_error = $2, failures = failures + 1 \
    WHERE account_id = $1 RETURNING failures";
const SET_NOT_BEFORE: &str = "UPDATE auto_top_up SET not_before = $2 WHERE account_id = $1";
const DISABLE: &str = "UPDATE auto_top_up SET enabled = 0 WHERE account_id = $1";
const SET_ERROR: &str = "UPDATE auto_top_up SET last_error = $2 WHERE account_id = $1";
const DEFER: &str = "UPDATE recharges SET due_at = $2, lease_until = 0, error = $3, \
    reference = COALESCE($4, reference), in_doubt = in_doubt - $5 \
    WHERE id = $1 AND state = 'open'";

impl Store {
    /// Opens a recharge for each account whose available balance is below its threshold and that
    /// has none open. Returns the number of opened ones.
    pub async fn open_recharges(&self, price: &CreditPrice, now: Millis) -> Result<u64> {
        let candidates = sql!(CANDIDATES; now, MAX_OPENED);
        let accounts = self.fetch_all(candidates, |row| row.read("account_id")).await?;
        let mut opened = 0;
        for account in &accounts {
            opened += u64::from(self.open_recharge(account, price, now).await?);
        }
        Ok(opened)
    }

    async fn open_recharge(
        &self,
        account: &AccountId,
        price: &CreditPrice,
        now: Millis,
    ) -> Result<bool> {
        let mut tx = self.begin().await?;
        let held = sql!(LOCK; account, now).fetch_optional(&mut *tx).await?;
        let Some(held) = held else { return Ok(false) };
        // Read under the lock: credits that were granted meanwhile count.
        let available: Option<i64> =
            scalar!(LOCK_ACCOUNT; account).fetch_optional(&mut *tx).await?;
        let Some(available) = available else { return Ok(false) };
        if available >= held.read::<Option<i64>>("threshold")?.unwrap_or(i64::MIN) {
            return Ok(false);
        }
        let amount: i64 = held.read::<Option<i64>>("amount")?.unwrap_or_default();
        let Some(cost) = price.of(Credits(amount)) else {
            // The price has changed since the amount was set.
            let reason = "no single payment can be for that many credits; choose another amount";
            sql!(SET_ERROR; account, reason).run(&mut tx).await?;
            let until = now.plus(INVALID_AMOUNT_PAUSE).0;
            sql!(SET_NOT_BEFORE; account, until).run(&mut tx).await?;
            tx.commit().await?;
            return Ok(false);
        };
        let opened = sql!(OPEN; RechargeId::new(now, random()), account, amount, cost,
            price.currency, held.read::<Option<String>>("customer")?.unwrap_or_default(),
            held.read::<Option<String>>("method")?.unwrap_or_default(), now, now.month_start())
        .run(&mut tx)
        .await?;
        let monthly: Option<i64> = held.read("monthly_credits")?;
        if let (0, Some(monthly)) = (opened, monthly) {
            return self.pause_until_next_month(tx, account, monthly, now).await;
        }
        tx.commit().await?;
        Ok(opened == 1)
    }

    /// The monthly ceiling is reached: stores the reason, emits one event, and pauses until the
    /// next month or until the ceiling is raised. Always returns false: no recharge was opened.
    async fn pause_until_next_month(
        &self,
        mut tx: Tx,
        account: &AccountId,
        monthly: i64,
        now: Millis,
    ) -> Result<bool> {
        let open: i64 = scalar!(ANY_OPEN; account).fetch_one(&mut *tx).await?;
        if open > 0 {
            return Ok(false);
        }
        let until = now.next_month_start();
        let reason = format!(
            "the monthly ceiling of {monthly} credits for automatic top-ups is reached; raise it, \
             or wait until {}",
            until.day()
        );
        sql!(SET_ERROR; account, reason).run(&mut tx).await?;
        sql!(SET_NOT_BEFORE; account, until).run(&mut tx).await?;
        let is_due = self.emit(&mut tx, &outbox::recharge_failed(account, &reason, now)).await?;
        self.queue_mail(&mut tx, account, MailKind::TopUpFailed, (None, &reason), now).await?;
        self.commit_and_wake(tx, is_due.then_some(Wake::Delivery)).await?;
        Ok(false)
    }

    /// Leases a recharge that is due.
    pub async fn claim_recharge(&self, lease: Duration, now: Millis) -> Result<Option<Recharge>> {
        let mut tx = self.begin().await?;
        let clock: i64 = scalar!(self.dialect().clock()).fetch_one(&mut *tx).await?;
        let row = sql!(self.dialect().claim(CLAIM, CLAIM_SKIP_LOCKED); clock,
            Millis(clock).plus(lease), now)
        .fetch_optional(&mut *tx)
        .await?;
        tx.commit().await?;
        row.as_ref().map(read).transpose()
    }

    /// Grants the credits of a paid recharge. False when it was closed before.
    pub async fn grant_recharge(
        &self,
        recharge: &Recharge,
        reference: &str,
        now: Millis,
    ) -> Result<bool> {
        let account = recharge.account.as_str();
        let mut tx = self.begin().await?;
        sql!(SUCCEEDED; account, now).run(&mut tx).await?;
        if !close(&mut tx, recharge, "granted", Some(reference), None, now).await? {
            return Ok(false);
        }
        if !credit(&mut tx, &recharge.account, recharge.credits, now).await? {
            return Err(StoreError::Damaged(format!("the balance of {account} would overflow")));
        }
        let record = granted(&recharge.account, recharge.credits, now)
            .object("purchase", recharge.id.as_str());
        self.commit_audited(tx, record).await?;
        Ok(true)
    }

    /// Closes a failed recharge and emits `billing.recharge_failed`. False when it was closed
    /// before.
    pub async fn fail_recharge(
        &self,
        recharge: &Recharge,
        reason: &str,
        policy: RechargeFailurePolicy,
        now: Millis,
    ) -> Result<bool> {
        let account = recharge.account.as_str();
        let mut tx = self.begin().await?;
        let failures: i64 = scalar!(FAILED; account, reason).fetch_one(&mut *tx).await?;
        if !close(&mut tx, recharge, "failed", None, Some(reason), now).await? {
            return Ok(false);
        }
        match policy {
            RechargeFailurePolicy::BackOff(backoff) => {
                let failures = u64::try_from(failures).unwrap_or(1);
                let until = now.plus(backoff.pause(failures)).0;
                sql!(SET_NOT_BEFORE; account, until).run(&mut tx).await?;
            }
            RechargeFailurePolicy::Disable => {
                sql!(DISABLE; account).run(&mut tx).await?;
            }
        }
        let event = outbox::recharge_failed(&recharge.account, reason, now);
        let is_due = self.emit(&mut tx, &event).await?;
        let account = &recharge.account;
        self.queue_mail(&mut tx, account, MailKind::TopUpFailed, (None, reason), now).await?;
        self.commit_and_wake(tx, is_due.then_some(Wake::Delivery)).await?;
        Ok(true)
    }

    /// Schedules the next attempt at a recharge with an unknown outcome, under the same id. False
    /// when it was closed meanwhile.
    pub async fn defer_recharge(
        &self,
        recharge: &Recharge,
        deferred: &DeferredRecharge,
    ) -> Result<bool> {
        let mut tx = self.begin().await?;
        let account = recharge.account.as_str();
        sql!(SET_ERROR; account, deferred.reason).run(&mut tx).await?;
        let updated = sql!(DEFER; recharge.id, deferred.until, deferred.reason, deferred.reference,
            !deferred.may_have_arrived)
        .run(&mut tx)
        .await?;
        if updated == 0 {
            return Ok(false);
        }
        tx.commit().await?;
        Ok(true)
    }
}

async fn close(
    tx: &mut Tx,
    recharge: &Recharge,
    state: &str,
    reference: Option<&str>,
    error: Option<&str>,
    now: Millis,
) -> Result<bool> {
    Ok(sql!(CLOSE; recharge.id, state, reference, error, now).run(tx).await? == 1)
}

fn read(row: &AnyRow) -> Result<Recharge> {
    Ok(read_row!(row => Recharge {
        id, account = "account_id", credits, price, currency, reference, attempts, asked_at;
        source: PaymentSource { customer: row.read("customer")?, method: row.read("method")? },
        // The claim has counted the current attempt already.
        in_doubt: row.read::<u64>("in_doubt")?.saturating_sub(1),
    }))
}
