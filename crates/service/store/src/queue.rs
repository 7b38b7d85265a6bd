//! Leases on shards and hosts, and the wake-ups for workers.
//!
//! A lease is a row, not a database lock: `lease_until` on the database's clock, and an epoch that
//! increases with every claim (fencing token).

use std::fmt;
use std::time::Duration;

use contract::{ErrorCode, JobId, Millis, Mode, ShardId};
use job::JobCommand;
use sqlx::any::AnyRow;
use tokio::sync::broadcast;

use crate::columns::{ExecuteIn, ReadColumn, Tx, read_row, scalar, sql};
use crate::endpoint_lease::RELEASE_ENDPOINTS;
use crate::recharge::RELEASE_RECHARGES;
use crate::{CommandError, Dialect, Result, Store};

/// A run fails after this many expired leases of a shard without a commit in between.
const MAX_DEATHS: i64 = 5;

/// A run fails after this many expired leases of a shard, even with commits in between.
const MAX_CRASHES: i64 = 50;

/// Candidates that a claim examines: hosts may be leased by other nodes.
const CANDIDATES: i64 = 16;

/// The unique name of a node, the owner of its leases.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NodeName(String);

impl NodeName {
    /// A random name of 16 hexadecimal digits.
    #[must_use]
    pub fn random() -> Self {
        let bytes: [u8; 8] = rand::random();
        Self(data_encoding::HEXLOWER.encode(&bytes))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A shard that a worker has leased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    pub shard: ShardId,
    pub job: JobId,
    pub mode: Mode,
    /// Position among the shards of the job, from 0.
    pub number: u32,
    pub host: String,
    /// Increases with every claim: writes of an older epoch are rejected.
    pub epoch: i64,
    /// Number of commits in the log.
    pub head: i64,
    /// Leases of the shard that expired since [`Store::reset_crashes`].
    pub crashes: u32,
    /// Memory of the run at its last commit.
    pub memory_bytes: usize,
    /// URLs being fetched, stored with the next commit for live streams.
    pub fetching: Vec<String>,
}

/// The shards that a worker has a free slot for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claimable {
    All,
    /// Shards of site crawls, not those of `contacts` runs.
    Sites,
}

/// A wake-up. It may be lost: nodes poll as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake {
    /// A shard may be claimable.
    Work,
    /// A lease may have been revoked.
    Control,
    /// A delivery may be due. Received through [`Store::deliveries_due`] only.
    Delivery,
}

impl Wake {
    fn as_str(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::Control => "control",
            Self::Delivery => "delivery",
        }
    }
}

const CHANNEL: &str = "trawl";
const NOTIFY: &str = "SELECT pg_notify('trawl', $1)";

/// Shards that node $2 may claim at $1 if it has the memory: without a valid lease, of an account
/// that is not suspended and has fewer than $3 running jobs, on a host that no other node has
/// leased; shards of `contacts` runs only if $4 is 1.
macro_rules! claimable {
    () => {
        " FROM shards s \
         JOIN jobs j ON j.id = s.job_id \
         LEFT JOIN host_leases h ON h.host = s.host \
         WHERE s.state = 'open' AND s.lease_until <= $1 \
         AND (h.host IS NULL OR h.lease_until <= $1 OR h.owner = $2) \
         AND (j.status = 'running' OR (SELECT COUNT(*) FROM jobs r \
              WHERE r.account_id = j.account_id AND r.active = 1 \
              AND r.status = 'running') < $3) \
         AND (j.mode <> 'contacts' OR $4 = 1) \
         AND NOT EXISTS (SELECT 1 FROM accounts a \
              WHERE a.id = j.account_id AND a.suspended_at IS NOT NULL) "
    };
}

/// The order in which evicted runs are resumed after a run of account `$after`.
macro_rules! in_turns {
    ($after:literal) => {
        concat!(
            "ORDER BY CASE WHEN j.account_id > ",
            $after,
            " THEN 0 ELSE 1 END, j.account_id, s.queued_at, s.id"
        )
    };
}
pub(crate) use {claimable, in_turns};

