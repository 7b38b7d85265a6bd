//! Cost of watching: the page of a running job open in many browsers.
//!
//!     cargo bench -p trawl --bench watched [-- BROWSERS SECONDS]
//!
//! Prints the pages per CPU-second of the crawl unwatched and watched, in alternating rounds, so
//! that a noisy machine affects both equally; and the cost of opening a page. A simulated browser
//! requests the page, then its stream on a separate connection.

#[path = "harness/measured.rs"]
#[expect(dead_code, reason = "here the process goes on; what a whole one cost is for others")]
mod measured;
#[path = "harness/server.rs"]
mod server;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use contract::Clock;
use lab::{Catalogue, Lab};
use measured::times;
use reqwest::{Client, Method};
use runtime::SystemClock;
use serde_json::Value;
use server::Server;
use store::{Store, StoreSettings};
use tokio::task::JoinSet;

/// Slow enough that the run outlives the measurement.
const LATENCY: Duration = Duration::from_millis(5);

const ROUNDS: u32 = 3;

/// Timeout that only a hang reaches.
const PATIENCE: Duration = Duration::from_secs(60);

/// Minimum share of the crawl speed while it is watched.
const GOAL: f64 = 0.9;

#[tokio::main]
async fn main() {
    let numbers: Vec<u64> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let browsers = numbers.first().copied().unwrap_or(200);
    let span = Duration::from_secs(numbers.get(1).copied().unwrap_or(10));
    let lab = Lab::start().await.expect("a port");
    lab.record_requests(false).serve("site.lab", Catalogue::plain(200_000));
    lab.with_latency("site.lab", LATENCY);
    let folder = tempfile::tempdir().expect("a folder");
    let names = lab.name_table();
    let settings = [
        ("TRAWL_RESOLVE", names.as_str()),
        ("TRAWL_HOST_DELAY_MS", "0"),
        ("TRAWL_BATCH_SIZE", "1000000"),
        ("TRAWL_FIRST_CREDITS", "100000000"),
    ];
    let server = Server::start(folder.path(), "all", &settings);
    let cookie = format!("trawl_session={}", session(folder.path()).await);
    // Send requests before the idle timeout of connections.
    let client = Client::builder().pool_max_idle_per_host(0).build().expect("a client");
    let job = server.create(&client, "http://site.lab/").await;
    let page = job.replace("/v1/jobs/", "/runs/");
    tokio::time::sleep(Duration::from_secs(3)).await;

    let (mut alone, mut watched, mut opening) = (0.0, 0.0, 0.0);
    for _ in 0..ROUNDS {
        alone += pages_per_cpu_second(&server, &client, &job, span).await;
        let mut open = JoinSet::new();
        let opened = Arc::new(AtomicU64::new(0));
        let (_, before) = times(server.child.id());
        let started = Instant::now();
        for _ in 0..browsers {
            let page = format!("{}{page}", server.url);
            open.spawn(watch(page, cookie.clone(), Arc::clone(&opened)));
        }
        while opened.load(Ordering::Relaxed) < browsers {
            assert!(started.elapsed() < PATIENCE, "they cannot all be opened");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        opening += times(server.child.id()).1 - before;
        watched += pages_per_cpu_second(&server, &client, &job, span).await;
        assert_eq!(open.len() as u64, browsers);
        assert!(open.try_join_next().is_none(), "no stream was closed");
        open.shutdown().await;
    }
    let ratio = watched / alone;
    let each = f64::from(ROUNDS);
    println!(
        "a run's page in {browsers} browsers: {:.0} pages a CPU-second, {:.0} unwatched: \
         {ratio:.3} × (goal: at least {GOAL}); {:.1} CPU-seconds while they were opened",
        watched / each,
        alone / each,
        opening / each,
    );
    assert!(ratio >= GOAL, "being watched costs too much");
}

/// A session token of the operator.
async fn session(folder: &std::path::Path) -> String {
    let url = format!("sqlite:{}", folder.join("trawl.db").display());
    let store = Store::new(StoreSettings::new(url)).expect("an address");
    store.prepare().await.expect("the tables are there");
    let account = store.accounts().await.expect("the database answers").remove(0);
    let session = store.open_session(&account.id, SystemClock.now()).await;
    session.expect("a session").token
}

/// Opens the page and reads its stream until it ends.
async fn watch(page: String, cookie: String, opened: Arc<AtomicU64>) {
    let client = Client::new();
    let ask = |url: String| client.get(url).header("cookie", cookie.clone()).send();
    let answer = ask(page.clone()).await.expect("a page");
    assert!(answer.status().is_success(), "{}", answer.status());
    answer.bytes().await.expect("a page");
    let mut stream = ask(format!("{page}/live")).await.expect("a stream");
    assert!(stream.status().is_success(), "{}", stream.status());
    opened.fetch_add(1, Ordering::Relaxed);
    while stream.chunk().await.expect("a stream").is_some() {}
}

/// Results per CPU-second of the server.
async fn pages_per_cpu_second(server: &Server, client: &Client, job: &str, span: Duration) -> f64 {
    let results = async || {
        let answer = server.request(client, Method::GET, job).send().await.expect("an answer");
        let job: Value = answer.json().await.expect("JSON");
        assert_eq!(job["status"], "running", "the run outlives the measurement");
        job["counts"]["results"].as_f64().expect("a number")
    };
    let (before, (_, busy)) = (results().await, times(server.child.id()));
    tokio::time::sleep(span).await;
    let (after, (_, then)) = (results().await, times(server.child.id()));
    (after - before) / (then - busy)
}
