//! Suspending an account: everything that it owns stops at once and goes on when it is resumed.
//!
//! The account's row is what counts. Claims of shards, due schedules, due deliveries, purchases
//! and every authenticated request look at it; nothing else is changed, so that there is nothing
//! to restore. Shards that are being worked on change their epoch, so that their workers stop as
//! they do for an abort.

use contract::{AccountId, AuditAction, Millis};
use sqlx::Row;

use crate::{AccountRecord, AuditRecord, Store, StoreError, Wake};

const SUSPEND: &str = "UPDATE accounts SET suspended_at = $2 \
    WHERE id = $1 AND suspended_at IS NULL AND deleted_at IS NULL";
const RESUME: &str = "UPDATE accounts SET suspended_at = NULL \
    WHERE id = $1 AND suspended_at IS NOT NULL AND deleted_at IS NULL";
/// Every open shard, also those without an owner: a claim that is not committed yet is waited for.
const TAKE_AWAY: &str = "UPDATE shards SET epoch = epoch + 1, owner = NULL, lease_until = 0 \
    WHERE state = 'open' \
    AND job_id IN (SELECT id FROM jobs WHERE account_id = $1 AND active = 1)";
const STATE: &str = "SELECT suspended_at FROM accounts WHERE id = $1 AND deleted_at IS NULL";

/// Whether an account may do anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountState {
    Active,
    Suspended,
    /// There is no such account, or not any more.
    Gone,
}

impl Store {
    /// Suspends an account; `None` when there is no such account. Suspending it again stops
    /// again whatever may still run.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn suspend_account(
        &self,
        id: &AccountId,
        now: Millis,
    ) -> Result<Option<AccountRecord>, StoreError> {
        let mut tx = self.begin().await?;
        let suspended =
            sqlx::query(SUSPEND).bind(id.as_str()).bind(now.0).execute(&mut *tx).await?;
        if suspended.rows_affected() > 0 {
            let record = AuditRecord::of(id, AuditAction::AccountSuspended).at(now);
            self.append_audit(&mut tx, record).await?;
        }
        tx.commit().await?;
        // A transaction of its own, after the first: whoever claims a shard from here on sees
        // the suspension, and whoever claimed one before loses it here. Rows are taken in the
        // order shards, account everywhere else.
        let mut tx = self.begin().await?;
        sqlx::query(TAKE_AWAY).bind(id.as_str()).execute(&mut *tx).await?;
        self.announce(&mut tx, Wake::Control).await?;
        tx.commit().await?;
        self.wake_here(Wake::Control);
        self.account(id).await
    }

    /// Resumes an account; `None` when there is no such account.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn resume_account(
        &self,
        id: &AccountId,
        now: Millis,
    ) -> Result<Option<AccountRecord>, StoreError> {
        let mut tx = self.begin().await?;
        let resumed = sqlx::query(RESUME).bind(id.as_str()).execute(&mut *tx).await?;
        if resumed.rows_affected() > 0 {
            let record = AuditRecord::of(id, AuditAction::AccountResumed).at(now);
            self.append_audit(&mut tx, record).await?;
        }
        for wake in [Wake::Work, Wake::Delivery] {
            self.announce(&mut tx, wake).await?;
        }
        tx.commit().await?;
        for wake in [Wake::Work, Wake::Delivery] {
            self.wake_here(wake);
        }
        self.account(id).await
    }

    /// Whether the account may do anything. Asked for every authenticated request: a suspension
    /// holds from that instant on.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails.
    pub async fn account_state(&self, id: &AccountId) -> Result<AccountState, StoreError> {
        let row = sqlx::query(STATE).bind(id.as_str()).fetch_optional(self.reader()?).await?;
        Ok(match row.map(|row| row.try_get::<Option<i64>, _>("suspended_at")).transpose()? {
            None => AccountState::Gone,
            Some(Some(_)) => AccountState::Suspended,
            Some(None) => AccountState::Active,
        })
    }
}
