//! Deleting an account with its data.
//!
//! What stays: the account's row without e-mail and password, because the ledger refers to it;
//! the ledger and closed purchases without the payment method, because books have to be kept;
//! acceptances of a lawful basis, which prove on what ground contact data was collected; audit
//! entries about the account itself and its credits, until their retention ends. None of them
//! names the owner. `docs/accounts.md` says the same to operators.

use contract::{AccountId, AuditAction, JobId, Millis};

use crate::{AuditRecord, Store, StoreError, job_row, purge};

/// How a deletion ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountDeletion {
    /// The account is deleted.
    Deleted {
        /// Jobs that were deleted with it.
        jobs: u64,
    },
    /// There is no such account.
    NotFound,
    /// A purchase of credits is open: money may have been taken for it. Nothing but the
    /// suspension of the account has happened.
    PurchaseOpen,
}

const OPEN_PURCHASES: &str =
    "SELECT COUNT(*) FROM recharges WHERE account_id = $1 AND state = 'open'";
const JOBS: &str = "SELECT id FROM jobs WHERE account_id = $1 ORDER BY id LIMIT 100";

/// What other transactions hold before they hold the account.
const BEFORE_ACCOUNT: &[&str] = &[
    "DELETE FROM schedules WHERE account_id = $1",
    "DELETE FROM auto_top_up WHERE account_id = $1",
    "UPDATE recharges SET customer = '', method = '', error = NULL WHERE account_id = $1",
];
/// Fails to match when the account was resumed in the meantime: then it may have new jobs.
const HOLD_SUSPENDED: &str =
    "UPDATE accounts SET balance = balance WHERE id = $1 AND suspended_at IS NOT NULL";
/// Everything else but runs, each after what refers to it. Authorizations and endpoints are held
/// before their tokens and deliveries are deleted, so that none is added in between.
const REST: &[&str] = &[
    "DELETE FROM application_grants WHERE account_id = $1",
    "UPDATE authorizations SET shown = shown WHERE account_id = $1",
    "DELETE FROM access_tokens WHERE authorization_id IN \
     (SELECT id FROM authorizations WHERE account_id = $1)",
    "DELETE FROM refresh_tokens WHERE authorization_id IN \
     (SELECT id FROM authorizations WHERE account_id = $1)",
    "DELETE FROM authorizations WHERE account_id = $1",
    "UPDATE webhooks SET active = 0 WHERE account_id = $1",
    "DELETE FROM deliveries WHERE webhook_id IN (SELECT id FROM webhooks WHERE account_id = $1)",
    "DELETE FROM webhooks WHERE account_id = $1",
    "DELETE FROM outbox WHERE account_id = $1",
    "DELETE FROM idempotency WHERE account_id = $1",
    "DELETE FROM sessions WHERE account_id = $1",
    "DELETE FROM devices WHERE account_id = $1",
    "DELETE FROM keys WHERE account_id = $1",
    "DELETE FROM credential_limits WHERE account_id = $1",
    "DELETE FROM audit WHERE account_id = $1 \
     AND action NOT LIKE 'account.%' AND action NOT LIKE 'credits.%'",
];
/// The e-mail is free for another account. No e-mail looks like the one put in its place, and no
/// password has an empty hash.
const CLOSE: &str = "UPDATE accounts SET email = 'deleted ' || id, password_hash = '', admin = 0, \
    reserved = 0, deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL";

impl Store {
    /// Deletes an account with its data. It is suspended first, in a transaction of its own.
    /// Whatever inserts rows of the account holds the account's row and checks the suspension
    /// (`lock_active_account`), or holds the row of a job, shard, authorization or endpoint that
    /// this deletes: so each row is committed before and deleted here, or is not inserted.
    /// Interrupted half-way the account stays suspended, and deleting it again comes to the same
    /// end.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails: what was done until then stays done.
    pub async fn delete_account(
        &self,
        id: &AccountId,
        now: Millis,
    ) -> Result<AccountDeletion, StoreError> {
        if self.suspend_account(id, now).await?.is_none() {
            return Ok(AccountDeletion::NotFound);
        }
        let open: i64 =
            sqlx::query_scalar(OPEN_PURCHASES).bind(id.as_str()).fetch_one(self.reader()?).await?;
        if open > 0 {
            return Ok(AccountDeletion::PurchaseOpen);
        }
        let mut jobs = 0;
        loop {
            let rows = sqlx::query(JOBS).bind(id.as_str()).fetch_all(self.reader()?).await?;
            if rows.is_empty() {
                break;
            }
            for row in &rows {
                self.delete_run(&job_row::job_id(row, "id")?).await?;
                jobs += 1;
            }
        }
        let mut tx = self.begin().await?;
        for statement in BEFORE_ACCOUNT {
            sqlx::query(*statement).bind(id.as_str()).execute(&mut *tx).await?;
        }
        let held = sqlx::query(HOLD_SUSPENDED).bind(id.as_str()).execute(&mut *tx).await?;
        if held.rows_affected() == 0 {
            return Err(StoreError::Locked("the account was resumed while it was deleted".into()));
        }
        for statement in REST {
            sqlx::query(*statement).bind(id.as_str()).execute(&mut *tx).await?;
        }
        sqlx::query(CLOSE).bind(id.as_str()).bind(now.0).execute(&mut *tx).await?;
        let record = AuditRecord::of(id, AuditAction::AccountDeleted).detail("jobs", jobs).at(now);
        self.append_audit(&mut tx, record).await?;
        tx.commit().await?;
        self.blank_free_pages().await?;
        Ok(AccountDeletion::Deleted { jobs })
    }

    /// Deletes a run with all its rows. Whoever writes results holds the job's row and is waited
    /// for.
    async fn delete_run(&self, job: &JobId) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query(job_row::HOLD).bind(job.as_str()).execute(&mut *tx).await?;
        for statement in purge::RUN {
            sqlx::query(*statement).bind(job.as_str()).execute(&mut *tx).await?;
        }
        tx.commit().await?;
        Ok(())
    }
}
