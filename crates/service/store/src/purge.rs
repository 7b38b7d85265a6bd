//! Purges rows whose retention has ended.
//!
//! Every node purges. Each job is locked while it is purged, and nodes skip the jobs that another one
//! has locked, so that they work on different jobs and never wait for each other.

use std::time::Duration;

use contract::{AccountId, JobId, Millis};
use job::{JobCommand, STALE_AFTER};

use crate::audit_log;
use crate::columns::{ExecuteIn, ReadColumn, Tx, scalar, sql};
use crate::idempotency::horizon;
use crate::retention::days;
use crate::transition::lock;
use crate::{
    AccountRetention, CommandError, Dialect, Result, Store, StoreError, authorization, blob,
    device, job_row, key, mail, node, page_file, password_reset, sign_in, sign_in_link,
};

const HAS_PAGES: &str = "SELECT item FROM run_pages WHERE job_id = $1 LIMIT 1";

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The next job whose time in a column ended at $1, after job $3 of time $2: a job that cannot be
/// purged does not keep the pass from the others, and rows that were just deleted are not read again.
macro_rules! due_jobs {
    ($since:literal, $($only:tt)+) => {
        DueJobs {
            plain: due_jobs!(@text $since, "", $($only)+),
            skip_locked: due_jobs!(@text $since, " FOR UPDATE SKIP LOCKED", $($only)+),
        }
    };
    (@text $since:literal, $suffix:literal, $($only:tt)+) => {
        concat!(
            "SELECT id, ",
            $since,
            " AS since FROM jobs WHERE ",
            $since,
            " <= $1 AND ",
            $since,
            " >= $2 AND (",
            $since,
            " > $2 OR id > $3)",
            $($only)+,
            " ORDER BY ",
            $since,
            ", id LIMIT 1",
            $suffix
        )
    };
}
const STALE: DueJobs = due_jobs!("parked_at", "");

/// Rows of accounts without an exception for a class of data.
macro_rules! without_exception {
    ($table:literal, $days:literal) => {
        concat!(
            " AND NOT EXISTS (SELECT 1 FROM retention r WHERE r.account_id = ",
            $table,
            ".account_id AND r.",
            $days,
            " IS NOT NULL)"
        )
    };
}

/// Deliveries of endpoints whose account has no exception for events.
macro_rules! endpoint_without_exception {
    () => {
        " AND NOT EXISTS (SELECT 1 FROM webhooks w JOIN retention r ON r.account_id = w.account_id \
         WHERE w.id = deliveries.webhook_id AND r.events_days IS NOT NULL)"
    };
}

const RESULTS: JobData = JobData {
    of_service: due_jobs!("finished_at", without_exception!("jobs", "results_days")),
    of_account: due_jobs!("finished_at", " AND account_id = $4"),
    days: |exception| exception.results_days,
    delete: Deletion::Run,
};
const PAGE_FILES: JobData = JobData {
    of_service: due_jobs!(
        "finished_at",
        " AND file_bytes > 0",
        without_exception!("jobs", "page_files_days")
    ),
    of_account: due_jobs!("finished_at", " AND file_bytes > 0 AND account_id = $4"),
    days: |exception| exception.page_files_days,
    delete: Deletion::PageFiles,
};
const RUN_LOGS: JobData = JobData {
    of_service: due_jobs!(
        "finished_at",
        " AND log_kept = 1",
        without_exception!("jobs", "run_log_days")
    ),
    of_account: due_jobs!("finished_at", " AND log_kept = 1 AND account_id = $4"),
    days: |exception| exception.run_log_days,
    delete: Deletion::RunLog,
};

const FORGET_FILES: &str = "UPDATE jobs SET file_bytes = 0 WHERE id = $1";
const DROP_LOG: &[&str] = &[
    "DELETE FROM commits WHERE shard_id IN (SELECT id FROM shards WHERE job_id = $1)",
    "DELETE FROM snapshots WHERE shard_id IN (SELECT id FROM shards WHERE job_id = $1)",
    "UPDATE jobs SET log_kept = 0 WHERE id = $1",
];

