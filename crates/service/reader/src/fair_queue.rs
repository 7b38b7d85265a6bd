//! Grants slots and memory to waiting reads by the CPU time of each account.
//!
//! Start-time fair queueing: the next slot goes to the account with the least CPU time. An account
//! that returns after a pause starts at the time of the one served last, so that it accumulates no
//! credit. Slow pages therefore delay only pages of their own account.
//!
//! Reads are not interrupted, so that long documents never take all slots: a short one would wait
//! until one of them ends.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// Length of the table of shares from which unused ones are removed.
const SHARES_SWEPT_FROM: usize = 256;

/// A document with more memory units is long.
const LONG_UNITS: u32 = 16;

/// CPU time of one account in nanoseconds of the fair queue.
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

/// The slots and the memory of all reads.
#[derive(Debug)]
pub(crate) struct FairQueue {
    state: Mutex<FairQueueState>,
}

#[derive(Debug)]
struct FairQueueState {
    slots: usize,
    /// Number of slots that long documents may still take.
    long_slots: usize,
    units: u32,
    waiting: Vec<WaitingRead>,
    /// CPU time of the account that was served last.
    served: u64,
    shares: HashMap<Box<str>, Weak<CpuShare>>,
}

/// A waiting read; those of one account are granted in their order.
#[derive(Debug)]
struct WaitingRead {
    share: Arc<CpuShare>,
    units: u32,
    grant: oneshot::Sender<(SlotPermit, MemoryPermit)>,
}

/// A slot, released on drop.
#[derive(Debug)]
pub(crate) struct SlotPermit {
    queue: Arc<FairQueue>,
    is_long: bool,
}

/// Memory of a document, released on drop.
#[derive(Debug)]
pub(crate) struct MemoryPermit(Arc<FairQueue>, u32);

impl FairQueue {
    pub fn new(slots: usize, units: u32) -> Arc<Self> {
        let (waiting, shares) = (Vec::new(), HashMap::new());
        let long_slots = slots.div_ceil(2);
        let state = FairQueueState { slots, long_slots, units, waiting, served: 0, shares };
        Arc::new(Self { state: Mutex::new(state) })
    }