/// Claimable shards that fit into $5 bytes of memory.
macro_rules! candidates {
    ($order:expr, $suffix:literal) => {
        concat!(
            "SELECT s.id, s.job_id, s.number, s.host, s.epoch, s.head, s.owner, s.deaths, s.crashes, \
             s.memory_bytes, j.mode, j.account_id",
            claimable!(),
            "AND s.memory_bytes <= $5 ",
            $order,
            " LIMIT $6",
            $suffix
        )
    };
}
const LONGEST_WAITING: &str = candidates!("ORDER BY s.queued_at, s.id", "");
const LONGEST_WAITING_SKIP_LOCKED: &str =
    candidates!("ORDER BY s.queued_at, s.id", " FOR UPDATE OF s SKIP LOCKED");
const EVICTED: &str = candidates!(concat!("AND s.memory_bytes > 0 ", in_turns!("$7")), "");
const EVICTED_SKIP_LOCKED: &str = candidates!(
    concat!("AND s.memory_bytes > 0 ", in_turns!("$7")),
    " FOR UPDATE OF s SKIP LOCKED"
);

const CLAIM_HOST: &str = "INSERT INTO host_leases (host, owner, lease_until) VALUES ($1, $2, $3) \
    ON CONFLICT (host) DO UPDATE SET \
    pages = CASE WHEN host_leases.owner = excluded.owner THEN host_leases.pages ELSE 0 END, \
    lease_until = CASE WHEN host_leases.owner = excluded.owner \
        AND host_leases.lease_until > excluded.lease_until \
        THEN host_leases.lease_until ELSE excluded.lease_until END, \
    owner = excluded.owner \
    WHERE host_leases.owner = excluded.owner OR host_leases.lease_until <= $4";
/// Updates no row when the account was suspended after the candidates were read.
const CLAIM_SHARD: &str = "UPDATE shards SET epoch = epoch + 1, owner = $2, lease_until = $3, \
    deaths = $4, crashes = $5 WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM jobs j \
    JOIN accounts a ON a.id = j.account_id \
    WHERE j.id = shards.job_id AND a.suspended_at IS NOT NULL)";
const RENEW_SHARD: &str = "UPDATE shards SET lease_until = $3 \
    WHERE id = $1 AND epoch = $2 AND state = 'open'";
/// The lease of a page may be longer.
const RENEW_HOST: &str = "UPDATE host_leases SET \
    lease_until = CASE WHEN lease_until > $3 THEN lease_until ELSE $3 END \
    WHERE host = $1 AND owner = $2";
const EPOCH: &str = "SELECT epoch FROM shards WHERE id = $1 AND state = 'open'";
const RELEASE_SHARD: &str = "UPDATE shards SET owner = NULL, lease_until = 0, deaths = 0 \
    WHERE id = $1 AND epoch = $2";
const RESET_CRASHES: &str = "UPDATE shards SET crashes = 0 WHERE id = $1 AND epoch = $2";
pub(crate) const RELEASE_HOST: &str = "DELETE FROM host_leases \
    WHERE host = $1 AND owner = $2 AND pages = 0 \
    AND NOT EXISTS (SELECT 1 FROM shards s WHERE s.host = $1 AND s.owner = $2)";
const RELEASE_ALL_SHARDS: &str = "UPDATE shards SET lease_until = 0 WHERE state = 'open'";
const RELEASE_ALL_HOSTS: &str = "DELETE FROM host_leases";
const WAITING: &str = "SELECT COUNT(*) FROM shards WHERE state = 'open' AND owner IS NULL";

impl Store {
    /// Claims a shard and its host. `None` when none is claimable.
    pub async fn claim(
        &self,
        node: &NodeName,
        lease: Duration,
        now: Millis,
    ) -> Result<Option<Lease>> {
        self.claim_among(Claimable::All, usize::MAX, node, lease, now).await
    }

    /// As [`Store::claim`], restricted to the shards that the worker has a slot and
    /// `free_memory` bytes for.
    pub async fn claim_among(
        &self,
        which: Claimable,
        free_memory: usize,
        node: &NodeName,
        lease: Duration,
        now: Millis,
    ) -> Result<Option<Lease>> {
        loop {
            match self.try_claim(which, free_memory, node, lease).await? {
                ClaimAttempt::Claimed(lease) => return Ok(Some(lease)),
                ClaimAttempt::NothingClaimable => return Ok(None),
                ClaimAttempt::CrashLoop(job) => self.fail_crash_loop(&job, now).await?,
            }
        }
    }

