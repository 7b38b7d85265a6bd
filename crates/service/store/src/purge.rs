//! Purges rows whose retention has ended.

use std::time::Duration;

use contract::{JobId, Millis};
use job::{JobCommand, STALE_AFTER};

use crate::audit_log;
use crate::columns::{ExecuteIn, ReadColumn, scalar, sql};
use crate::idempotency::horizon;
use crate::{CommandError, Result, Store, authorization, blob, device, key, page_file, sign_in};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

const STALE: &str = "SELECT id FROM jobs WHERE parked_at IS NOT NULL AND parked_at <= $1 LIMIT 100";
const EXPIRED: &str = "SELECT id FROM jobs \
    WHERE finished_at IS NOT NULL AND finished_at <= $1 LIMIT 100";
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
    "DELETE FROM shards WHERE job_id = $1",
    "DELETE FROM jobs WHERE id = $1",
];

impl Store {
    /// Fails jobs that were parked for too long, and deletes rows whose retention has ended.
    pub async fn purge(&self, keep_results: Duration, now: Millis) -> Result<()> {
        for job in self.due(STALE, now, STALE_AFTER).await? {
            match self.command(&job, &JobCommand::PurgeStale, now).await {
                Err(CommandError::Store(error)) => return Err(error),
                // Confirmed or ended meanwhile.
                Ok(_)
                | Err(
                    CommandError::NotFound | CommandError::Refused(_) | CommandError::LeaseLost,
                ) => {}
            }
        }
        for job in self.due(EXPIRED, now, keep_results).await? {
            self.delete_run_pages(&job).await?;
            let mut tx = self.begin().await?;
            for statement in RUN {
                sql!(*statement; job).run(&mut tx).await?;
            }
            tx.commit().await?;
        }
        self.purge_lists(now).await?;
        let mut tx = self.begin().await?;
        sql!(IDEMPOTENCY; horizon(now)).run(&mut tx).await?;
        // Kept for a day after their expiry, so that the download says "expired".
        let a_day_ago = now.minus(DAY);
        sql!(EXPORTS; a_day_ago).run(&mut tx).await?;
        sql!(SESSIONS; now).run(&mut tx).await?;
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
        Ok(tx.commit().await?)
    }

    async fn due(&self, statement: &'static str, now: Millis, age: Duration) -> Result<Vec<JobId>> {
        let before = now.minus(age);
        self.fetch_all(sql!(statement; before), |row| row.read("id")).await
    }
}
