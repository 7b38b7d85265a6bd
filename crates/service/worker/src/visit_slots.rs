//! Slots for shards of domains, each of which has many concurrent requests.
//!
//! A shard with few or slow domains left keeps an eighth of its slot, so that the next shard can start;
//! otherwise a long list would wait for the slowest domain of every shard. The number of concurrent
//! requests and shards of a node stays bounded.

use std::sync::Arc;

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// Parts of a slot; a shard with few domains left keeps one.
const PARTS: u32 = 8;

#[derive(Debug, Clone)]
pub(crate) struct VisitSlots {
    parts: Arc<Semaphore>,
    freed: Arc<Notify>,
}

/// A slot in use, until it is dropped.
#[derive(Debug)]
pub(crate) struct VisitSlot {
    parts: OwnedSemaphorePermit,
    freed: Arc<Notify>,
}

impl VisitSlots {
    pub fn new(slots: usize) -> Self {
        // A remainder beyond whole slots: the first parts that are kept do not block a new shard.
        let parts = slots.saturating_mul(PARTS as usize).saturating_add(PARTS as usize - 1);
        let parts = parts.min(Semaphore::MAX_PERMITS);
        Self { parts: Arc::new(Semaphore::new(parts)), freed: Arc::default() }
    }

    /// Takes a slot if one is free.
    pub fn take(&self) -> Option<VisitSlot> {
        let parts = Arc::clone(&self.parts).try_acquire_many_owned(PARTS).ok()?;
        Some(VisitSlot { parts, freed: Arc::clone(&self.freed) })
    }

    /// Waits until a shard has released most of its slot.
    pub async fn freed(&self) {
        self.freed.notified().await;
    }
}

impl VisitSlot {
    /// Releases most of the slot for another shard. Idempotent.
    pub fn release_most(&mut self) {
        if let Some(most) = self.parts.split(PARTS as usize - 1) {
            drop(most);
            self.freed.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn released_parts_admit_further_shards_up_to_a_limit() {
        for slots in [1, 4] {
            let free = VisitSlots::new(slots);
            let mut taken: Vec<_> = std::iter::from_fn(|| free.take()).collect();
            assert_eq!(taken.len(), slots);
            let mut partial = Vec::new();
            while let Some(mut slot) = taken.pop() {
                slot.release_most();
                slot.release_most();
                partial.push(slot);
                taken.extend(free.take());
            }
            assert_eq!(partial.len(), PARTS as usize * slots);
            drop(partial);
            let all: Vec<_> = std::iter::from_fn(|| free.take()).collect();
            assert_eq!(all.len(), slots, "every part was released");
        }
    }
}
