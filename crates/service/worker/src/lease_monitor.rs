//! The lease monitor: renews the leases of a node, and stops the runs whose lease is lost. A run whose
//! lease may have expired, because it could not be renewed, starts no requests until the database
//! answers: it continues without a replay unless another worker has claimed its shard meanwhile.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use contract::{Millis, ShardId};
use parking_lot::Mutex;
use store::{Lease, NodeName, Store};
use tokio::sync::watch;
use tokio::time::Instant;

use runner::RunSignal;

/// The leases of all runs of a node. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct LeaseMonitor {
    runs: Arc<Mutex<HashMap<ShardId, MonitoredRun>>>,
    /// Leases of runs that panicked.
    panicked: Arc<Mutex<Vec<Lease>>>,
}

#[derive(Debug)]
struct MonitoredRun {
    lease: Lease,
    stop: watch::Sender<RunSignal>,
    /// End of the lease on the monotonic clock, measured from before the renewal: independent of the
    /// database's clock, no other worker can hold the shard before.
    valid_until: Instant,
}

impl LeaseMonitor {
    /// Monitors a lease that was claimed after `asked_at`. Returns the signals of its run.
    pub fn watch(
        &self,
        lease: &Lease,
        asked_at: Instant,
        span: Duration,
    ) -> watch::Receiver<RunSignal> {
        let (stop, stopped) = watch::channel(RunSignal::Continue);
        let run = MonitoredRun { lease: lease.clone(), stop, valid_until: asked_at + span };
        self.runs.lock().insert(lease.shard.clone(), run);
        stopped
    }

    /// Stops renewing a lease. The epoch is compared, because the shard may have been claimed again.
    pub fn unwatch(&self, lease: &Lease) {
        let mut runs = self.runs.lock();
        if runs.get(&lease.shard).is_some_and(|run| run.lease.epoch == lease.epoch) {
            runs.remove(&lease.shard);
        }
    }

    pub fn count(&self) -> usize {
        self.runs.lock().len()
    }

    pub async fn renew(&self, store: &Store, node: &NodeName, span: Duration) {
        let leases = self.leases();
        let asked_at = Instant::now();
        match store.renew(node, &leases, span).await {
            Ok(held) => {
                let mut runs = self.runs.lock();
                for (lease, held) in leases.iter().zip(held) {
                    let run = runs.get_mut(&lease.shard);
                    // The shard may have been claimed again meanwhile.
                    let Some(run) = run.filter(|run| run.lease.epoch == lease.epoch) else {
                        continue;
                    };
                    if held {
                        run.valid_until = asked_at + span;
                        resume(run);
                    } else {
                        signal_lost(run);
                    }
                }
            }
            Err(error) => {
                metrics::counter!("trawl_lease_failures_total").increment(1);
                tracing::warn!(%error, "failed to renew leases");
            }
        }
    }

    /// Checks whether leases were revoked, for example by an abort.
    pub async fn check_leases(&self, store: &Store) {
        let leases = self.leases();
        // A failed query does not mean that a lease is lost.
        let Ok(held) = store.held(&leases).await else { return };
        let mut runs = self.runs.lock();
        for (lease, _) in leases.iter().zip(held).filter(|(_, held)| !held) {
            // The shard may have been claimed again meanwhile.
            if let Some(run) = runs.get_mut(&lease.shard)
                && run.lease.epoch == lease.epoch
            {
                signal_lost(run);
            }
        }
    }

    /// Signals the runs whose lease may have expired.
    pub fn expire(&self) {
        let now = Instant::now();
        for run in self.runs.lock().values_mut().filter(|run| run.valid_until <= now) {
            let is_stopping = run.stop.borrow().is_stop();
            if is_stopping {
                signal_lost(run);
            } else {
                signal(run, RunSignal::AwaitLease);
            }
        }
    }

    /// Notes the lease of a run that panicked.
    pub fn note_panic(&self, lease: &Lease) {
        self.panicked.lock().push(lease.clone());
    }

    /// Releases the leases of runs that panicked, and counts the crashes against them.
    pub async fn blame_panicked(&self, store: &Store, node: &NodeName, now: Millis) {
        let panicked = std::mem::take(&mut *self.panicked.lock());
        for lease in panicked {
            if let Err(error) = store.blame(node, &lease, now).await {
                tracing::warn!(%error, "failed to release the lease of a run that panicked, retrying");
                self.note_panic(&lease);
            }
        }
    }

