//! Memory limit of all runs of a node, and the choice of the run to evict.
//!
//! An evicted run is committed and claimed again when memory is available. The victim is always a run of
//! the account whose runs use most: an account that starts many runs evicts its own. Evicted runs take
//! turns, account by account: when one has waited for [`EVICTION_TURN`], the next one gets the memory of
//! runs that have run for as long, and until then no other evicted run is claimed. Runs without recorded
//! memory always start.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use contract::{AccountId, ShardId};
use parking_lot::Mutex;
use tokio::time::Instant;

/// A run may run this long before it is evicted for another one that waits.
pub(crate) const EVICTION_TURN: Duration = Duration::from_secs(120);

/// Memory of the runs of a node. Clones share the accounting.
#[derive(Debug, Clone)]
pub(crate) struct FrontierMemory {
    budget: usize,
    runs: Arc<Mutex<HashMap<ShardId, RunMemory>>>,
}

#[derive(Debug, Clone)]
struct RunMemory {
    /// `None` until the job of the run is loaded.
    account: Option<AccountId>,
    bytes: usize,
    since: Instant,
    /// Whether its eviction was requested.
    evicted: bool,
}

impl FrontierMemory {
    /// `budget` is the maximum memory of all runs in bytes.
    pub fn new(budget: usize) -> Self {
        Self { budget, runs: Arc::default() }
    }

    /// Records the current memory of a run.
    pub fn record(&self, shard: &ShardId, bytes: usize, now: Instant) {
        let mut runs = self.runs.lock();
        match runs.get_mut(shard) {
            Some(run) => run.bytes = bytes,
            None => {
                let run = RunMemory { account: None, bytes, since: now, evicted: false };
                runs.insert(shard.clone(), run);
            }
        }
    }

    /// Sets the account of a recorded run.
    pub fn set_account(&self, shard: &ShardId, account: &AccountId) {
        if let Some(run) = self.runs.lock().get_mut(shard) {
            run.account = Some(account.clone());
        }
    }

    /// Removes a run that ended here. Returns its memory in bytes.
    pub fn remove(&self, shard: &ShardId) -> usize {
        self.runs.lock().remove(shard).map_or(0, |run| run.bytes)
    }

    /// Bytes that one more run may use, if a run of `waiting` bytes waits for its turn. Unlimited if
    /// the current runs use almost nothing: a run larger than the budget must complete somewhere.
    pub fn available(&self, waiting: Option<usize>) -> usize {
        let available = self.free(total(self.runs.lock().values()));
        // Too little for the waiting run: reserved for it.
        if waiting.is_some_and(|bytes| bytes > available) { 0 } else { available }
    }

    /// The next run to evict, if any, of the account whose runs use most: the largest one if the runs
    /// exceed the budget; or, for a run of `waiting` bytes that waits for its turn, the longest running
    /// one of those that are not below the mean. It no longer counts here, but still in
    /// [`FrontierMemory::available`].
    pub fn to_evict(&self, waiting: Option<usize>, now: Instant) -> Option<ShardId> {
        let mut runs = self.runs.lock();
        let shard = self.victim(&runs, waiting, now)?;
        if let Some(run) = runs.get_mut(&shard) {
            run.evicted = true;
        }
        Some(shard)
    }

    fn victim(
        &self,
        runs: &HashMap<ShardId, RunMemory>,
        waiting: Option<usize>,
        now: Instant,
    ) -> Option<ShardId> {
        let taken = total(runs.values().filter(|run| !run.evicted));
        let heaviest = heaviest_account(runs);
        let (largest, run) = heaviest.iter().max_by_key(|(_, run)| run.bytes)?;
        if taken > self.budget && taken - run.bytes > self.reserve() {
            return Some((*largest).clone());
        }
        if waiting.is_none_or(|bytes| bytes <= self.free(taken)) {
            return None;
        }
        let mean = total(heaviest.iter().map(|(_, run)| *run)) / heaviest.len();
        let had_turn = heaviest
            .iter()
            .filter(|(_, run)| run.bytes >= mean && now.duration_since(run.since) >= EVICTION_TURN);
        had_turn.min_by_key(|(_, run)| run.since).map(|(shard, _)| (*shard).clone())
    }

    /// Bytes that one more run may use if the others use `taken`.
    fn free(&self, taken: usize) -> usize {
        if taken <= self.reserve() {
            return usize::MAX;
        }
        (self.budget - self.reserve()).saturating_sub(taken)
    }

    /// Bytes that stay free, so that a resumed run is not evicted at once.
    fn reserve(&self) -> usize {
        self.budget / 5
    }
}