/// One node at a time deletes the rows that are not found by a job: two would wait for each other's
/// row locks.
const TRY_LOCK: &str = "SELECT pg_try_advisory_xact_lock(7476130194)";
const IDEMPOTENCY: &str = "DELETE FROM idempotency WHERE created_at <= $1";
/// Account events and their deliveries are purged by age, deliveries of removed endpoints at once.
/// Events of a job are deleted with it, or earlier if events have a shorter retention.
const ACCOUNT_EVENTS: &str = concat!(
    "DELETE FROM outbox WHERE job_id = account_id AND emitted_at <= $1",
    without_exception!("outbox", "events_days")
);
const OLD_DELIVERIES: &str = concat!(
    "DELETE FROM deliveries WHERE job_id LIKE 'acc%' AND created_at <= $1",
    endpoint_without_exception!()
);
const ALL_EVENTS: &str = concat!(
    "DELETE FROM outbox WHERE emitted_at <= $1",
    without_exception!("outbox", "events_days")
);
const ALL_DELIVERIES: &str =
    concat!("DELETE FROM deliveries WHERE created_at <= $1", endpoint_without_exception!());
const EVENTS_OF: &str = "DELETE FROM outbox WHERE account_id = $2 AND emitted_at <= $1";
const DELIVERIES_OF: &str = "DELETE FROM deliveries WHERE created_at <= $1 \
    AND webhook_id IN (SELECT id FROM webhooks WHERE account_id = $2)";
const ORPHANED_DELIVERIES: &str = "DELETE FROM deliveries \
    WHERE NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.id = deliveries.webhook_id)";
const EXPORTS: &str = "DELETE FROM exports WHERE expires_at <= $1";
const SESSIONS: &str = "DELETE FROM sessions WHERE expires_at <= $1";

/// OAuth rows, in the order of their references: expired tokens; lapsed authorizations; a day after
/// their creation, grants without an authorization and applications without a grant.
const TOKENS: &[&str] = &[
    "DELETE FROM access_tokens WHERE expires_at <= $1",
    "DELETE FROM refresh_tokens WHERE expires_at <= $1",
];
const GRANTS: &str = "DELETE FROM application_grants WHERE granted_at <= $1 AND NOT EXISTS \
    (SELECT 1 FROM authorizations z WHERE z.account_id = application_grants.account_id \
    AND z.application_id = application_grants.application_id)";
const APPLICATIONS: &str = "DELETE FROM applications WHERE created_at <= $1 AND NOT EXISTS \
    (SELECT 1 FROM application_grants g WHERE g.application_id = applications.id)";

/// Deletes all rows of a run, in the order of their references. The ledger is kept longer than
/// results.
pub(crate) const RUN: &[&str] = &[
    "DELETE FROM commits WHERE shard_id IN (SELECT id FROM shards WHERE job_id = $1)",
    "DELETE FROM snapshots WHERE shard_id IN (SELECT id FROM shards WHERE job_id = $1)",
    "DELETE FROM segments WHERE job_id = $1",
    "DELETE FROM result_sizes WHERE job_id = $1",
    "DELETE FROM job_domains WHERE job_id = $1",
    "DELETE FROM job_urls WHERE job_id = $1",
    "DELETE FROM job_secrets WHERE job_id = $1",
    "DELETE FROM overlays WHERE job_id = $1",
    "DELETE FROM skip_segments WHERE job_id = $1",
    "DELETE FROM skip_spans WHERE job_id = $1",
    "DELETE FROM skip_counts WHERE job_id = $1",
    "DELETE FROM comparison_pairs WHERE job_id = $1",
    "DELETE FROM comparison_pairs WHERE since_id = $1",
    "DELETE FROM comparisons WHERE job_id = $1",
    "DELETE FROM comparisons WHERE since_id = $1",
    "DELETE FROM exports WHERE job_id = $1",
    "DELETE FROM webhooks WHERE job_id = $1",
    "DELETE FROM deliveries WHERE job_id = $1",
    "DELETE FROM outbox WHERE job_id = $1",
    blob::DELETE_OF_OWNER[0],
    blob::DELETE_OF_OWNER[1],
    blob::DELETE_OF_OWNER[2],
    "DELETE FROM run_pages WHERE job_id = $1",
    "DELETE FROM request_log WHERE job_id = $1",
    "DELETE FROM job_labels WHERE job_id = $1",
    "DELETE FROM shards WHERE job_id = $1",
    "DELETE FROM jobs WHERE id = $1",
];

