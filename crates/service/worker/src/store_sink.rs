//! The store as a sink: commits are appended under the lease, through outages.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use contract::{Clock, Credits, Units};
use crawl::{Engine, Pending};
use journal::{Cause, Commit, Outcome, Snapshot, Step};
use store::{Appended, Lease, Store, StoreError};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::frontier_memory::FrontierMemory;
use crate::visit_places::VisitPlace;
use runner::{Committed, RunReading, Sink, Stop};

/// How long a run has to work without a crash before earlier ones are forgotten.
const CRASH_FREE: Duration = Duration::from_secs(600);

/// How long to wait for a database that is gone.
pub(crate) const OUTAGE_PAUSE: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(crate) struct StoreSink {
    store: Store,
    clock: Arc<dyn Clock>,
    lease: Lease,
    /// What a unit costs: it changes only at a stop, or where a higher rate was accepted.
    rate: Credits,
    stop: watch::Receiver<Stop>,
    /// A log smaller than this needs no snapshot.
    snapshot_bytes: u64,
    wants_snapshot: bool,
    /// What cannot be waited out.
    failure: Option<StoreError>,
    /// The place that a shard of domains takes up.
    place: Option<VisitPlace>,
    /// Where the run's memory is counted, and how its pages are read.
    run: Option<(FrontierMemory, RunReading)>,
    claimed: Instant,
}

impl StoreSink {
    pub fn new(
        store: Store,
        clock: Arc<dyn Clock>,
        lease: Lease,
        rate: Credits,
        snapshot_bytes: u64,
        stop: watch::Receiver<Stop>,
    ) -> Self {
        Self {
            store,
            clock,
            lease,
            rate,
            stop,
            snapshot_bytes,
            wants_snapshot: false,
            failure: None,
            place: None,
            run: None,
            claimed: Instant::now(),
        }
    }

    /// The same, for a run whose memory is counted and whose pages may be read in isolation.
    pub fn of_run(self, memory: FrontierMemory, reading: RunReading) -> Self {
        Self { run: Some((memory, reading)), ..self }
    }

    /// Forgets earlier crashes of a run that has worked for a while without one.
    async fn forget_crashes(&mut self) {
        if self.lease.crashes == 0 || self.claimed.elapsed() < CRASH_FREE {
            return;
        }
        match self.store.forget_crashes(&self.lease).await {
            Ok(()) => {
                self.lease.crashes = 0;
                if let Some((_, reading)) = &self.run {
                    reading.isolate(false);
                }
            }
            Err(error) => {
                tracing::warn!(job.id = %self.lease.job, %error, "failed to reset the crash count");
            }
        }
    }

    /// The same, with the place that most is left of when the shard fades.
    pub fn holding(self, place: Option<VisitPlace>) -> Self {
        Self { place, ..self }
    }

    pub fn lease(&self) -> &Lease {
        &self.lease
    }

    /// From now on a unit costs this much.
    pub fn charge(&mut self, rate: Credits) {
        self.rate = rate;
    }

    pub fn failure(&self) -> Option<&StoreError> {
        self.failure.as_ref()
    }

    /// Appends, and finds out what became of it when the connection broke.
    async fn append(&mut self, pending: &Pending) -> Result<Appended, StoreError> {
        loop {
            let now = self.clock.now();
            let Pending { commit, items, skipped } = pending;
            let result = self.store.append(&mut self.lease, commit, items, skipped, now).await;
            match result {
                Err(error) if error.is_passing() => {
                    tracing::warn!(job.id = %self.lease.job, %error, "the database is away");
                }
                result => return result,
            }
            match self.outcome_unknown().await? {
                Some(true) => return Ok(Appended::Stored),
                Some(false) => {}
                None => return Ok(Appended::Lost),
            }
        }
    }

    /// Waits until the database tells whether the last append went through.
    async fn outcome_unknown(&mut self) -> Result<Option<bool>, StoreError> {
        loop {
            // Whoever has to go does not wait for a database: the log tells how far it is.
            if *self.stop.borrow() != Stop::Run {
                return Ok(None);
            }
            tokio::time::sleep(OUTAGE_PAUSE).await;
            match self.store.landed(&mut self.lease).await {
                Err(error) if error.is_passing() => {}
                result => return result,
            }
        }
    }

