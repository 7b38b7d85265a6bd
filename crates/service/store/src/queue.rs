//! The queue of shards: which of them a node can claim, and in which order.
//!
//! A lease is a row, not a database lock: `lease_until` on the database's clock, and an epoch that
//! increases with every claim (fencing token). An open shard is *ready* without an owner and *held*
//! with one; `lease.rs` has what a node does with the shards that it holds.

use std::time::{Duration, Instant};

use contract::{JobId, Millis, ShardId};
use sqlx::any::AnyRow;

use crate::columns::{ExecuteIn, ReadColumn, read_row, scalar, sql};
use crate::lease::{CRASHES_BEFORE_ISOLATION, PROBE, blame};
use crate::shard_lease::{Lease, NodeName};
use crate::{Result, Store};

/// Candidates that a claim examines: hosts may be leased by other nodes.
const CANDIDATES: i64 = 16;

/// The shards that a worker has a free slot for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claimable {
    All,
    /// Shards of site crawls, not those of `contacts` runs.
    Sites,
}

/// Shards without an owner.
macro_rules! ready {
    () => {
        "s.owner IS NULL"
    };
}

/// Shards whose node has not renewed its lease at $1.
macro_rules! expired {
    () => {
        "s.owner IS NOT NULL AND s.lease_until <= $1"
    };
}

/// Open shards that node $2 may claim at $1 if it has the memory: of an account that is not suspended
/// and has fewer than $3 running jobs, on a host that no other node has leased; shards of `contacts`
/// runs only if $4 is 1; a suspect only if the node probes no other one (`lease.rs`).
macro_rules! claimable {
    ($which:expr) => {
        concat!(
            " FROM shards s \
             JOIN jobs j ON j.id = s.job_id \
             LEFT JOIN host_leases h ON h.host = s.host \
             WHERE s.state = 'open' AND ",
            $which,
            " AND (h.host IS NULL OR h.lease_until <= $1 OR h.owner = $2) \
             AND (j.status = 'running' OR (SELECT COUNT(*) FROM jobs r \
                  WHERE r.account_id = j.account_id AND r.active = 1 \
                  AND r.status = 'running') < $3) \
             AND (j.mode <> 'contacts' OR $4 = 1) \
             AND (s.crashes + CASE WHEN s.owner IS NULL THEN 0 ELSE 1 END < 2 \
                  OR NOT EXISTS (SELECT 1 FROM shards p WHERE p.owner = $2 \
                  AND p.probe_until > $1 AND p.lease_until > $1)) \
             AND NOT EXISTS (SELECT 1 FROM accounts a \
                  WHERE a.id = j.account_id AND a.suspended_at IS NOT NULL) "
        )
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
pub(crate) use {claimable, in_turns, ready};

/// Claimable shards that fit into $5 bytes of memory.
macro_rules! candidates {
    ($which:expr, $order:expr, $suffix:literal) => {
        concat!(
            "SELECT s.id, s.job_id, s.number, s.host, s.epoch, s.head, s.owner, s.lease_until, \
             s.crashes, s.probe_until, s.memory_bytes, j.mode, j.account_id",
            claimable!($which),
            "AND s.memory_bytes <= $5 ",
            $order,
            " LIMIT $6",
            $suffix
        )
    };
}
const EXPIRED: &str = candidates!(expired!(), "ORDER BY s.lease_until, s.id", "");
const EXPIRED_SKIP_LOCKED: &str =
    candidates!(expired!(), "ORDER BY s.lease_until, s.id", " FOR UPDATE OF s SKIP LOCKED");
const LONGEST_WAITING: &str = candidates!(ready!(), "ORDER BY s.queued_at, s.id", "");
const LONGEST_WAITING_SKIP_LOCKED: &str =
    candidates!(ready!(), "ORDER BY s.queued_at, s.id", " FOR UPDATE OF s SKIP LOCKED");
const EVICTED: &str =
    candidates!(ready!(), concat!("AND s.memory_bytes > 0 ", in_turns!("$7")), "");
const EVICTED_SKIP_LOCKED: &str = candidates!(
    ready!(),
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
    crashes = $4, probe_until = $5 WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM jobs j \
    JOIN accounts a ON a.id = j.account_id \
    WHERE j.id = shards.job_id AND a.suspended_at IS NOT NULL)";
/// Shards that are counted as ready: nothing needs more nodes at once.
pub const MAX_READY: i64 = 1_000;
const READY: &str = concat!(
    "SELECT COUNT(*) FROM (SELECT s.id",
    claimable!("(s.owner IS NULL OR s.lease_until <= $1)"),
    "LIMIT $5) AS claimable"
);
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
                ClaimAttempt::Requeued => {}
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
        // Shards of nodes that died come first: their runs were started before.
        let mut rows = Vec::new();
        if self.inner.contact.is_steady(lease, Instant::now()) {
            let statement = self.dialect().select(EXPIRED, EXPIRED_SKIP_LOCKED);
            rows = candidates(statement).fetch_all(&mut *tx).await?;
        }
        let ready = self.dialect().select(LONGEST_WAITING, LONGEST_WAITING_SKIP_LOCKED);
        let mut more = candidates(ready).fetch_all(&mut *tx).await?;
        // It is time for an evicted run: the accounts take turns.
        if more.first().map(memory_bytes).transpose()?.is_some_and(|bytes| bytes > 0) {
            let statement = self.dialect().select(EVICTED, EVICTED_SKIP_LOCKED);
            let query = candidates(statement).bind(self.inner.last_resumed.get());
            more = query.fetch_all(&mut *tx).await?;
        }
        rows.append(&mut more);
        for row in &rows {
            // An owner with an expired lease: its worker died without releasing the shard.
            let died = row.read::<Option<String>>("owner")?.is_some();
            let (shard, epoch): (ShardId, i64) = (row.read("id")?, row.read("epoch")?);
            if died && was_probed(row)? {
                let is_loop = blame(&mut tx, &shard, epoch, clock).await?;
                tx.commit().await?;
                return Ok(match is_loop {
                    true => ClaimAttempt::CrashLoop(row.read("job_id")?),
                    false => ClaimAttempt::Requeued,
                });
            }
            let crashes = row.read::<u32>("crashes")? + u32::from(died);
            let is_suspect = crashes >= CRASHES_BEFORE_ISOLATION;
            let probe_until = if is_suspect { Millis(until).plus(PROBE).0 } else { 0 };
            let memory_bytes = memory_bytes(row)?;
            let host: String = row.read("host")?;
            let claimed = sql!(CLAIM_HOST; host, node, until, clock).run(&mut tx).await?;
            if claimed == 0 {
                continue;
            }
            let claimed =
                sql!(CLAIM_SHARD; shard, node, until, crashes, probe_until).run(&mut tx).await?;
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
                epoch: epoch + 1,
                crashes,
                memory_bytes,
                fetching: Vec::new(),
            })));
        }
        // Roll back now: a dropped transaction keeps its row locks until the connection is used
        // again, and the next claim would skip those rows.
        tx.rollback().await?;
        Ok(ClaimAttempt::NothingClaimable)
    }

    /// Number of shards that a node with a free slot could claim now, at most
    /// `MAX_READY`: unlike those of [`Self::count_waiting_shards`], none of them waits for a host that
    /// another node crawls or for a running job of its account.
    pub async fn count_ready_shards(&self) -> Result<u64> {
        let now = self.database_clock().await?;
        let running = self.inner.settings.running_jobs;
        // The node has no name, so that it has no leases.
        let counted = scalar!(READY; now, "", running, true, MAX_READY);
        let ready: i64 = counted.fetch_one(self.reader()?).await?;
        Ok(u64::try_from(ready).unwrap_or(0))
    }

    /// Number of open shards without an owner.
    pub async fn count_waiting_shards(&self) -> Result<u64> {
        let waiting: i64 = scalar!(WAITING).fetch_one(self.reader()?).await?;
        Ok(u64::try_from(waiting).unwrap_or(0))
    }
}

