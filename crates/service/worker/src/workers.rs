//! The workers of a node: claim shards, start their runs, and run the background tasks.

use std::sync::Arc;
use std::time::Duration;

use contract::{Clock, Millis};
use store::{Claimable, NodeDescription, NodeName, Store, Wake};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::claim_pause::ClaimPause;
use crate::clock_watch::ClockWatch;
use crate::frontier_memory::{EVICTION_TURN, FrontierMemory};
use crate::lease_monitor::LeaseMonitor;
use crate::run_guard::RunGuard;
use crate::settings::WorkerSettings;
use crate::shard_runner::ShardRunner;
use crate::storage_maintenance::maintain_storage;
use crate::visit_slots::{VisitSlot, VisitSlots};
use runner::Fetcher;
use runtime::SystemClock;

/// Maximum time that runs have to commit and release their leases after a shutdown.
const DRAIN: Duration = Duration::from_secs(4);

/// Maximum time for the release of the leases of runs that have not stopped.
const RELEASE: Duration = Duration::from_secs(1);

/// Interval of admitting jobs that were left out.
const ADMIT_EVERY: Duration = Duration::from_secs(30);

/// The workers of this process.
#[derive(Debug)]
pub struct Workers {
    store: Store,
    fetcher: Fetcher,
    settings: WorkerSettings,
    node: NodeName,
    lease_monitor: LeaseMonitor,
    visit_slots: VisitSlots,
    memory: FrontierMemory,
}

impl Workers {
    #[must_use]
    pub fn new(store: Store, fetcher: Fetcher, settings: WorkerSettings) -> Self {
        let visit_slots = VisitSlots::new(settings.visit_shards);
        let (node, lease_monitor) = (NodeName::random(), LeaseMonitor::default());
        let memory = FrontierMemory::new(settings.frontier_memory);
        Self { store, fetcher, settings, node, lease_monitor, visit_slots, memory }
    }

    /// Works under the name of this node.
    #[must_use]
    pub fn with_node(self, node: NodeName) -> Self {
        Self { node, ..self }
    }

    /// Works until `shutdown` is cancelled; then commits pending steps and releases all leases within
    /// 5 s. A run that has not stopped by then is aborted: its steps since its last commit are repeated.
    pub async fn run(self, shutdown: CancellationToken) {
        let runner = Arc::new(ShardRunner {
            store: self.store.clone(),
            fetcher: self.fetcher.clone(),
            settings: self.settings.clone(),
            node: self.node.clone(),
            memory: self.memory.clone(),
            claim_pause: ClaimPause::default(),
        });
        let listener = tokio::spawn(listen(self.store.clone(), self.node.clone()));
        let heartbeat = tokio::spawn(heartbeat(
            self.lease_monitor.clone(),
            self.store.clone(),
            self.node.clone(),
            (self.settings.clone(), self.fetcher.capabilities().browser),
        ));
        let admitter = tokio::spawn(admit_waiting(self.store.clone(), self.fetcher.clone()));
        let purger = tokio::spawn(purge_expired(
            self.store.clone(),
            Arc::clone(self.fetcher.clock()),
            self.settings.clone(),
        ));
        let clock = Arc::clone(self.fetcher.clock());
        let storage = tokio::spawn(maintain_storage(self.store.clone(), move || clock.now()));
        // Before the first run, so that no opted-out domain is visited.
        refresh_opt_outs(&self.store).await;
        let mut runs = JoinSet::new();
        let mut wakes = self.store.wakes();
        // Wake-ups are hints; polling suffices without them.
        let poll_every = self.settings.control_every.min(self.settings.lease / 2);
        let mut next_poll = Instant::now();
        let mut waiting = None;
        while !shutdown.is_cancelled() {
            self.lease_monitor
                .blame_panicked(&self.store, &self.node, self.fetcher.clock().now())
                .await;
            self.claim_all(&runner, waiting, &mut runs).await;
            if next_poll <= Instant::now() {
                next_poll = Instant::now() + jittered(poll_every);
                waiting = self.evicted_memory().await;
            }
            self.evict(waiting);
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = sleep_until(next_poll) => {}
                _ = runs.join_next(), if !runs.is_empty() => {}
                () = self.visit_slots.freed() => {}
                wake = wakes.recv() => if let Ok(Wake::Control) = wake {
                    self.lease_monitor.check_leases(&self.store).await;
                },
            }
        }
        self.lease_monitor.shut_down();
        drain(&mut runs, &self.lease_monitor, &self.store, &self.node).await;
        heartbeat.abort();
        listener.abort();
        purger.abort();
        admitter.abort();
        storage.abort();
        if let Err(error) = self.store.forget_node(&self.node).await {
            tracing::warn!(%error, "failed to remove the entry of this node");
        }
    }

    /// The bytes of the evicted run that waits for its turn on this node.
    async fn evicted_memory(&self) -> Option<usize> {
        let which = Self::claimable(self.visit_slots.take().as_ref());
        match self.store.next_evicted_memory(which, &self.node, EVICTION_TURN).await {
            Ok(waiting) => waiting,
            Err(error) => {
                tracing::warn!(%error, "failed to query evicted runs");
                None
            }
        }
    }

    /// Evicts runs if they exceed the memory of the node, or if an evicted run of `waiting` bytes waits
    /// for its turn.
    fn evict(&self, waiting: Option<usize>) {
        while let Some(shard) = self.memory.to_evict(waiting, Instant::now()) {
            self.lease_monitor.evict(&shard);
        }
    }

    /// Shards of domains are claimable only with a visit slot.
    fn claimable(visit_slot: Option<&VisitSlot>) -> Claimable {
        if visit_slot.is_some() { Claimable::All } else { Claimable::Sites }
    }

    /// Claims shards up to the limit. `waiting` is the memory of an evicted run that waits for its
    /// turn.
    async fn claim_all(
        &self,
        runner: &Arc<ShardRunner>,
        waiting: Option<usize>,
        runs: &mut JoinSet<()>,
    ) {
        while runs.len() < self.settings.shards && !runner.claim_pause.is_active() {
            let asked_at = Instant::now();
            let now = self.fetcher.clock().now();
            let visit_slot = self.visit_slots.take();
            let which = Self::claimable(visit_slot.as_ref());
            let span = self.settings.lease;
            let available = self.memory.available(waiting);
            let lease = match self.store.claim_among(which, available, &self.node, span, now).await
            {
                Ok(Some(lease)) => lease,
                Ok(None) => break,
                Err(error) => {
                    tracing::warn!(%error, "failed to claim a shard");
                    break;
                }
            };
            let elapsed_us = u64::try_from(asked_at.elapsed().as_micros()).unwrap_or(u64::MAX);
            let claim = tracing::debug_span!(
                "claim", job.id = %lease.job, shard.id = %lease.shard, node = %self.node, elapsed_us
            );
            drop(claim);
            // The replay needs the memory that the run had before.
            self.memory.record(&lease.shard, lease.memory_bytes, asked_at);
            let stop = self.lease_monitor.watch(&lease, asked_at, self.settings.lease);
            let guard = RunGuard {
                lease: lease.clone(),
                lease_monitor: self.lease_monitor.clone(),
                memory: self.memory.clone(),
            };
            let runner = Arc::clone(runner);
            let visit_slot = visit_slot.filter(|_| lease.mode.visits_domains());
            runs.spawn(async move { runner.run(lease, visit_slot, stop, guard).await });
        }
        gauge("trawl_runs_under_way", self.lease_monitor.count() as u64);
    }
}