    async fn keep_snapshot(&mut self, snapshot: Option<Snapshot>) -> Result<(), StoreError> {
        if let Some(snapshot) = snapshot {
            self.store.write_snapshot(&self.lease, &snapshot).await?;
        }
        self.wants_snapshot = self.store.wants_snapshot(&self.lease, self.snapshot_bytes).await?;
        Ok(())
    }
}

#[async_trait]
impl Sink for StoreSink {
    fn observe(&mut self, run: &dyn Engine) {
        if let Some((memory, _)) = &self.run {
            let bytes = run.memory_bytes();
            memory.note(&self.lease.shard, bytes, Instant::now());
            self.lease.memory_bytes = bytes;
        }
        if let (true, Some(place)) = (run.is_winding_down(), &mut self.place) {
            place.leave_most();
        }
    }

    async fn commit(&mut self, mut pending: Pending, snapshot: Option<Snapshot>) -> Committed {
        let mut unpaid = false;
        loop {
            match self.append(&pending).await {
                Ok(Appended::Stored) => break,
                Ok(Appended::Short { covered }) => {
                    unpaid = true;
                    // What is cut from the commit takes along what it delivered and left out.
                    let kept = pending.commit.trim_to(covered.0);
                    pending.items.truncate(kept.items);
                    pending.skipped.truncate(kept.skipped);
                    if pending.commit.is_empty() {
                        return Committed::Unpaid;
                    }
                }
                Ok(Appended::Lost) => return Committed::Lost,
                Err(error) => {
                    self.failure = Some(error);
                    return Committed::Lost;
                }
            }
        }
        let totals = pending.commit.totals();
        metrics::counter!("trawl_commits_total").increment(1);
        metrics::counter!("trawl_results_total").increment(totals.delivered);
        metrics::counter!("trawl_blocked_pages_total").increment(blocked(&pending.commit));
        let credits = self.rate.times(Units(totals.units)).unwrap_or_default();
        metrics::counter!("trawl_credits_total")
            .increment(u64::try_from(credits.0).unwrap_or_default());
        if unpaid {
            return Committed::Unpaid;
        }
        self.forget_crashes().await;
        // A snapshot is a convenience: without it the replay is longer, not wrong.
        if let Err(error) = self.keep_snapshot(snapshot).await {
            tracing::warn!(job.id = %self.lease.job, %error, "no snapshot was written");
        }
        Committed::Stored
    }

    fn wants_snapshot(&self) -> bool {
        self.wants_snapshot
    }

    fn note_fetching(&mut self, urls: Vec<String>) {
        self.lease.fetching = urls;
    }
}

/// Pages of a commit that stayed behind a wall.
fn blocked(commit: &Commit) -> u64 {
    let behind = commit.steps.iter().filter(|step| match step {
        Step::Finished(finished) => finished.outcome == Outcome::Failed(Cause::Protected),
        Step::Learned(_) | Step::Seeded(_) | Step::Visited(_) | Step::SetAside { .. } => false,
    });
    behind.count() as u64
}

#[cfg(test)]
mod tests {
    use fixture::{new_job, pages_commit, skipped_url};
    use runtime::SystemClock;
    use store::{Page, StoreSettings};

    use super::*;

    #[tokio::test]
    async fn what_is_left_out_is_stored_with_its_commit() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}/trawl.db?mode=rwc", folder.path().display());
        let store = Store::new(StoreSettings::new(url)).expect("an address of a database");
        store.prepare().await.expect("the tables are made");
        let account = fixture::account(&store, 10).await;
        let lease = fixture::running(&store, &new_job(&account, "example.com")).await;
        let job = lease.job.clone();
        let (_stop, stopped) = watch::channel(Stop::Run);
        let clock = Arc::new(SystemClock);
        let mut sink = StoreSink::new(store.clone(), clock, lease, Credits(1), 1 << 20, stopped);
        let (commit, items) = pages_commit(0..2);
        let skipped: Vec<_> = (0..5).map(skipped_url).collect();
        let pending = Pending { commit, items, skipped: skipped.clone() };
        assert_eq!(sink.commit(pending, None).await, Committed::Stored);
        let page = Page { number: 1, size: 10 };
        let left_out = store.skipped(&job, None, page).await.expect("it answers");
        assert_eq!(left_out.items, skipped);
        assert_eq!(store.results(&job, 0, 10).await.expect("it answers").items.len(), 2);
    }
}