fn total<'a>(runs: impl Iterator<Item = &'a RunMemory>) -> usize {
    runs.map(|run| run.bytes).sum()
}

/// The runs of the account whose runs use most, without those being evicted. A run without a known
/// account counts alone.
fn heaviest_account(runs: &HashMap<ShardId, RunMemory>) -> Vec<(&ShardId, &RunMemory)> {
    let mut accounts: HashMap<_, Vec<_>> = HashMap::new();
    for (shard, run) in runs.iter().filter(|(_, run)| !run.evicted) {
        let alone = run.account.is_none().then_some(shard);
        accounts.entry((run.account.as_ref(), alone)).or_default().push((shard, run));
    }
    let heaviest =
        accounts.into_values().max_by_key(|runs| total(runs.iter().map(|(_, run)| *run)));
    heaviest.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(number: u8) -> ShardId {
        ShardId::new(contract::Millis(1), [number; 10])
    }

    fn account(number: u8) -> AccountId {
        AccountId::new(contract::Millis(1), [number; 10])
    }

    #[test]
    fn largest_run_is_evicted_only_if_other_runs_need_the_memory() {
        let (memory, now) = (FrontierMemory::new(1_000), Instant::now());
        let (small, large, larger) = (shard(1), shard(2), shard(3));
        assert_eq!(memory.available(None), usize::MAX);
        memory.record(&larger, 1_500, now);
        memory.record(&small, 10, now);
        assert_eq!(memory.to_evict(None, now), None, "a single large run may exceed the budget");
        memory.record(&large, 400, now);
        assert_eq!(memory.to_evict(None, now), Some(larger.clone()));
        assert_eq!(memory.remove(&larger), 1_500);
        assert_eq!((memory.to_evict(None, now), memory.available(None)), (None, 390));
    }

    #[test]
    fn many_medium_runs_are_evicted_down_to_the_budget() {
        let (memory, now) = (FrontierMemory::new(1_000), Instant::now());
        for number in 0..64 {
            memory.record(&shard(number), 50, now);
        }
        assert_eq!(memory.available(None), 0);
        let mut evicted = 0;
        while let Some(run) = memory.to_evict(None, now) {
            assert_eq!(memory.remove(&run), 50);
            evicted += 1;
        }
        assert_eq!(evicted, 44, "20 of 50 bytes take 1,000");
    }

    #[test]
    fn account_with_most_memory_evicts_its_own_runs_first() {
        let (memory, now) = (FrontierMemory::new(1_000), Instant::now());
        let single = shard(100);
        memory.record(&single, 290, now);
        memory.set_account(&single, &account(1));
        for number in 0..20 {
            memory.record(&shard(number), 100, now);
            memory.set_account(&shard(number), &account(2));
        }
        while let Some(run) = memory.to_evict(None, now) {
            assert_ne!(run, single);
            memory.remove(&run);
        }
        assert_eq!(total(memory.runs.lock().values()), 990);
        // Also for a waiting run: the single run continues while the other account uses more.
        let later = now + EVICTION_TURN;
        for _ in 0..5 {
            let run = memory.to_evict(Some(700), later).expect("a run had its turn");
            assert_ne!(run, single);
            memory.remove(&run);
        }
        assert_eq!(memory.to_evict(Some(700), later), Some(single));
    }

    #[test]
    fn run_is_evicted_after_its_turn_for_one_that_waits() {
        let (memory, start) = (FrontierMemory::new(1_000), Instant::now());
        let (first, second, small) = (shard(1), shard(2), shard(3));
        for (run, bytes, after) in [(&first, 300, 0), (&second, 300, 1), (&small, 10, 0)] {
            memory.record(run, bytes, start + Duration::from_secs(after));
            memory.set_account(run, &account(1));
        }
        assert_eq!(memory.to_evict(Some(500), start), None, "they have their turn first");
        let later = start + EVICTION_TURN;
        assert_eq!(memory.to_evict(Some(100), later), None, "enough memory is free");
        assert_eq!(memory.to_evict(Some(490), later), Some(first.clone()));
        assert_eq!(memory.to_evict(Some(490), later + EVICTION_TURN), None, "its memory is enough");
        assert_eq!(memory.available(None), 190, "it is not gone yet");
        memory.remove(&first);
        assert_eq!(memory.available(None), 490);
        assert_eq!(memory.available(Some(500)), 0, "the evicted run does not take it back");
        assert_eq!(memory.available(Some(490)), 490);
    }
}
