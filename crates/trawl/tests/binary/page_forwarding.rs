//! Page calls in a cluster: a call on any node is answered by the node that has the host, in order with
//! its other requests, and charged once or not at all when one of the nodes is killed.

use std::collections::BTreeSet;
use std::process::{Child, Stdio};
use std::time::Duration;

use lab::{Catalogue, Lab};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::AnyPool;

use crate::database::{self, Kind};
use crate::server::{Server, Setup, wait_for};

const URL: &str = "http://busy.lab/";

/// A database of two nodes, and a site that takes minutes to crawl.
struct Cluster {
    lab: Lab,
    folder: tempfile::TempDir,
    database: String,
    setup: Setup,
}

impl Cluster {
    async fn start(delay_ms: u64, lease_ms: u64) -> Self {
        let lab = Lab::start().await.expect("a port");
        lab.serve("busy.lab", Catalogue::plain(3_000));
        let folder = tempfile::tempdir().expect("a folder");
        let database = database::fresh(Kind::Postgres).await;
        let setup = Setup::new(folder.path())
            .with("TRAWL_DATABASE", &database)
            .with("TRAWL_RESOLVE", lab.name_table())
            .with("TRAWL_HOST_DELAY_MS", delay_ms)
            .with("TRAWL_LEASE_MS", lease_ms)
            .with("TRAWL_CHROMIUM", "none");
        Self { lab, folder, database, setup }
    }

    async fn api_node(&self) -> Server {
        Server::start(&self.setup.clone().argument("--role=api")).await
    }

    /// A node that runs jobs and has no API.
    fn worker(&self) -> Worker {
        let mut command = self.setup.clone().argument("--role=worker").command();
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Worker(child.expect("it starts"))
    }

    /// Waits until the run requests further pages.
    async fn run_goes_on(&self) {
        let before = self.lab.request_count();
        wait_for(async || (self.lab.request_count() >= before + 3).then_some(())).await;
    }

    async fn open_calls(&self) -> i64 {
        sqlx::any::install_default_drivers();
        let pool = AnyPool::connect(&self.database).await.expect("it connects");
        let count = sqlx::query_scalar("SELECT COUNT(*) FROM page_calls").fetch_one(&pool).await;
        pool.close().await;
        count.expect("a number")
    }

    /// The ids of the pages in the ledger, which agrees with the balance.
    async fn charged(&self, server: &Server, key: &str) -> Vec<String> {
        let account = server.get("/v1/account", key).await;
        let store = database::open(&self.database, self.folder.path()).await;
        let id = account["account_id"].as_str().expect("an id").parse().expect("an account");
        let audit = store.audit_ledger(&id).await.expect("it answers").expect("an account");
        assert!(audit.is_consistent(), "{audit:?}");
        sqlx::any::install_default_drivers();
        let pool = AnyPool::connect(&self.database).await.expect("it connects");
        let pages = sqlx::query_scalar("SELECT page_id FROM ledger WHERE page_id IS NOT NULL");
        let mut pages: Vec<String> = pages.fetch_all(&pool).await.expect("it answers");
        pool.close().await;
        pages.sort_unstable();
        pages
    }
}

/// A process that is killed with the test.
struct Worker(Child);

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The answer to a page call; `None` if the connection breaks.
async fn call(server: &Server, key: &str, idempotency: &str) -> Option<(u16, Value)> {
    let body = json!({"url": URL, "mode": "links", "timeout_ms": 60_000});
    let request = server.request(Method::POST, "/v1/pages", key);
    let answer = request.header("Idempotency-Key", idempotency).json(&body).send().await.ok()?;
    let status = answer.status().as_u16();
    Some((status, answer.json().await.ok()?))
}

/// Repeats a call until it is answered.
async fn answered(server: &Server, key: &str, idempotency: &str) -> Value {
    wait_for(async || match call(server, key, idempotency).await {
        Some((200, answer)) => Some(answer),
        _ => None,
    })
    .await
}

