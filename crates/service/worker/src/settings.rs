//! Settings of the workers of a node, with their defaults.

use std::time::Duration;

use crawl::{Ceilings, FetchAllowance, Retries};
use privacy::BlockedDomains;
use runner::CommitLimits;

/// Limits and intervals of the workers.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// Maximum concurrent shards.
    pub shards: usize,
    /// Maximum concurrent requests of one run.
    pub concurrency: usize,
    /// Maximum concurrent requests of one run to one host.
    pub host_concurrency: usize,
    /// Maximum concurrent shards of domains, as part of `shards`.
    pub visit_shards: usize,
    /// Maximum concurrent visits of one shard.
    pub visits: usize,
    /// Duration of a lease without renewal.
    pub lease: Duration,
    /// Interval of checking whether leases were revoked.
    pub control_every: Duration,
    pub retries: Retries,
    pub commit: CommitLimits,
    /// A snapshot is written when the log is larger than this.
    pub snapshot_bytes: u64,
    pub blocked_domains: BlockedDomains,
    pub ceilings: Ceilings,
    /// Maximum memory of all runs of the node in bytes. Beyond it the largest runs of the account
    /// that uses most are evicted.
    pub frontier_memory: usize,
    /// Retention of results after the end of a run.
    pub keep_results: Duration,
    /// Interval of deleting expired results.
    pub purge_every: Duration,
}

impl Default for WorkerSettings {
    fn default() -> Self {
        Self {
            shards: 64,
            concurrency: 16,
            host_concurrency: 4,
            visit_shards: 4,
            visits: 48,
            lease: Duration::from_secs(10),
            control_every: Duration::from_secs(2),
            retries: Retries::default(),
            commit: CommitLimits::default(),
            snapshot_bytes: 4 << 20,
            blocked_domains: BlockedDomains::default(),
            ceilings: Ceilings { fetches: Some(FetchAllowance::default()), ..Ceilings::default() },
            frontier_memory: 1 << 30,
            keep_results: Duration::from_secs(30 * 24 * 60 * 60),
            purge_every: Duration::from_secs(60 * 60),
        }
    }
}
