//! Overhead of `POST /v1/pages` over a bare fetch of the same page.
//!
//!     cargo bench -p trawl --bench read_page
//!
//! A page of 100 KB on loopback, SQLite with `synchronous=FULL`, mode `markdown`. Bare fetches and
//! calls take turns; prints both medians and their difference.

#[path = "harness/server.rs"]
#[expect(dead_code, reason = "pages are read without a job")]
mod server;

use std::time::{Duration, Instant};

use lab::{Lab, Reply, Site, SiteTruth};
use reqwest::{Client, Method};
use serde_json::json;
use server::Server;

const ROUNDS: usize = 300;
const PAGE_BYTES: usize = 100_000;

/// One page of text in sections.
#[derive(Debug)]
struct LongPage;

impl Site for LongPage {
    fn answer(&self, path: &str) -> Reply {
        if path == "/robots.txt" {
            return Reply::text("");
        }
        let mut html = "<html lang=en><title>Harbour</title><main><h1>The harbour</h1>".to_owned();
        let mut section = 0;
        while html.len() < PAGE_BYTES {
            section += 1;
            html.push_str(&format!(
                "<h2>Section {section}</h2><p>The harbour of the town has {section} cranes. Ships \
                 arrive in the morning and leave in the evening, and <a href=/pilot-{section}>the \
                 pilots</a> guide them through the narrow channel between the islands.</p>"
            ));
        }
        Reply::html(html + "</main>")
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

#[tokio::main]
async fn main() {
    let lab = Lab::start().await.expect("a port");
    lab.record_requests(false).serve("site.lab", LongPage);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let networks = lab.address().to_string();
    let settings = [("TRAWL_ALLOW_NETWORKS", networks.as_str()), ("TRAWL_HOST_DELAY_MS", "0")];
    let server = Server::start(folder.path(), "all", &settings);
    let client = Client::new();
    let url = lab.url("/");
    let body = json!({"url": url});
    let (mut bare, mut calls) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let started = Instant::now();
        let page = client.get(&url).send().await.expect("a page").bytes().await.expect("a body");
        let fetched = started.elapsed();
        assert!(page.len() >= PAGE_BYTES);
        let started = Instant::now();
        let answer = server.request(&client, Method::POST, "/v1/pages").json(&body).send().await;
        let answer = answer.expect("an answer");
        let status = answer.status();
        let text = answer.text().await.expect("a body");
        let called = started.elapsed();
        assert!(status.is_success(), "{text}");
        // The first rounds open connections and fetch robots.txt.
        if round >= 10 {
            bare.push(fetched);
            calls.push(called);
        }
    }
    let (bare, called) = (median(bare), median(calls));
    println!(
        "POST /v1/pages, {PAGE_BYTES} bytes: p50 {called:?}, bare fetch {bare:?}, overhead {:?} \
         (goal: at most 15 ms)",
        called.saturating_sub(bare)
    );
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