/// Waits for the runs of a node that was asked to stop them. Releases the leases of those that do not stop,
/// so that another node continues them; their commits are fenced by the epoch of its claim.
async fn drain(
    runs: &mut JoinSet<()>,
    lease_monitor: &LeaseMonitor,
    store: &Store,
    node: &NodeName,
) {
    let stopped = timeout(DRAIN, async { while runs.join_next().await.is_some() {} });
    if stopped.await.is_ok() {
        return;
    }
    let held = lease_monitor.leases();
    tracing::warn!(runs = held.len(), "runs did not stop in time: aborting them, releasing leases");
    runs.abort_all();
    let release = async {
        for lease in &held {
            lease_monitor.unwatch(lease);
            if let Err(error) = store.release_lease(node, lease).await {
                tracing::warn!(%error, "failed to release the lease of a run that did not stop");
            }
        }
    };
    if timeout(RELEASE, release).await.is_err() {
        tracing::warn!("the database did not release all leases in time: they expire");
    }
}

/// Renews the leases and the entry of the node, checks whether leases were revoked, and reads what
/// gauges and runs need from the database.
async fn heartbeat(
    lease_monitor: LeaseMonitor,
    store: Store,
    node: NodeName,
    (settings, has_browser): (WorkerSettings, bool),
) {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let description = NodeDescription { version, slots: settings.shards, has_browser };
    let mut described = false;
    let (mut next_renewal, mut next_check) = (Instant::now(), Instant::now());
    let mut clock_watch = ClockWatch::default();
    loop {
        sleep_until(next_renewal.min(next_check)).await;
        let now = Instant::now();
        if next_renewal <= now {
            lease_monitor.renew(&store, &node, settings.lease).await;
            let free = settings.shards.saturating_sub(lease_monitor.count());
            match store.heartbeat(&node, free, settings.lease, &SystemClock).await {
                Ok(difference) => {
                    clock_watch.observe(difference);
                    if !described {
                        described = store.describe_node(&node, &description).await.unwrap_or(false);
                    }
                }
                Err(error) => tracing::warn!(%error, "failed to renew the entry of this node"),
            }
            // Well before a quarter of the lease, so that three renewals may fail.
            next_renewal = now + jittered(settings.lease / 5);
        }
        if next_check <= now {
            lease_monitor.expire();
            lease_monitor.check_leases(&store).await;
            refresh_opt_outs(&store).await;
            if let Ok(waiting) = store.count_waiting_shards().await {
                gauge("trawl_queue", waiting);
            }
            next_check = now + jittered(settings.control_every);
        }
    }
}