    async fn try_claim(
        &self,
        which: Claimable,
        free_memory: usize,
        node: &NodeName,
        lease: Duration,
    ) -> Result<ClaimAttempt> {
        let mut tx = self.begin().await?;
        let clock: i64 = scalar!(self.dialect().clock()).fetch_one(&mut *tx).await?;
        let until = Millis(clock).plus(lease).0;
        let candidates = |statement: &'static str| {
            sql!(statement; clock, node, self.inner.settings.running_jobs, which == Claimable::All,
                free_memory, CANDIDATES)
        };
        let statement = self.dialect().claim(LONGEST_WAITING, LONGEST_WAITING_SKIP_LOCKED);
        let mut rows = candidates(statement).fetch_all(&mut *tx).await?;
        // It is time for an evicted run: the accounts take turns.
        if rows.first().map(memory_bytes).transpose()?.is_some_and(|bytes| bytes > 0) {
            let statement = self.dialect().claim(EVICTED, EVICTED_SKIP_LOCKED);
            let query = candidates(statement).bind(self.inner.last_resumed.get());
            rows = query.fetch_all(&mut *tx).await?;
        }
        for row in &rows {
            // An owner with an expired lease: its worker died without releasing the shard.
            let died = row.read::<Option<String>>("owner")?.is_some();
            let deaths = row.read::<i64>("deaths")? + i64::from(died);
            let crashes = row.read::<i64>("crashes")? + i64::from(died);
            if deaths >= MAX_DEATHS || crashes >= MAX_CRASHES {
                return Ok(ClaimAttempt::CrashLoop(row.read("job_id")?));
            }
            let memory_bytes = memory_bytes(row)?;
            let host: String = row.read("host")?;
            let claimed = sql!(CLAIM_HOST; host, node, until, clock).run(&mut tx).await?;
            if claimed == 0 {
                continue;
            }
            let shard: ShardId = row.read("id")?;
            let claimed =
                sql!(CLAIM_SHARD; shard, node, until, deaths, crashes).run(&mut tx).await?;
            if claimed == 0 {
                return Ok(ClaimAttempt::NothingClaimable);
            }
            tx.commit().await?;
            if memory_bytes > 0 {
                self.inner.last_resumed.set(&row.read("account_id")?);
            }
            return Ok(ClaimAttempt::Claimed(read_row!(row => Lease {
                job = "job_id", mode, head;
                shard,
                number: u32::try_from(row.read::<i64>("number")?).unwrap_or(u32::MAX),
                host,
                epoch: row.read::<i64>("epoch")? + 1,
                crashes: u32::try_from(crashes).unwrap_or(u32::MAX),
                memory_bytes,
                fetching: Vec::new(),
            })));
        }
        // Roll back now: a dropped transaction keeps its row locks until the connection is used
        // again, and the next claim would skip those rows.
        tx.rollback().await?;
        Ok(ClaimAttempt::NothingClaimable)
    }

    /// Fails a job whose workers keep dying.
    async fn fail_crash_loop(&self, job: &JobId, now: Millis) -> Result<()> {
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

    /// Extends leases and the leases of their hosts; returns for each whether it is still held.
    pub async fn renew(
        &self,
        node: &NodeName,
        leases: &[Lease],
        span: Duration,
    ) -> Result<Vec<bool>> {
        if leases.is_empty() {
            return Ok(Vec::new());
        }
        let mut tx = self.begin().await?;
        let clock: i64 = scalar!(self.dialect().clock()).fetch_one(&mut *tx).await?;
        let until = Millis(clock).plus(span).0;
        let mut held = Vec::with_capacity(leases.len());
        for lease in leases {
            let renewed = sql!(RENEW_SHARD; lease.shard, lease.epoch, until).run(&mut tx).await?;
            held.push(renewed == 1);
            sql!(RENEW_HOST; lease.host, node, until).run(&mut tx).await?;
        }
        tx.commit().await?;
        Ok(held)
    }

    /// Whether the lease is still held.
    pub async fn holds(&self, lease: &Lease) -> Result<bool> {
        let epoch: Option<i64> = scalar!(EPOCH; lease.shard).fetch_optional(self.reader()?).await?;
        Ok(epoch == Some(lease.epoch))
    }

    /// Releases a shard, and its host unless another shard of the node needs it.
    pub async fn release_lease(&self, node: &NodeName, lease: &Lease) -> Result<()> {
        let mut tx = self.begin().await?;
        release(&mut tx, node, lease).await?;
        Ok(tx.commit().await?)
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

    /// Number of open shards without an owner.
    pub async fn count_waiting_shards(&self) -> Result<u64> {
        let waiting: i64 = scalar!(WAITING).fetch_one(self.reader()?).await?;
        Ok(u64::try_from(waiting).unwrap_or(0))
    }

    /// Wake-ups from now on, of this process and, on PostgreSQL, of all nodes.
    #[must_use]
    pub fn wakes(&self) -> broadcast::Receiver<Wake> {
        self.inner.wakes.subscribe()
    }

    /// Receives the wake-ups of other nodes until the connection breaks.
    ///
    /// # Errors
    /// [`crate::StoreError`] when the connection cannot be made or breaks.
    pub async fn listen(&self) -> Result<()> {
        if self.dialect() == Dialect::Sqlite {
            return std::future::pending().await;
        }
        let mut listener = sqlx::postgres::PgListener::connect(&self.inner.settings.url).await?;
        listener.listen(CHANNEL).await?;
        loop {
            let wake = match listener.recv().await?.payload() {
                "control" => Wake::Control,
                "delivery" => Wake::Delivery,
                _ => Wake::Work,
            };
            self.wake_local(wake);
        }
    }

    /// Sends a wake-up to the other nodes when the transaction commits.
    pub(crate) async fn notify_nodes(&self, tx: &mut Tx, wake: Wake) -> Result<()> {
        if self.dialect() == Dialect::Postgres {
            sql!(NOTIFY; wake.as_str()).run(tx).await?;
        }
        Ok(())
    }

    /// Commits a transaction, and wakes the tasks of this process and of the other nodes.
    pub(crate) async fn commit_and_notify(&self, mut tx: Tx, wakes: &[Wake]) -> Result<()> {
        for wake in wakes {
            self.notify_nodes(&mut tx, *wake).await?;
        }
        self.commit_and_wake(tx, wakes.iter().copied()).await
    }

    /// Commits a transaction, and wakes the tasks of this process.
    pub(crate) async fn commit_and_wake(
        &self,
        tx: Tx,
        wakes: impl IntoIterator<Item = Wake>,
    ) -> Result<()> {
        tx.commit().await?;
        for wake in wakes {
            self.wake_local(wake);
        }
        Ok(())
    }

    /// Sends a wake-up to the tasks of this process.
    pub(crate) fn wake_local(&self, wake: Wake) {
        // Without a receiver the next poll finds the work.
        match wake {
            Wake::Work | Wake::Control => drop(self.inner.wakes.send(wake)),
            Wake::Delivery => self.inner.deliveries_due.send_replace(()),
        }
    }
}

/// Memory that the run of a shard needs.
fn memory_bytes(row: &AnyRow) -> Result<usize> {
    Ok(usize::try_from(row.read::<i64>("memory_bytes")?).unwrap_or(0))
}

pub(crate) async fn release(tx: &mut Tx, node: &NodeName, lease: &Lease) -> Result<()> {
    sql!(RELEASE_SHARD; lease.shard, lease.epoch).run(tx).await?;
    sql!(RELEASE_HOST; lease.host, node).run(tx).await.map(drop)
}

enum ClaimAttempt {
    Claimed(Lease),
    NothingClaimable,
    /// The workers of this job keep dying.
    CrashLoop(JobId),
}

#[cfg(test)]
mod tests {
    use contract::Mode;

    #[test]
    fn claim_query_restricts_every_mode_that_visits_domains() {
        for mode in Mode::DOMAINS {
            assert!(claimable!().contains(&format!("j.mode <> '{mode}'")), "{mode}");
        }
    }
}
