//! The operator's overview of queue, nodes and leases.

use contract::{AccountId, JobId, Millis, Mode, Status};
use sqlx::any::AnyRow;

use crate::columns::{ReadColumn, read_row, sql};
use crate::{Result, Store};

/// Maximum entries of a list.
const MAX_LISTED: i64 = 200;

/// Numbers of waiting and running jobs and shards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueOverview {
    /// Unfinished jobs by status.
    pub jobs: Vec<(Status, u64)>,
    /// Open shards without a valid lease.
    pub waiting_shards: u64,
    /// Open shards with a valid lease.
    pub held_shards: u64,
    /// `queued_at` of the shard that has waited longest.
    pub oldest: Option<Millis>,
}

/// A shard without a valid lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingShard {
    pub job: JobId,
    pub account: AccountId,
    pub email: String,
    pub mode: Mode,
    pub number: u64,
    pub host: String,
    pub queued_at: Millis,
}

/// A node that is registered or holds leases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeOverview {
    pub node: String,
    /// Shards that it has leased.
    pub shards: u64,
    /// Hosts that it has leased.
    pub hosts: u64,
    /// End of its last lease, on the database's clock.
    pub lease_until: Option<Millis>,
    /// Its last heartbeat, on the database's clock.
    pub seen_at: Option<Millis>,
    /// The release that it runs; `None` for nodes of earlier ones.
    pub version: Option<String>,
    /// Shards that it runs at most.
    pub slots: Option<u64>,
    /// 1 if it has a browser.
    pub browser: Option<u64>,
    /// Milliseconds that its clock is ahead of the database's.
    pub clock_ahead: Option<i64>,
}

/// A shard with a valid lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseOverview {
    pub job: JobId,
    pub account: AccountId,
    pub email: String,
    pub mode: Mode,
    pub number: u64,
    pub host: String,
    pub node: String,
    pub lease_until: Millis,
    /// Expired leases since its last commit: workers that died with it.
    pub deaths: u64,
}

const JOBS: &str =
    "SELECT status, COUNT(*) AS many FROM jobs WHERE active = 1 GROUP BY status ORDER BY status";
const SHARDS: &str = "SELECT \
    CAST(COALESCE(SUM(CASE WHEN lease_until > $1 THEN 0 ELSE 1 END), 0) AS BIGINT) AS waiting, \
    CAST(COALESCE(SUM(CASE WHEN lease_until > $1 THEN 1 ELSE 0 END), 0) AS BIGINT) AS held, \
    MIN(CASE WHEN lease_until > $1 THEN NULL ELSE queued_at END) AS oldest \
    FROM shards WHERE state = 'open'";
const WAITING: &str = "SELECT s.job_id, j.account_id, a.email, j.mode, s.number, s.host, \
    s.queued_at FROM shards s JOIN jobs j ON j.id = s.job_id \
    JOIN accounts a ON a.id = j.account_id \
    WHERE s.state = 'open' AND s.lease_until <= $1 ORDER BY s.queued_at, s.id LIMIT $2";
const NODES: &str = "SELECT owner, CAST(SUM(shards) AS BIGINT) AS shards, \
    CAST(SUM(hosts) AS BIGINT) AS hosts, MAX(lease_until) AS lease_until, \
    MAX(seen_at) AS seen_at, MAX(version) AS version, MAX(slots) AS slots, \
    MAX(browser) AS browser, MAX(clock_ahead) AS clock_ahead FROM (\
    SELECT name AS owner, 0 AS shards, 0 AS hosts, CAST(NULL AS BIGINT) AS lease_until, seen_at, \
        version, slots, browser, clock_ahead FROM nodes UNION ALL \
    SELECT owner, 1, 0, lease_until, CAST(NULL AS BIGINT), CAST(NULL AS TEXT), \
        CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT) FROM shards \
    WHERE state = 'open' AND owner IS NOT NULL AND lease_until > $1 UNION ALL \
    SELECT owner, 0, 1, lease_until, CAST(NULL AS BIGINT), CAST(NULL AS TEXT), \
        CAST(NULL AS BIGINT), CAST(NULL AS BIGINT), CAST(NULL AS BIGINT) FROM host_leases \
    WHERE lease_until > $1) AS held GROUP BY owner ORDER BY owner";
const LEASES: &str = "SELECT s.job_id, j.account_id, a.email, j.mode, s.number, s.host, s.owner, \
    s.lease_until, s.deaths FROM shards s JOIN jobs j ON j.id = s.job_id \
    JOIN accounts a ON a.id = j.account_id \
    WHERE s.state = 'open' AND s.owner IS NOT NULL AND s.lease_until > $1 \
    ORDER BY s.owner, s.job_id, s.number LIMIT $2";

impl Store {
    /// Numbers of waiting and running jobs and shards of all accounts.
    pub async fn queue_overview(&self) -> Result<QueueOverview> {
        let now = self.database_clock().await?;
        let read = |row: &AnyRow| Ok((row.read("status")?, row.read("many")?));
        let jobs = self.fetch_all(sql!(JOBS), read).await?;
        let row = sql!(SHARDS; now).fetch_one(self.reader()?).await?;
        Ok(read_row!(row => QueueOverview {
            waiting_shards = "waiting", held_shards = "held", oldest;
            jobs,
        }))
    }

    /// The first 200 shards without a valid lease, the longest waiting first.
    pub async fn waiting_shards(&self) -> Result<Vec<WaitingShard>> {
        let now = self.database_clock().await?;
        let read = |row: &AnyRow| {
            Ok(read_row!(row => WaitingShard {
                job = "job_id", account = "account_id", email, mode, number, host, queued_at,
            }))
        };
        self.fetch_all(sql!(WAITING; now, MAX_LISTED), read).await
    }

    /// The nodes that are registered or hold valid leases.
    pub async fn nodes(&self) -> Result<Vec<NodeOverview>> {
        let now = self.database_clock().await?;
        let read = |row: &AnyRow| {
            Ok(read_row!(row => NodeOverview {
                node = "owner", shards, hosts, lease_until, seen_at, version, slots, browser,
                clock_ahead,
            }))
        };
        self.fetch_all(sql!(NODES; now), read).await
    }

    /// The first 200 shards with a valid lease.
    pub async fn leases(&self) -> Result<Vec<LeaseOverview>> {
        let now = self.database_clock().await?;
        let read = |row: &AnyRow| {
            Ok(read_row!(row => LeaseOverview {
                job = "job_id", account = "account_id", email, mode, number, host,
                node = "owner", lease_until, deaths,
            }))
        };
        self.fetch_all(sql!(LEASES; now, MAX_LISTED), read).await
    }
}
