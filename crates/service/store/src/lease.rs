//! Leases of a node on shards and their hosts: renewal, release, and the blame for crashes.
//!
//! A worker that dies leaves leases that expire. That alone is no evidence against any of its shards:
//! at most one of them is at fault, and the operator may have killed it. So a crash makes every shard
//! of the node a suspect (`crashes`), and only evidence is counted against a shard (`deaths`, `blames`):
//!
//! - its own run panicked ([`Store::blame`]);
//! - the node died while it probed the shard. A shard that was there at [`CRASHES_BEFORE_ISOLATION`]
//!   crashes is probed: its pages are read in child processes, and it is the only suspect that its
//!   node runs, until its first commit, for at most [`PROBE`].

use std::collections::HashSet;
use std::time::Duration;

use contract::{ErrorCode, JobId, Millis, ShardId};
use job::JobCommand;
use sqlx::any::AnyRow;

use crate::columns::{ExecuteIn, ReadColumn, Tx, scalar, sql, to_json};
use crate::endpoint_lease::RELEASE_ENDPOINTS;
use crate::recharge::RELEASE_RECHARGES;
use crate::{CommandError, Lease, NodeName, Result, Store};

/// A run fails after this many crashes of a shard in a row for which there is evidence against it,
/// without a commit in between.
const MAX_DEATHS: i64 = 5;

/// A run fails after this many such crashes of a shard, even with commits in between.
const MAX_BLAMES: i64 = 50;

/// A shard that was on this many nodes when they died is isolated and probed.
pub const CRASHES_BEFORE_ISOLATION: u32 = 2;

/// Maximum time that a shard without a commit is the only suspect of its node.
pub(crate) const PROBE: Duration = Duration::from_secs(300);

/// Renews the leases that are listed in $3, of all that the node has: one that it does not know any
/// more has to expire.
macro_rules! renew {
    ($listed:literal) => {
        concat!(
            "UPDATE shards SET lease_until = $2 WHERE owner = $1 AND state = 'open' \
             AND id || ':' || epoch IN (",
            $listed,
            ") RETURNING id, epoch"
        )
    };
}
const RENEW_SHARDS_SQLITE: &str = renew!("SELECT value FROM json_each($3)");
const RENEW_SHARDS_POSTGRES: &str =
    renew!("SELECT jsonb_array_elements_text(CAST(CAST($3 AS TEXT) AS jsonb))");
/// The hosts of the shards that were just renewed. The lease of a page may be longer.
const RENEW_HOSTS: &str = "UPDATE host_leases SET \
    lease_until = CASE WHEN lease_until > $2 THEN lease_until ELSE $2 END \
    WHERE owner = $1 AND host IN \
    (SELECT s.host FROM shards s WHERE s.owner = $1 AND s.state = 'open' AND s.lease_until = $2)";
const EPOCHS_SQLITE: &str = "SELECT id, epoch FROM shards WHERE state = 'open' \
    AND id IN (SELECT value FROM json_each($1))";
const EPOCHS_POSTGRES: &str = "SELECT id, epoch FROM shards WHERE state = 'open' \
    AND id IN (SELECT jsonb_array_elements_text(CAST(CAST($1 AS TEXT) AS jsonb)))";
const RELEASE_SHARD: &str = "UPDATE shards SET owner = NULL, lease_until = 0, deaths = 0 \
    WHERE id = $1 AND epoch = $2";
/// Puts the shard to the end of the queue, so that another suspect is probed first.
const BLAME: &str = "UPDATE shards SET owner = NULL, lease_until = 0, epoch = epoch + 1, \
    probe_until = 0, queued_at = $3, deaths = deaths + 1, blames = blames + 1, crashes = crashes + 1 \
    WHERE id = $1 AND epoch = $2 AND state = 'open' RETURNING deaths, blames";
const RESET_CRASHES: &str =
    "UPDATE shards SET crashes = 0, blames = 0 WHERE id = $1 AND epoch = $2";
pub(crate) const RELEASE_HOST: &str = "DELETE FROM host_leases \
    WHERE host = $1 AND owner = $2 AND pages = 0 \
    AND NOT EXISTS (SELECT 1 FROM shards s WHERE s.host = $1 AND s.owner = $2)";
/// Leases whose node ended after its probe of the shard are no evidence.
const RELEASE_ALL_SHARDS: &str = "UPDATE shards SET lease_until = 0, \
    probe_until = CASE WHEN lease_until <= probe_until THEN probe_until ELSE 0 END \
    WHERE state = 'open'";
const RELEASE_ALL_HOSTS: &str = "DELETE FROM host_leases";

