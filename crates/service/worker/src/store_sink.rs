//! The sink of the server: appends commits to the store under the lease, and retries during outages of
//! the database.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use contract::{Clock, Credits, RequestLogLine, Units};
use crawl::{Engine, Pending};
use journal::{Cause, Commit, Outcome, Snapshot, Step};
use store::{Appended, CommitPages, Lease, Store, StoreError};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::frontier_memory::FrontierMemory;
use crate::visit_slots::VisitSlot;
use runner::{CommitOutcome, RunReadState, RunSignal, Sink};

/// After this time without a crash, the crash count of a run is reset.
const CRASH_FREE: Duration = Duration::from_secs(600);

/// Time between writes of the log of requests, and maximum requests that wait for one.
const LOG_EVERY: Duration = Duration::from_secs(5);
const MAX_LOGGED: usize = 250;

/// Pause between attempts while the database is unavailable.
pub(crate) const OUTAGE_PAUSE: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(crate) struct StoreSink {
    store: Store,
    clock: Arc<dyn Clock>,
    lease: Lease,
    /// Credits per unit, for metrics. Changes only when a higher rate was accepted.
    rate: Credits,
    stop: watch::Receiver<RunSignal>,
    /// A smaller log needs no snapshot.
    snapshot_bytes: u64,
    is_snapshot_due: bool,
    /// A permanent error of the store.
    failure: Option<StoreError>,
    /// The slot of a shard of domains.
    visit_slot: Option<VisitSlot>,
    /// Memory accounting and read state of the run.
    run: Option<(FrontierMemory, RunReadState)>,
    claimed: Instant,
    /// Ended requests that are not yet in the log, and its last write.
    requests: Vec<RequestLogLine>,
    logged_at: Option<Instant>,
}

impl StoreSink {
    pub fn new(
        store: Store,
        clock: Arc<dyn Clock>,
        lease: Lease,
        rate: Credits,
        snapshot_bytes: u64,
        stop: watch::Receiver<RunSignal>,
    ) -> Self {
        Self {
            store,
            clock,
            lease,
            rate,
            stop,
            snapshot_bytes,
            is_snapshot_due: false,
            failure: None,
            visit_slot: None,
            run: None,
            claimed: Instant::now(),
            requests: Vec::new(),
            logged_at: None,
        }
    }

    /// Adds memory accounting and the read state of the run.
    pub fn for_run(self, memory: FrontierMemory, read_state: RunReadState) -> Self {
        Self { run: Some((memory, read_state)), ..self }
    }

    /// Resets the crash count after [`CRASH_FREE`], and ends the isolation.
    async fn reset_crashes(&mut self) {
        if self.lease.crashes == 0 || self.claimed.elapsed() < CRASH_FREE {
            return;
        }
        match self.store.reset_crashes(&self.lease).await {
            Ok(()) => {
                self.lease.crashes = 0;
                if let Some((_, read_state)) = &self.run {
                    read_state.set_isolated(false);
                }
            }
            Err(error) => {
                tracing::warn!(%error, "failed to reset the crash count");
            }
        }
    }

    /// Writes the log of requests. A missing part is no error: no run depends on it.
    pub async fn write_request_log(&mut self) {
        let requests = std::mem::take(&mut self.requests);
        let (job, now) = (&self.lease.job, self.clock.now());
        if let Err(error) = self.store.append_request_log(job, &requests, now).await {
            tracing::warn!(%error, "failed to write the log of requests");
        }
        self.logged_at = Some(Instant::now());
    }

    /// Adds the slot, most of which is released when few domains are left.
    pub fn with_visit_slot(self, visit_slot: Option<VisitSlot>) -> Self {
        Self { visit_slot, ..self }
    }

    pub fn lease(&self) -> &Lease {
        &self.lease
    }

    pub fn set_rate(&mut self, rate: Credits) {
        self.rate = rate;
    }

    pub fn failure(&self) -> Option<&StoreError> {
        self.failure.as_ref()
    }

    /// Appends a commit; after a lost connection, finds out whether it was stored.
    async fn append(&mut self, pending: &Pending) -> Result<Appended, StoreError> {
        loop {
            let now = self.clock.now();
            let Pending { commit, items, kept, skipped, kept_of_skipped } = pending;
            let pages = CommitPages { items: kept, skipped: kept_of_skipped };
            let result = self
                .store
                .append_with_pages(&mut self.lease, commit, items, pages, skipped, now)
                .await;
            match result {
                Err(error) if error.is_transient() => {
                    tracing::warn!(%error, "database or object storage unavailable, retrying commit");
                }
                result => return result,
            }
            match self.resolve_outcome().await? {
                Some(true) => return Ok(Appended::Stored),
                Some(false) => {}
                None => return Ok(Appended::Lost),
            }
        }
    }

    /// Waits until the database can say whether the last append was stored; `None` if unknown.
    async fn resolve_outcome(&mut self) -> Result<Option<bool>, StoreError> {
        loop {
            // A run that must stop does not wait: the replay finds out.
            if self.stop.borrow().is_stop() {
                return Ok(None);
            }
            tokio::time::sleep(OUTAGE_PAUSE).await;
            match self.store.was_appended(&mut self.lease).await {
                Err(error) if error.is_transient() => {}
                result => return result,
            }
        }
    }

