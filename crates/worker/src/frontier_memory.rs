//! How much memory the runs of a node take together, and which of them has to park when that
//! is too much.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::ShardId;

/// The memory of the runs of a node. Cheap to clone; all clones share the count.
#[derive(Debug, Clone)]
pub(crate) struct FrontierMemory {
    budget: usize,
    runs: Arc<Mutex<HashMap<ShardId, usize>>>,
}

impl FrontierMemory {
    /// No run yet, and this many bytes for all of them.
    pub fn new(budget: usize) -> Self {
        Self { budget, runs: Arc::default() }
    }

    /// A run takes this many bytes now.
    pub fn note(&self, shard: &ShardId, bytes: usize) {
        let mut runs = self.runs();
        match runs.get_mut(shard) {
            Some(before) => *before = bytes,
            None => drop(runs.insert(shard.clone(), bytes)),
        }
    }

    pub fn forget(&self, shard: &ShardId) -> usize {
        self.runs().remove(shard).unwrap_or(0)
    }

    /// The bytes that one more run may take. A node without a run takes any: a run larger than
    /// the budget has to get done somewhere.
    pub fn room(&self) -> usize {
        let runs = self.runs();
        if runs.is_empty() {
            return usize::MAX;
        }
        self.budget.saturating_sub(runs.values().sum())
    }

    /// The run that has to park: the largest one, while there are several and they take more
    /// than the budget.
    pub fn to_park(&self) -> Option<ShardId> {
        let runs = self.runs();
        if runs.len() < 2 || runs.values().sum::<usize>() <= self.budget {
            return None;
        }
        runs.iter().max_by_key(|(_, bytes)| **bytes).map(|(shard, _)| shard.clone())
    }

    fn runs(&self) -> MutexGuard<'_, HashMap<ShardId, usize>> {
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
    fn largest_run_parks_only_while_several_exceed_the_budget() {
        let memory = FrontierMemory::new(100);
        let (small, large) = (shard(1), shard(2));
        assert_eq!(memory.room(), usize::MAX);
        memory.note(&large, 150);
        assert_eq!((memory.to_park(), memory.room()), (None, 0));
        memory.note(&small, 10);
        assert_eq!(memory.to_park(), Some(large.clone()));
        memory.note(&large, 60);
        assert_eq!((memory.to_park(), memory.room()), (None, 30));
        assert_eq!(memory.forget(&large), 60);
        assert_eq!(memory.room(), 90);
    }
}
