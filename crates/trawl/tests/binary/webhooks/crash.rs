//! `kill -9` at random times: every event is delivered.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use fixture::ReceiverBehavior;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::json;

use super::harness::{Scene, body_of};
use crate::database::Kind;
use crate::server::{Server, wait_for};

const KILLS: usize = 8;

async fn kills_lose_no_event(kind: Kind) {
    let seed: u64 = match std::env::var("TRAWL_CRASH_SEED") {
        Ok(seed) => seed.parse().expect("TRAWL_CRASH_SEED is a number"),
        Err(_) => rand::random(),
    };
    println!("replay with TRAWL_CRASH_SEED={seed}");
    let mut rng = StdRng::seed_from_u64(seed);
    let (well, asked) = (Arc::new(AtomicBool::new(false)), AtomicUsize::new(0));
    let health = Arc::clone(&well);
    let retries = "0.1,".repeat(49);
    let settings = [("TRAWL_WEBHOOK_RETRIES", retries.as_str()), ("TRAWL_LEASE_MS", "500")];
    let mut scene = Scene::over(
        kind,
        |_| {},
        &settings,
        move |_| {
            // Until the end: one of three is accepted, one rejected, one not answered.
            match asked.fetch_add(1, Ordering::SeqCst) % 3 {
                _ if health.load(Ordering::SeqCst) => ReceiverBehavior::Status(200),
                0 => ReceiverBehavior::Status(500),
                1 => ReceiverBehavior::Status(200),
                _ => ReceiverBehavior::CloseEarly,
            }
        },
    )
    .await;
    let hook = scene.hook("receiver", json!(["job.aborted"])).await;
    let mut jobs = BTreeSet::new();
    for _ in 0..KILLS {
        jobs.insert(scene.abort_one().await);
        tokio::time::sleep(Duration::from_millis(rng.random_range(0..300))).await;
        let Scene { server, setup, key, receiver, lab, database, folder } = scene;
        server.kill();
        let server = Server::start(&setup).await;
        scene = Scene { server, setup, key, receiver, lab, database, folder };
    }
    well.store(true, Ordering::SeqCst);
    wait_for(async || {
        let all = scene.deliveries(&hook).await;
        (all.len() == KILLS && all.iter().all(|one| one["state"] == "delivered")).then_some(())
    })
    .await;
    let delivered: BTreeSet<String> = scene
        .receiver
        .received()
        .iter()
        .map(|received| {
            body_of(received)["data"]["job"]["job_id"].as_str().expect("a job").to_owned()
        })
        .collect();
    assert_eq!(delivered, jobs, "seed {seed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn kills_lose_no_event_on_sqlite() {
    kills_lose_no_event(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn kills_lose_no_event_on_postgres() {
    kills_lose_no_event(Kind::Postgres).await;
}