    /// Signals the shutdown to every run.
    pub fn shut_down(&self) {
        self.runs.lock().values().for_each(|run| signal(run, RunSignal::Shutdown));
    }

    /// Signals the eviction to a run.
    pub fn evict(&self, shard: &ShardId) {
        if let Some(run) = self.runs.lock().get(shard) {
            signal(run, RunSignal::Evict);
        }
    }

    /// The leases of all runs.
    pub fn leases(&self) -> Vec<Lease> {
        self.runs.lock().values().map(|run| run.lease.clone()).collect()
    }
}

/// Sends a signal to a run that has not been stopped yet.
fn signal(run: &MonitoredRun, why: RunSignal) {
    run.stop.send_if_modified(|stop| {
        let is_new = !stop.is_stop() && *stop != why;
        *stop = if is_new { why } else { *stop };
        is_new
    });
}

/// Lets a run continue that waited for the renewal of its lease.
fn resume(run: &MonitoredRun) {
    run.stop.send_if_modified(|stop| {
        let waited = *stop == RunSignal::AwaitLease;
        *stop = if waited { RunSignal::Continue } else { *stop };
        waited
    });
}

fn signal_lost(run: &mut MonitoredRun) {
    run.stop.send_if_modified(|stop| {
        let is_new = *stop != RunSignal::LeaseLost;
        *stop = RunSignal::LeaseLost;
        if is_new {
            metrics::counter!("trawl_leases_lost_total").increment(1);
        }
        is_new
    });
}

#[cfg(test)]
mod tests {
    use store::StoreSettings;

    use super::*;

    const SPAN: Duration = Duration::from_secs(60);

    async fn claimed(store: &Store, node: &NodeName) -> Lease {
        let account = fixture::account(store, 10).await;
        let new = fixture::new_job(&account, "example.com");
        store.create_job(&new, fixture::NOW).await.expect("it answers");
        let lease = store.claim(node, SPAN, fixture::NOW).await.expect("it answers");
        lease.expect("a free shard")
    }

    async fn store(folder: &tempfile::TempDir) -> Store {
        let url = format!("sqlite:{}/trawl.db?mode=rwc", folder.path().display());
        let store = Store::new(StoreSettings::new(url)).expect("an address of a database");
        store.prepare().await.expect("the tables are made");
        store
    }

    #[tokio::test]
    async fn run_that_could_not_renew_its_lease_waits_and_continues_when_it_can() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (store, node) = (store(&folder).await, NodeName::random());
        let lease = claimed(&store, &node).await;
        let monitor = LeaseMonitor::default();
        let signals = monitor.watch(&lease, Instant::now(), SPAN);
        monitor.expire();
        assert_eq!(*signals.borrow(), RunSignal::Continue, "the lease is valid");
        // The last renewal was longer ago than the lease.
        let signals = monitor.watch(&lease, Instant::now(), Duration::ZERO);
        monitor.expire();
        assert_eq!(*signals.borrow(), RunSignal::AwaitLease);
        monitor.check_leases(&store).await;
        assert_eq!(*signals.borrow(), RunSignal::AwaitLease, "no other node has claimed it");
        monitor.renew(&store, &node, SPAN).await;
        assert_eq!(*signals.borrow(), RunSignal::Continue);
    }

    #[tokio::test]
    async fn run_whose_shard_was_claimed_meanwhile_stops() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (store, node) = (store(&folder).await, NodeName::random());
        let lease = claimed(&store, &node).await;
        let monitor = LeaseMonitor::default();
        let signals = monitor.watch(&lease, Instant::now(), Duration::ZERO);
        monitor.expire();
        store.release_all_leases().await.expect("it answers");
        let other = store.claim(&NodeName::random(), SPAN, fixture::NOW).await;
        assert!(other.expect("it answers").is_some(), "another node takes over");
        monitor.renew(&store, &node, SPAN).await;
        assert_eq!(*signals.borrow(), RunSignal::LeaseLost);
    }

    #[tokio::test]
    async fn run_that_stops_does_not_wait_for_its_lease() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let lease = claimed(&store(&folder).await, &NodeName::random()).await;
        let monitor = LeaseMonitor::default();
        let signals = monitor.watch(&lease, Instant::now(), Duration::ZERO);
        monitor.expire();
        monitor.shut_down();
        assert_eq!(*signals.borrow(), RunSignal::Shutdown);
        monitor.expire();
        assert_eq!(*signals.borrow(), RunSignal::LeaseLost);
    }
}
