//! The same crawl as a job of the server: SQLite, commit log, charges.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use reqwest::{Client, Method};
use serde_json::Value;

use crate::CONNECTIONS;
use crate::measured::{Cost, peak, times};
use crate::server::Server;

/// Page size for reading results.
const PAGE: usize = 1_000;

/// Crawls `url` by a job and writes its items to `output`. Excludes the cost before the job and of
/// reading the items.
pub fn run(url: &str, output: &Path) -> Cost {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(crawl(url, output))
}

async fn crawl(url: &str, output: &Path) -> Cost {
    let folder = tempfile::tempdir().expect("a folder");
    let connections = CONNECTIONS.to_string();
    let settings = [
        ("TRAWL_ALLOW_NETWORKS", "127.0.0.0/8"),
        ("TRAWL_BATCH_SIZE", "10000000"),
        ("TRAWL_FIRST_CREDITS", "10000000"),
        ("TRAWL_HOST_CONCURRENCY", &connections),
        ("TRAWL_HOST_DELAY_MS", "0"),
    ];
    let server = Server::start(folder.path(), "all", &settings);
    let pid = server.child.id();
    let (user, cpu) = times(pid);
    let started = Instant::now();
    let client = Client::new();
    let job = server.create(&client, url).await;
    completed(&server, &client, &job).await;
    let wall = started.elapsed();
    let (user_after, cpu_after) = times(pid);
    let cost = Cost { cpu: cpu_after - cpu, user: user_after - user, wall, peak_bytes: peak(pid) };
    let mut out = std::io::BufWriter::new(std::fs::File::create(output).expect("a file"));
    for page in 1.. {
        let path = format!("{job}/results?page={page}&page_size={PAGE}");
        let results = get(&server, &client, &path).await;
        let items = results["items"].as_array().expect("items");
        for item in items {
            writeln!(out, "{item}").expect("room");
        }
        if items.len() < PAGE {
            break;
        }
    }
    cost
}

/// Waits until a job ends; returns it.
pub async fn completed(server: &Server, client: &Client, path: &str) -> Value {
    loop {
        let job = get(server, client, path).await;
        match job["status"].as_str() {
            Some("queued" | "running") => tokio::time::sleep(Duration::from_millis(50)).await,
            Some("completed") => return job,
            other => panic!("the job is {other:?}: {job}"),
        }
    }
}

async fn get(server: &Server, client: &Client, path: &str) -> Value {
    let request = server.request(client, Method::GET, path);
    request.send().await.expect("an answer").json().await.expect("JSON")
}
