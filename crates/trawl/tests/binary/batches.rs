//! Runs longer than a batch, and balances smaller than a run, over restarts of the server.

use std::collections::BTreeSet;
use std::time::Duration;

use lab::{Catalogue, Lab, Site};
use serde_json::{Value, json};

use crate::server::{Server, Setup, output};

/// A site of 25,000 small pages.
fn large() -> Catalogue {
    Catalogue { page_bytes: 0, ..Catalogue::plain(25_000) }
}

#[tokio::test(flavor = "multi_thread")]
async fn large_site_is_delivered_in_batches_without_duplicates_over_restarts() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("large.lab", large());
    let folder = tempfile::tempdir().expect("a folder");
    // The batch has its default size.
    let setup = Setup::new(folder.path())
        .with("TRAWL_RESOLVE", lab.name_table())
        .with("TRAWL_HOST_CONCURRENCY", 16);
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let job = server.create(&key, "http://large.lab/", json!({})).await;
    let mut batch = 1;
    let done = loop {
        let seen = stopped(&server, &key, &job).await;
        if seen["status"] != "paused" {
            break seen;
        }
        assert_eq!((&seen["batch_ready"], &seen["batch"]), (&json!(true), &json!(batch)));
        assert_eq!((&seen["next_batch"], &seen["error"]), (&json!(batch + 1), &Value::Null));
        assert_eq!(seen["counts"]["results"], batch * 10_000, "on the boundary");
        assert_eq!(seen["credits_used"], batch * 10_000);
        let asked = lab.request_count();
        // State survives a kill at the stop and after the confirmation.
        server.kill();
        server = Server::start(&setup).await;
        assert_eq!(lab.request_count(), asked, "no fetch before the confirmation");
        let path = format!("/v1/jobs/{job}/confirm");
        let next = server.post(&path, &key, &json!({"continue_batch": true})).await;
        assert_eq!(next.status(), 200);
        batch += 1;
    };
    assert_eq!((&done["status"], &done["batch"]), (&json!("completed"), &json!(3)));
    assert_eq!((&done["batch_ready"], &done["next_batch"]), (&json!(false), &Value::Null));
    let truth = large().truth();
    assert_eq!(done["counts"]["results"], truth.delivered.len());
    assert_eq!(done["credits_used"], truth.delivered.len());
    let requests = lab.requests();
    let pages: Vec<_> = requests.iter().filter(|seen| seen.path != "/robots.txt").collect();
    let distinct: BTreeSet<_> = pages.iter().map(|seen| seen.path.as_str()).collect();
    assert_eq!(distinct.len(), pages.len(), "nothing is fetched twice");
    assert_eq!(pages.len(), truth.delivered.len() + truth.skipped.len());
}

/// Waits for the stop; a batch in a debug build takes long.
async fn stopped(server: &Server, key: &str, job: &str) -> Value {
    let patience = Duration::from_secs(300);
    let stops = ["paused", "completed", "failed"];
    let stopped = async {
        loop {
            let seen = server.get(&format!("/v1/jobs/{job}"), key).await;
            if stops.contains(&seen["status"].as_str().unwrap_or_default()) {
                return seen;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(patience, stopped).await.expect("a stop")
}

#[tokio::test(flavor = "multi_thread")]
async fn two_runs_exhaust_one_balance_without_unpaid_results() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("one.lab", Catalogue::plain(300)).serve("two.lab", Catalogue::plain(300));
    let each = Catalogue::plain(300).truth().delivered.len();
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_RESOLVE", lab.name_table())
        .with("TRAWL_FIRST_CREDITS", 400);
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let mut jobs = Vec::new();
    for host in ["one.lab", "two.lab"] {
        jobs.push(server.create(&key, &format!("http://{host}/"), json!({})).await);
    }
    let used = async |server: &Server| {
        let mut used = 0;
        for job in &jobs {
            let seen = server.wait(&key, job, &["paused", "completed", "failed"]).await;
            let results = server.results(&key, job).await.len();
            assert_eq!(seen["credits_used"], results, "paid for, each of them");
            used += results;
        }
        used
    };
    assert_eq!(used(&server).await, 400, "exactly the balance");
    let account = server.get("/v1/account", &key).await;
    assert_eq!(account["credits"], 0);
    let parked = server.get("/v1/jobs", &key).await;
    let codes: Vec<_> =
        parked["items"].as_array().expect("jobs").iter().map(|job| &job["error"]["code"]).collect();
    assert!(codes.contains(&&json!("credits_exhausted")), "{codes:?}");

    let grant = ["account", "grant", "--email", "operator@localhost", "1000"];
    assert!(output(setup.other().args(grant)).status.success());
    for job in &jobs {
        let seen = server.get(&format!("/v1/jobs/{job}"), &key).await;
        if seen["status"] == "paused" {
            assert_eq!(seen["error"]["code"], "credits_exhausted");
            let path = format!("/v1/jobs/{job}/confirm");
            assert_eq!(server.post(&path, &key, &json!({})).await.status(), 200);
        }
    }
    for job in &jobs {
        let done = server.wait(&key, job, &["paused", "completed", "failed"]).await;
        assert_eq!((&done["status"], &done["error"]), (&json!("completed"), &Value::Null));
    }
    assert_eq!(used(&server).await, 2 * each);
    let account = server.get("/v1/account", &key).await;
    assert_eq!(account["credits"], 1_400 - 2 * each);
}
