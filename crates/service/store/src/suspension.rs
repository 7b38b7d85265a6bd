//! Suspension of an account: its runs, schedules, deliveries and requests stop at once, and go on
//! when it is resumed.
//!
//! Claims of shards, due schedules, due deliveries, recharges and every authenticated request check
//! `suspended_at` of the account; nothing else is changed, so that there is nothing to restore.
//! Leased shards get a new epoch, so that their workers stop as after an abort.

use contract::{AccountId, AuditAction, Millis};

use crate::columns::{ExecuteIn, ReadColumn, sql};
use crate::wake::LeaseOwners;
use crate::{AccountRecord, AuditRecord, Result, Store, Wake};

const SUSPEND: &str = "UPDATE accounts SET suspended_at = $2 \
    WHERE id = $1 AND suspended_at IS NULL AND deleted_at IS NULL";
const RESUME: &str = "UPDATE accounts SET suspended_at = NULL \
    WHERE id = $1 AND suspended_at IS NOT NULL AND deleted_at IS NULL";
/// Revokes the leases of all open shards, also of those without an owner: this waits for claims that
/// are not committed yet.
const REVOKE_LEASES: &str = "UPDATE shards SET epoch = epoch + 1, owner = NULL, lease_until = 0 \
    WHERE state = 'open' \
    AND job_id IN (SELECT id FROM jobs WHERE account_id = $1 AND active = 1)";
const STATE: &str = "SELECT suspended_at FROM accounts WHERE id = $1 AND deleted_at IS NULL";

/// Whether requests of an account are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountState {
    Active,
    Suspended,
    /// The account does not exist or is deleted.
    NotFound,
}

impl Store {
    /// Suspends an account; `None` when there is no such account. Can be repeated to revoke leases
    /// again.
    pub async fn suspend_account(
        &self,
        id: &AccountId,
        now: Millis,
    ) -> Result<Option<AccountRecord>> {
        let mut tx = self.begin().await?;
        if sql!(SUSPEND; id, now).run(&mut tx).await? > 0 {
            let record = AuditRecord::of(id, AuditAction::AccountSuspended).at(now);
            self.append_audit(&mut tx, record).await?;
        }
        tx.commit().await?;
        // A second transaction, because rows are locked in the order shards, account elsewhere. A
        // claim after the first one sees the suspension, and an earlier claim is revoked here.
        let mut tx = self.begin().await?;
        let owners = LeaseOwners::of_account(&mut tx, id).await?;
        sql!(REVOKE_LEASES; id).run(&mut tx).await?;
        let wake = owners.notify(self, &mut tx).await?;
        self.commit_and_wake(tx, wake).await?;
        self.account(id).await
    }

    /// Resumes an account; `None` when there is no such account.
    pub async fn resume_account(
        &self,
        id: &AccountId,
        now: Millis,
    ) -> Result<Option<AccountRecord>> {
        let mut tx = self.begin().await?;
        if sql!(RESUME; id).run(&mut tx).await? > 0 {
            let record = AuditRecord::of(id, AuditAction::AccountResumed).at(now);
            self.append_audit(&mut tx, record).await?;
        }
        self.commit_and_notify(tx, &[Wake::Work, Wake::Delivery]).await?;
        self.account(id).await
    }

    /// Whether requests of the account are accepted. Authentication reads it with the credential, so
    /// that a suspension takes effect at once.
    pub async fn account_state(&self, id: &AccountId) -> Result<AccountState> {
        let row = sql!(STATE; id).fetch_optional(self.reader()?).await?;
        Ok(match row.map(|row| row.read::<Option<i64>>("suspended_at")).transpose()? {
            None => AccountState::NotFound,
            Some(Some(_)) => AccountState::Suspended,
            Some(None) => AccountState::Active,
        })
    }
}