/// The two forms of a query of due jobs, by database.
#[derive(Debug, Clone, Copy)]
struct DueJobs {
    plain: &'static str,
    skip_locked: &'static str,
}

/// A class of data that jobs leave behind.
struct JobData {
    /// Due jobs of accounts without an exception.
    of_service: DueJobs,
    /// Due jobs of account $4.
    of_account: DueJobs,
    /// The exception of an account.
    days: fn(&AccountRetention) -> Option<u32>,
    delete: Deletion,
}

/// What is deleted of a job whose retention has ended.
#[derive(Debug, Clone, Copy)]
enum Deletion {
    /// The job with all of its rows.
    Run,
    /// The HTML and pictures of its pages.
    PageFiles,
    /// Its log, which nothing continues.
    RunLog,
}

/// Position of a pass over due jobs.
#[derive(Debug, Default)]
struct PurgeCursor {
    since: i64,
    job: String,
}

impl Store {
    /// Fails jobs that were parked for too long, and deletes rows whose retention has ended. Returns
    /// the number of jobs that were deleted.
    ///
    /// # Errors
    /// [`StoreError`] when the database fails. A job that cannot be purged is skipped; its error is
    /// returned when all others are purged.
    pub async fn purge(&self, keep_results: Duration, now: Millis) -> Result<u64> {
        let exceptions = self.retention_exceptions().await?;
        let policy = self.inner.settings.retention;
        let stale = self.fail_stale(now).await;
        let deleted = self.delete_class(&RESULTS, Some(keep_results), &exceptions, now).await;
        let mut partial = Ok(0);
        for (class, keep) in [(&PAGE_FILES, policy.page_files), (&RUN_LOGS, policy.run_logs)] {
            partial = self.delete_class(class, keep, &exceptions, now).await.and(partial);
        }
        if let Some(tx) = self.begin_cleanup().await? {
            // Held until the end of the clean-up, whose transactions are shorter.
            let cleaned = self.clean_up(keep_results, &exceptions, now).await;
            tx.rollback().await?;
            cleaned?;
        }
        stale?;
        partial?;
        deleted
    }

    /// Deletes a class of data of all jobs whose retention has ended, of each account with its own.
    async fn delete_class(
        &self,
        class: &JobData,
        keep: Option<Duration>,
        exceptions: &[(AccountId, AccountRetention)],
        now: Millis,
    ) -> Result<u64> {
        let mut deleted = match keep {
            Some(keep) => self.delete_due(class, now.minus(keep), None).await,
            // As long as the results, with which it is deleted.
            None => Ok(0),
        };
        for (account, exception) in exceptions {
            if let Some(keep) = (class.days)(exception) {
                let before = now.minus(days(keep));
                let more = self.delete_due(class, before, Some(account)).await;
                deleted = deleted.and_then(|deleted| Ok(deleted + more?));
            }
        }
        deleted
    }

