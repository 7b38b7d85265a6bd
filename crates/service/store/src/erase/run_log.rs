//! Redaction of run logs. They hold URLs and link texts, never results.
//!
//! Logs are packed values whose lengths must stay, so that an e-mail address is overwritten in
//! place. Only e-mail addresses are redacted: names occur only in link texts, and no result is
//! made from a log.

use contract::JobId;
use journal::{Snapshot, patch_stored};
use privacy::OptOutKind;
use sqlx::any::AnyRow;

use super::Erasure;
use crate::columns::{ExecuteIn, ReadColumn, Tx, scalar, sql};
use crate::log::{READ_SNAPSHOT, replace_snapshot};
use crate::{Result, job_row};

const OVERLAYS: &str = "SELECT first_item AS number, body FROM overlays \
    WHERE job_id = $1 AND first_item > $2 ORDER BY first_item LIMIT 1";
const REWRITE_OVERLAY: &str = "UPDATE overlays SET body = $3 WHERE job_id = $1 AND first_item = $2";
const SHARDS: &str = "SELECT id FROM shards WHERE job_id = $1 ORDER BY number";
const COMMITS: &str = "SELECT seq AS number, body FROM commits \
    WHERE shard_id = $1 AND seq > $2 ORDER BY seq LIMIT 1";
const REWRITE_COMMIT: &str = "UPDATE commits SET body = $3 WHERE shard_id = $1 AND seq = $2";
const LOCK_SHARD: &str = "UPDATE shards SET head = head WHERE id = $1";
const COUNT_LOGS: &str = "SELECT (SELECT COUNT(*) FROM commits WHERE shard_id IN \
    (SELECT id FROM shards WHERE job_id = $1)) + (SELECT COUNT(*) FROM snapshots \
    WHERE shard_id IN (SELECT id FROM shards WHERE job_id = $1))";
const DROP_LOGS: &[&str] = &[
    "DELETE FROM commits WHERE shard_id IN (SELECT id FROM shards WHERE job_id = $1)",
    "DELETE FROM snapshots WHERE shard_id IN (SELECT id FROM shards WHERE job_id = $1)",
];

impl Erasure<'_> {
    pub(super) async fn erase_overlays(&mut self, job: &JobId) -> Result<()> {
        self.erase_rows(job, job.as_str(), (OVERLAYS, REWRITE_OVERLAY)).await
    }

    /// Deletes the logs of a finished run, which is not replayed any more.
    pub(super) async fn drop_logs(&mut self, job: &JobId) -> Result<()> {
        let rows: i64 = scalar!(COUNT_LOGS; job).fetch_one(self.store.reader()?).await?;
        self.report.logs_dropped += u64::from(rows > 0);
        if rows == 0 || !self.applies() {
            return Ok(());
        }
        let mut tx = self.store.begin().await?;
        for statement in DROP_LOGS {
            sql!(*statement; job).run(&mut tx).await?;
        }
        Ok(tx.commit().await?)
    }

    pub(super) async fn erase_logs(&mut self, job: &JobId) -> Result<()> {
        if self.opt_out.kind() != OptOutKind::Email {
            return Ok(());
        }
        let shards: Vec<String> = scalar!(SHARDS; job).fetch_all(self.store.reader()?).await?;
        for shard in &shards {
            self.erase_rows(job, shard, (COMMITS, REWRITE_COMMIT)).await?;
            self.erase_snapshot(job, shard).await?;
        }
        Ok(())
    }

    /// Redacts the packed rows of one job or shard, one at a time.
    async fn erase_rows(
        &mut self,
        job: &JobId,
        owner: &str,
        (select, rewrite): (&'static str, &'static str),
    ) -> Result<()> {
        if self.opt_out.kind() != OptOutKind::Email {
            return Ok(());
        }
        let redacted = |row: &AnyRow| -> Result<_> {
            let body: Vec<u8> = row.read("body")?;
            Ok(patch_stored(&body, |bytes| self.opt_out.redact_bytes(bytes))?)
        };
        let (mut after, mut rewritten) = (-1_i64, 0);
        let next = |after: i64| sql!(select; owner, after);
        while let Some(row) = next(after).fetch_optional(self.store.reader()?).await? {
            let number: i64 = row.read("number")?;
            if redacted(&row)?.is_some() {
                rewritten += 1;
                if self.applies() {
                    let mut tx = self.begin_locked(job).await?;
                    let row = next(number - 1).fetch_optional(&mut *tx).await?;
                    if let Some(row) =
                        row.filter(|row| row.read::<i64>("number").is_ok_and(|n| n == number))
                        && let Some(body) = redacted(&row)?
                    {
                        sql!(rewrite; owner, number, body).run(&mut tx).await?;
                    }
                    tx.commit().await?;
                }
            }
            after = number;
        }
        self.report.logs += rewritten;
        Ok(())
    }

    async fn erase_snapshot(&mut self, job: &JobId, shard: &str) -> Result<()> {
        let parts = scalar!(READ_SNAPSHOT; shard).fetch_all(self.store.reader()?).await?;
        if self.redacted_snapshot(parts)?.is_none() {
            return Ok(());
        }
        self.report.logs += 1;
        if !self.applies() {
            return Ok(());
        }
        let mut tx = self.begin_locked(job).await?;
        sql!(LOCK_SHARD; shard).run(&mut tx).await?;
        let parts = scalar!(READ_SNAPSHOT; shard).fetch_all(&mut *tx).await?;
        if let Some(snapshot) = self.redacted_snapshot(parts)? {
            replace_snapshot(&mut tx, shard, &snapshot).await?;
        }
        Ok(tx.commit().await?)
    }

    fn redacted_snapshot(&self, parts: Vec<Vec<u8>>) -> Result<Option<Snapshot>> {
        if parts.is_empty() {
            return Ok(None);
        }
        Ok(Snapshot::join(parts).patched(|bytes| self.opt_out.redact_bytes(bytes))?)
    }

    /// Begins a transaction that holds the job's row: no commit of its run interferes.
    async fn begin_locked(&self, job: &JobId) -> Result<Tx> {
        let mut tx = self.store.begin().await?;
        sql!(job_row::HOLD; job).run(&mut tx).await?;
        Ok(tx)
    }
}
