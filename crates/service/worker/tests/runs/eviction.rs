//! Runs that exceed the memory of their node complete one after the other.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use contract::Status;
use fixture::NOW;
use net::{Fetch, FetchError, FetchRequest, FetchResponse};
use runner::{Fetcher, HostGate, HostGateSettings};
use runtime::SystemClock;
use store::Creation;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use worker::{WorkerSettings, Workers};

use crate::harness::{self, html, wait_for};

const RUNS: usize = 4;

/// Pages that the start page of a site links to.
const LINKED: u64 = 5;

/// Sites whose linked pages respond only after the gate is open.
#[derive(Debug)]
struct GatedSites {
    open: watch::Receiver<bool>,
    /// Hosts of the requested linked pages, in order.
    answered: Mutex<Vec<String>>,
}

#[async_trait]
impl Fetch for GatedSites {
    async fn fetch(&self, request: FetchRequest) -> Result<FetchResponse, FetchError> {
        let path = request.url.path();
        let (status, body) = if path == "/" {
            (200, (1..=LINKED).map(|n| format!("<a href='/p/{n}'>{n}</a>")).collect())
        } else if path.starts_with("/p/") {
            self.open.clone().wait_for(|open| *open).await.expect("the test holds the gate");
            self.answered.lock().expect("no panic").push(request.url.host().to_owned());
            (200, format!("<p>{path}</p>"))
        } else {
            (404, String::new())
        };
        Ok(html(status, body))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_beyond_the_memory_of_their_node_complete_one_after_the_other() {
    let (_folder, store) = harness::store().await;
    let account = fixture::account(&store, 1_000).await;
    let mut jobs = Vec::new();
    for number in 0..RUNS {
        let new = fixture::new_job(&account, &format!("site-{number}.example"));
        let created = store.create_job(&new, NOW).await.expect("the database answers");
        assert!(matches!(created, Creation::Created(_)), "not created: {created:?}");
        jobs.push(new.draft.id);
    }

    let (gate, open) = watch::channel(false);
    let sites = Arc::new(GatedSites { open, answered: Mutex::default() });
    let clock = Arc::new(SystemClock);
    let host_gate = HostGateSettings { concurrency: 64, delay: Duration::ZERO };
    let host_gate = HostGate::new(host_gate, clock.clone());
    let fetcher = Fetcher::new(Arc::clone(&sites) as Arc<dyn Fetch>, host_gate, clock);
    // Memory for one run at a time.
    let settings = WorkerSettings {
        frontier_memory: 1,
        control_every: Duration::from_millis(20),
        ..WorkerSettings::default()
    };
    let stop = CancellationToken::new();
    let workers = tokio::spawn(Workers::new(store.clone(), fetcher, settings).run(stop.clone()));

    wait_for("all runs but one are evicted", async || {
        for job in &jobs {
            let job = store.job(job).await.expect("it answers").expect("a job");
            // Wait for the claim; an evicted run stays `running`.
            if job.status != Status::Running {
                return None;
            }
        }
        let waiting = store.count_waiting_shards().await.expect("it answers");
        (waiting == RUNS as u64 - 1).then_some(())
    })
    .await;
    gate.send_replace(true);
    for job in &jobs {
        let done = wait_for("the run ends", async || {
            let job = store.job(job).await.expect("it answers").expect("a job");
            job.status.is_final().then_some(job)
        })
        .await;
        assert_eq!((done.status, done.counts.results), (Status::Completed, LINKED + 1));
    }
    stop.cancel();
    workers.await.expect("no panic");

    let mut turns = sites.answered.lock().expect("no panic").clone();
    assert_eq!(turns.len(), RUNS * usize::try_from(LINKED).expect("few"), "no page twice");
    turns.dedup();
    assert_eq!(turns.len(), RUNS, "one run after the other: {turns:?}");
}