impl Store {
    /// Extends leases and the leases of their hosts; returns for each whether it is still held. The
    /// number of statements does not depend on the number of leases.
    pub async fn renew(
        &self,
        node: &NodeName,
        leases: &[Lease],
        span: Duration,
    ) -> Result<Vec<bool>> {
        if leases.is_empty() {
            return Ok(Vec::new());
        }
        let listed: Vec<_> =
            leases.iter().map(|lease| format!("{}:{}", lease.shard, lease.epoch)).collect();
        let statement = self.dialect().select(RENEW_SHARDS_SQLITE, RENEW_SHARDS_POSTGRES);
        let mut tx = self.begin_upkeep().await?;
        let clock: i64 = scalar!(self.dialect().clock()).fetch_one(&mut *tx).await?;
        let until = Millis(clock).plus(span).0;
        let rows = sql!(statement; node, until, to_json(&listed)?).fetch_all(&mut *tx).await?;
        sql!(RENEW_HOSTS; node, until).run(&mut tx).await?;
        let held = are_held(leases, &rows)?;
        tx.commit().await?;
        Ok(held)
    }

    /// Whether each of these leases is still held. One statement for all of them.
    pub async fn held(&self, leases: &[Lease]) -> Result<Vec<bool>> {
        if leases.is_empty() {
            return Ok(Vec::new());
        }
        self.reader()?;
        let shards: Vec<_> = leases.iter().map(|lease| lease.shard.as_str()).collect();
        let statement = self.dialect().select(EPOCHS_SQLITE, EPOCHS_POSTGRES);
        let rows = sql!(statement; to_json(&shards)?).fetch_all(&self.inner.upkeep).await?;
        are_held(leases, &rows)
    }

    /// Releases a shard, and its host unless another shard of the node needs it.
    pub async fn release_lease(&self, node: &NodeName, lease: &Lease) -> Result<()> {
        let mut tx = self.begin().await?;
        release(&mut tx, node, lease).await?;
        Ok(tx.commit().await?)
    }

    /// Releases a shard whose run panicked, and counts the crash against it. Fails its job after too
    /// many.
    pub async fn blame(&self, node: &NodeName, lease: &Lease, now: Millis) -> Result<()> {
        let mut tx = self.begin().await?;
        let clock: i64 = scalar!(self.dialect().clock()).fetch_one(&mut *tx).await?;
        let is_loop = blame(&mut tx, &lease.shard, lease.epoch, clock).await?;
        sql!(RELEASE_HOST; lease.host, node).run(&mut tx).await?;
        tx.commit().await?;
        if is_loop {
            self.fail_crash_loop(&lease.job, now).await?;
        }
        Ok(())
    }

    /// Fails a job whose workers keep dying.
    pub(crate) async fn fail_crash_loop(&self, job: &JobId, now: Millis) -> Result<()> {
        let command = JobCommand::Fail {
            code: ErrorCode::ServerError,
            message: "the run crashed its worker too often".to_owned(),
        };
        match self.command(job, &command, now).await {
            // Ended by another node or by its owner.
            Ok(_) | Err(CommandError::NotFound | CommandError::Refused(_)) => Ok(()),
            Err(CommandError::LeaseLost) => Ok(()),
            Err(CommandError::Store(error)) => Err(error),
        }
    }

    /// Resets the crash count of a shard that has worked for a while.
    pub async fn reset_crashes(&self, lease: &Lease) -> Result<()> {
        let reset = sql!(RESET_CRASHES; lease.shard, lease.epoch);
        reset.execute(&self.inner.writer).await?;
        Ok(())
    }

    /// Releases all leases. For SQLite only, where this process is the only node: leases of an
    /// earlier process are stale.
    pub async fn release_all_leases(&self) -> Result<()> {
        let mut tx = self.begin().await?;
        for statement in
            [RELEASE_ALL_SHARDS, RELEASE_ALL_HOSTS, RELEASE_ENDPOINTS, RELEASE_RECHARGES]
        {
            sql!(statement).run(&mut tx).await?;
        }
        Ok(tx.commit().await?)
    }
}

/// Releases a shard and counts a crash against it. Returns whether its run has to fail.
pub(crate) async fn blame(tx: &mut Tx, shard: &ShardId, epoch: i64, clock: i64) -> Result<bool> {
    let row = sql!(BLAME; shard, epoch, clock).fetch_optional(&mut **tx).await?;
    let Some(row) = row else { return Ok(false) };
    Ok(row.read::<i64>("deaths")? >= MAX_DEATHS || row.read::<i64>("blames")? >= MAX_BLAMES)
}

/// For each lease whether it is among the rows, with its epoch.
fn are_held(leases: &[Lease], rows: &[AnyRow]) -> Result<Vec<bool>> {
    let mut held = HashSet::new();
    for row in rows {
        held.insert((row.read::<ShardId>("id")?, row.read::<i64>("epoch")?));
    }
    Ok(leases.iter().map(|lease| held.contains(&(lease.shard.clone(), lease.epoch))).collect())
}

pub(crate) async fn release(tx: &mut Tx, node: &NodeName, lease: &Lease) -> Result<()> {
    sql!(RELEASE_SHARD; lease.shard, lease.epoch).run(tx).await?;
    sql!(RELEASE_HOST; lease.host, node).run(tx).await.map(drop)
}
