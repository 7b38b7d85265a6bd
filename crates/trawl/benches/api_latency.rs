//! The API on loopback over SQLite, asked by 64 connections at once.
//!
//!     cargo bench -p trawl --bench api_latency
//!
//! Prints p50 and p99 of `GET /v1/jobs/{id}`, and what `POST /v1/jobs` costs with
//! 1,000,000 jobs stored against what it costs with 1,000, as ratios.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use sqlx::any::AnyPoolOptions;

const CONNECTIONS: usize = 64;
const GETS: usize = 20_000;
const POSTS: usize = 1_500;

#[tokio::main]
async fn main() {
    sqlx::any::install_default_drivers();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let server = Server::start(folder.path());
    let job = server.create(0).await;

    let client = reqwest::Client::new();
    let url = format!("{}/v1/jobs/{job}", server.url);
    let mut times = Vec::with_capacity(GETS);
    let workers = (0..CONNECTIONS).map(|_| {
        let (client, url, key) = (client.clone(), url.clone(), server.key.clone());
        tokio::spawn(async move {
            let mut times = Vec::new();
            for _ in 0..GETS / CONNECTIONS {
                let started = Instant::now();
                let answer = client.get(&url).bearer_auth(&key).send().await.expect("an answer");
                assert!(answer.status().is_success());
                answer.bytes().await.expect("a body");
                times.push(started.elapsed());
            }
            times
        })
    });
    let workers: Vec<_> = workers.collect();
    let started = Instant::now();
    for worker in workers {
        times.extend(worker.await.expect("no panic"));
    }
    let took = started.elapsed();
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let (p50, p99) = (at(0.50), at(0.99));
    println!(
        "GET /v1/jobs/{{id}}, {CONNECTIONS} connections: p50 {p50:?}, p99 {p99:?}, \
         p99/p50 {:.1} (goal: under 10); {:.0} requests/s",
        p99.as_secs_f64() / p50.as_secs_f64(),
        times.len() as f64 / took.as_secs_f64()
    );

    seed(folder.path(), 1_000).await;
    let few = server.post_cost(1).await;
    seed(folder.path(), 999_000).await;
    let many = server.post_cost(2).await;
    println!(
        "POST /v1/jobs: median {few:?} with 1,000 jobs stored, {many:?} with 1,000,000; \
         ratio {:.2} (goal: at most 1.5)",
        many.as_secs_f64() / few.as_secs_f64()
    );
}

struct Server {
    child: Child,
    url: String,
    key: String,
}

impl Server {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_trawl"))
            .args(["serve", "--role", "api", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder)
            .envs([("TRAWL_RATE_PER_MINUTE", "100000000"), ("TRAWL_RATE_BURST", "100000000")])
            .envs([("TRAWL_QUEUED_JOBS", "1000000"), ("TRAWL_LOG", "warn")])
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
        Self { child, url, key }
    }

    async fn create(&self, number: usize) -> String {
        let body = json!({"mode": "links", "url": format!("https://host-{number}.example.com/")});
        let answer = reqwest::Client::new()
            .post(format!("{}/v1/jobs", self.url))
            .bearer_auth(&self.key)
            .json(&body)
            .send()
            .await
            .expect("an answer");
        assert_eq!(answer.status(), 202);
        let answer: serde_json::Value = answer.json().await.expect("JSON");
        answer["job_id"].as_str().expect("an id").to_owned()
    }

    /// The median of creations, one after the other on one connection.
    async fn post_cost(&self, round: usize) -> Duration {
        let client = reqwest::Client::new();
        let mut times = Vec::with_capacity(POSTS);
        for number in 0..POSTS {
            let host = format!("https://r{round}-{number}.example.com/");
            let request = client
                .post(format!("{}/v1/jobs", self.url))
                .bearer_auth(&self.key)
                .json(&json!({"mode": "links", "url": host}));
            let started = Instant::now();
            let answer = request.send().await.expect("an answer");
            let took = started.elapsed();
            assert_eq!(answer.status(), 202);
            let job: serde_json::Value = answer.json().await.expect("JSON");
            let id = job["job_id"].as_str().expect("an id");
            // Ended at once, so that both rounds meet a queue of the same length.
            let abort = client.post(format!("{}/v1/jobs/{id}/abort", self.url));
            let ended = abort.bearer_auth(&self.key).send().await.expect("an answer");
            assert!(ended.status().is_success());
            times.push(took);
        }
        times.sort_unstable();
        times[times.len() / 2]
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Copies of the first job that are over, each with its shard: jobs as they pile up.
async fn seed(folder: &Path, count: u64) {
    let url = format!("sqlite:{}", folder.join("trawl.db").display());
    let pool = AnyPoolOptions::new().max_connections(1).connect(&url).await.expect("it opens");
    let fill = format!(
        "BEGIN IMMEDIATE;
         CREATE TEMP TABLE one AS SELECT * FROM jobs ORDER BY id LIMIT 1;
         CREATE TEMP TABLE part AS SELECT * FROM shards LIMIT 1;
         CREATE TEMP TABLE copies AS
           WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
           SELECT 'job_' || lower(hex(randomblob(16))) AS job,
                  'shd_' || lower(hex(randomblob(16))) AS shard, i FROM n;
         UPDATE one SET status = 'completed', active = 0, finished_at = created_at, reserved = 0;
         INSERT INTO jobs SELECT c.job, o.account_id, o.source, o.mode, o.url,
           'old-' || c.i || '.example.com', o.request, o.on_protected, o.ceiling, o.batch_size,
           o.status, o.active, o.waits_for, o.rate, o.protected, o.protected_marker, o.batch,
           o.pages, o.products, o.results, o.units, o.credits_used, o.reserved, o.error_code,
           o.error_message, o.created_at, o.started_at, o.parked_at, o.finished_at,
           o.progress_at, o.revision FROM copies c, one o;
         INSERT INTO shards SELECT c.shard, c.job, 0, p.host, 'closed', p.epoch, p.head,
           p.snapshot_seq, p.snapshot_bytes, p.log_bytes, p.owner, p.lease_until, p.queued_at,
           p.deaths FROM copies c, part p;
         DROP TABLE one; DROP TABLE part; DROP TABLE copies;
         COMMIT;
         PRAGMA wal_checkpoint(TRUNCATE);"
    );
    let busy = "PRAGMA busy_timeout = 60000";
    sqlx::raw_sql(busy).execute(&pool).await.expect("it waits");
    sqlx::raw_sql(sqlx::AssertSqlSafe(fill)).execute(&pool).await.expect("it is filled");
    pool.close().await;
}
