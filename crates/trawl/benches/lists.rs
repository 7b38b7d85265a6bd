//! Cost of a long list: its upload, and the start of jobs over it.
//!
//!     cargo bench -p trawl --bench lists [-- URLS SITES]
//!
//! Prints the times, the peak memory of the server, and how long other writers waited meanwhile.

#[path = "harness/measured.rs"]
#[expect(dead_code, reason = "here the process goes on; what a whole one cost is for others")]
mod measured;
#[path = "harness/server.rs"]
#[expect(dead_code, reason = "jobs over a list are created here")]
mod server;

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use measured::peak;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use server::Server;

/// Jobs that are started over the list.
const JOBS: usize = 5;

#[tokio::main]
async fn main() {
    let numbers: Vec<u64> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let urls = numbers.first().copied().unwrap_or(1_000_000);
    let sites = numbers.get(1).copied().unwrap_or(10_000);
    let body = (0..urls).fold(String::new(), |mut body, at| {
        let site = at * 7_919 % sites;
        let _ = writeln!(body, "\"https://shop{site}.example/catalogue/item-{at}.html\"");
        body
    });
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path(), "api", &[]);
    let client = Client::new();
    let before = peak(server.child.id());

    let is_over = Arc::new(AtomicBool::new(false));
    let writes = tokio::spawn(write(
        server.request(&client, Method::POST, "/v1/schedules"),
        Arc::clone(&is_over),
    ));
    let bytes = body.len() / 1_000_000;
    let request = server.request(&client, Method::POST, "/v1/lists").body(body);
    let started = Instant::now();
    let list = answer(request.header("content-type", "application/x-ndjson"), 201).await;
    let uploaded = started.elapsed();
    assert_eq!(list["url_count"], urls);
    let mut starts = Vec::new();
    for _ in 0..JOBS {
        let job = json!({"mode": "links", "list_id": list["list_id"],
            "options": {"max_credits": 100}});
        let started = Instant::now();
        answer(server.request(&client, Method::POST, "/v1/jobs").json(&job), 202).await;
        starts.push(started.elapsed());
    }
    is_over.store(true, Ordering::Relaxed);
    let (count, slowest) = writes.await.expect("no panic");
    let memory = peak(server.child.id()).saturating_sub(before) / 1_000_000;
    starts.sort_unstable();
    println!(
        "{urls} URLs on {sites} sites, {bytes} MB: uploaded in {uploaded:.2?}, job started in \
         {:.0?} (median; slowest {:.0?}); {memory} MB of memory at the peak; the slowest of \
         {count} other writes took {slowest:.0?}",
        starts[JOBS / 2],
        starts[JOBS - 1]
    );
}

async fn answer(request: RequestBuilder, status: u16) -> Value {
    let answer = request.send().await.expect("an answer");
    let seen = answer.status();
    let text = answer.text().await.expect("a text");
    assert_eq!(seen, status, "{text}");
    serde_json::from_str(&text).expect("JSON")
}

/// Writes to the database until it is over. Returns the number of writes, and the slowest one.
async fn write(request: RequestBuilder, is_over: Arc<AtomicBool>) -> (u64, Duration) {
    let body = json!({"name": "pages", "cron": "@daily",
        "request": {"mode": "links", "url": "https://example.com/"}});
    let (mut count, mut slowest) = (0, Duration::ZERO);
    while !is_over.load(Ordering::Relaxed) {
        let request = request.try_clone().expect("a request without a stream").json(&body);
        let started = Instant::now();
        let answer = request.send().await.expect("an answer");
        // The limit of schedules is reached soon: that is found in a write transaction, too.
        assert!([201, 409].contains(&answer.status().as_u16()), "{}", answer.status());
        answer.bytes().await.expect("a body");
        slowest = slowest.max(started.elapsed());
        count += 1;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    (count, slowest)
}
