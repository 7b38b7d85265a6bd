//! Cost of console pages relative to the same JSON: the list of 10,000 runs, page by page, and a
//! page of 1,000 results, on the same router.
//!
//!     cargo bench -p console@0.1.0 --bench rendering
//!
//! Rounds of both alternate, so that a noisy machine affects both equally.

#[path = "../tests/http/harness.rs"]
#[expect(dead_code, reason = "here pages are only read")]
mod harness;

use std::time::{Duration, Instant};

use contract::KeyPrefix;
use harness::ConsoleServer;
use reqwest::{Client, StatusCode};
use store::{Appended, LimitChange, NewKey};

const RUNS: u32 = 10_000;
const RESULTS: u32 = 1_000;
const PAGE: u32 = 1_000;
const ROUNDS: u32 = 5;

/// Maximum ratio of the time of a page to that of its JSON.
const GOAL: f64 = 10.0;

#[tokio::main]
async fn main() {
    let server = ConsoleServer::start().await;
    let new = NewKey {
        name: "API key".to_owned(),
        source: "direct".to_owned(),
        prefix: KeyPrefix::Live,
        limits: LimitChange::default(),
    };
    let key = server.store.create_key(&server.account, new, fixture::NOW).await;
    let key = key.expect("the database answers").expect("room for a key").key;
    let run = filled(&server).await;
    let pages = |path: &str| -> Vec<String> {
        (1..=RUNS / PAGE).map(|page| format!("{path}?page={page}&page_size={PAGE}")).collect()
    };
    let list = measure(&server, &key, &pages("/runs"), &pages("/v1/jobs")).await;
    report("the list of 10,000 runs", list);
    let query = format!("page_size={RESULTS}");
    let results = measure(
        &server,
        &key,
        &[format!("/runs/{run}/results?{query}")],
        &[format!("/v1/jobs/{run}/results?{query}")],
    )
    .await;
    report("a page of 1,000 results", results);
}

/// Creates ten thousand runs, the last one with results.
async fn filled(server: &ConsoleServer) -> String {
    for number in 1..RUNS {
        let mut job = fixture::new_job(&server.account, &format!("site-{number}.example"));
        job.draft.site_key = None;
        let created = server.store.create_job(&job, fixture::NOW).await;
        created.expect("the database answers");
        // The queue is limited.
        let id = &job.draft.id;
        let ended = server.store.abort(&server.account, id, fixture::NOW).await;
        ended.expect("it ends");
    }
    let mut lease =
        fixture::running(&server.store, &fixture::new_job(&server.account, "example.com")).await;
    let (commit, items) = fixture::pages_commit(0..RESULTS);
    let stored = server.store.append(&mut lease, &commit, &items, &[], fixture::NOW).await;
    assert_eq!(stored.expect("the database answers"), Appended::Stored);
    lease.job.to_string()
}

/// The time of pages and of the same data as JSON.
async fn measure(
    server: &ConsoleServer,
    key: &str,
    pages: &[String],
    json: &[String],
) -> (Duration, Duration) {
    let client = Client::new();
    let (mut pages_time, mut json_time) = (Duration::ZERO, Duration::ZERO);
    for _ in 0..ROUNDS {
        for path in pages {
            let started = Instant::now();
            let answer = server.get(path).await;
            assert_eq!(answer.status(), StatusCode::OK);
            answer.bytes().await.expect("a page");
            pages_time += started.elapsed();
        }
        for path in json {
            let started = Instant::now();
            let request = client.get(format!("{}{path}", server.url)).bearer_auth(key);
            let answer = request.send().await.expect("an answer");
            assert_eq!(answer.status(), StatusCode::OK);
            answer.bytes().await.expect("JSON");
            json_time += started.elapsed();
        }
    }
    (pages_time / ROUNDS, json_time / ROUNDS)
}

fn report(name: &str, (pages, json): (Duration, Duration)) {
    let ratio = pages.as_secs_f64() / json.as_secs_f64();
    println!("{name}: {pages:.1?} as pages, {json:.1?} as JSON: {ratio:.2} × (goal: under {GOAL})");
    assert!(ratio < GOAL, "pages cost too much");
}
