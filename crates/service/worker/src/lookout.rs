//! Watches over the leases of a node: renews them, notices when one is lost, and
//! stops its run before anybody else can have begun.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contract::ShardId;
use store::{Lease, NodeName, Store};
use tokio::sync::watch;
use tokio::time::Instant;

use runner::Stop;

/// The runs of a node.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lookout {
    runs: Arc<Mutex<HashMap<ShardId, Watched>>>,
}

#[derive(Debug)]
struct Watched {
    lease: Lease,
    stop: watch::Sender<Stop>,
    /// Counted on our own clock from before the renewal: whatever the database's clock
    /// does, nobody else can hold the shard before this.
    ours_until: Instant,
}

impl Lookout {
    /// Watches a lease that was claimed after `asked_at`.
    pub fn watch(&self, lease: &Lease, asked_at: Instant, span: Duration) -> watch::Receiver<Stop> {
        let (stop, stopped) = watch::channel(Stop::Run);
        let watched = Watched { lease: lease.clone(), stop, ours_until: asked_at + span };
        self.runs().insert(lease.shard.clone(), watched);
        stopped
    }

    /// Stops to renew a lease. The shard may have been claimed again since.
    pub fn forget(&self, lease: &Lease) {
        let mut runs = self.runs();
        if runs.get(&lease.shard).is_some_and(|watched| watched.lease.epoch == lease.epoch) {
            runs.remove(&lease.shard);
        }
    }

    pub fn count(&self) -> usize {
        self.runs().len()
    }

    /// Renews every lease.
    pub async fn renew(&self, store: &Store, node: &NodeName, span: Duration) {
        let leases = self.leases();
        let asked_at = Instant::now();
        match store.renew(node, &leases, span).await {
            Ok(held) => {
                let mut runs = self.runs();
                for (lease, held) in leases.iter().zip(held) {
                    let Some(watched) = runs.get_mut(&lease.shard) else { continue };
                    if held {
                        watched.ours_until = asked_at + span;
                    } else {
                        lost(watched);
                    }
                }
            }
            Err(error) => tracing::warn!(%error, "the leases could not be renewed"),
        }
    }

    /// Looks whether a shard was taken away.
    pub async fn look(&self, store: &Store) {
        for lease in self.leases() {
            // An answer that does not come is not a no.
            if let Ok(false) = store.holds(&lease).await
                && let Some(watched) = self.runs().get_mut(&lease.shard)
            {
                lost(watched);
            }
        }
    }

    /// Stops the runs whose lease has run out unrenewed.
    pub fn expire(&self) {
        let now = Instant::now();
        for watched in self.runs().values_mut() {
            if watched.ours_until <= now {
                lost(watched);
            }
        }
    }

    /// Tells every run that the process ends.
    pub fn shut_down(&self) {
        self.runs().values().for_each(|watched| stop(watched, Stop::Shutdown));
    }

    /// Tells a run to make room for others.
    pub fn evict(&self, shard: &ShardId) {
        if let Some(watched) = self.runs().get(shard) {
            stop(watched, Stop::Evict);
        }
    }

    fn leases(&self) -> Vec<Lease> {
        self.runs().values().map(|watched| watched.lease.clone()).collect()
    }

    fn runs(&self) -> MutexGuard<'_, HashMap<ShardId, Watched>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stops a run that was not told to stop before.
fn stop(watched: &Watched, why: Stop) {
    watched.stop.send_if_modified(|stop| {
        let runs = *stop == Stop::Run;
        *stop = if runs { why } else { *stop };
        runs
    });
}

fn lost(watched: &mut Watched) {
    watched.stop.send_if_modified(|stop| {
        let news = *stop != Stop::Lost;
        *stop = Stop::Lost;
        news
    });
}
