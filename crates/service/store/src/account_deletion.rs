//! Deletion of an account with its data.
//!
//! Kept are: the account's row without e-mail address and password, because the ledger refers to
//! it; the ledger and closed purchases without the payment method, because accounts have to be
//! kept by law; acceptances, which prove the lawful basis of collected contact data; audit entries
//! about the account itself and its credits, until their retention ends. None of them names the
//! owner. `docs/accounts.md` describes this for operators.

use contract::{AccountId, AuditAction, JobId, Millis};

use crate::columns::{ExecuteIn, ReadColumn, scalar, sql};
use crate::{AuditRecord, Result, Store, StoreError, job_row, page_file, purge};

/// The outcome of [`Store::delete_account`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountDeletion {
    /// The account and this number of jobs are deleted.
    Deleted {
        jobs: u64,
    },
    NotFound,
    /// A purchase of credits is open and may have been paid. The account is suspended and nothing
    /// is deleted.
    PurchaseOpen,
}

const OPEN_PURCHASES: &str =
    "SELECT COUNT(*) FROM recharges WHERE account_id = $1 AND state = 'open'";
const JOBS: &str = "SELECT id FROM jobs WHERE account_id = $1 ORDER BY id LIMIT 100";

/// Rows that other transactions lock before the account.
const BEFORE_ACCOUNT: &[&str] = &[
    "DELETE FROM auto_top_up WHERE account_id = $1",
    "UPDATE recharges SET customer = '', method = '', error = NULL WHERE account_id = $1",
];
/// Updates no row when the account was resumed meanwhile: then it may have new jobs.
const LOCK_SUSPENDED: &str =
    "UPDATE accounts SET balance = balance WHERE id = $1 AND suspended_at IS NOT NULL";
/// All other rows except runs, in the order of their references and of other transactions: a change
/// of a schedule and a revocation lock the credential before schedules and endpoints.
/// Authorizations and endpoints are locked before their tokens and deliveries are deleted, so that
/// none is added in between.
const REST: &[&str] = &[
    "DELETE FROM application_grants WHERE account_id = $1",
    "UPDATE authorizations SET shown = shown WHERE account_id = $1",
    "DELETE FROM access_tokens WHERE authorization_id IN \
     (SELECT id FROM authorizations WHERE account_id = $1)",
    "DELETE FROM refresh_tokens WHERE authorization_id IN \
     (SELECT id FROM authorizations WHERE account_id = $1)",
    "DELETE FROM authorizations WHERE account_id = $1",
    "DELETE FROM keys WHERE account_id = $1",
    "DELETE FROM schedules WHERE account_id = $1",
    "UPDATE webhooks SET active = 0 WHERE account_id = $1",
    "DELETE FROM deliveries WHERE webhook_id IN (SELECT id FROM webhooks WHERE account_id = $1)",
    "DELETE FROM webhooks WHERE account_id = $1",
    "UPDATE url_lists SET removed = 1 WHERE account_id = $1",
    "DELETE FROM list_urls WHERE list_id IN (SELECT id FROM url_lists WHERE account_id = $1)",
    "DELETE FROM url_lists WHERE account_id = $1",
    "DELETE FROM outbox WHERE account_id = $1",
    "DELETE FROM idempotency WHERE account_id = $1",
    "DELETE FROM page_calls WHERE account_id = $1",
    page_file::DELETE_OF_ACCOUNT[0],
    page_file::DELETE_OF_ACCOUNT[1],
    page_file::DELETE_OF_ACCOUNT[2],
    page_file::DELETE_OF_ACCOUNT[3],
    "DELETE FROM sessions WHERE account_id = $1",
    "DELETE FROM sign_in_links WHERE account_id = $1",
    "DELETE FROM password_resets WHERE account_id = $1",
    "DELETE FROM mails WHERE account_id = $1",
    "DELETE FROM devices WHERE account_id = $1",
    "DELETE FROM credential_limits WHERE account_id = $1",
    "DELETE FROM retention WHERE account_id = $1",
    "DELETE FROM audit WHERE account_id = $1 \
     AND action NOT LIKE 'account.%' AND action NOT LIKE 'credits.%'",
];
/// Frees the e-mail address for another account. The replacement is not a valid address, and no
/// password has an empty hash.
const CLOSE: &str = "UPDATE accounts SET email = 'deleted ' || id, password_hash = '', admin = 0, \
    reserved = 0, deleted_at = $2 WHERE id = $1 AND deleted_at IS NULL";

impl Store {
    /// Deletes an account with its data. The account is suspended first, in a separate
    /// transaction. Every insertion of rows of the account locks the account's row and checks the
    /// suspension (`lock_active_account`), or locks the row of a job, shard, authorization or
    /// endpoint that this deletes: each row is committed before and deleted here, or not inserted.
    /// After an interruption the account stays suspended, and the deletion can be repeated.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails: what was deleted until then stays deleted.
    pub async fn delete_account(&self, id: &AccountId, now: Millis) -> Result<AccountDeletion> {
        if self.suspend_account(id, now).await?.is_none() {
            return Ok(AccountDeletion::NotFound);
        }
        let open: i64 = scalar!(OPEN_PURCHASES; id).fetch_one(self.reader()?).await?;
        if open > 0 {
            return Ok(AccountDeletion::PurchaseOpen);
        }
        let mut jobs = 0;
        loop {
            let rows = sql!(JOBS; id).fetch_all(self.reader()?).await?;
            if rows.is_empty() {
                break;
            }
            for row in &rows {
                self.delete_run(&row.read("id")?).await?;
                jobs += 1;
            }
        }
        let mut tx = self.begin().await?;
        for statement in BEFORE_ACCOUNT {
            sql!(*statement; id).run(&mut tx).await?;
        }
        if sql!(LOCK_SUSPENDED; id).run(&mut tx).await? == 0 {
            return Err(StoreError::Locked("the account was resumed while it was deleted".into()));
        }
        for statement in REST {
            sql!(*statement; id).run(&mut tx).await?;
        }
        sql!(CLOSE; id, now).run(&mut tx).await?;
        let record = AuditRecord::of(id, AuditAction::AccountDeleted).detail("jobs", jobs).at(now);
        self.commit_audited(tx, record).await?;
        self.overwrite_free_pages().await?;
        // The rows are deleted: what object storage cannot remove now is removed by the servers.
        let _ = self.process_pack_changes(now).await;
        Ok(AccountDeletion::Deleted { jobs })
    }

    /// Deletes all rows of a run. Waits for a commit in progress, which holds the job's row.
    async fn delete_run(&self, job: &JobId) -> Result<()> {
        self.delete_run_pages(job).await?;
        let mut tx = self.begin().await?;
        sql!(job_row::HOLD; job).run(&mut tx).await?;
        for statement in purge::RUN {
            sql!(*statement; job).run(&mut tx).await?;
        }
        Ok(tx.commit().await?)
    }
}