/// A random duration from three to five quarters of `span`, so that nodes do not poll at the same time.
fn jittered(span: Duration) -> Duration {
    span.mul_f64(0.75 + rand::random::<f64>() / 2.0)
}

/// The store applies opt-outs to every write; this only avoids useless visits.
async fn refresh_opt_outs(store: &Store) {
    if let Err(error) = store.refresh_opt_outs().await {
        tracing::warn!(%error, "failed to refresh opt-outs");
    }
}

/// Receives the wake-ups of other nodes; reconnects after failures.
async fn listen(store: Store, node: NodeName) {
    loop {
        if let Err(error) = store.listen(&node).await {
            tracing::warn!(%error, "failed to listen for wake-ups of other nodes, polling continues");
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Admits jobs that the end of another one has not admitted.
async fn admit_waiting(store: Store, fetcher: Fetcher) {
    loop {
        tokio::time::sleep(jittered(ADMIT_EVERY)).await;
        if let Err(error) = store.admit_waiting(fetcher.clock().now()).await {
            tracing::warn!(%error, "failed to admit waiting jobs");
        }
    }
}

async fn purge_expired(store: Store, clock: Arc<dyn Clock>, settings: WorkerSettings) {
    let mut timer = interval(settings.purge_every);
    timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // A node that never succeeds has the series as well: the alert compares it with the time.
    record_purge(clock.now());
    loop {
        timer.tick().await;
        let now = clock.now();
        match store.purge(settings.keep_results, now).await {
            Ok(jobs) => {
                if jobs > 0 {
                    tracing::info!(jobs, "deleted expired jobs and their results");
                }
                metrics::counter!("trawl_jobs_purged_total").increment(jobs);
                record_purge(now);
            }
            Err(error) => tracing::warn!(%error, "failed to delete expired results"),
        }
    }
}

fn record_purge(at: Millis) {
    gauge("trawl_purged_at", u64::try_from(at.0 / 1_000).unwrap_or_default());
}

#[expect(clippy::cast_precision_loss, reason = "a gauge need not be exact")]
fn gauge(name: &'static str, value: u64) {
    metrics::gauge!(name).set(value as f64);
}

#[cfg(test)]
mod tests {
    use metrics_exporter_prometheus::PrometheusBuilder;
    use store::StoreSettings;

    use super::*;

    #[tokio::test]
    async fn node_that_cannot_purge_reports_the_time_of_its_start() {
        let recorder = PrometheusBuilder::new().build_recorder();
        // The tasks of this test run on its thread.
        let _guard = metrics::set_default_local_recorder(&recorder);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}/trawl.db?mode=rwc", folder.path().display());
        let store = Store::new(StoreSettings::new(url)).expect("an address of a database");
        // Without tables every purge fails.
        let settings = WorkerSettings::default();
        let purging = purge_expired(store, Arc::new(SystemClock), settings);
        let ended = timeout(Duration::from_millis(200), purging).await;
        assert!(ended.is_err(), "it is tried again");
        let metrics = recorder.handle().render();
        assert!(
            metrics.contains("\ntrawl_purged_at 1") || metrics.starts_with("trawl_purged_at 1"),
            "{metrics}"
        );
        assert!(!metrics.contains("trawl_jobs_purged_total"), "{metrics}");
    }

    #[tokio::test]
    async fn lease_of_a_run_that_does_not_stop_is_released() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}/trawl.db?mode=rwc", folder.path().display());
        let store = Store::new(StoreSettings::new(url)).expect("an address of a database");
        store.prepare().await.expect("the tables are made");
        let account = fixture::account(&store, 10).await;
        let new = fixture::new_job(&account, "example.com");
        store.create_job(&new, fixture::NOW).await.expect("it answers");
        let (node, other) = (NodeName::random(), NodeName::random());
        let span = Duration::from_secs(600);
        let lease = store.claim(&node, span, fixture::NOW).await.expect("it answers");
        let lease = lease.expect("a free shard");
        let monitor = LeaseMonitor::default();
        let _signals = monitor.watch(&lease, Instant::now(), span);
        let mut runs = JoinSet::new();
        runs.spawn(std::future::pending::<()>());
        let held = store.claim(&other, span, fixture::NOW).await.expect("it answers");
        assert!(held.is_none(), "the lease is valid for minutes");
        monitor.shut_down();
        drain(&mut runs, &monitor, &store, &node).await;
        let taken = store.claim(&other, span, fixture::NOW).await.expect("it answers");
        assert_eq!(taken.map(|lease| lease.job), Some(lease.job));
        assert_eq!(monitor.count(), 0);
    }
}
