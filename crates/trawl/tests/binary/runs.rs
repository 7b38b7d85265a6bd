//! Runs on a server: results, charges, stops.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use lab::{Catalogue, Lab, Refusing};
use serde_json::{Value, json};

use crate::database::{self, Kind};
use crate::dns;
use crate::server::{Server, Setup, wait_for};

struct Scene {
    lab: Lab,
    server: Server,
    key: String,
    _folder: tempfile::TempDir,
}

async fn scene(kind: Kind, settings: &[(&str, &str)]) -> Scene {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", Catalogue::mixed(120))
        .serve("big.lab", Catalogue::plain(2_000))
        .serve("refusing.lab", Refusing::Everything)
        .serve("unavailable.lab", Refusing::Unavailable);
    lab.with_latency("big.lab", Duration::from_millis(10));
    let folder = tempfile::tempdir().expect("a folder");
    let mut setup = Setup::new(folder.path())
        .with("TRAWL_DATABASE", database::fresh(kind).await)
        .with("TRAWL_RESOLVE", lab.name_table());
    for (name, value) in settings {
        setup = setup.with(name, value);
    }
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    Scene { lab, server, key, _folder: folder }
}

async fn run_delivers_exactly_the_site_and_charges_for_it(kind: Kind) {
    let Scene { lab, server, key, _folder } = scene(kind, &[]).await;
    let job = server.create(&key, "http://site.lab/", json!({})).await;
    let done = server.wait(&key, &job, &["completed", "failed"]).await;
    assert_eq!((&done["status"], &done["error"]), (&"completed".into(), &Value::Null));
    let items = server.results(&key, &job).await;
    let found: BTreeSet<_> = items.iter().map(|item| item["url"].as_str().unwrap()).collect();
    let truth = lab.truth("site.lab").expect("a site");
    let expected: Vec<_> =
        truth.delivered.keys().map(|path| format!("http://site.lab{path}")).collect();
    assert_eq!(found, expected.iter().map(String::as_str).collect());
    assert_eq!(done["counts"]["results"], items.len());
    assert_eq!(done["credits_used"], items.len());
    assert_eq!(done["credit_per_unit"], 1);
    let account = server.get("/v1/account", &key).await;
    assert_eq!(account["credits"], 100_000 - items.len() as i64);
    let start = items.iter().find(|item| item["url"] == "http://site.lab/").expect("the start");
    assert!(start["inlinks"].as_u64().expect("a number") > 0, "known at the end");
    // The metric is updated just after the end of the run is visible.
    for name in [
        "http_requests_total",
        "runs_total",
        "pages_total",
        "bytes_total",
        "commits_total",
        "queue",
        "credits_total",
    ] {
        wait_for(async || {
            let numbers = server.metrics().await;
            let start = format!("trawl_{name}");
            numbers.lines().any(|line| line.starts_with(&start)).then_some(())
        })
        .await;
    }
    let usage = server.get("/v1/usage?group_by=mode", &key).await;
    assert_eq!(usage["items"][0]["group"], "links");
    assert_eq!(usage["total"]["credits"], items.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn run_delivers_exactly_the_site_and_charges_for_it_on_sqlite() {
    run_delivers_exactly_the_site_and_charges_for_it(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn run_delivers_exactly_the_site_and_charges_for_it_on_postgres() {
    run_delivers_exactly_the_site_and_charges_for_it(Kind::Postgres).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn max_pages_ends_the_run_as_completed_with_sample_stopped() {
    let Scene { lab, server, key, _folder } = scene(Kind::Sqlite, &[]).await;
    let job = server.create(&key, "http://big.lab/", json!({"options": {"max_pages": 9}})).await;
    let done = server.wait(&key, &job, &["completed", "failed"]).await;
    assert_eq!(
        (&done["status"], &done["error"]["code"]),
        (&"completed".into(), &"sample_stopped".into())
    );
    let message = done["error"]["message"].as_str().expect("a message");
    assert!(message.contains("max_pages"), "{message}");
    let pages = lab.requests().iter().filter(|seen| seen.path != "/robots.txt").count();
    assert_eq!((pages, server.results(&key, &job).await.len()), (9, 9));
    assert_eq!(done["credits_used"], 9, "only delivered pages are charged");
    for pages in [0, 1_000_001] {
        let body =
            json!({"mode": "links", "url": "http://site.lab/", "options": {"max_pages": pages}});
        let refused = server.post("/v1/jobs", &key, &body).await;
        assert_eq!(refused.status(), 422);
        let problem: Value = refused.json().await.expect("JSON");
        assert_eq!(problem["errors"][0]["field"], "options.max_pages");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn abort_stops_the_worker_and_keeps_paid_results() {
    let Scene { lab, server, key, _folder } = scene(Kind::Sqlite, &[]).await;
    let job = server.create(&key, "http://big.lab/", json!({})).await;
    wait_for(async || {
        let job = server.get(&format!("/v1/jobs/{job}"), &key).await;
        (job["counts"]["results"].as_u64()? > 0).then_some(())
    })
    .await;
    let path = format!("/v1/jobs/{job}/abort");
    let aborted: Value = server.post(&path, &key, &json!({})).await.json().await.expect("JSON");
    assert_eq!(
        (&aborted["status"], &aborted["error"]["code"]),
        (&"aborted".into(), &"user_stopped".into())
    );
    // Requests stop long before the site is complete.
    let asked_for = Instant::now();
    wait_for(async || {
        let before = lab.request_count();
        tokio::time::sleep(Duration::from_millis(300)).await;
        (lab.request_count() == before).then_some(())
    })
    .await;
    assert!(lab.request_count() < 2_000, "it ran to its end");
    println!("quiet after {:?}", asked_for.elapsed());
    let items = server.results(&key, &job).await;
    let again: Value = server.post(&path, &key, &json!({})).await.json().await.expect("JSON");
    assert_eq!(again["credits_used"], items.len(), "paid for what can be read");
}

#[tokio::test(flavor = "multi_thread")]
async fn full_batch_pauses_and_continues_without_refetching() {
    let Scene { lab, server, key, _folder } =
        scene(Kind::Sqlite, &[("TRAWL_BATCH_SIZE", "40")]).await;
    let job = server.create(&key, "http://site.lab/", json!({})).await;
    let mut batches = 1;
    let done = loop {
        let job = server.wait(&key, &job, &["paused", "completed", "failed"]).await;
        if job["status"] != "paused" {
            break job;
        }
        assert_eq!((&job["batch_ready"], &job["batch"]), (&true.into(), &batches.into()));
        assert_eq!(job["next_batch"], batches + 1);
        assert_eq!(job["counts"]["results"], batches * 40, "never more than the batch size");
        let id = job["job_id"].as_str().expect("an id");
        let path = format!("/v1/jobs/{id}/confirm");
        let refused = server.post(&path, &key, &json!({})).await;
        assert_eq!(refused.status(), 409);
        let next = server.post(&path, &key, &json!({"continue_batch": true})).await;
        assert_eq!(next.status(), 200);
        batches += 1;
    };
    assert!(batches >= 3);
    assert_eq!(done["status"], "completed");
    let truth = lab.truth("site.lab").expect("a site");
    assert_eq!(done["counts"]["results"], truth.delivered.len());
    let pages: Vec<_> = lab
        .requests()
        .into_iter()
        .map(|seen| seen.path)
        .filter(|path| path != "/robots.txt")
        .collect();
    let distinct: BTreeSet<_> = pages.iter().collect();
    assert_eq!(distinct.len(), pages.len(), "nothing is fetched twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn exhausted_balance_pauses_the_run_and_confirm_continues_it() {
    let Scene { lab, server, key, _folder } =
        scene(Kind::Sqlite, &[("TRAWL_FIRST_CREDITS", "30")]).await;
    let job = server.create(&key, "http://site.lab/", json!({})).await;
    let parked = server.wait(&key, &job, &["paused", "completed", "failed"]).await;
    assert_eq!(parked["error"]["code"], "credits_exhausted");
    assert_eq!((&parked["batch_ready"], &parked["credits_used"]), (&false.into(), &30.into()));
    assert_eq!(server.results(&key, &job).await.len(), 30);
    let path = format!("/v1/jobs/{job}/confirm");
    let poor = server.post(&path, &key, &json!({})).await;
    assert_eq!(poor.status(), 402);
    let granted = crate::server::trawl()
        .args(["account", "grant", "--email", "operator@localhost", "500", "--data"])
        .arg(_folder.path())
        .output()
        .expect("it runs");
    assert!(granted.status.success());
    assert_eq!(server.post(&path, &key, &json!({})).await.status(), 200);
    let done = server.wait(&key, &job, &["completed", "failed", "paused"]).await;
    let truth = lab.truth("site.lab").expect("a site");
    assert_eq!(done["status"], "completed");
    assert_eq!(done["credits_used"], truth.delivered.len());
    assert_eq!(server.results(&key, &job).await.len(), truth.delivered.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn run_without_results_has_an_error_and_is_free() {
    let dns = dns::serve().await;
    let settings = [("TRAWL_DNS", dns.as_str())];
    let Scene { lab: _lab, server, key, _folder } = scene(Kind::Sqlite, &settings).await;
    for (url, code) in [
        ("http://refusing.lab/", "target_blocked"),
        ("http://unavailable.lab/", "server_error"),
        ("http://site.lab/missing-page-of-nobody", "no_data"),
        ("http://private.example.com/", "invalid_url"),
        ("http://mixed.example.com/", "invalid_url"),
        ("http://nobody.example.com/", "url_not_resolved"),
    ] {
        let job = server.create(&key, url, json!({})).await;
        let done = server.wait(&key, &job, &["completed", "failed"]).await;
        assert_eq!(
            (&done["status"], &done["error"]["code"]),
            (&"failed".into(), &code.into()),
            "{url}: {done} {:?}",
            server.logged.lock()
        );
        assert_eq!(done["credits_used"], 0);
    }
    assert_eq!(server.get("/v1/account", &key).await["credits"], 100_000);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn two_nodes_share_one_database_on_postgres() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("one.lab", Catalogue::plain(80)).serve("two.lab", Catalogue::plain(80));
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_DATABASE", database::fresh(Kind::Postgres).await)
        .with("TRAWL_RESOLVE", lab.name_table())
        .with("TRAWL_LEASE_MS", 1_000);
    let mut api = Server::start(&setup.clone().argument("--role=api")).await;
    let key = api.first_key();
    let job = api.create(&key, "http://one.lab/", json!({})).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(
        api.get(&format!("/v1/jobs/{job}"), &key).await["status"],
        "queued",
        "no worker yet"
    );
    let mut worker = setup.clone().argument("--role=worker").command();
    let mut worker = worker.stdout(std::process::Stdio::null()).spawn().expect("it starts");
    let other = Server::start(&setup).await;
    let second = other.create(&key, "http://two.lab/", json!({})).await;
    for job in [&job, &second] {
        assert_eq!(api.wait(&key, job, &["completed", "failed"]).await["status"], "completed");
    }
    worker.kill().expect("it is killed");
    worker.wait().expect("it is gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_listener_replaces_the_api_route() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = free.local_addr().expect("its address").to_string();
    drop(free);
    let settings = [("TRAWL_METRICS_LISTEN", address.as_str()), ("TRAWL_METRICS_TOKEN", "")];
    let scene = scene(Kind::Sqlite, &settings).await;
    let numbers = reqwest::get(format!("http://{address}/metrics")).await.expect("an answer");
    assert!(numbers.text().await.expect("text").contains("trawl_http_requests_total"));
    let other = reqwest::get(format!("http://{address}/v1/account")).await.expect("an answer");
    assert_eq!(other.status(), 404, "nothing else is there");
    let public = reqwest::get(format!("{}/metrics", scene.server.url)).await.expect("an answer");
    assert_eq!(public.status(), 404);
}