    /// Fails the jobs that were parked for too long.
    async fn fail_stale(&self, now: Millis) -> Result<()> {
        let (before, mut cursor, mut failure) =
            (now.minus(STALE_AFTER), PurgeCursor::default(), None);
        while let Some((mut tx, job)) = self.lock_due(&STALE, before, None, &mut cursor).await? {
            let failed = match lock(&mut tx, &job, None).await {
                Ok(locked) => {
                    self.apply(tx, &locked, &JobCommand::PurgeStale, None, now).await.map(drop)
                }
                Err(error) => Err(error),
            };
            match failed {
                // Confirmed or ended meanwhile.
                Ok(())
                | Err(
                    CommandError::NotFound | CommandError::Refused(_) | CommandError::LeaseLost,
                ) => {}
                Err(CommandError::Store(error)) => skip(&mut failure, error)?,
            }
        }
        failure.map_or(Ok(()), Err)
    }

    /// Deletes a class of data of the jobs that ended at `before` or earlier.
    async fn delete_due(
        &self,
        class: &JobData,
        before: Millis,
        account: Option<&AccountId>,
    ) -> Result<u64> {
        let due = if account.is_some() { &class.of_account } else { &class.of_service };
        let (mut cursor, mut deleted, mut failure) = (PurgeCursor::default(), 0, None);
        while let Some((tx, job)) = self.lock_due(due, before, account, &mut cursor).await? {
            let done = match class.delete {
                Deletion::Run => self.delete_expired(tx, &job).await,
                Deletion::PageFiles => self.delete_files(tx, &job).await,
                Deletion::RunLog => run_statements(tx, &job, DROP_LOG).await,
            };
            match done {
                Ok(()) => deleted += 1,
                Err(error) => skip(&mut failure, error)?,
            }
        }
        failure.map_or(Ok(deleted), Err)
    }

    /// Deletes a job with all rows of its run.
    async fn delete_expired(&self, mut tx: Tx, job: &JobId) -> Result<()> {
        if sql!(HAS_PAGES; job).fetch_optional(&mut *tx).await?.is_some() {
            // They are deleted in several transactions: they may be gigabytes. Another node may do
            // the same meanwhile; each row is deleted once.
            tx.rollback().await?;
            self.delete_run_pages(job).await?;
            tx = self.begin().await?;
            sql!(job_row::HOLD; job).run(&mut tx).await?;
        }
        run_statements(tx, job, RUN).await
    }

    /// Deletes the files of the pages of a run, and keeps its results.
    async fn delete_files(&self, tx: Tx, job: &JobId) -> Result<()> {
        tx.rollback().await?;
        self.delete_run_pages(job).await?;
        self.execute(sql!(FORGET_FILES; job)).await.map(drop)
    }

    /// Locks the next due job that no other transaction has locked.
    async fn lock_due(
        &self,
        due: &DueJobs,
        before: Millis,
        account: Option<&AccountId>,
        cursor: &mut PurgeCursor,
    ) -> Result<Option<(Tx, JobId)>> {
        let mut tx = self.begin().await?;
        let statement = self.dialect().claim(due.plain, due.skip_locked);
        let mut query = sql!(statement; before, cursor.since, cursor.job);
        if let Some(account) = account {
            query = query.bind(account.as_str());
        }
        let row = query.fetch_optional(&mut *tx).await?;
        let Some(row) = row else {
            tx.rollback().await?;
            return Ok(None);
        };
        let job: JobId = row.read("id")?;
        *cursor = PurgeCursor { since: row.read("since")?, job: job.as_str().to_owned() };
        Ok(Some((tx, job)))
    }

    /// A transaction that keeps other nodes from [`Store::clean_up`]; `None` while one is at it.
    /// SQLite has a single node, and a transaction would block the clean-up.
    async fn begin_cleanup(&self) -> Result<Option<Tx>> {
        let mut tx = self.inner.reader.begin().await?;
        if self.dialect() == Dialect::Postgres {
            let locked: bool = scalar!(TRY_LOCK).fetch_one(&mut *tx).await?;
            if !locked {
                tx.rollback().await?;
                return Ok(None);
            }
        }
        Ok(Some(tx))
    }

