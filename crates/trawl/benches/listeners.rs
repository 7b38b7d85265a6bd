//! Cost of watching: many progress streams on one running job.
//!
//!     cargo bench -p trawl --bench listeners [-- LISTENERS SECONDS]
//!
//! Prints the CPU time per second of the server while a run is unwatched and watched, and the
//! received events.

#[path = "harness/measured.rs"]
#[expect(dead_code, reason = "here the process goes on; what a whole one cost is for others")]
mod measured;
#[path = "harness/server.rs"]
mod server;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lab::{Catalogue, Lab};
use measured::{peak, times};
use reqwest::{Client, Method};
use server::Server;

/// Slow enough that the run outlives the measurement.
const LATENCY: Duration = Duration::from_millis(20);

/// Streams that are opened concurrently.
const OPENING: usize = 50;

#[tokio::main]
async fn main() {
    let numbers: Vec<u64> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let count = usize::try_from(numbers.first().copied().unwrap_or(2_000)).expect("a count");
    let span = Duration::from_secs(numbers.get(1).copied().unwrap_or(20));
    let lab = Lab::start().await.expect("a port");
    lab.record_requests(false).serve("site.lab", Catalogue::plain(100_000));
    lab.with_latency("site.lab", LATENCY);
    let folder = tempfile::tempdir().expect("a folder");
    let names = lab.name_table();
    let settings = [
        ("TRAWL_RESOLVE", names.as_str()),
        ("TRAWL_HOST_DELAY_MS", "0"),
        ("TRAWL_BATCH_SIZE", "1000000"),
        ("TRAWL_ACCOUNT_LISTENERS", "1000000"),
        ("TRAWL_LISTENERS", "1000000"),
    ];
    let server = Server::start(folder.path(), "all", &settings);
    let client = Client::new();
    let job = server.create(&client, "http://site.lab/").await;
    tokio::time::sleep(Duration::from_secs(3)).await;

    let alone = cores(&server, span).await;
    let (opened, heard) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let mut streams = Vec::with_capacity(count);
    let started = Instant::now();
    for number in 0..count {
        // A separate connection for each, as for browser tabs.
        let request = server.request(&Client::new(), Method::GET, &format!("{job}/events"));
        let (mine, heard) = (Arc::clone(&opened), Arc::clone(&heard));
        streams.push(tokio::spawn(async move {
            let mut answer = request.send().await.expect("an answer");
            assert!(answer.status().is_success(), "{}", answer.status());
            mine.fetch_add(1, Ordering::Relaxed);
            while let Some(chunk) = answer.chunk().await.expect("a stream") {
                let events = chunk.windows(6).filter(|part| part == b"data: ").count();
                heard.fetch_add(events as u64, Ordering::Relaxed);
            }
        }));
        while number as u64 >= opened.load(Ordering::Relaxed) + OPENING as u64 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    while opened.load(Ordering::Relaxed) < count as u64 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let opening = started.elapsed();
    let before = heard.load(Ordering::Relaxed);
    let watched = cores(&server, span).await;
    let each = (heard.load(Ordering::Relaxed) - before) as f64 / count as f64;
    let memory = peak(server.child.id()) / 1_000_000;
    for stream in &streams {
        assert!(
            !stream.is_finished(),
            "no stream was closed, and the run outlived the measurement"
        );
        stream.abort();
    }
    println!(
        "{count} listeners on one job for {span:?}: {watched:.3} cores (goal: under 1), the run \
         alone {alone:.3}; each heard {each:.1} events; opened in {opening:.1?}; {memory} MB"
    );
}

/// CPU-seconds of the server per second.
async fn cores(server: &Server, span: Duration) -> f64 {
    let (_, before) = times(server.child.id());
    let started = Instant::now();
    tokio::time::sleep(span).await;
    let (_, after) = times(server.child.id());
    (after - before) / started.elapsed().as_secs_f64()
}
