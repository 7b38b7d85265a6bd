//! Runs whose engine panics.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use contract::{Clock, Millis, Status};
use fixture::NOW;
use net::{Fetch, FetchError, FetchRequest, FetchResponse};
use runner::{Fetcher, HostGate, HostGateSettings};
use runtime::SystemClock;
use store::Creation;
use tokio::task::Id;
use tokio_util::sync::CancellationToken;
use worker::{WorkerSettings, Workers};

use crate::harness::{self, html, wait_for};

/// A clock that, once armed, panics in the first task that is not exempt: that of a run, which reads
/// the time with every input of its engine.
#[derive(Debug, Default)]
struct PanickingClock {
    exempt: Mutex<Vec<Id>>,
    armed: AtomicBool,
    panicked: AtomicBool,
}

impl PanickingClock {
    fn exempt_this_task(&self) {
        self.exempt.lock().expect("no panic").push(tokio::task::id());
    }

    fn is_exempt(&self) -> bool {
        let exempt = self.exempt.lock().expect("no panic");
        tokio::task::try_id().is_none_or(|id| exempt.contains(&id))
    }
}

impl Clock for PanickingClock {
    fn now(&self) -> Millis {
        if !self.is_exempt() && self.armed.swap(false, Ordering::SeqCst) {
            self.panicked.store(true, Ordering::SeqCst);
            panic!("a bug in the engine");
        }
        SystemClock.now()
    }
}

/// A site with one page, whose first response makes the engine panic.
#[derive(Debug)]
struct OnePage {
    clock: Arc<PanickingClock>,
    asked: AtomicBool,
}

#[async_trait]
impl Fetch for OnePage {
    async fn fetch(&self, request: FetchRequest) -> Result<FetchResponse, FetchError> {
        self.clock.exempt_this_task();
        if request.url.path() != "/" {
            return Ok(html(404, String::new()));
        }
        if !self.asked.swap(true, Ordering::SeqCst) {
            self.clock.armed.store(true, Ordering::SeqCst);
        }
        Ok(html(200, "<p>home</p>".to_owned()))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn run_that_panicked_is_claimed_again_and_completes() {
    let (_folder, store) = harness::store().await;
    let account = fixture::account(&store, 1_000).await;
    let new = fixture::new_job(&account, "site.example");
    let created = store.create_job(&new, NOW).await.expect("the database answers");
    assert!(matches!(created, Creation::Created(_)), "not created: {created:?}");

    let clock = Arc::new(PanickingClock::default());
    let site = Arc::new(OnePage { clock: Arc::clone(&clock), asked: AtomicBool::new(false) });
    let gate = HostGateSettings { concurrency: 64, delay: Duration::ZERO };
    let gate = HostGate::new(gate, Arc::new(SystemClock));
    let fetcher = Fetcher::new(site, gate, Arc::clone(&clock) as Arc<dyn Clock>);
    let settings = WorkerSettings {
        lease: Duration::from_secs(2),
        control_every: Duration::from_millis(100),
        ..WorkerSettings::default()
    };
    let stop = CancellationToken::new();
    let workers = {
        let (clock, store, stop) = (Arc::clone(&clock), store.clone(), stop.clone());
        tokio::spawn(async move {
            clock.exempt_this_task();
            Workers::new(store, fetcher, settings).run(stop).await;
        })
    };
    let done = wait_for("the run ends", async || {
        let job = store.job(&new.draft.id).await.expect("it answers").expect("a job");
        job.status.is_final().then_some(job)
    })
    .await;
    assert!(clock.panicked.load(Ordering::SeqCst), "the engine did not panic");
    assert_eq!((done.status, done.counts.results), (Status::Completed, 1));
    stop.cancel();
    workers.await.expect("the workers continue");
}
