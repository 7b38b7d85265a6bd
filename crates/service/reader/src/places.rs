//! Grants places and memory to the readings that wait, by the CPU time that each account took.
//!
//! Start-time fair queueing: the next place goes to the account that has taken the least CPU time.
//! An account that comes back after a pause begins at the time of the one served last, so it has
//! no claim on the time it did not use. Pages that take seconds therefore hold up the pages of
//! their own account, and not those of others.
//!
//! A reading is not interrupted, so long documents never take all places: a short one would wait
//! until one of them ends.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::oneshot;

/// Shares of accounts that are gone are looked for when the table has grown to this length.
const SHARES_SWEPT_FROM: usize = 256;

/// A document of more units than this is long.
const LONG_UNITS: u32 = 16;

/// The CPU time that the readings of one account took, in nanoseconds of the fair queue.
#[derive(Debug, Default)]
pub(crate) struct CpuShare(AtomicU64);

impl CpuShare {
    pub fn add(&self, time: Duration) {
        self.0.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn taken(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The places and the memory of all readings.
#[derive(Debug)]
pub(crate) struct Places {
    state: Mutex<PlacesState>,
}

#[derive(Debug)]
struct PlacesState {
    places: usize,
    /// How many of the places long documents may still take.
    long_places: usize,
    units: u32,
    waiting: Vec<Waiting>,
    /// The CPU time of the account that was served last.
    served: u64,
    shares: HashMap<Box<str>, Weak<CpuShare>>,
}

/// A reading that waits; those of one account are granted in the order in which they came.
#[derive(Debug)]
struct Waiting {
    share: Arc<CpuShare>,
    units: u32,
    grant: oneshot::Sender<(PlacePermit, MemoryPermit)>,
}

/// A place among the readings, given back on drop.
#[derive(Debug)]
pub(crate) struct PlacePermit {
    places: Arc<Places>,
    is_long: bool,
}

/// Memory for a document, given back on drop.
#[derive(Debug)]
pub(crate) struct MemoryPermit(Arc<Places>, u32);

impl Places {
    pub fn new(places: usize, units: u32) -> Arc<Self> {
        let (waiting, shares) = (Vec::new(), HashMap::new());
        let long_places = places.div_ceil(2);
        let state = PlacesState { places, long_places, units, waiting, served: 0, shares };
        Arc::new(Self { state: Mutex::new(state) })
    }

    /// The share of an account, the same for all of its runs.
    pub fn share_of(&self, account: &str) -> Arc<CpuShare> {
        let shares = &mut self.state().shares;
        if let Some(share) = shares.get(account).and_then(Weak::upgrade) {
            return share;
        }
        if shares.len() >= SHARES_SWEPT_FROM {
            shares.retain(|_, share| share.strong_count() > 0);
        }
        let share = Arc::new(CpuShare::default());
        shares.insert(account.into(), Arc::downgrade(&share));
        share
    }

    /// Waits for a place and for this much memory, which must not exceed what there is in all.
    pub async fn acquire(
        self: &Arc<Self>,
        share: &Arc<CpuShare>,
        units: u32,
    ) -> (PlacePermit, MemoryPermit) {
        let (grant, granted) = oneshot::channel();
        {
            let mut state = self.state();
            share.0.fetch_max(state.served, Ordering::Relaxed);
            state.waiting.push(Waiting { share: Arc::clone(share), units, grant });
        }
        self.grant();
        granted.await.unwrap_or_else(|_| unreachable!("every waiting reading is granted"))
    }

    /// The places and the memory that are free.
    #[cfg(test)]
    pub fn free(&self) -> (usize, u32) {
        let state = self.state();
        (state.places, state.units)
    }

    /// Grants what is free.
    fn grant(self: &Arc<Self>) {
        while let Some((grant, units)) = self.next() {
            let places = Arc::clone(self);
            let place = PlacePermit { places, is_long: units > LONG_UNITS };
            // A caller that stopped waiting gives both back by dropping them.
            let _ = grant.send((place, MemoryPermit(Arc::clone(self), units)));
        }
    }

    /// Takes what the next reading needs, if that is free. A reading that needs more memory than
    /// is free is waited for: smaller ones would hold it up without end.
    fn next(&self) -> Option<(oneshot::Sender<(PlacePermit, MemoryPermit)>, u32)> {
        let mut state = self.state();
        state.waiting.retain(|waiting| !waiting.grant.is_closed());
        let may_start = |waiting: &Waiting| state.long_places > 0 || waiting.units <= LONG_UNITS;
        let waiting = state.waiting.iter().enumerate().filter(|(_, it)| may_start(it));
        let first = waiting.min_by_key(|(_, it)| it.share.taken())?;
        let (index, units) = (first.0, first.1.units);
        if state.places == 0 || state.units < units {
            return None;
        }
        let waiting = state.waiting.remove(index);
        state.places -= 1;
        state.long_places -= usize::from(units > LONG_UNITS);
        state.units -= units;
        state.served = state.served.max(waiting.share.taken());
        Some((waiting.grant, units))
    }

    fn state(&self) -> MutexGuard<'_, PlacesState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PlacePermit {
    fn drop(&mut self) {
        {
            let mut state = self.places.state();
            state.places += 1;
            state.long_places += usize::from(self.is_long);
        }
        self.places.grant();
    }
}

impl Drop for MemoryPermit {
    fn drop(&mut self) {
        self.0.state().units += self.1;
        self.0.grant();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn account_with_the_least_cpu_time_is_served_first() {
        let places = Places::new(1, 4);
        let (heavy, light) = (places.share_of("heavy"), places.share_of("light"));
        let busy = places.acquire(&heavy, 1).await;
        let mut waiting: Vec<_> = (0..10).map(|_| Box::pin(places.acquire(&heavy, 1))).collect();
        for wait in &mut waiting {
            assert!(wait.now_or_never().is_none());
        }
        heavy.add(Duration::from_secs(2));
        let mut latecomer = Box::pin(places.acquire(&light, 1));
        assert!((&mut latecomer).now_or_never().is_none());
        drop(busy);
        let granted = latecomer.now_or_never().expect("the account that took less is next");
        for wait in &mut waiting {
            assert!(wait.now_or_never().is_none());
        }
        drop(granted);
        assert!((&mut waiting[0]).now_or_never().is_some(), "then the first of the other");
    }

    #[tokio::test]
    async fn account_that_paused_gets_no_advance() {
        let places = Places::new(1, 4);
        let (steady, fresh) = (places.share_of("steady"), places.share_of("fresh"));
        for _ in 0..3 {
            let _place = places.acquire(&steady, 1).await;
            steady.add(Duration::from_secs(5));
        }
        let place = places.acquire(&steady, 1).await;
        let mut waits = Box::pin(places.acquire(&steady, 1));
        assert!((&mut waits).now_or_never().is_none());
        let mut newcomer = Box::pin(places.acquire(&fresh, 1));
        assert!((&mut newcomer).now_or_never().is_none());
        assert_eq!(fresh.taken(), 15_000_000_000, "it begins where the queue is");
        fresh.add(Duration::from_secs(1));
        drop(place);
        assert!(waits.now_or_never().is_some(), "the newcomer took more since it came");
    }

    #[tokio::test]
    async fn memory_is_waited_for_and_given_back_by_callers_that_left() {
        let places = Places::new(4, 4);
        let share = places.share_of("a");
        let (_place, memory) = places.acquire(&share, 3).await;
        let mut large = Box::pin(places.acquire(&share, 4));
        assert!((&mut large).now_or_never().is_none());
        let mut small = Box::pin(places.acquire(&share, 1));
        assert!((&mut small).now_or_never().is_none(), "a small one does not overtake");
        drop(large);
        drop(memory);
        assert!(small.now_or_never().is_some());
        assert_eq!(places.free(), (3, 4));
    }

    #[tokio::test]
    async fn long_documents_leave_places_for_short_ones() {
        let places = Places::new(2, 10 * LONG_UNITS);
        let (heavy, light) = (places.share_of("heavy"), places.share_of("light"));
        let long = places.acquire(&heavy, LONG_UNITS + 1).await;
        let mut second = Box::pin(places.acquire(&heavy, LONG_UNITS + 1));
        assert!((&mut second).now_or_never().is_none(), "one place is kept for short ones");
        light.add(Duration::from_secs(60));
        assert!(places.acquire(&light, 1).now_or_never().is_some());
        drop(long);
        assert!(second.now_or_never().is_some());
        let alone = Places::new(1, 10 * LONG_UNITS);
        assert!(alone.acquire(&heavy, LONG_UNITS + 1).now_or_never().is_some());
    }

    #[test]
    fn shares_of_accounts_that_are_gone_are_forgotten() {
        let places = Places::new(1, 1);
        for number in 0..10 * SHARES_SWEPT_FROM {
            places.share_of(&number.to_string());
        }
        assert!(places.state().shares.len() <= SHARES_SWEPT_FROM);
        let share = places.share_of("a");
        assert!(Arc::ptr_eq(&share, &places.share_of("a")));
    }
}
