//! Wake-ups between tasks and nodes. They are hints that save time: nodes poll as well.
//!
//! On PostgreSQL each node listens on its own channel and on one for all nodes. New work wakes one node
//! with a free slot, and a revoked lease its owner, so that the cost of a job does not grow with the
//! number of nodes. Every `NOTIFY` takes a lock of the whole server when its transaction commits.

use contract::{AccountId, JobId};
use tokio::sync::broadcast;

use crate::columns::{ExecuteIn, Tx, scalar, sql};
use crate::{Dialect, Lease, NodeName, Result, Store};

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

/// The channel of all nodes. Nodes of releases before step 20 of the schema use no other.
const ALL_NODES: &str = "trawl";
const NOTIFY_ALL: &str = "SELECT pg_notify('trawl', $1)";
const NOTIFY_NODE: &str = "SELECT pg_notify('trawl_' || CAST($1 AS TEXT), $2)";
/// Wakes one of the nodes that were seen in the last 30 s, those with many free slots more often.
const NOTIFY_FREE_NODE: &str = "SELECT pg_notify('trawl_' || n.name, 'work') FROM (\
    SELECT name FROM nodes WHERE free_slots > 0 AND seen_at > \
    CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) - 30000 \
    ORDER BY random() * free_slots DESC LIMIT 1) n";
/// The nodes that run other shards of the job than $2.
const OWNERS_OF_JOB: &str = "SELECT DISTINCT owner FROM shards \
    WHERE job_id = $1 AND owner IS NOT NULL AND id <> $2";
const OWNERS_OF_ACCOUNT: &str = "SELECT DISTINCT owner FROM shards \
    WHERE state = 'open' AND owner IS NOT NULL \
    AND job_id IN (SELECT id FROM jobs WHERE account_id = $1 AND active = 1)";

/// The owners of leases that a transaction revokes, read before it does.
#[derive(Debug, Default)]
pub(crate) struct LeaseOwners(Vec<String>);

impl LeaseOwners {
    /// The owners of the shards of a job, except the shard whose owner revokes it itself.
    pub async fn of_job(tx: &mut Tx, job: &JobId, reporter: Option<&Lease>) -> Result<Self> {
        let shard = reporter.map_or("", |lease| lease.shard.as_str());
        Ok(Self(scalar!(OWNERS_OF_JOB; job, shard).fetch_all(&mut **tx).await?))
    }

    /// The owners of the shards of an account.
    pub async fn of_account(tx: &mut Tx, account: &AccountId) -> Result<Self> {
        Ok(Self(scalar!(OWNERS_OF_ACCOUNT; account).fetch_all(&mut **tx).await?))
    }

    /// Wakes them when the transaction commits. Returns the wake-up of the tasks of this process.
    pub async fn notify(&self, store: &Store, tx: &mut Tx) -> Result<Option<Wake>> {
        if store.has_listeners() {
            for owner in &self.0 {
                sql!(NOTIFY_NODE; owner, Wake::Control.as_str()).run(tx).await?;
            }
        }
        Ok((!self.0.is_empty()).then_some(Wake::Control))
    }
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

impl Store {
    /// Wake-ups from now on, of this process and, on PostgreSQL, of other nodes.
    #[must_use]
    pub fn wakes(&self) -> broadcast::Receiver<Wake> {
        self.inner.wakes.subscribe()
    }

    /// Whether nodes receive wake-ups from the database: not on SQLite, which has one node, and not
    /// through PgBouncer, which gives every transaction another connection.
    #[must_use]
    pub fn has_listeners(&self) -> bool {
        self.dialect() == Dialect::Postgres && !self.inner.settings.pgbouncer
    }

    /// Receives the wake-ups of other nodes until the connection breaks.
    ///
    /// # Errors
    /// [`crate::StoreError`] when the connection cannot be made or breaks.
    pub async fn listen(&self, node: &NodeName) -> Result<()> {
        if !self.has_listeners() {
            return std::future::pending().await;
        }
        let mut listener = sqlx::postgres::PgListener::connect(&self.inner.settings.url).await?;
        let own = format!("trawl_{node}");
        listener.listen_all([ALL_NODES, own.as_str()]).await?;
        loop {
            let notification = listener.recv().await?;
            if self.inner.page_wakes.receive(notification.payload()) {
                continue;
            }
            let wake = match notification.payload() {
                "control" => Wake::Control,
                "delivery" => Wake::Delivery,
                _ => Wake::Work,
            };
            self.wake_local(wake);
        }
    }

    /// Sends a wake-up to other nodes when the transaction commits: for work to one node with a free
    /// slot, otherwise to all.
    pub(crate) async fn notify_nodes(&self, tx: &mut Tx, wake: Wake) -> Result<()> {
        if !self.has_listeners() {
            return Ok(());
        }
        match wake {
            Wake::Work => sql!(NOTIFY_FREE_NODE).run(tx).await.map(drop),
            Wake::Control | Wake::Delivery => {
                sql!(NOTIFY_ALL; wake.as_str()).run(tx).await.map(drop)
            }
        }
    }

    /// Sends a payload to one node when the transaction commits.
    pub(crate) async fn notify_node(&self, tx: &mut Tx, node: &str, payload: &str) -> Result<()> {
        match self.has_listeners() {
            true => sql!(NOTIFY_NODE; node, payload).run(tx).await.map(drop),
            false => Ok(()),
        }
    }

    /// Commits a transaction, and wakes the tasks of this process and of other nodes.
    pub(crate) async fn commit_and_notify(&self, mut tx: Tx, wakes: &[Wake]) -> Result<()> {
        for wake in wakes {
            self.notify_nodes(&mut tx, *wake).await?;
        }
        self.commit_and_wake(tx, wakes.iter().copied()).await
    }

    /// Commits a transaction, and wakes the tasks of this process. Work is for the node that
    /// [`Store::notify_nodes`] has chosen: otherwise the node that creates jobs would run them all.
    pub(crate) async fn commit_and_wake(
        &self,
        tx: Tx,
        wakes: impl IntoIterator<Item = Wake>,
    ) -> Result<()> {
        tx.commit().await?;
        for wake in wakes {
            if wake != Wake::Work || !self.has_listeners() {
                self.wake_local(wake);
            }
        }
        Ok(())
    }

    /// Sends a wake-up to the tasks of this process.
    fn wake_local(&self, wake: Wake) {
        // Without a receiver the next poll finds the work.
        match wake {
            Wake::Work | Wake::Control => drop(self.inner.wakes.send(wake)),
            Wake::Delivery => self.inner.deliveries_due.send_replace(()),
        }
    }
}
