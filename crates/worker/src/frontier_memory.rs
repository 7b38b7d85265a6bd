//! How much memory the runs of a node take together, and which of them is evicted when that is
//! too much.
//!
//! Only large runs are evicted: what they found is stored, and they are claimed again when there
//! is room for them. Small runs always start. Large runs take turns: one that was evicted and has
//! waited for [`TURN`] gets the room of the one that has run longest, if that had its turn.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contract::ShardId;
use tokio::time::Instant;

/// How long a large run may go on before it makes room for another that waits.
pub(crate) const TURN: Duration = Duration::from_secs(120);

/// A run that takes at least this part of the budget is large.
const LARGE_PART: usize = 16;

/// The memory of the runs of a node. Cheap to clone; all clones share the count.
#[derive(Debug, Clone)]
pub(crate) struct FrontierMemory {
    budget: usize,
    runs: Arc<Mutex<HashMap<ShardId, RunMemory>>>,
}

#[derive(Debug, Clone, Copy)]
struct RunMemory {
    bytes: usize,
    since: Instant,
}

impl FrontierMemory {
    /// No run yet, and this many bytes for all of them.
    pub fn new(budget: usize) -> Self {
        Self { budget, runs: Arc::default() }
    }

    /// A run takes this many bytes now.
    pub fn note(&self, shard: &ShardId, bytes: usize, now: Instant) {
        let mut runs = self.runs();
        match runs.get_mut(shard) {
            Some(run) => run.bytes = bytes,
            None => drop(runs.insert(shard.clone(), RunMemory { bytes, since: now })),
        }
    }

    /// A run has ended here. Gives the bytes that it took.
    pub fn forget(&self, shard: &ShardId) -> usize {
        self.runs().remove(shard).map_or(0, |run| run.bytes)
    }

    /// The bytes that one more large run may take: a fifth of the budget stays free, so that a
    /// run that comes back is not evicted at once. Without another large run there is room for
    /// any: one that is larger than the budget has to get done somewhere.
    pub fn room(&self) -> usize {
        let runs = self.runs();
        if !runs.values().any(|run| self.is_large(run)) {
            return usize::MAX;
        }
        let taken: usize = runs.values().map(|run| run.bytes).sum();
        (self.budget - self.budget / 5).saturating_sub(taken)
    }

    /// The run to evict, if any: the largest of several large ones that take more than the
    /// budget; or, for the sake of `waiting` bytes of a run that waits for its turn, the large
    /// one that has run longest.
    pub fn to_evict(&self, waiting: Option<usize>, now: Instant) -> Option<ShardId> {
        let room = self.room();
        let runs = self.runs();
        let large = || runs.iter().filter(|(_, run)| self.is_large(run));
        let taken: usize = runs.values().map(|run| run.bytes).sum();
        let chosen = if taken > self.budget && large().count() > 1 {
            large().max_by_key(|(_, run)| run.bytes)
        } else if waiting.is_some_and(|bytes| bytes > room) {
            large()
                .filter(|(_, run)| now.duration_since(run.since) >= TURN)
                .min_by_key(|(_, run)| run.since)
        } else {
            None
        };
        chosen.map(|(shard, _)| shard.clone())
    }

    fn is_large(&self, run: &RunMemory) -> bool {
        run.bytes >= self.budget / LARGE_PART
    }

    fn runs(&self) -> MutexGuard<'_, HashMap<ShardId, RunMemory>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(number: u8) -> ShardId {
        ShardId::new(contract::Millis(1), [number; 10])
    }

    #[test]
    fn largest_run_is_evicted_only_while_several_large_ones_exceed_the_budget() {
        let (memory, now) = (FrontierMemory::new(1_000), Instant::now());
        let (small, large, larger) = (shard(1), shard(2), shard(3));
        assert_eq!(memory.room(), usize::MAX);
        memory.note(&larger, 1_500, now);
        memory.note(&small, 10, now);
        assert_eq!(memory.to_evict(None, now), None, "a single large run may exceed the budget");
        memory.note(&large, 400, now);
        assert_eq!(memory.to_evict(None, now), Some(larger.clone()));
        assert_eq!(memory.forget(&larger), 1_500);
        assert_eq!((memory.to_evict(None, now), memory.room()), (None, 390));
    }

    #[test]
    fn large_run_that_had_its_turn_makes_room_for_one_that_waits() {
        let (memory, start) = (FrontierMemory::new(1_000), Instant::now());
        let (first, second, small) = (shard(1), shard(2), shard(3));
        memory.note(&first, 300, start);
        memory.note(&second, 300, start + Duration::from_secs(1));
        memory.note(&small, 10, start);
        assert_eq!(memory.to_evict(Some(500), start), None, "they have their turn first");
        let later = start + TURN;
        assert_eq!(memory.to_evict(Some(100), later), None, "there is room");
        assert_eq!(memory.to_evict(Some(500), later), Some(first));
    }
}
