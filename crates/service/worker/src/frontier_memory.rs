//! How much memory the runs of a node take together, and which of them is evicted when that is
//! too much.
//!
//! What an evicted run found is stored, and the run is claimed again when there is room for it. A
//! victim is always a run of the account whose runs take most: an account that starts many runs
//! evicts its own. Evicted runs take turns: one that has waited for [`TURN`] gets the room of runs
//! that have run for as long, and until it has that room, no run that was evicted later takes it.
//! Runs that never had memory counted always start.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use contract::{AccountId, ShardId};
use tokio::time::Instant;

/// How long a run may go on before it makes room for another that waits.
pub(crate) const TURN: Duration = Duration::from_secs(120);

/// The memory of the runs of a node. Cheap to clone; all clones share the count.
#[derive(Debug, Clone)]
pub(crate) struct FrontierMemory {
    budget: usize,
    runs: Arc<Mutex<HashMap<ShardId, RunMemory>>>,
}

#[derive(Debug, Clone)]
struct RunMemory {
    /// None until the job of the run is read.
    account: Option<AccountId>,
    bytes: usize,
    since: Instant,
    /// It was told to make room for others.
    evicted: bool,
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
            None => {
                let run = RunMemory { account: None, bytes, since: now, evicted: false };
                runs.insert(shard.clone(), run);
            }
        }
    }

    /// A run that is counted belongs to this account.
    pub fn belongs_to(&self, shard: &ShardId, account: &AccountId) {
        if let Some(run) = self.runs().get_mut(shard) {
            run.account = Some(account.clone());
        }
    }

    /// A run has ended here. Gives the bytes that it took.
    pub fn forget(&self, shard: &ShardId) -> usize {
        self.runs().remove(shard).map_or(0, |run| run.bytes)
    }

    /// The bytes that one more run may take, where a run of `waiting` bytes waits for its turn.
    /// Where the runs take next to nothing there is room for any: one that is larger than the
    /// budget has to complete somewhere.
    pub fn room(&self, waiting: Option<usize>) -> usize {
        let room = self.free(total(self.runs().values()));
        // What is too little for the run that waits is kept for it.
        if waiting.is_some_and(|bytes| bytes > room) { 0 } else { room }
    }

    /// The next run to evict, if any, of the account whose runs take most: the largest one where
    /// the runs exceed the budget; or, for the sake of `waiting` bytes of a run that waits for its
    /// turn, the one that has run longest of those that are not smaller than their mean. From then
    /// on it counts as gone here, but not in [`FrontierMemory::room`].
    pub fn to_evict(&self, waiting: Option<usize>, now: Instant) -> Option<ShardId> {
        let mut runs = self.runs();
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
            .filter(|(_, run)| run.bytes >= mean && now.duration_since(run.since) >= TURN);
        had_turn.min_by_key(|(_, run)| run.since).map(|(shard, _)| (*shard).clone())
    }

    /// The bytes that one more run may take where the others take `taken`.
    fn free(&self, taken: usize) -> usize {
        if taken <= self.reserve() {
            return usize::MAX;
        }
        (self.budget - self.reserve()).saturating_sub(taken)
    }

    /// The bytes that stay free, so that a run that comes back is not evicted at once.
    fn reserve(&self) -> usize {
        self.budget / 5
    }

    fn runs(&self) -> MutexGuard<'_, HashMap<ShardId, RunMemory>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn total<'a>(runs: impl Iterator<Item = &'a RunMemory>) -> usize {
    runs.map(|run| run.bytes).sum()
}

/// The runs of the account whose runs take most, but not those that are being evicted. A run
/// without a known account counts alone.
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
    fn largest_run_is_evicted_only_while_the_others_take_more_than_next_to_nothing() {
        let (memory, now) = (FrontierMemory::new(1_000), Instant::now());
        let (small, large, larger) = (shard(1), shard(2), shard(3));
        assert_eq!(memory.room(None), usize::MAX);
        memory.note(&larger, 1_500, now);
        memory.note(&small, 10, now);
        assert_eq!(memory.to_evict(None, now), None, "a single large run may exceed the budget");
        memory.note(&large, 400, now);
        assert_eq!(memory.to_evict(None, now), Some(larger.clone()));
        assert_eq!(memory.forget(&larger), 1_500);
        assert_eq!((memory.to_evict(None, now), memory.room(None)), (None, 390));
    }

    #[test]
    fn many_medium_runs_are_evicted_down_to_the_budget() {
        let (memory, now) = (FrontierMemory::new(1_000), Instant::now());
        for number in 0..64 {
            memory.note(&shard(number), 50, now);
        }
        assert_eq!(memory.room(None), 0);
        let mut evicted = 0;
        while let Some(run) = memory.to_evict(None, now) {
            assert_eq!(memory.forget(&run), 50);
            evicted += 1;
        }
        assert_eq!(evicted, 44, "20 of 50 bytes take 1,000");
    }

    #[test]
    fn account_with_many_runs_evicts_its_own_before_the_largest_run_of_another() {
        let (memory, now) = (FrontierMemory::new(1_000), Instant::now());
        let single = shard(100);
        memory.note(&single, 290, now);
        memory.belongs_to(&single, &account(1));
        for number in 0..20 {
            memory.note(&shard(number), 100, now);
            memory.belongs_to(&shard(number), &account(2));
        }
        while let Some(run) = memory.to_evict(None, now) {
            assert_ne!(run, single);
            memory.forget(&run);
        }
        assert_eq!(total(memory.runs().values()), 990);
        // The same in turns: the single run goes on while the other account takes more.
        let later = now + TURN;
        for _ in 0..5 {
            let run = memory.to_evict(Some(700), later).expect("a run had its turn");
            assert_ne!(run, single);
            memory.forget(&run);
        }
        assert_eq!(memory.to_evict(Some(700), later), Some(single));
    }

    #[test]
    fn run_that_had_its_turn_makes_room_for_one_that_waits() {
        let (memory, start) = (FrontierMemory::new(1_000), Instant::now());
        let (first, second, small) = (shard(1), shard(2), shard(3));
        for (run, bytes, after) in [(&first, 300, 0), (&second, 300, 1), (&small, 10, 0)] {
            memory.note(run, bytes, start + Duration::from_secs(after));
            memory.belongs_to(run, &account(1));
        }
        assert_eq!(memory.to_evict(Some(500), start), None, "they have their turn first");
        let later = start + TURN;
        assert_eq!(memory.to_evict(Some(100), later), None, "there is room");
        assert_eq!(memory.to_evict(Some(490), later), Some(first.clone()));
        assert_eq!(memory.to_evict(Some(490), later + TURN), None, "its memory is enough");
        assert_eq!(memory.room(None), 190, "it is not gone yet");
        memory.forget(&first);
        assert_eq!(memory.room(None), 490);
        assert_eq!(memory.room(Some(500)), 0, "the evicted run does not take it back");
        assert_eq!(memory.room(Some(490)), 490);
    }
}