    /// The share of an account, which all its runs have in common.
    pub fn share_of(&self, account: &str) -> Arc<CpuShare> {
        let shares = &mut self.state.lock().shares;
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

    /// Waits for a slot and `units` of memory, which must not exceed the total.
    pub async fn acquire(
        self: &Arc<Self>,
        share: &Arc<CpuShare>,
        units: u32,
    ) -> (SlotPermit, MemoryPermit) {
        let (grant, granted) = oneshot::channel();
        {
            let mut state = self.state.lock();
            share.0.fetch_max(state.served, Ordering::Relaxed);
            state.waiting.push(WaitingRead { share: Arc::clone(share), units, grant });
        }
        self.grant();
        granted.await.unwrap_or_else(|_| unreachable!("every waiting read is granted"))
    }

    /// The free slots and memory units.
    #[cfg(test)]
    pub fn free(&self) -> (usize, u32) {
        let state = self.state.lock();
        (state.slots, state.units)
    }

    /// Grants the free slots and memory to waiting reads.
    fn grant(self: &Arc<Self>) {
        while let Some((grant, units)) = self.next() {
            let queue = Arc::clone(self);
            let slot = SlotPermit { queue, is_long: units > LONG_UNITS };
            // A dropped caller releases both.
            let _ = grant.send((slot, MemoryPermit(Arc::clone(self), units)));
        }
    }

    /// Takes the resources of the next read if they are free. A read that needs more memory than is
    /// free blocks the queue: smaller ones would starve it.
    fn next(&self) -> Option<(oneshot::Sender<(SlotPermit, MemoryPermit)>, u32)> {
        let mut state = self.state.lock();
        state.waiting.retain(|waiting| !waiting.grant.is_closed());
        let may_start = |waiting: &WaitingRead| state.long_slots > 0 || waiting.units <= LONG_UNITS;
        let waiting = state.waiting.iter().enumerate().filter(|(_, it)| may_start(it));
        let first = waiting.min_by_key(|(_, it)| it.share.taken())?;
        let (index, units) = (first.0, first.1.units);
        if state.slots == 0 || state.units < units {
            return None;
        }
        let waiting = state.waiting.remove(index);
        state.slots -= 1;
        state.long_slots -= usize::from(units > LONG_UNITS);
        state.units -= units;
        state.served = state.served.max(waiting.share.taken());
        Some((waiting.grant, units))
    }
}

impl Drop for SlotPermit {
    fn drop(&mut self) {
        {
            let mut state = self.queue.state.lock();
            state.slots += 1;
            state.long_slots += usize::from(self.is_long);
        }
        self.queue.grant();
    }
}

impl Drop for MemoryPermit {
    fn drop(&mut self) {
        self.0.state.lock().units += self.1;
        self.0.grant();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn account_with_the_least_cpu_time_is_served_first() {
        let queue = FairQueue::new(1, 4);
        let (heavy, light) = (queue.share_of("heavy"), queue.share_of("light"));
        let busy = queue.acquire(&heavy, 1).await;
        let mut waiting: Vec<_> = (0..10).map(|_| Box::pin(queue.acquire(&heavy, 1))).collect();
        for wait in &mut waiting {
            assert!(wait.now_or_never().is_none());
        }
        heavy.add(Duration::from_secs(2));
        let mut latecomer = Box::pin(queue.acquire(&light, 1));
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
    async fn account_that_paused_accumulates_no_credit() {
        let queue = FairQueue::new(1, 4);
        let (steady, fresh) = (queue.share_of("steady"), queue.share_of("fresh"));
        for _ in 0..3 {
            let _slot = queue.acquire(&steady, 1).await;
            steady.add(Duration::from_secs(5));
        }
        let slot = queue.acquire(&steady, 1).await;
        let mut waits = Box::pin(queue.acquire(&steady, 1));
        assert!((&mut waits).now_or_never().is_none());
        let mut newcomer = Box::pin(queue.acquire(&fresh, 1));
        assert!((&mut newcomer).now_or_never().is_none());
        assert_eq!(fresh.taken(), 15_000_000_000, "it begins where the queue is");
        fresh.add(Duration::from_secs(1));
        drop(slot);
        assert!(waits.now_or_never().is_some(), "the newcomer took more since it came");
    }

    #[tokio::test]
    async fn memory_is_released_by_dropped_callers() {
        let queue = FairQueue::new(4, 4);
        let share = queue.share_of("a");
        let (_slot, memory) = queue.acquire(&share, 3).await;
        let mut large = Box::pin(queue.acquire(&share, 4));
        assert!((&mut large).now_or_never().is_none());
        let mut small = Box::pin(queue.acquire(&share, 1));
        assert!((&mut small).now_or_never().is_none(), "a small one does not overtake");
        drop(large);
        drop(memory);
        assert!(small.now_or_never().is_some());
        assert_eq!(queue.free(), (3, 4));
    }

    #[tokio::test]
    async fn long_documents_leave_slots_for_short_ones() {
        let queue = FairQueue::new(2, 10 * LONG_UNITS);
        let (heavy, light) = (queue.share_of("heavy"), queue.share_of("light"));
        let long = queue.acquire(&heavy, LONG_UNITS + 1).await;
        let mut second = Box::pin(queue.acquire(&heavy, LONG_UNITS + 1));
        assert!((&mut second).now_or_never().is_none(), "one place is kept for short ones");
        light.add(Duration::from_secs(60));
        assert!(queue.acquire(&light, 1).now_or_never().is_some());
        drop(long);
        assert!(second.now_or_never().is_some());
        let alone = FairQueue::new(1, 10 * LONG_UNITS);
        assert!(alone.acquire(&heavy, LONG_UNITS + 1).now_or_never().is_some());
    }

    #[test]
    fn shares_of_inactive_accounts_are_removed() {
        let queue = FairQueue::new(1, 1);
        for number in 0..10 * SHARES_SWEPT_FROM {
            queue.share_of(&number.to_string());
        }
        assert!(queue.state.lock().shares.len() <= SHARES_SWEPT_FROM);
        let share = queue.share_of("a");
        assert!(Arc::ptr_eq(&share, &queue.share_of("a")));
    }
}
