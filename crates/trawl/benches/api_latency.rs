//! Latency of the API on loopback with SQLite and 64 connections.
//!
//!     cargo bench -p trawl --bench api_latency
//!
//! Prints p50 and p99 of `GET /v1/jobs/{id}`, and the cost of `POST /v1/jobs` with 1,000,000
//! stored jobs relative to 1,000.

#[path = "harness/server.rs"]
mod server;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::{Client, Method};
use server::Server;
use sqlx::any::AnyPoolOptions;

const CONNECTIONS: usize = 64;
const GETS: usize = 20_000;
const POSTS: usize = 1_500;

#[tokio::main]
async fn main() {
    sqlx::any::install_default_drivers();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let queue = [("TRAWL_QUEUED_JOBS", "1000000")];
    let server = Arc::new(Server::start(folder.path(), "api", &queue));
    let client = Client::new();
    let job = server.create(&client, "https://host-0.example.com/").await;

    let mut times = Vec::with_capacity(GETS);
    let workers = (0..CONNECTIONS).map(|_| {
        let (client, server, job) = (client.clone(), Arc::clone(&server), job.clone());
        tokio::spawn(async move {
            let mut times = Vec::new();
            for _ in 0..GETS / CONNECTIONS {
                let started = Instant::now();
                let request = server.request(&client, Method::GET, &job);
                let answer = request.send().await.expect("an answer");
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
    let few = post_cost(&server, 1).await;
    seed(folder.path(), 999_000).await;
    let many = post_cost(&server, 2).await;
    println!(
        "POST /v1/jobs: median {few:?} with 1,000 jobs stored, {many:?} with 1,000,000; \
         ratio {:.2} (goal: at most 1.5)",
        many.as_secs_f64() / few.as_secs_f64()
    );
}

/// The median time of sequential creations on one connection.
async fn post_cost(server: &Server, round: usize) -> Duration {
    let client = Client::new();
    let mut times = Vec::with_capacity(POSTS);
    for number in 0..POSTS {
        let host = format!("https://r{round}-{number}.example.com/");
        let started = Instant::now();
        let job = server.create(&client, &host).await;
        times.push(started.elapsed());
        // Abort at once, so that both rounds have the same queue length.
        let abort = server.request(&client, Method::POST, &format!("{job}/abort"));
        assert!(abort.send().await.expect("an answer").status().is_success());
    }
    times.sort_unstable();
    times[times.len() / 2]
}

/// Inserts finished copies of the first job, each with its shard.
async fn seed(folder: &Path, count: u64) {
    let url = format!("sqlite:{}", folder.join("trawl.db").display());
    let pool = AnyPoolOptions::new().max_connections(1).connect(&url).await.expect("it opens");
    let fill = format!(
        "BEGIN IMMEDIATE;
         CREATE TEMP TABLE one AS SELECT * FROM jobs ORDER BY id LIMIT 1;
         CREATE TEMP TABLE part AS SELECT * FROM shards LIMIT 1;
         CREATE TEMP TABLE copies (i INTEGER PRIMARY KEY, job TEXT, shard TEXT);
         INSERT INTO copies
           WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
           SELECT i, 'job_' || lower(hex(randomblob(16))), 'shd_' || lower(hex(randomblob(16)))
           FROM n;
         UPDATE one SET status = 'completed', active = 0, finished_at = created_at, reserved = 0;
         UPDATE part SET state = 'closed';
         CREATE TEMP TABLE jobs_copy AS SELECT o.* FROM copies c, one o;
         UPDATE jobs_copy SET id = (SELECT job FROM copies WHERE i = jobs_copy.rowid),
           site_key = 'old-' || rowid || '.example.com';
         INSERT INTO jobs SELECT * FROM jobs_copy;
         CREATE TEMP TABLE shards_copy AS SELECT p.* FROM copies c, part p;
         UPDATE shards_copy SET id = (SELECT shard FROM copies WHERE i = shards_copy.rowid),
           job_id = (SELECT job FROM copies WHERE i = shards_copy.rowid);
         INSERT INTO shards SELECT * FROM shards_copy;
         DROP TABLE jobs_copy; DROP TABLE shards_copy;
         DROP TABLE one; DROP TABLE part; DROP TABLE copies;
         COMMIT;
         PRAGMA wal_checkpoint(TRUNCATE);"
    );
    let busy = "PRAGMA busy_timeout = 60000";
    sqlx::raw_sql(busy).execute(&pool).await.expect("it waits");
    sqlx::raw_sql(sqlx::AssertSqlSafe(fill)).execute(&pool).await.expect("it is filled");
    pool.close().await;
}