    async fn write_snapshot(&mut self, snapshot: Option<Snapshot>) -> Result<(), StoreError> {
        if let Some(snapshot) = snapshot {
            self.store.write_snapshot(&self.lease, &snapshot).await?;
        }
        self.is_snapshot_due = self.store.is_snapshot_due(&self.lease, self.snapshot_bytes).await?;
        Ok(())
    }
}

#[async_trait]
impl Sink for StoreSink {
    fn observe(&mut self, run: &dyn Engine) {
        if let Some((memory, _)) = &self.run {
            let bytes = run.memory_bytes();
            memory.record(&self.lease.shard, bytes, Instant::now());
            self.lease.memory_bytes = bytes;
        }
        if let (true, Some(visit_slot)) = (run.is_winding_down(), &mut self.visit_slot) {
            visit_slot.release_most();
        }
    }

    async fn commit(&mut self, mut pending: Pending, snapshot: Option<Snapshot>) -> CommitOutcome {
        let mut out_of_credits = false;
        let asked_at = Instant::now();
        loop {
            match self.append(&pending).await {
                Ok(Appended::Stored) => break,
                Ok(Appended::Short { covered }) => {
                    out_of_credits = true;
                    pending.trim_to(covered.0);
                    if pending.commit.is_empty() {
                        return CommitOutcome::OutOfCredits;
                    }
                }
                Ok(Appended::Lost) => return CommitOutcome::NotStored,
                Err(error) => {
                    self.failure = Some(error);
                    return CommitOutcome::NotStored;
                }
            }
        }
        let totals = pending.commit.totals();
        metrics::histogram!("trawl_commit_seconds").record(asked_at.elapsed().as_secs_f64());
        metrics::counter!("trawl_commits_total").increment(1);
        metrics::counter!("trawl_results_total").increment(totals.delivered);
        metrics::counter!("trawl_blocked_pages_total").increment(blocked(&pending.commit));
        let credits = self.rate.times(Units(totals.units)).unwrap_or_default();
        metrics::counter!("trawl_credits_total")
            .increment(u64::try_from(credits.0).unwrap_or_default());
        if out_of_credits {
            return CommitOutcome::OutOfCredits;
        }
        self.reset_crashes().await;
        if self.logged_at.is_none_or(|at| at.elapsed() >= LOG_EVERY) {
            self.write_request_log().await;
        }
        // A missing snapshot makes the replay longer, not wrong.
        if let Err(error) = self.write_snapshot(snapshot).await {
            tracing::warn!(%error, "failed to write snapshot");
        }
        CommitOutcome::Stored
    }

    fn is_snapshot_due(&self) -> bool {
        self.is_snapshot_due
    }

    fn note_requests(&mut self, requests: Vec<RequestLogLine>) {
        let free = MAX_LOGGED.saturating_sub(self.requests.len());
        self.requests.extend(requests.into_iter().take(free));
    }

    fn note_fetching(&mut self, urls: Vec<String>) {
        self.lease.fetching = urls;
    }
}

/// Number of pages of a commit that bot protection blocked.
fn blocked(commit: &Commit) -> u64 {
    let blocked = commit.steps.iter().filter(|step| match step {
        Step::Finished(finished) => finished.outcome == Outcome::Failed(Cause::Protected),
        Step::Learned(_) | Step::Seeded(_) | Step::Visited(_) | Step::SetAside { .. } => false,
    });
    blocked.count() as u64
}

#[cfg(test)]
mod tests {
    use fixture::{new_job, pages_commit, skipped_url};
    use runtime::SystemClock;
    use store::{PageRequest, StoreSettings};

    use super::*;

    #[tokio::test]
    async fn skipped_urls_are_stored_with_their_commit() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}/trawl.db?mode=rwc", folder.path().display());
        let store = Store::new(StoreSettings::new(url)).expect("an address of a database");
        store.prepare().await.expect("the tables are made");
        let account = fixture::account(&store, 10).await;
        let lease = fixture::running(&store, &new_job(&account, "example.com")).await;
        let job = lease.job.clone();
        let (_stop, stopped) = watch::channel(RunSignal::Continue);
        let clock = Arc::new(SystemClock);
        let mut sink = StoreSink::new(store.clone(), clock, lease, Credits(1), 1 << 20, stopped);
        let (commit, items) = pages_commit(0..2);
        let skipped: Vec<_> = (0..5).map(skipped_url).collect();
        let pending = Pending { commit, items, skipped: skipped.clone(), ..Pending::default() };
        assert_eq!(sink.commit(pending, None).await, CommitOutcome::Stored);
        let page = PageRequest { number: 1, size: 10 };
        let left_out = store.skipped(&job, None, page).await.expect("it answers");
        assert_eq!(left_out.items, skipped);
        assert_eq!(store.results(&job, 0, 10).await.expect("it answers").items.len(), 2);
    }
}
