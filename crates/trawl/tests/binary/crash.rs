//! `kill -9` at random times: the run continues with the same results, the ledger is consistent, a
//! retry replays, no event is lost.

use std::collections::BTreeSet;
use std::time::Duration;

use lab::{Catalogue, Lab};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reqwest::Method;
use serde_json::{Value, json};

use crate::database::{self, Kind};
use crate::server::{Server, Setup, wait_for};

const KILLS: u32 = 20;
const PAGES: usize = 700;

/// Consecutive kills after which the run may commit: five crashes without a commit would end it, once
/// two made it a suspect.
const KILLS_IN_A_ROW: u32 = 3;

/// The parts of items that must not depend on crashes.
fn essence(items: &[Value]) -> BTreeSet<String> {
    let essence: BTreeSet<String> = items
        .iter()
        .map(|item| format!("{} {} {}", item["url"], item["status_code"], item["content_hash"]))
        .collect();
    assert_eq!(essence.len(), items.len(), "nothing is delivered twice");
    essence
}

async fn create(server: &Server, key: &str, body: &Value) -> Option<(String, bool)> {
    let request = server.request(Method::POST, "/v1/jobs", key).header("Idempotency-Key", "once");
    let answer = request.json(body).send().await.ok()?;
    if answer.status() == 503 {
        return None;
    }
    assert_eq!(answer.status(), 202);
    let replayed = answer.headers().contains_key("idempotent-replayed");
    let answer: Value = answer.json().await.ok()?;
    Some((answer["job_id"].as_str()?.to_owned(), replayed))
}

async fn run_survives_random_kills(kind: Kind) {
    let seed: u64 = match std::env::var("TRAWL_CRASH_SEED") {
        Ok(seed) => seed.parse().expect("TRAWL_CRASH_SEED is a number"),
        Err(_) => rand::random(),
    };
    println!("replay with TRAWL_CRASH_SEED={seed}");
    let mut rng = StdRng::seed_from_u64(seed);
    let lab = Lab::start().await.expect("a port");
    lab.record_requests(false).serve("site.lab", Catalogue::mixed(PAGES));
    lab.with_latency("site.lab", Duration::from_millis(20));
    let folder = tempfile::tempdir().expect("a folder");
    let database = database::fresh(kind).await;
    let setup = Setup::new(folder.path())
        .with("TRAWL_DATABASE", &database)
        .with("TRAWL_ALLOW_NETWORKS", lab.address().to_string())
        .with("TRAWL_LEASE_MS", 500)
        // Small, so that the run is also restored from snapshots.
        .with("TRAWL_SNAPSHOT_BYTES", 8_000);

    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let body = json!({"mode": "links", "url": lab.url("/"), "scope": {"include_broken": true}});
    let (job, _) = create(&server, &key, &body).await.expect("created");
    let mut kills = 0;
    let mut killed_while_running = 0;
    let mut in_a_row = 0;
    while kills < KILLS {
        if in_a_row == KILLS_IN_A_ROW {
            server.ready().await;
            let path = format!("/v1/jobs/{job}");
            let before = server.get(&path, &key).await["counts"].clone();
            wait_for(async || {
                let seen = server.get(&path, &key).await;
                let is_over = seen["status"] != "running" && seen["status"] != "queued";
                (is_over || seen["counts"] != before).then_some(())
            })
            .await;
            in_a_row = 0;
        }
        tokio::time::sleep(Duration::from_millis(rng.random_range(0..500))).await;
        server.kill();
        (kills, in_a_row) = (kills + 1, in_a_row + 1);
        server = Server::start_unready(&setup);
        if rng.random_bool(0.3) {
            // The server may be killed again before it is ready.
            continue;
        }
        server.ready().await;
        let retry = create(&server, &key, &body).await.expect("the server is ready");
        assert_eq!(retry, (job.clone(), true), "an idempotent retry still replays");
        let seen = server.get(&format!("/v1/jobs/{job}"), &key).await;
        killed_while_running += u32::from(seen["status"] == "running");
    }
    server.ready().await;
    let done = server.wait(&key, &job, &["completed", "failed", "aborted", "paused"]).await;
    assert_eq!(
        (&done["status"], &done["error"]),
        (&"completed".into(), &Value::Null),
        "seed {seed}"
    );
    assert!(killed_while_running >= 3, "the run was over before it was disturbed");
    let disturbed = server.results(&key, &job).await;

    let calm = server.create(&key, &lab.url("/"), json!({"scope": {"include_broken": true}})).await;
    server.wait(&key, &calm, &["completed"]).await;
    let undisturbed = server.results(&key, &calm).await;
    assert_eq!(essence(&disturbed), essence(&undisturbed), "seed {seed}");
    let truth = lab.truth("site.lab").expect("a site");
    let pages = disturbed.iter().filter(|item| item["status_code"] == 200).count();
    assert_eq!(pages, truth.delivered.len());
    assert_eq!(done["credits_used"], pages);

    let account = server.get("/v1/account", &key).await;
    let store = database::open(&database, folder.path()).await;
    let id = account["account_id"].as_str().expect("an id").parse().expect("an account");
    let audit = store.audit_ledger(&id).await.expect("it answers").expect("an account");
    assert!(audit.is_consistent(), "seed {seed}: {audit:?}");
    assert_eq!(audit.reserved.0, 0);
    let events = store.events(&job.parse().expect("a job")).await.expect("it answers");
    let ends = events.iter().filter(|event| event.kind == contract::EventKind::JobCompleted);
    assert_eq!(ends.count(), 1, "seed {seed}: one end, one event");
    assert!(events.iter().any(|event| event.kind == contract::EventKind::JobProgress));
}

#[tokio::test(flavor = "multi_thread")]
async fn run_survives_random_kills_on_sqlite() {
    run_survives_random_kills(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn run_survives_random_kills_on_postgres() {
    run_survives_random_kills(Kind::Postgres).await;
}
