//! Purges rows whose retention has ended.
//!
//! Every node purges. Each job is locked while it is purged, and nodes skip the jobs that another one
//! has locked, so that they work on different jobs and never wait for each other.

use std::time::Duration;

use contract::{JobId, Millis};
use job::{JobCommand, STALE_AFTER};

use crate::audit_log;
use crate::columns::{ExecuteIn, ReadColumn, Tx, scalar, sql};
use crate::idempotency::horizon;
use crate::transition::lock;
use crate::{
    CommandError, Dialect, Result, Store, StoreError, authorization, blob, device, job_row, key,
    node, page_file, sign_in, sign_in_link,
};

const HAS_PAGES: &str = "SELECT item FROM run_pages WHERE job_id = $1 LIMIT 1";

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The next job whose time in a column ended at $1, after job $3 of time $2: a job that cannot be
/// purged does not keep the pass from the others, and rows that were just deleted are not read again.
macro_rules! next_due {
    ($since:literal, $suffix:literal) => {
        concat!(
            "SELECT id, ",
            $since,
            " AS since FROM jobs WHERE ",
            $since,
            " <= $1 AND ",
            $since,
            " >= $2 AND (",
            $since,
            " > $2 OR id > $3) ORDER BY ",
            $since,
            ", id LIMIT 1",
            $suffix
        )
    };
}
const STALE: DueJobs = DueJobs {
    plain: next_due!("parked_at", ""),
    skip_locked: next_due!("parked_at", " FOR UPDATE SKIP LOCKED"),
};
const EXPIRED: DueJobs = DueJobs {
    plain: next_due!("finished_at", ""),
    skip_locked: next_due!("finished_at", " FOR UPDATE SKIP LOCKED"),
};
/// One node at a time deletes the rows that are not found by a job: two would wait for each other's
/// row locks.
const TRY_LOCK: &str = "SELECT pg_try_advisory_xact_lock(7476130194)";
const IDEMPOTENCY: &str = "DELETE FROM idempotency WHERE created_at <= $1";
/// Account events and their deliveries are purged by age, deliveries of removed endpoints at once.
const ACCOUNT_EVENTS: &str = "DELETE FROM outbox WHERE job_id = account_id AND emitted_at <= $1";
const OLD_DELIVERIES: &str = "DELETE FROM deliveries WHERE job_id LIKE 'acc%' AND created_at <= $1";
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
    blob::DELETE_OF_OWNER,
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
        let stale = self.fail_stale(now).await;
        let deleted = self.delete_expired(now.minus(keep_results)).await;
        if let Some(tx) = self.begin_cleanup().await? {
            // Held until the end of the clean-up, whose transactions are shorter.
            let cleaned = self.clean_up(keep_results, now).await;
            tx.rollback().await?;
            cleaned?;
        }
        stale?;
        deleted
    }

    /// Fails the jobs that were parked for too long.
    async fn fail_stale(&self, now: Millis) -> Result<()> {
        let (before, mut cursor, mut failure) =
            (now.minus(STALE_AFTER), PurgeCursor::default(), None);
        while let Some((mut tx, job)) = self.lock_due(&STALE, before, &mut cursor).await? {
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

    /// Deletes the jobs that ended at `before` or earlier, with all rows of their runs.
    async fn delete_expired(&self, before: Millis) -> Result<u64> {
        let (mut cursor, mut deleted, mut failure) = (PurgeCursor::default(), 0, None);
        while let Some((mut tx, job)) = self.lock_due(&EXPIRED, before, &mut cursor).await? {
            let tx = match sql!(HAS_PAGES; job).fetch_optional(&mut *tx).await?.is_some() {
                false => tx,
                // They are deleted in several transactions: they may be gigabytes. Another
                // node may do the same meanwhile; each row is deleted once.
                true => {
                    tx.rollback().await?;
                    self.delete_run_pages(&job).await?;
                    let mut tx = self.begin().await?;
                    sql!(job_row::HOLD; job).run(&mut tx).await?;
                    tx
                }
            };
            match delete_run(tx, &job).await {
                Ok(()) => deleted += 1,
                Err(error) => skip(&mut failure, error)?,
            }
        }
        failure.map_or(Ok(deleted), Err)
    }

    /// Locks the next due job that no other transaction has locked.
    async fn lock_due(
        &self,
        due: &DueJobs,
        before: Millis,
        cursor: &mut PurgeCursor,
    ) -> Result<Option<(Tx, JobId)>> {
        let mut tx = self.begin().await?;
        let statement = self.dialect().claim(due.plain, due.skip_locked);
        let row =
            sql!(statement; before, cursor.since, cursor.job).fetch_optional(&mut *tx).await?;
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
    async fn clean_up(&self, keep_results: Duration, now: Millis) -> Result<()> {
        self.purge_lists(now).await?;
        let mut tx = self.begin().await?;
        sql!(IDEMPOTENCY; horizon(now)).run(&mut tx).await?;
        // Kept for a day after their expiry, so that the download says "expired".
        let a_day_ago = now.minus(DAY);
        sql!(EXPORTS; a_day_ago).run(&mut tx).await?;
        sql!(SESSIONS; now).run(&mut tx).await?;
        sql!(sign_in_link::DELETE_EXPIRED; now).run(&mut tx).await?;
        for statement in page_file::DELETE_EXPIRED {
            sql!(*statement; now).run(&mut tx).await?;
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
        sql!(OLD_DELIVERIES; too_old).run(&mut tx).await?;
        sql!(ACCOUNT_EVENTS; too_old).run(&mut tx).await?;
        let keep_audit = self.inner.settings.keep_audit;
        sql!(audit_log::DELETE_OLD; now.minus(keep_audit)).run(&mut tx).await?;
        sql!(ORPHANED_DELIVERIES).run(&mut tx).await?;
        sql!(node::FORGET_OLD).run(&mut tx).await?;
        Ok(tx.commit().await?)
    }
}

/// Deletes all rows of a run.
async fn delete_run(mut tx: Tx, job: &JobId) -> Result<()> {
    for statement in RUN {
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