fn seeded() -> (u64, StdRng) {
    let seed: u64 = match std::env::var("TRAWL_CRASH_SEED") {
        Ok(seed) => seed.parse().expect("TRAWL_CRASH_SEED is a number"),
        Err(_) => rand::random(),
    };
    println!("replay with TRAWL_CRASH_SEED={seed}");
    (seed, StdRng::seed_from_u64(seed))
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn forwarded_calls_are_answered_in_the_order_of_their_arrival() {
    const CALLS: usize = 8;
    // The host is slower than the calls arrive: they wait for it on the other node.
    let cluster = Cluster::start(700, 10_000).await;
    let mut api = cluster.api_node().await;
    let key = api.first_key();
    let job = api.create(&key, URL, json!({})).await;
    let _worker = cluster.worker();
    api.wait(&key, &job, &["running"]).await;
    cluster.run_goes_on().await;
    let calls = (0..CALLS).map(async |at| {
        tokio::time::sleep(Duration::from_millis(300) * u32::try_from(at).expect("few")).await;
        let body = json!({"url": format!("{URL}queue/{at}"), "mode": "links",
            "timeout_ms": 60_000});
        api.post("/v1/pages", &key, &body).await.status().as_u16()
    });
    let statuses = futures_util::future::join_all(calls).await;
    assert_eq!(statuses, [502; CALLS], "the site has no such page");
    let requests = cluster.lab.requests().into_iter().map(|request| request.path);
    let requests: Vec<_> = requests.filter(|path| path.starts_with("/queue/")).collect();
    let in_order: Vec<_> = (0..CALLS).map(|at| format!("/queue/{at}")).collect();
    assert_eq!(requests, in_order);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn page_is_answered_between_the_requests_of_a_run_on_another_node() {
    const CALLS: usize = 8;
    let delay = Duration::from_millis(250);
    let cluster = Cluster::start(250, 10_000).await;
    let mut api = cluster.api_node().await;
    let key = api.first_key();
    let job = api.create(&key, URL, json!({})).await;
    let _worker = cluster.worker();
    api.wait(&key, &job, &["running"]).await;
    cluster.run_goes_on().await;
    for at in 0..CALLS {
        let (status, answer) = call(&api, &key, &format!("call-{at}")).await.expect("an answer");
        assert_eq!(status, 200, "{answer}");
        assert_eq!((&answer["item"]["url"], &answer["credits_used"]), (&json!(URL), &json!(1)));
    }
    let body = json!({"url": URL, "mode": "links", "formats": ["links", "html"],
        "timeout_ms": 60_000});
    let answer: Value = api.post("/v1/pages", &key, &body).await.json().await.expect("JSON");
    assert!(answer["links"].as_array().is_some_and(|links| !links.is_empty()), "{answer}");
    let link = answer["html"]["url"].as_str().expect("a link");
    assert!(link.starts_with(&api.url), "a link of the node that the client knows: {link}");
    assert_eq!(reqwest::get(link).await.expect("an answer").status(), 200);
    let body = json!({"url": format!("{URL}nothing/here"), "mode": "links", "timeout_ms": 60_000});
    let answer = api.post("/v1/pages", &key, &body).await;
    assert_eq!(answer.status(), 502);
    let answer: Value = answer.json().await.expect("JSON");
    assert_eq!((&answer["code"], &answer["status_code"]), (&json!("page_failed"), &json!(404)));

    cluster.run_goes_on().await;
    assert_eq!(api.get(&format!("/v1/jobs/{job}"), &key).await["status"], "running");
    let metrics = api.metrics().await;
    let expected = format!("trawl_forwarded_pages_total{{outcome=\"answered\"}} {}", CALLS + 2);
    assert!(metrics.contains(&expected), "{metrics}");
    assert_eq!(cluster.charged(&api, &key).await.len(), CALLS + 1, "the missing page is free");
    assert_eq!(cluster.open_calls().await, 0);

    // One pace for all: requests beside it would be more than it allows.
    let mut times: Vec<_> = cluster.lab.requests().iter().map(|request| request.at).collect();
    times.sort_unstable();
    let span = times[times.len() - 1].duration_since(times[0]);
    let paced = delay * u32::try_from(times.len() - 1).expect("few requests");
    assert!(span + 4 * delay >= paced, "{} requests within {span:?}", times.len());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn fifty_parallel_calls_on_two_nodes_are_all_answered() {
    let cluster = Cluster::start(10, 10_000).await;
    let mut first = Server::start(&cluster.setup).await;
    let key = first.first_key();
    let second = Server::start(&cluster.setup).await;
    let calls = (0..50).map(|at| {
        let server = if at % 2 == 0 { &first } else { &second };
        let key = &key;
        async move { call(server, key, &format!("call-{at}")).await.expect("an answer") }
    });
    let mut ids = BTreeSet::new();
    for (status, answer) in futures_util::future::join_all(calls).await {
        assert_eq!(status, 200, "{answer}");
        ids.insert(answer["page_id"].as_str().expect("an id").to_owned());
    }
    assert_eq!(ids.len(), 50);
    let expected: Vec<_> = ids.into_iter().collect();
    assert_eq!(cluster.charged(&first, &key).await, expected);
    assert_eq!(cluster.open_calls().await, 0);
    assert!(cluster.lab.max_in_flight("busy.lab") <= 4, "the limit of one node");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn killed_node_of_the_host_charges_a_page_once_and_another_answers() {
    const ROUNDS: usize = 4;
    let (seed, mut rng) = seeded();
    let cluster = Cluster::start(100, 1_000).await;
    let mut api = cluster.api_node().await;
    let key = api.first_key();
    api.create(&key, URL, json!({})).await;
    let mut ids = BTreeSet::new();
    for round in 0..ROUNDS {
        let worker = cluster.worker();
        cluster.run_goes_on().await;
        let idempotency = format!("round-{round}");
        let wait = Duration::from_millis(rng.random_range(0..800));
        let kill = async {
            // At a random point of the answer.
            tokio::time::sleep(wait).await;
            drop(worker);
        };
        let (answer, ()) = tokio::join!(call(&api, &key, &idempotency), kill);
        let (status, answer) = answer.expect("the node of the client lives");
        assert!(status == 200 || status == 504, "seed {seed}, round {round}: {answer}");
        if status == 504 {
            assert_eq!(answer["code"], "page_timeout", "seed {seed}");
        }
        let again = answered(&api, &key, &idempotency).await;
        if status == 200 {
            assert_eq!(answer.to_string(), again.to_string(), "seed {seed}, round {round}");
        }
        ids.insert(again["page_id"].as_str().expect("an id").to_owned());
    }
    assert_eq!(ids.len(), ROUNDS);
    let charged = cluster.charged(&api, &key).await;
    let expected: Vec<_> = ids.into_iter().collect();
    assert_eq!(charged, expected, "seed {seed}: each page is charged once");
    assert_eq!(cluster.open_calls().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn killed_node_of_the_client_leaves_no_call_and_no_second_charge() {
    const ROUNDS: usize = 4;
    let (seed, mut rng) = seeded();
    let cluster = Cluster::start(100, 1_000).await;
    let mut api = cluster.api_node().await;
    let key = api.first_key();
    api.create(&key, URL, json!({})).await;
    let _worker = cluster.worker();
    cluster.run_goes_on().await;
    let mut ids = BTreeSet::new();
    for round in 0..ROUNDS {
        let idempotency = format!("round-{round}");
        let body = json!({"url": URL, "mode": "links", "timeout_ms": 8_000});
        {
            let request = api.request(Method::POST, "/v1/pages", &key);
            let call = request.header("Idempotency-Key", &idempotency).json(&body).send();
            let wait = Duration::from_millis(rng.random_range(0..800));
            let _ = tokio::time::timeout(wait, call).await;
        }
        api.kill();
        api = cluster.api_node().await;
        let answer = wait_for(async || {
            let request = api.request(Method::POST, "/v1/pages", &key);
            let request = request.header("Idempotency-Key", &idempotency).json(&body);
            let answer = request.send().await.ok()?;
            if answer.status() != 200 {
                return None;
            }
            answer.json::<Value>().await.ok()
        })
        .await;
        ids.insert(answer["page_id"].as_str().expect("an id").to_owned());
    }
    assert_eq!(ids.len(), ROUNDS, "seed {seed}");
    wait_for(async || (cluster.open_calls().await == 0).then_some(())).await;
    let charged = cluster.charged(&api, &key).await;
    let expected: Vec<_> = ids.into_iter().collect();
    assert_eq!(charged, expected, "seed {seed}: each page is charged once");
}
