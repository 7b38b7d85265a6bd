//! Runs that were evicted to free memory, and the order in which they are resumed.
//!
//! The accounts take turns: a node resumes the longest waiting run of the account that follows, in
//! the order of account ids, the account whose run it resumed last. So an account with many evicted
//! runs does not delay the single run of another one.
//!
//! A run is next after at most one resumed run of each other account, for itself and for each older
//! evicted run of the same account. If any run has waited for too long, memory is freed for the run
//! that is next, which may have been evicted later: the bound counts resumed runs, not time. Each
//! node has its own turns, and begins with the first account after a restart.

use std::time::Duration;

use contract::AccountId;
use parking_lot::Mutex;
use sqlx::Any;

use crate::columns::{ExecuteIn, scalar, sql};
use crate::lease::release;
use crate::queue::{claimable, in_turns, ready};
use crate::shard_lease::{Lease, NodeName};
use crate::{Claimable, Result, Store};

const EVICT: &str = "UPDATE shards SET memory_bytes = $3, queued_at = $4 \
    WHERE id = $1 AND epoch = $2";
/// Runs that are claimable but for their memory: others must not displace a running one.
const HAS_WAITED: &str = concat!(
    "SELECT s.memory_bytes",
    claimable!(ready!()),
    "AND s.memory_bytes > 0 AND s.queued_at <= $5 LIMIT 1"
);
const NEXT_MEMORY: &str = concat!(
    "SELECT s.memory_bytes",
    claimable!(ready!()),
    "AND s.memory_bytes > 0 ",
    in_turns!("$5"),
    " LIMIT 1"
);

/// The account whose evicted run this node resumed last; empty before the first one.
#[derive(Debug, Default)]
pub(crate) struct LastResumed(Mutex<String>);

impl LastResumed {
    pub fn get(&self) -> String {
        self.0.lock().clone()
    }

    pub fn set(&self, account: &AccountId) {
        account.as_str().clone_into(&mut self.0.lock());
    }
}

impl Store {
    /// Releases a shard to free memory: it goes to the end of the queue, and only a node with
    /// `memory_bytes` of free memory claims it again.
    pub async fn evict(&self, node: &NodeName, lease: &Lease, memory_bytes: usize) -> Result<()> {
        let mut tx = self.begin().await?;
        let clock: i64 = scalar!(self.dialect().clock()).fetch_one(&mut *tx).await?;
        sql!(EVICT; lease.shard, lease.epoch, memory_bytes, clock).run(&mut tx).await?;
        release(&mut tx, node, lease).await?;
        Ok(tx.commit().await?)
    }

    /// The memory of the evicted run that this node resumes next, if one that it could claim but
    /// for its memory has waited for `waited`.
    pub async fn next_evicted_memory(
        &self,
        which: Claimable,
        node: &NodeName,
        waited: Duration,
    ) -> Result<Option<usize>> {
        let reader = self.reader()?;
        let clock: i64 = scalar!(self.dialect().clock()).fetch_one(reader).await?;
        let claimable = |statement: &'static str| {
            sqlx::query_scalar::<Any, i64>(statement)
                .bind(clock)
                .bind(node.as_str())
                .bind(i64::from(self.inner.settings.running_jobs))
                .bind(i64::from(which == Claimable::All))
        };
        let waited = i64::try_from(waited.as_millis()).unwrap_or(i64::MAX);
        let has_waited = claimable(HAS_WAITED).bind(clock.saturating_sub(waited));
        if has_waited.fetch_optional(reader).await?.is_none() {
            return Ok(None);
        }
        let next = claimable(NEXT_MEMORY).bind(self.inner.last_resumed.get());
        let bytes = next.fetch_optional(reader).await?;
        Ok(bytes.map(|bytes| usize::try_from(bytes).unwrap_or(0)))
    }
}
