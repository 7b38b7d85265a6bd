//! Retention: finished jobs that a purge deletes per second, with all rows of their runs, by one node
//! and by four at the same time.
//!
//!     cargo bench -p store --bench retention
//!
//! PostgreSQL is measured when `TRAWL_TEST_POSTGRES` names a server.

use std::time::{Duration, Instant};

use fixture::{NOW, new_job, pages_commit};
use job::{JobCommand, RunEnding};
use store::{Appended, Store, StoreSettings};

const JOBS: u32 = 400;
/// Commits of each job, of 8 pages each.
const COMMITS: u32 = 4;
const MONTH: Duration = Duration::from_secs(30 * 24 * 3_600);

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite:{}/bench.db?mode=rwc", folder.path().display());
    measure("SQLite", url, 1).await;
    if std::env::var("TRAWL_TEST_POSTGRES").is_err() {
        println!("PostgreSQL: not measured, TRAWL_TEST_POSTGRES names no server");
        return;
    }
    for nodes in [1, 4] {
        measure("PostgreSQL", fixture::fresh_postgres().await, nodes).await;
    }
}

async fn measure(name: &str, url: String, nodes: u32) {
    let store = open(&url).await;
    fill(&store).await;
    let mut others = vec![store];
    for _ in 1..nodes {
        others.push(open(&url).await);
    }
    let started = Instant::now();
    let purges: Vec<_> = others
        .into_iter()
        .map(|store| tokio::spawn(async move { store.purge(MONTH, NOW.plus(MONTH)).await }))
        .collect();
    let mut by_node = Vec::new();
    for purge in purges {
        by_node.push(purge.await.expect("no panic").expect("it answers"));
    }
    let took = started.elapsed().as_secs_f64();
    assert_eq!(by_node.iter().sum::<u64>(), u64::from(JOBS), "each job once");
    let rate = f64::from(JOBS) / took;
    println!("{name}, {nodes} nodes: {rate:.0} jobs/s, by node {by_node:?}");
}

async fn open(url: &str) -> Store {
    let settings = StoreSettings { queued_jobs: 10 * JOBS, ..StoreSettings::new(url) };
    let store = Store::new(settings).expect("an address");
    store.prepare().await.expect("the tables are made");
    store
}

/// Stores finished jobs with results and events.
async fn fill(store: &Store) {
    let account = fixture::account(store, 1_000_000).await;
    for number in 0..JOBS {
        let new = new_job(&account, &format!("host{number}.example"));
        let mut lease = fixture::running(store, &new).await;
        for commit in 0..COMMITS {
            let (commit, items) = pages_commit(commit * 8..commit * 8 + 8);
            let appended = store.append(&mut lease, &commit, &items, &[], NOW).await;
            assert_eq!(appended.expect("it answers"), Appended::Stored);
        }
        let end = JobCommand::Finish(RunEnding::Complete);
        store.report(&lease, &end, NOW).await.expect("it ends");
    }
}
