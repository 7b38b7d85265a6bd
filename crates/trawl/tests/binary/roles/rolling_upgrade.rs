//! Every node of a cluster is replaced while clients use it.
//!
//! `TRAWL_TEST_OLD_PROGRAM` names a program of an earlier commit or release for the nodes that are replaced; without
//! it they have the same program, and the schema gets a row of a newer release.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fixture::{ReceiverBehavior, WebhookReceiver};
use lab::{Catalogue, Lab};
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};
use sqlx::AnyPool;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};

use super::{ApilessNode, credits};
use crate::database::{self, Kind};
use crate::server::{PATIENCE, Server, Setup, output, text, wait_for};

const PAGES: usize = 40;

/// Passes each connection on to an API node whose `/readyz` answers 200, as load balancers do.
struct Balancer {
    url: String,
    nodes: Arc<Mutex<Vec<String>>>,
}

impl Balancer {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let nodes = Arc::<Mutex<Vec<String>>>::default();
        let (shared, turn) = (Arc::clone(&nodes), Arc::new(AtomicUsize::new(0)));
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let (nodes, turn) = (Arc::clone(&shared), Arc::clone(&turn));
                tokio::spawn(async move {
                    let address = ready_node(&nodes, &turn).await;
                    let mut node = TcpStream::connect(address).await.expect("a ready node listens");
                    // The client or the node has closed the connection.
                    let _ = copy_bidirectional(&mut client, &mut node).await;
                });
            }
        });
        Self { url, nodes }
    }

    fn set(&self, nodes: &[&Server]) {
        *self.nodes.lock().expect("no panic") = nodes.iter().map(|one| one.url.clone()).collect();
    }
}

/// The address of the next node that is ready.
async fn ready_node(nodes: &Mutex<Vec<String>>, turn: &AtomicUsize) -> String {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        let nodes = nodes.lock().expect("no panic").clone();
        let node = &nodes[turn.fetch_add(1, Ordering::Relaxed) % nodes.len()];
        let answer = reqwest::get(format!("{node}/readyz")).await;
        if answer.is_ok_and(|answer| answer.status() == 200) {
            return node.replace("http://", "");
        }
    }
    panic!("no node is ready");
}

/// A client that repeats nothing but what is answered 503 with `Retry-After`.
#[derive(Clone)]
struct ApiClient {
    url: String,
    key: String,
    client: Client,
    requests: Arc<AtomicUsize>,
}

impl ApiClient {
    async fn ask(&self, method: Method, path: &str, body: Option<(&Value, &str)>) -> Value {
        for _ in 0..100 {
            let mut request = self.client.request(method.clone(), format!("{}{path}", self.url));
            request = request.bearer_auth(&self.key);
            if let Some((body, key)) = body {
                request = request.json(body).header("Idempotency-Key", key);
            }
            self.requests.fetch_add(1, Ordering::Relaxed);
            let answer = request.send().await.unwrap_or_else(|error| panic!("{path}: {error:?}"));
            if answer.status() == StatusCode::SERVICE_UNAVAILABLE {
                assert!(answer.headers().contains_key("retry-after"), "{path}: {answer:?}");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
            assert!(answer.status().is_success(), "{path}: {answer:?}");
            return answer.json().await.expect("JSON");
        }
        panic!("{path} is answered 503 all the time");
    }

    async fn create(&self, host: &str, key: &str) -> String {
        let body = json!({"mode": "links", "url": format!("http://{host}/"), "if_busy": "queue"});
        let made = self.ask(Method::POST, "/v1/jobs", Some((&body, key))).await;
        made["job_id"].as_str().expect("an id").to_owned()
    }

    /// Waits for the end of a job, and checks that it has each page once. Returns its charge.
    async fn complete(&self, job: &str, pages: usize) -> i64 {
        let path = format!("/v1/jobs/{job}");
        let deadline = Instant::now() + PATIENCE;
        let mut done = self.ask(Method::GET, &path, None).await;
        while done["status"] == "queued" || done["status"] == "running" {
            assert!(Instant::now() < deadline, "{done}");
            tokio::time::sleep(Duration::from_millis(50)).await;
            done = self.ask(Method::GET, &path, None).await;
        }
        assert_eq!(done["status"], "completed", "{done}");
        let results = format!("{path}/results?page_size=1000");
        let results = self.ask(Method::GET, &results, None).await;
        let items = results["items"].as_array().expect("items");
        let urls: HashSet<_> = items.iter().map(|item| item["url"].to_string()).collect();
        assert_eq!(urls.len(), items.len(), "{job}: no result twice");
        assert!(items.len() >= pages, "{job}: {} of {pages} pages", items.len());
        done["credits_used"].as_i64().expect("a number")
    }
}

/// Creates jobs one after the other until `stop`. Returns those that were accepted, with their charges.
async fn keep_creating(
    client: ApiClient,
    host: String,
    stop: Arc<AtomicBool>,
) -> Vec<(String, i64)> {
    let mut accepted = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let key = format!("{host}-{}", accepted.len());
        let job = client.create(&host, &key).await;
        assert_eq!(client.create(&host, &key).await, job, "the same Idempotency-Key");
        let charge = client.complete(&job, 3).await;
        accepted.push((job, charge));
    }
    accepted
}

