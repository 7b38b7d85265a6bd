//! Admission of the jobs of an account. At most [`crate::StoreSettings::running_jobs`] of its queued
//! and running jobs have shards in the queue; the shards of the others are `waiting`. The transaction
//! that ends or parks a job admits the next one. So a claim does not read the jobs of an account that
//! has many, and one account does not delay the claims of others.
//!
//! An account has one admitted job per site. Others of the site wait for it in the order of their
//! ids. A job that waits for an answer keeps its site; one that waits for credits does not.
//!
//! A claim checks the number of running jobs as well: two transactions at the same time may admit one
//! job too many, or none.

use contract::{AccountId, JobId, Millis, Mode};

use crate::columns::{ExecuteIn, ReadColumn, Tx, sql};
use crate::list_shard::OPEN;
use crate::{Result, Store, Wake, list_shard};

/// The admitted jobs of account `$account` that run or are queued.
macro_rules! admitted {
    ($account:literal) => {
        concat!(
            "(SELECT COUNT(*) FROM jobs r WHERE r.account_id = ",
            $account,
            " AND r.active = 1 AND r.admitted = 1 AND r.status IN ('queued', 'running'))"
        )
    };
}
/// Whether the admitted job `o` keeps its site.
macro_rules! keeps_site {
    () => {
        "o.admitted = 1 AND NOT (o.status = 'paused' AND COALESCE(o.waits_for, '') = 'credits')"
    };
}
/// Whether another job of the account keeps the site of the job `$job`; `$or` adds other reasons.
macro_rules! site_is_taken {
    ($job:literal, $or:expr) => {
        concat!(
            "EXISTS (SELECT 1 FROM jobs o WHERE o.account_id = ",
            $job,
            ".account_id AND o.site_key = ",
            $job,
            ".site_key AND o.active = 1 AND o.id <> ",
            $job,
            ".id AND (",
            keeps_site!(),
            $or,
            "))"
        )
    };
}
/// Whether the job `$job` has to wait for other jobs of its site, also for those that wait longer.
macro_rules! waits_for_site {
    ($job:literal) => {
        site_is_taken!($job, concat!(" OR (o.status = 'queued' AND o.id < ", $job, ".id)"))
    };
}
const QUEUE_AT_SITE: &str =
    concat!("UPDATE jobs SET admitted = 0 WHERE id = $1 AND ", waits_for_site!("jobs"));
/// A job that continues does not wait for those that were never admitted: they wait for it.
const RETURN_TO_SITE: &str =
    concat!("UPDATE jobs SET admitted = 0 WHERE id = $1 AND ", site_is_taken!("jobs", ""));
const REFUSE: &str =
    concat!("UPDATE jobs SET admitted = 0 WHERE id = $1 AND $2 < ", admitted!("jobs.account_id"));
const HOLD_BACK: &str = "UPDATE shards SET state = 'waiting' WHERE job_id = $1 AND state = 'open'";
/// Admits the oldest job of account $1 that is not admitted, below $2 admitted ones. A job that another
/// transaction changes is left out: waiting for it could deadlock.
macro_rules! admit_next {
    ($suffix:literal) => {
        concat!(
            "UPDATE jobs SET admitted = 1 WHERE id = (SELECT n.id FROM jobs n \
             WHERE n.account_id = $1 AND n.active = 1 AND n.admitted = 0 AND n.status = 'queued' \
             AND NOT ",
            waits_for_site!("n"),
            " ORDER BY n.id LIMIT 1",
            $suffix,
            ") AND ",
            admitted!("$1"),
            " < $2 RETURNING id, mode"
        )
    };
}
const ADMIT_NEXT: &str = admit_next!("");
const ADMIT_NEXT_SKIP_LOCKED: &str = admit_next!(" FOR UPDATE SKIP LOCKED");
const WAITING_ACCOUNTS: &str = concat!(
    "SELECT DISTINCT n.account_id FROM jobs n \
     WHERE n.active = 1 AND n.admitted = 0 AND n.status = 'queued' AND NOT ",
    waits_for_site!("n"),
    " LIMIT 100"
);

impl Store {
    /// Holds back the shards of a job that was just created, if its account has enough jobs in the
    /// queue, or another one on its site.
    pub(crate) async fn hold_back_created(&self, tx: &mut Tx, job: &JobId) -> Result<()> {
        self.hold_back(tx, job, QUEUE_AT_SITE).await
    }

    /// The same for a job whose owner has answered what it waited for.
    pub(crate) async fn hold_back_continued(&self, tx: &mut Tx, job: &JobId) -> Result<()> {
        self.hold_back(tx, job, RETURN_TO_SITE).await
    }

    async fn hold_back(&self, tx: &mut Tx, job: &JobId, at_site: &'static str) -> Result<()> {
        let limit = self.inner.settings.running_jobs;
        let is_held =
            sql!(at_site; job).run(tx).await? > 0 || sql!(REFUSE; job, limit).run(tx).await? > 0;
        if is_held {
            sql!(HOLD_BACK; job).run(tx).await?;
        }
        Ok(())
    }

    /// Opens the shards of the account's next job, after one of its jobs has ended or parked. Returns
    /// whether there was one.
    pub(crate) async fn admit_next(
        &self,
        tx: &mut Tx,
        account: &AccountId,
        now: Millis,
    ) -> Result<bool> {
        let statement = self.dialect().claim(ADMIT_NEXT, ADMIT_NEXT_SKIP_LOCKED);
        let limit = self.inner.settings.running_jobs;
        let row = sql!(statement; account, limit).fetch_optional(&mut **tx).await?;
        let Some(row) = row else { return Ok(false) };
        let (job, mode): (JobId, Mode) = (row.read("id")?, row.read("mode")?);
        match mode.visits_domains() {
            true => sql!(OPEN; job, now).run(tx).await.map(drop)?,
            false => list_shard::reopen(tx, &job, now).await?,
        }
        self.notify_nodes(tx, Wake::Work).await?;
        Ok(true)
    }

    /// Admits jobs that no end of another one has admitted: because of a failure, a job that ended on a
    /// node of the release before, or a limit that was raised. Returns their number.
    pub async fn admit_waiting(&self, now: Millis) -> Result<u64> {
        let accounts: Vec<AccountId> =
            self.fetch_all(sql!(WAITING_ACCOUNTS), |row| row.read("account_id")).await?;
        let mut admitted = 0;
        for account in accounts {
            loop {
                let mut tx = self.begin().await?;
                if !self.admit_next(&mut tx, &account, now).await? {
                    tx.rollback().await?;
                    break;
                }
                self.commit_and_wake(tx, [Wake::Work]).await?;
                admitted += 1;
            }
        }
        Ok(admitted)
    }
}
