//! The same crawl through the server: SQLite, the commit log, the purse.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::CONNECTIONS;
use crate::measured::{Cost, peak, times};

/// Crawls `url` by a job and writes its items to `output`. What the server spends before
/// the job begins and on reading the items afterwards does not count.
pub fn run(url: &str, output: &Path) -> Cost {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(crawl(url, output))
}

async fn crawl(url: &str, output: &Path) -> Cost {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(folder.path());
    let pid = server.child.id();
    let (user, cpu) = times(pid);
    let started = Instant::now();
    let client = reqwest::Client::new();
    let job = client
        .post(format!("{}/v1/jobs", server.url))
        .bearer_auth(&server.key)
        .json(&json!({"mode": "links", "url": url}));
    let answer = job.send().await.expect("an answer");
    assert_eq!(answer.status(), 202);
    let answer: Value = answer.json().await.expect("JSON");
    let id = answer["job_id"].as_str().expect("an id").to_owned();
    loop {
        let job = server.get(&client, &format!("/v1/jobs/{id}")).await;
        match job["status"].as_str() {
            Some("queued" | "running") => tokio::time::sleep(Duration::from_millis(50)).await,
            Some("completed") => break,
            other => panic!("the job is {other:?}: {job}"),
        }
    }
    let wall = started.elapsed();
    let (user_after, cpu_after) = times(pid);
    let cost = Cost { cpu: cpu_after - cpu, user: user_after - user, wall, peak_bytes: peak(pid) };
    let mut out = std::io::BufWriter::new(std::fs::File::create(output).expect("a file"));
    for page in 1.. {
        let path = format!("/v1/jobs/{id}/results?page={page}&page_size=1000");
        let results = server.get(&client, &path).await;
        let items = results["items"].as_array().expect("items");
        for item in items {
            writeln!(out, "{item}").expect("room");
        }
        if items.len() < 1_000 {
            break;
        }
    }
    cost
}

struct Server {
    child: Child,
    url: String,
    key: String,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_trawl"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder)
            .envs([("TRAWL_LOG", "warn"), ("TRAWL_ALLOW_NETWORKS", "127.0.0.0/8")])
            .envs([("TRAWL_BATCH_SIZE", "10000000"), ("TRAWL_FIRST_CREDITS", "10000000")])
            .envs([("TRAWL_RATE_PER_MINUTE", "1000000"), ("TRAWL_RATE_BURST", "1000000")])
            .envs([
                ("TRAWL_HOST_CONCURRENCY", &*CONNECTIONS.to_string()),
                ("TRAWL_HOST_DELAY_MS", "0"),
            ])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut find = |text: &str| loop {
            let line = lines.next().expect("a line").expect("text");
            if line.contains(text) {
                return line.split_whitespace().last().expect("a word").to_owned();
            }
        };
        let url = find("listens on");
        let key = find("API key");
        // A server that cannot tell the rest of its greeting ends.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url, key }
    }

    async fn get(&self, client: &reqwest::Client, path: &str) -> Value {
        let request = client.get(format!("{}{path}", self.url)).bearer_auth(&self.key);
        request.send().await.expect("an answer").json().await.expect("JSON")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
