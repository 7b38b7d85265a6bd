//! The workers of a node: they claim shards, keep their leases and hold house.

use std::sync::Arc;
use std::time::Duration;

use contract::Mode;
use crawl::{Ceilings, FetchAllowance, Retries};
use privacy::BlockedDomains;
use store::{Claimable, Lease, NodeName, Store, Wake};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::frontier_memory::{FrontierMemory, TURN};
use crate::lookout::Lookout;
use crate::shard_runner::ShardRunner;
use crate::visit_places::{VisitPlace, VisitPlaces};
use runner::{CommitLimits, Fetcher};

/// How a node works.
#[derive(Debug, Clone)]
pub struct WorkerSettings {
    /// Shards under way at a time.
    pub shards: usize,
    /// Requests of one run under way at a time.
    pub concurrency: usize,
    /// Those of them that may go to one host.
    pub host_concurrency: usize,
    /// Shards of domains under way at a time, beside those of sites.
    pub visit_shards: usize,
    /// Domains of one shard that are visited at a time.
    pub visits: usize,
    /// How long a lease lasts without a renewal.
    pub lease: Duration,
    /// How often to look whether a shard was taken away.
    pub control_every: Duration,
    pub retries: Retries,
    pub commit: CommitLimits,
    /// Bytes of log from which on a snapshot is worth its cost.
    pub snapshot_bytes: u64,
    pub blocked_domains: BlockedDomains,
    /// What one run may take at most.
    pub ceilings: Ceilings,
    /// Bytes of memory that the runs of the node may take together. Beyond them the largest
    /// runs of the account that takes most are evicted until there is room.
    pub frontier_memory: usize,
    /// How long results are kept after the end of a run.
    pub keep_results: Duration,
    /// How often to look for what is too old.
    pub purge_every: Duration,
}

impl Default for WorkerSettings {
    fn default() -> Self {
        Self {
            shards: 64,
            concurrency: 16,
            host_concurrency: 4,
            visit_shards: 4,
            visits: 48,
            lease: Duration::from_secs(60),
            control_every: Duration::from_secs(2),
            retries: Retries::default(),
            commit: CommitLimits::default(),
            snapshot_bytes: 4 << 20,
            blocked_domains: BlockedDomains::default(),
            ceilings: Ceilings { fetches: Some(FetchAllowance::default()), ..Ceilings::default() },
            frontier_memory: 1 << 30,
            keep_results: Duration::from_secs(30 * 24 * 60 * 60),
            purge_every: Duration::from_secs(60 * 60),
        }
    }
}

/// The workers of this process.
#[derive(Debug)]
pub struct Workers {
    store: Store,
    fetcher: Fetcher,
    settings: WorkerSettings,
    node: NodeName,
    lookout: Lookout,
    visit_places: VisitPlaces,
    memory: FrontierMemory,
}

impl Workers {
    /// Workers over this store.
    #[must_use]
    pub fn new(store: Store, fetcher: Fetcher, settings: WorkerSettings) -> Self {
        let visit_places = VisitPlaces::new(settings.visit_shards);
        let (node, lookout) = (NodeName::random(), Lookout::default());
        let memory = FrontierMemory::new(settings.frontier_memory);
        Self { store, fetcher, settings, node, lookout, visit_places, memory }
    }

    /// Works until `shutdown` says so; then writes down what there is and gives back
    /// what is held.
    pub async fn run(self, mut shutdown: watch::Receiver<bool>) {
        let runner = Arc::new(ShardRunner {
            store: self.store.clone(),
            fetcher: self.fetcher.clone(),
            settings: self.settings.clone(),
            node: self.node.clone(),
            memory: self.memory.clone(),
        });
        let listener = tokio::spawn(listen(self.store.clone()));
        let heartbeat = tokio::spawn(heartbeat(
            self.lookout.clone(),
            self.store.clone(),
            self.node.clone(),
            self.settings.clone(),
        ));
        let janitor = tokio::spawn(hold_house(
            self.store.clone(),
            self.fetcher.clone(),
            self.settings.clone(),
        ));
        // Before the first run: nobody is visited who objects.
        refresh_opt_outs(&self.store).await;
        let mut runs = JoinSet::new();
        let mut wakes = self.store.wakes();
        // A wake-up is a hint; this is what suffices without any.
        let mut poll = interval(self.settings.control_every.min(self.settings.lease / 2));
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut waiting = None;
        while !*shutdown.borrow_and_update() {
            self.claim_all(&runner, waiting, &mut runs).await;
            waiting = self.evict().await;
            tokio::select! {
                _ = shutdown.changed() => {}
                _ = poll.tick() => {}
                _ = runs.join_next(), if !runs.is_empty() => {}
                () = self.visit_places.freed() => {}
                wake = wakes.recv() => if let Ok(Wake::Control) = wake {
                    self.lookout.look(&self.store).await;
                },
            }
        }
        self.lookout.shut_down();
        while runs.join_next().await.is_some() {}
        heartbeat.abort();
        listener.abort();
        janitor.abort();
    }

