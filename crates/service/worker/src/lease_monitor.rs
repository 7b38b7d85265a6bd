//! The lease monitor: renews the leases of a node, and stops the run of a lost lease before another
//! worker can claim its shard.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use contract::ShardId;
use parking_lot::Mutex;
use store::{Lease, NodeName, Store};
use tokio::sync::watch;
use tokio::time::Instant;

use runner::RunSignal;

/// The leases of all runs of a node. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct LeaseMonitor {
    runs: Arc<Mutex<HashMap<ShardId, MonitoredRun>>>,
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
                    let Some(run) = runs.get_mut(&lease.shard) else { continue };
                    if held {
                        run.valid_until = asked_at + span;
                    } else {
                        signal_lost(run);
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "failed to renew leases"),
        }
    }

    /// Checks whether leases were revoked, for example by an abort.
    pub async fn check_leases(&self, store: &Store) {
        for lease in self.leases() {
            // A failed query does not mean that the lease is lost.
            if let Ok(false) = store.holds(&lease).await
                && let Some(run) = self.runs.lock().get_mut(&lease.shard)
            {
                signal_lost(run);
            }
        }
    }

    /// Stops the runs whose lease has expired.
    pub fn expire(&self) {
        let now = Instant::now();
        for run in self.runs.lock().values_mut() {
            if run.valid_until <= now {
                signal_lost(run);
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

    fn leases(&self) -> Vec<Lease> {
        self.runs.lock().values().map(|run| run.lease.clone()).collect()
    }
}

/// Sends a signal to a run that has none yet.
fn signal(run: &MonitoredRun, why: RunSignal) {
    run.stop.send_if_modified(|stop| {
        let is_first = *stop == RunSignal::Continue;
        *stop = if is_first { why } else { *stop };
        is_first
    });
}

fn signal_lost(run: &mut MonitoredRun) {
    run.stop.send_if_modified(|stop| {
        let is_new = *stop != RunSignal::LeaseLost;
        *stop = RunSignal::LeaseLost;
        is_new
    });
}