/// Memory that the run of a shard needs.
fn memory_bytes(row: &AnyRow) -> Result<usize> {
    Ok(usize::try_from(row.read::<i64>("memory_bytes")?).unwrap_or(0))
}

/// Whether the node of a shard died while it probed the shard: a later renewal would have set a later
/// end of the lease.
fn was_probed(row: &AnyRow) -> Result<bool> {
    let probe_until: i64 = row.read("probe_until")?;
    Ok(probe_until > 0 && row.read::<i64>("lease_until")? <= probe_until)
}

enum ClaimAttempt {
    Claimed(Lease),
    NothingClaimable,
    /// A shard that its dead node had probed went to the end of the queue.
    Requeued,
    /// The workers of this job keep dying.
    CrashLoop(JobId),
}

#[cfg(test)]
mod tests {
    use contract::Mode;

    use crate::lease::CRASHES_BEFORE_ISOLATION;

    #[test]
    fn claim_query_has_the_number_of_crashes_of_a_suspect() {
        let condition = format!("THEN 0 ELSE 1 END < {CRASHES_BEFORE_ISOLATION} OR NOT EXISTS");
        let query: String = claimable!(ready!()).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(query.contains(&condition), "{query}");
    }

    #[test]
    fn claim_query_restricts_every_mode_that_visits_domains() {
        for mode in Mode::DOMAINS {
            assert!(claimable!(ready!()).contains(&format!("j.mode <> '{mode}'")), "{mode}");
        }
    }
}
