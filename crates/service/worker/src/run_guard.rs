//! Cleans up after a run of this node, also after a panic.

use store::Lease;

use crate::frontier_memory::FrontierMemory;
use crate::lease_monitor::LeaseMonitor;

/// A run of this node. Dropping it, also by a panic, stops the renewal of its lease and the accounting
/// of its memory. A panic is evidence against the run: the lease monitor counts it, and several of them
/// isolate the run or end it.
#[derive(Debug)]
pub(crate) struct RunGuard {
    pub lease: Lease,
    pub lease_monitor: LeaseMonitor,
    pub memory: FrontierMemory,
}

impl Drop for RunGuard {
    fn drop(&mut self) {
        if std::thread::panicking() {
            tracing::error!("bug: run panicked and will be retried");
            metrics::counter!("trawl_bugs_total").increment(1);
            self.lease_monitor.note_panic(&self.lease);
        }
        self.lease_monitor.unwatch(&self.lease);
        self.memory.remove(&self.lease.shard);
    }
}