    /// Evicts runs where they take too much memory together, or where one waits for its turn.
    /// Returns the bytes of the run that waits.
    async fn evict(&self) -> Option<usize> {
        let which = Self::claimable(self.visit_places.take().as_ref());
        let waiting = match self.store.evicted_before(which, &self.node, TURN).await {
            Ok(waiting) => waiting,
            Err(error) => {
                tracing::warn!(%error, "failed to look for evicted runs");
                None
            }
        };
        while let Some(shard) = self.memory.to_evict(waiting, Instant::now()) {
            self.lookout.evict(&shard);
        }
        waiting
    }

    /// Shards of domains need a place of their own.
    fn claimable(place: Option<&VisitPlace>) -> Claimable {
        if place.is_some() { Claimable::All } else { Claimable::Sites }
    }

    /// Claims runs while there are places. `waiting` are the bytes of a run that waits for its
    /// turn.
    async fn claim_all(
        &self,
        runner: &Arc<ShardRunner>,
        waiting: Option<usize>,
        runs: &mut JoinSet<()>,
    ) {
        while runs.len() < self.settings.shards {
            let asked_at = Instant::now();
            let now = self.fetcher.clock().now();
            let place = self.visit_places.take();
            let which = Self::claimable(place.as_ref());
            let span = self.settings.lease;
            let room = self.memory.room(waiting);
            let lease = match self.store.claim_among(which, room, &self.node, span, now).await {
                Ok(Some(lease)) => lease,
                Ok(None) => break,
                Err(error) => {
                    tracing::warn!(%error, "nothing could be claimed");
                    break;
                }
            };
            // Its replay takes at once what it took before.
            self.memory.note(&lease.shard, lease.memory_bytes, asked_at);
            let stop = self.lookout.watch(&lease, asked_at, self.settings.lease);
            let guard = RunGuard {
                lease: lease.clone(),
                lookout: self.lookout.clone(),
                memory: self.memory.clone(),
            };
            let runner = Arc::clone(runner);
            let place = place.filter(|_| lease.mode == Mode::Contacts);
            runs.spawn(async move { runner.run(lease, place, stop, guard).await });
        }
        gauge("trawl_runs_under_way", self.lookout.count() as u64);
        if let Ok(waiting) = self.store.count_waiting_shards().await {
            gauge("trawl_queue", waiting);
        }
    }
}

/// A run of this node. At its end, also by a panic, its lease is not renewed any more and its
/// memory not counted. The lease of a run that panicked is not given back: it expires, the next
/// claim counts a crash, and several crashes isolate the run or end it.
#[derive(Debug)]
pub(crate) struct RunGuard {
    lease: Lease,
    lookout: Lookout,
    memory: FrontierMemory,
}

impl Drop for RunGuard {
    fn drop(&mut self) {
        if std::thread::panicking() {
            tracing::error!(
                job.id = %self.lease.job,
                shard.id = %self.lease.shard,
                "a bug: the run panicked; it is claimed again when its lease expires"
            );
            metrics::counter!("trawl_bugs_total").increment(1);
        }
        self.lookout.forget(&self.lease);
        self.memory.forget(&self.lease.shard);
    }
}

async fn heartbeat(lookout: Lookout, store: Store, node: NodeName, settings: WorkerSettings) {
    let mut renew = interval(settings.lease / 4);
    let mut control = interval(settings.control_every);
    for timer in [&mut renew, &mut control] {
        timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    }
    loop {
        tokio::select! {
            _ = renew.tick() => lookout.renew(&store, &node, settings.lease).await,
            _ = control.tick() => {
                lookout.expire();
                lookout.look(&store).await;
                refresh_opt_outs(&store).await;
            }
        }
    }
}

/// What is written heeds the list by itself; this keeps runs from visits in vain.
async fn refresh_opt_outs(store: &Store) {
    if let Err(error) = store.refresh_opt_outs().await {
        tracing::warn!(%error, "the objections could not be read anew");
    }
}

/// Passes on the wake-ups of other nodes, through outages.
async fn listen(store: Store) {
    loop {
        if let Err(error) = store.listen().await {
            tracing::warn!(%error, "wake-ups of other nodes are not heard; polling goes on");
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn hold_house(store: Store, fetcher: Fetcher, settings: WorkerSettings) {
    let mut timer = interval(settings.purge_every);
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        timer.tick().await;
        let now = fetcher.clock().now();
        if let Err(error) = store.purge(settings.keep_results, now).await {
            tracing::warn!(%error, "what is too old could not be removed");
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a gauge need not be exact")]
fn gauge(name: &'static str, value: u64) {
    metrics::gauge!(name).set(value as f64);
}
