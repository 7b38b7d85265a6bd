//! How long each class of data is kept: settings of the service, and exceptions of single accounts.

use std::time::Duration;

use contract::{AccountId, AuditAction, Millis};
use serde::Serialize;
use sqlx::any::AnyRow;

use crate::account_lock::lock_active_account;
use crate::columns::{ExecuteIn, ReadColumn, Tx, read_row, sql};
use crate::{AuditRecord, Result, Store};

/// Retention of the classes of data that do not have to be kept as long as the results of a run. `None`
/// keeps them as long as these, ledger lines for ever.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// HTML and pictures of the pages of a run, after its end.
    pub page_files: Option<Duration>,
    /// The log of a run, after its end.
    pub run_logs: Option<Duration>,
    /// Events and their deliveries.
    pub events: Option<Duration>,
    /// Ledger lines of single commits, before they are rolled up to one line per job and day.
    pub ledger_lines: Option<Duration>,
}

/// The exceptions of an account, in days; `None` where the settings of the service apply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct AccountRetention {
    pub results_days: Option<u32>,
    pub page_files_days: Option<u32>,
    pub run_log_days: Option<u32>,
    pub events_days: Option<u32>,
    pub audit_days: Option<u32>,
}

const ONE: &str = "SELECT account_id, results_days, page_files_days, run_log_days, events_days, \
    audit_days FROM retention WHERE account_id = $1";
const ALL: &str = "SELECT account_id, results_days, page_files_days, run_log_days, events_days, \
    audit_days FROM retention ORDER BY account_id";
const DELETE: &str = "DELETE FROM retention WHERE account_id = $1";
const INSERT: &str = "INSERT INTO retention (account_id, results_days, page_files_days, run_log_days, \
    events_days, audit_days) VALUES ($1, $2, $3, $4, $5, $6)";

const DAY_SECONDS: u64 = 24 * 60 * 60;

/// A number of days as a duration.
pub(crate) fn days(days: u32) -> Duration {
    Duration::from_secs(u64::from(days) * DAY_SECONDS)
}

/// How long each class of data of an account is kept, in days.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EffectiveRetention {
    pub results: u32,
    pub page_files: u32,
    pub run_log: u32,
    pub events: u32,
    pub audit: u32,
}

impl Store {
    /// How long data of an account with these exceptions is kept, if the service keeps results for
    /// `results` days. Parts of a run are kept no longer than its results.
    #[must_use]
    pub fn effective_retention(&self, of: &AccountRetention, results: u32) -> EffectiveRetention {
        let policy = self.inner.settings.retention;
        let results = of.results_days.unwrap_or(results);
        let whole =
            |time: Duration| u32::try_from(time.as_secs() / DAY_SECONDS).unwrap_or(u32::MAX);
        let part = |exception: Option<u32>, policy: Option<Duration>| {
            exception.or(policy.map(whole)).unwrap_or(results).min(results)
        };
        EffectiveRetention {
            results,
            page_files: part(of.page_files_days, policy.page_files),
            run_log: part(of.run_log_days, policy.run_logs),
            events: part(of.events_days, policy.events),
            audit: of.audit_days.unwrap_or_else(|| whole(self.inner.settings.keep_audit)),
        }
    }

    /// The exceptions of an account.
    ///
    /// # Errors
    /// [`crate::StoreError`] when the database fails.
    pub async fn account_retention(&self, account: &AccountId) -> Result<AccountRetention> {
        Ok(self.fetch_optional(sql!(ONE; account), read).await?.unwrap_or_default())
    }

    /// Replaces the exceptions of an account.
    ///
    /// # Errors
    /// [`crate::StoreError`] when the database fails, or when the account is suspended or deleted.
    pub async fn set_account_retention(
        &self,
        account: &AccountId,
        retention: &AccountRetention,
        now: Millis,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
        lock_active_account(&mut tx, account).await?;
        let before = sql!(ONE; account).fetch_optional(&mut *tx).await?;
        let before = before.as_ref().map(read).transpose()?.unwrap_or_default();
        sql!(DELETE; account).run(&mut tx).await?;
        if *retention != AccountRetention::default() {
            insert(&mut tx, account, retention).await?;
        }
        let record = AuditRecord::of(account, AuditAction::SettingsChanged)
            .object("retention", account.as_str())
            .changes(&before, retention)
            .at(now);
        if record.is_bare() {
            return Ok(tx.rollback().await?);
        }
        self.commit_audited(tx, record).await
    }

    /// The accounts with exceptions.
    pub(crate) async fn retention_exceptions(&self) -> Result<Vec<(AccountId, AccountRetention)>> {
        self.fetch_all(sql!(ALL), |row| Ok((row.read("account_id")?, read(row)?))).await
    }
}

async fn insert(tx: &mut Tx, account: &AccountId, retention: &AccountRetention) -> Result<()> {
    let AccountRetention { results_days, page_files_days, run_log_days, events_days, audit_days } =
        retention;
    sql!(INSERT; account, results_days, page_files_days, run_log_days, events_days, audit_days)
        .run(tx)
        .await
        .map(drop)
}

fn read(row: &AnyRow) -> Result<AccountRetention> {
    Ok(read_row!(row => AccountRetention {
        results_days, page_files_days, run_log_days, events_days, audit_days,
    }))
}