    /// Deletes rows that belong to no job.
    async fn clean_up(
        &self,
        keep_results: Duration,
        exceptions: &[(AccountId, AccountRetention)],
        now: Millis,
    ) -> Result<()> {
        self.purge_lists(now).await?;
        let mut tx = self.begin().await?;
        sql!(IDEMPOTENCY; horizon(now)).run(&mut tx).await?;
        // Kept for a day after their expiry, so that the download says "expired".
        let a_day_ago = now.minus(DAY);
        sql!(EXPORTS; a_day_ago).run(&mut tx).await?;
        sql!(SESSIONS; now).run(&mut tx).await?;
        sql!(sign_in_link::DELETE_EXPIRED; now).run(&mut tx).await?;
        sql!(password_reset::DELETE_EXPIRED; now).run(&mut tx).await?;
        sql!(mail::DELETE_SENT; now.minus(mail::KEEP_SENT)).run(&mut tx).await?;
        for statement in page_file::DELETE_EXPIRED {
            sql!(statement; now).run(&mut tx).await?;
        }
        for (statement, kept) in
            [(device::DELETE_OLD, device::LIFETIME), (sign_in::DELETE_OLD, sign_in::RETENTION)]
        {
            sql!(statement; now.minus(kept)).run(&mut tx).await?;
        }
        for statement in TOKENS {
            sql!(*statement; now).run(&mut tx).await?;
        }
        tx.commit().await?;
        let lapsed: Vec<String> =
            scalar!(authorization::LAPSED; now).fetch_all(self.reader()?).await?;
        // One transaction per authorization: each locks the rows of one grant only.
        for id in lapsed {
            let mut tx = self.begin().await?;
            self.end_lapsed(&mut tx, &id, now).await?;
            tx.commit().await?;
        }
        let mut tx = self.begin().await?;
        for statement in [GRANTS, APPLICATIONS] {
            sql!(statement; a_day_ago).run(&mut tx).await?;
        }
        key::purge(&mut tx, now.minus(key::KEEP_INACTIVE)).await?;
        let too_old = now.minus(keep_results);
        let policy = self.inner.settings.retention;
        let (events, deliveries, too_old) = match policy.events {
            Some(keep) => (ALL_EVENTS, ALL_DELIVERIES, now.minus(keep)),
            None => (ACCOUNT_EVENTS, OLD_DELIVERIES, too_old),
        };
        sql!(deliveries; too_old).run(&mut tx).await?;
        sql!(events; too_old).run(&mut tx).await?;
        let keep_audit = self.inner.settings.keep_audit;
        sql!(audit_log::DELETE_OLD; now.minus(keep_audit)).run(&mut tx).await?;
        for (account, AccountRetention { events_days, audit_days, .. }) in exceptions {
            if let Some(keep) = events_days {
                for statement in [DELIVERIES_OF, EVENTS_OF] {
                    sql!(statement; now.minus(days(*keep)), account).run(&mut tx).await?;
                }
            }
            if let Some(keep) = audit_days {
                let before = now.minus(days(*keep));
                sql!(audit_log::DELETE_OLD_OF; before, account).run(&mut tx).await?;
            }
        }
        sql!(ORPHANED_DELIVERIES).run(&mut tx).await?;
        sql!(node::FORGET_OLD).run(&mut tx).await?;
        tx.commit().await?;
        match policy.ledger_lines {
            Some(keep) => self.roll_up_ledger(now.minus(keep)).await.map(drop),
            None => Ok(()),
        }
    }
}

/// Executes statements on the rows of a run.
async fn run_statements(mut tx: Tx, job: &JobId, statements: &[&'static str]) -> Result<()> {
    for statement in statements {
        sql!(*statement; job).run(&mut tx).await?;
    }
    Ok(tx.commit().await?)
}

/// Keeps the first error of a job, so that the pass continues with the others. Fails while the
/// database is unavailable.
fn skip(failure: &mut Option<StoreError>, error: StoreError) -> Result<()> {
    if matches!(error, StoreError::Unavailable(_)) {
        return Err(error);
    }
    failure.get_or_insert(error);
    Ok(())
}