/// What a newer release adds to the schema that nodes of this one may ignore.
async fn expand_schema(database: &str) {
    sqlx::any::install_default_drivers();
    let pool = AnyPool::connect(database).await.expect("it connects");
    let needs = store::newest_schema();
    let row = format!("INSERT INTO schema_version (step, needs) VALUES (9999, {needs})");
    sqlx::query(sqlx::AssertSqlSafe(row)).execute(&pool).await.expect("a row");
    pool.close().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn rolling_upgrade_under_load_loses_no_request_no_page_and_no_event_on_postgres() {
    let receiver =
        WebhookReceiver::start(&["*.hooks.test"], |_| ReceiverBehavior::Status(200)).await;
    let lab = Lab::start().await.expect("a port");
    let slow: Vec<_> = (0..4).map(|n| format!("slow{n}.lab")).collect();
    let quick: Vec<_> = (0..3).map(|n| format!("quick{n}.lab")).collect();
    for host in &slow {
        lab.serve(host, Catalogue::plain(PAGES));
    }
    for host in &quick {
        lab.serve(host, Catalogue::plain(3));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let database = database::fresh(Kind::Postgres).await;
    let new = Setup::new(folder.path())
        .with("TRAWL_DATABASE", &database)
        .with("TRAWL_RESOLVE", format!("{},*.hooks.test={}", lab.name_table(), receiver.address))
        .with("TRAWL_EXTRA_CA", receiver.authority().display())
        .with("TRAWL_ALLOW_WEBHOOK_NETWORKS", "127.0.0.1")
        .with("TRAWL_HOST_DELAY_MS", 150)
        .with("TRAWL_CHROMIUM", "none")
        // Longer than the time between a look at `/readyz` and the end of its request.
        .with("TRAWL_DRAIN_MS", 1_000);
    let old_program = std::env::var_os("TRAWL_TEST_OLD_PROGRAM").map(PathBuf::from);
    let mut old = new.clone();
    old.program.clone_from(&old_program);
    let api = |setup: &Setup| setup.clone().argument("--role=api");

    let mut first = Server::start(&api(&old)).await;
    let key = first.first_key();
    let second = Server::start(&api(&old)).await;
    let workers = [ApilessNode::start(&old, "worker"), ApilessNode::start(&old, "worker")];
    for worker in &workers {
        worker.ready().await;
    }
    let balancer = Balancer::start().await;
    balancer.set(&[&first, &second]);
    let hook = json!({"url": "https://all.hooks.test/", "events": ["job.completed"]});
    assert_eq!(first.post("/v1/webhooks", &key, &hook).await.status(), 201);
    let before = credits(&first, &key).await;

    let client = ApiClient {
        url: balancer.url.clone(),
        key: key.clone(),
        // Each request is a connection, which the balancer passes to the next node.
        client: Client::builder().pool_max_idle_per_host(0).build().expect("a client"),
        requests: Arc::default(),
    };
    let mut long = Vec::new();
    for host in &slow {
        long.push(client.create(host, host).await);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let load: Vec<_> = quick
        .iter()
        .map(|host| tokio::spawn(keep_creating(client.clone(), host.clone(), Arc::clone(&stop))))
        .collect();
    wait_for(async || (lab.request_count() > 20).then_some(())).await;

    // Workers first, then the API; each new node is ready before an old one stops.
    if old_program.is_none() {
        expand_schema(&database).await;
    }
    let mut replacements = Vec::new();
    for worker in workers {
        let replacement = ApilessNode::start(&new, "worker");
        replacement.ready().await;
        replacements.push(replacement);
        worker.signal();
        assert!(worker.wait().success());
    }
    let third = Server::start(&api(&new)).await;
    balancer.set(&[&second, &third, &first]);
    assert!(tokio::task::spawn_blocking(|| first.terminate()).await.expect("no panic").success());
    balancer.set(&[&second, &third]);
    let fourth = Server::start(&api(&new)).await;
    balancer.set(&[&second, &third, &fourth]);
    assert!(tokio::task::spawn_blocking(|| second.terminate()).await.expect("no panic").success());
    balancer.set(&[&third, &fourth]);

    let mut charges = BTreeMap::new();
    for job in &long {
        charges.insert(job.clone(), client.complete(job, PAGES).await);
    }
    stop.store(true, Ordering::Relaxed);
    for one in load {
        charges.extend(one.await.expect("no request failed"));
    }
    assert!(charges.len() > 10, "{} jobs", charges.len());
    assert!(client.requests.load(Ordering::Relaxed) > 100);
    assert_eq!(before - credits(&third, &key).await, charges.values().sum::<i64>());
    // Each job has one event, which arrives at least once.
    let events = wait_for(async || {
        let mut events: BTreeMap<String, HashSet<String>> = BTreeMap::new();
        for delivery in receiver.received() {
            let event: Value = serde_json::from_slice(&delivery.body).expect("JSON");
            let job = event["data"]["job"]["job_id"].as_str().expect("a job").to_owned();
            events.entry(job).or_default().insert(event["id"].to_string());
        }
        (events.len() >= charges.len()).then_some(events)
    })
    .await;
    assert!(events.keys().eq(charges.keys()), "{events:?}");
    assert!(events.values().all(|ids| ids.len() == 1), "{events:?}");
    let verified = output(new.other().arg("verify"));
    assert!(verified.status.success(), "{} {}", text(&verified.stdout), text(&verified.stderr));
    assert!(third.terminate().success() && fourth.terminate().success());
}
