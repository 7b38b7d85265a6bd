//! Claims: the time of a claim beside 100 and beside 100,000 running shards of other nodes, and of a
//! try that finds nothing.
//!
//!     cargo bench -p store --bench claims
//!
//! PostgreSQL is measured when `TRAWL_TEST_POSTGRES` names a server.

use std::time::{Duration, Instant};

use contract::JobId;
use fixture::{NOW, new_job};
use sqlx::{AnyPool, AssertSqlSafe};
use store::{Creation, NodeName, Store, StoreSettings};

const RUNNING: [u32; 2] = [100, 100_000];
/// Shards that are claimed in a round.
const READY: u32 = 64;
const ROUNDS: u32 = 5;
const LEASE: Duration = Duration::from_secs(3_600);

#[tokio::main]
async fn main() {
    sqlx::any::install_default_drivers();
    let mut sqlite = Vec::new();
    for running in RUNNING {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}/bench.db?mode=rwc", folder.path().display());
        sqlite.push(measure("SQLite", url, running).await);
    }
    compare("SQLite", &sqlite);
    if std::env::var("TRAWL_TEST_POSTGRES").is_err() {
        println!("PostgreSQL: not measured, TRAWL_TEST_POSTGRES names no server");
        return;
    }
    let mut postgres = Vec::new();
    for running in RUNNING {
        postgres.push(measure("PostgreSQL", fixture::fresh_postgres().await, running).await);
    }
    compare("PostgreSQL", &postgres);
}

fn compare(name: &str, medians: &[[Duration; 2]]) {
    if let [few, many] = medians {
        let ratio = |at: usize| many[at].as_secs_f64() / few[at].as_secs_f64();
        println!("{name}: claim {:.2} x, empty try {:.2} x", ratio(0), ratio(1));
    }
}

/// The medians of a claim and of a try that finds nothing.
async fn measure(name: &str, url: String, running: u32) -> [Duration; 2] {
    let settings = StoreSettings { running_jobs: 1_000, ..StoreSettings::new(url.clone()) };
    let store = Store::new(settings).expect("an address");
    store.prepare().await.expect("the tables are made");
    let account = fixture::account(&store, 1_000_000).await;
    let template = new_job(&account, "template.example");
    fixture::running(&store, &template).await;
    let pool = AnyPool::connect(&url).await.expect("it connects");
    multiply(&pool, &template.draft.id, running).await;
    for number in 0..READY {
        let new = new_job(&account, &format!("ready{number}.example"));
        let created = store.create_job(&new, NOW).await.expect("the database answers");
        assert!(matches!(created, Creation::Created(_)), "not created: {created:?}");
    }
    let node = NodeName::random();
    let (mut claims, mut empty) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let mut leases = Vec::new();
        loop {
            let started = Instant::now();
            let lease = store.claim(&node, LEASE, NOW).await.expect("the database answers");
            let Some(lease) = lease else {
                empty.push(started.elapsed());
                break;
            };
            claims.push(started.elapsed());
            leases.push(lease);
        }
        assert_eq!(leases.len(), READY as usize);
        for _ in 0..READY {
            let started = Instant::now();
            assert!(store.claim(&node, LEASE, NOW).await.expect("it answers").is_none());
            empty.push(started.elapsed());
        }
        for lease in leases {
            store.release_lease(&node, &lease).await.expect("the database answers");
        }
    }
    let medians = [median(claims), median(empty)];
    println!("{name}, {running} running: claim {:.2?}, empty try {:.2?}", medians[0], medians[1]);
    medians
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Copies a running job with its shard, under other accounts with 20 jobs each.
async fn multiply(pool: &AnyPool, template: &JobId, many: u32) {
    let columns = "mode, url, request, on_protected, batch_size, status, active, protected, \
        batch, pages, products, results, units, credits_used, reserved, created_at, revision";
    let numbers = format!(
        "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers \
         WHERE n < {many})"
    );
    let statements = [
        format!(
            "{numbers} INSERT INTO accounts (id, email, password_hash, admin, balance, reserved, \
             created_at) SELECT 'acc_' || n, n || '@x.org', '', 0, 0, 0, 0 FROM numbers \
             WHERE n % 20 = 0 OR n = 1"
        ),
        format!(
            "{numbers} INSERT INTO jobs (id, account_id, source, site_key, {columns}) \
             SELECT 'job_' || n, 'acc_' || CASE WHEN n < 20 THEN 1 ELSE n - n % 20 END, 'direct', \
             'h' || n, {columns} FROM numbers, jobs WHERE id = '{template}'"
        ),
        format!(
            "{numbers} INSERT INTO shards (id, job_id, number, host, state, epoch, head, \
             snapshot_seq, snapshot_bytes, log_bytes, owner, lease_until, queued_at, deaths) \
             SELECT 'shd_' || n, 'job_' || n, 0, 'h' || n, 'open', 1, 1, 0, 0, 0, 'node' || n % 99, \
             99999999999999, n, 0 FROM numbers"
        ),
        format!(
            "{numbers} INSERT INTO host_leases (host, owner, lease_until) \
             SELECT 'h' || n, 'node' || n % 99, 99999999999999 FROM numbers"
        ),
        "ANALYZE".to_owned(),
    ];
    for statement in statements {
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(pool).await.expect("it is inserted");
    }
}
