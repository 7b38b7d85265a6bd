//! Logs of runs: they hold addresses of pages and the texts of links, never results.
//!
//! They are not JSON but packed values, whose lengths must stay: a mailbox in them is
//! overwritten in place. Only mailboxes are looked for; names stand in texts of links alone,
//! and no record is ever made of a log.

use contract::JobId;
use journal::{Snapshot, patch_stored};
use privacy::OptOutKind;
use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};

use super::Erasure;
use crate::{StoreError, job_row};

const OVERLAYS: &str = "SELECT first_item AS number, body FROM overlays \
    WHERE job_id = $1 AND first_item > $2 ORDER BY first_item LIMIT 1";
const REWRITE_OVERLAY: &str = "UPDATE overlays SET body = $3 WHERE job_id = $1 AND first_item = $2";
const SHARDS: &str = "SELECT id FROM shards WHERE job_id = $1 ORDER BY number";
const COMMITS: &str = "SELECT seq AS number, body FROM commits \
    WHERE shard_id = $1 AND seq > $2 ORDER BY seq LIMIT 1";
const REWRITE_COMMIT: &str = "UPDATE commits SET body = $3 WHERE shard_id = $1 AND seq = $2";
const HOLD_SHARD: &str = "UPDATE shards SET head = head WHERE id = $1";
const PARTS: &str = "SELECT body FROM snapshots WHERE shard_id = $1 ORDER BY part";
const DROP_PARTS: &str = "DELETE FROM snapshots WHERE shard_id = $1";
const INSERT_PART: &str = "INSERT INTO snapshots (shard_id, part, body) VALUES ($1, $2, $3)";
const COUNT_LOGS: &str = "SELECT (SELECT COUNT(*) FROM commits WHERE shard_id IN \
    (SELECT id FROM shards WHERE job_id = $1)) + (SELECT COUNT(*) FROM snapshots \
    WHERE shard_id IN (SELECT id FROM shards WHERE job_id = $1))";
const DROP_LOGS: &[&str] = &[
    "DELETE FROM commits WHERE shard_id IN (SELECT id FROM shards WHERE job_id = $1)",
    "DELETE FROM snapshots WHERE shard_id IN (SELECT id FROM shards WHERE job_id = $1)",
];

impl Erasure<'_> {
    /// What is newer than results holds addresses of pages.
    pub(super) async fn erase_overlays(&mut self, job: &JobId) -> Result<(), StoreError> {
        self.erase_rows(job, job.as_str(), (OVERLAYS, REWRITE_OVERLAY)).await
    }

    /// A run that is over is not replayed.
    pub(super) async fn drop_logs(&mut self, job: &JobId) -> Result<(), StoreError> {
        let rows: i64 = sqlx::query_scalar(COUNT_LOGS)
            .bind(job.as_str())
            .fetch_one(self.store.reader()?)
            .await?;
        self.erased.logs_dropped += u64::from(rows > 0);
        if rows == 0 || !self.is_for_good() {
            return Ok(());
        }
        let mut tx = self.store.begin().await?;
        for statement in DROP_LOGS {
            sqlx::query(*statement).bind(job.as_str()).execute(&mut *tx).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    pub(super) async fn erase_logs(&mut self, job: &JobId) -> Result<(), StoreError> {
        if self.objection.kind() != OptOutKind::Email {
            return Ok(());
        }
        let shards: Vec<String> =
            sqlx::query_scalar(SHARDS).bind(job.as_str()).fetch_all(self.store.reader()?).await?;
        for shard in &shards {
            self.erase_rows(job, shard, (COMMITS, REWRITE_COMMIT)).await?;
            self.erase_snapshot(job, shard).await?;
        }
        Ok(())
    }

    /// Goes through packed rows of one owner, one at a time.
    async fn erase_rows(
        &mut self,
        job: &JobId,
        owner: &str,
        (select, rewrite): (&'static str, &'static str),
    ) -> Result<(), StoreError> {
        if self.objection.kind() != OptOutKind::Email {
            return Ok(());
        }
        let blotted = |row: &AnyRow| -> Result<_, StoreError> {
            let body: Vec<u8> = row.try_get("body")?;
            Ok(patch_stored(&body, |bytes| self.objection.blot_out(bytes))?)
        };
        let (mut after, mut rewritten) = (-1_i64, 0);
        let next = || sqlx::query(select).bind(owner);
        while let Some(row) = next().bind(after).fetch_optional(self.store.reader()?).await? {
            let number: i64 = row.try_get("number")?;
            if blotted(&row)?.is_some() {
                rewritten += 1;
                if self.is_for_good() {
                    let mut tx = self.hold(job).await?;
                    let row = next().bind(number - 1).fetch_optional(&mut *tx).await?;
                    if let Some(row) =
                        row.filter(|row| row.try_get::<i64, _>("number").is_ok_and(|n| n == number))
                        && let Some(body) = blotted(&row)?
                    {
                        let query = sqlx::query(rewrite).bind(owner).bind(number).bind(body);
                        query.execute(&mut *tx).await?;
                    }
                    tx.commit().await?;
                }
            }
            after = number;
        }
        self.erased.logs += rewritten;
        Ok(())
    }

    async fn erase_snapshot(&mut self, job: &JobId, shard: &str) -> Result<(), StoreError> {
        let parts = sqlx::query_scalar(PARTS).bind(shard).fetch_all(self.store.reader()?).await?;
        if self.blotted(parts)?.is_none() {
            return Ok(());
        }
        self.erased.logs += 1;
        if !self.is_for_good() {
            return Ok(());
        }
        let mut tx = self.hold(job).await?;
        sqlx::query(HOLD_SHARD).bind(shard).execute(&mut *tx).await?;
        let parts = sqlx::query_scalar(PARTS).bind(shard).fetch_all(&mut *tx).await?;
        if let Some(snapshot) = self.blotted(parts)? {
            sqlx::query(DROP_PARTS).bind(shard).execute(&mut *tx).await?;
            for (number, part) in (0_i64..).zip(snapshot.parts()) {
                let query = sqlx::query(INSERT_PART).bind(shard).bind(number).bind(part);
                query.execute(&mut *tx).await?;
            }
        }
        tx.commit().await?;
        Ok(())
    }

    fn blotted(&self, parts: Vec<Vec<u8>>) -> Result<Option<Snapshot>, StoreError> {
        if parts.is_empty() {
            return Ok(None);
        }
        Ok(Snapshot::join(parts).patched(|bytes| self.objection.blot_out(bytes))?)
    }

    async fn hold(&self, job: &JobId) -> Result<Transaction<'static, Any>, StoreError> {
        let mut tx = self.store.begin().await?;
        sqlx::query(job_row::HOLD).bind(job.as_str()).execute(&mut *tx).await?;
        Ok(tx)
    }
}
