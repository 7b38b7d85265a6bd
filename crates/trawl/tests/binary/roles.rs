//! Roles of `trawl serve`: nodes without an API, shutdown, and nodes of two releases on one database.

mod rolling_upgrade;

use std::collections::HashSet;
use std::process::{Child, Command, Stdio};

use lab::{Catalogue, Lab};
use reqwest::StatusCode;
use serde_json::{Value, json};
use sqlx::AnyPool;

use crate::database::{self, Kind};
use crate::server::{Server, Setup, output, text, wait_for};

/// A node without an API.
struct ApilessNode {
    child: Child,
    /// `http://` and its address.
    url: String,
}

impl ApilessNode {
    fn start(setup: &Setup, role: &str) -> Self {
        use std::io::{BufRead as _, BufReader};
        let mut command = setup.clone().argument("--role").argument(role).command();
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = child.expect("it starts");
        let printed = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut lines = printed.lines().map_while(Result::ok);
        let line = lines.find(|line| line.starts_with("Health: ")).expect("its address");
        // The pipe stays open: the node prints further lines only at its first start.
        let url = line.split_whitespace().nth(1).expect("an address");
        let url = url.strip_suffix("/readyz").expect("the path").to_owned();
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url }
    }

    async fn status(&self, path: &str) -> Option<StatusCode> {
        Some(reqwest::get(format!("{}{path}", self.url)).await.ok()?.status())
    }

    async fn ready(&self) {
        wait_for(async || (self.status("/readyz").await? == 200).then_some(())).await;
    }

    async fn metrics(&self) -> String {
        let request = reqwest::Client::new().get(format!("{}/metrics", self.url));
        let answer = request.bearer_auth("a token for prometheus").send().await;
        answer.expect("an answer").text().await.expect("a text")
    }

    fn signal(&self) {
        let sent = Command::new("kill").arg(self.child.id().to_string()).status();
        assert!(sent.expect("kill runs").success());
    }

    fn wait(mut self) -> std::process::ExitStatus {
        self.child.wait().expect("it ends")
    }
}

impl Drop for ApilessNode {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn node_without_an_api_serves_health_and_metrics_only() {
    for role in ["worker", "notify"] {
        let folder = tempfile::tempdir().expect("a folder");
        let node = ApilessNode::start(&Setup::new(folder.path()), role);
        node.ready().await;
        assert_eq!(node.status("/healthz").await, Some(StatusCode::OK));
        wait_for(async || node.metrics().await.contains("trawl_queue_ready 0").then_some(())).await;
        let unknown = node.status("/metrics").await;
        assert_eq!(unknown, Some(StatusCode::UNAUTHORIZED), "metrics need their token");
        for path in ["/", "/docs", "/v1/account", "/mcp", "/openapi.json", "/v1/jobs"] {
            assert_eq!(node.status(path).await, Some(StatusCode::NOT_FOUND), "{role} {path}");
        }
        node.signal();
        assert!(node.wait().success());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn node_without_an_api_runs_although_its_address_is_in_use() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("its address").to_string();
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path()).with("TRAWL_LISTEN", &address);
    let mut flagged = setup.other();
    flagged.args(["serve", "--role", "worker", "--listen", &address]);
    let refused = output(&mut flagged);
    let said = text(&refused.stderr);
    assert!(
        refused.status.code() == Some(3) && said.contains(&address),
        "a flag is binding: {said}"
    );

    let mut command = setup.other();
    command.args(["serve", "--role", "worker"]).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut logged = std::io::BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains("address is in use") {
        line.clear();
        let read = std::io::BufRead::read_line(&mut logged, &mut line).expect("text");
        assert!(read > 0, "the node ended");
    }
    assert!(child.try_wait().expect("a child").is_none(), "it works without health checks");
    child.kill().expect("it is killed");
    child.wait().expect("it is gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn server_is_not_ready_while_it_drains() {
    let folder = tempfile::tempdir().expect("a folder");
    // Longer than the test: the server is killed at its end.
    let setup = Setup::new(folder.path()).with("TRAWL_DRAIN_MS", 3_600_000);
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let signalled = Command::new("kill").arg(server.id().to_string()).status();
    assert!(signalled.expect("kill runs").success());
    let problem: Value = wait_for(async || {
        let answer = reqwest::get(format!("{}/readyz", server.url)).await.expect("it listens");
        if answer.status() != 503 {
            return None;
        }
        answer.json().await.ok()
    })
    .await;
    assert!(
        problem["message"].as_str().is_some_and(|said| said.contains("shutting down")),
        "{problem}"
    );
    let alive = reqwest::get(format!("{}/healthz", server.url)).await.expect("an answer");
    assert_eq!(alive.status(), 200);
    assert!(server.get("/v1/account", &key).await["credits"].is_number(), "requests are answered");
}

/// Nodes on one PostgreSQL, whose leases are valid for longer than a test.
struct Cluster {
    lab: Lab,
    setup: Setup,
    database: String,
    _folder: tempfile::TempDir,
}

impl Cluster {
    async fn start() -> Self {
        let lab = Lab::start().await.expect("a port");
        lab.serve("one.lab", Catalogue::plain(60)).serve("two.lab", Catalogue::plain(60));
        let folder = tempfile::tempdir().expect("a folder");
        let database = database::fresh(Kind::Postgres).await;
        let setup = Setup::new(folder.path())
            .with("TRAWL_DATABASE", &database)
            .with("TRAWL_RESOLVE", lab.name_table())
            .with("TRAWL_HOST_DELAY_MS", 100)
            .with("TRAWL_CHROMIUM", "none")
            .with("TRAWL_LEASE_MS", 600_000);
        Self { lab, setup, database, _folder: folder }
    }

    async fn api(&self) -> Server {
        Server::start(&self.setup.clone().argument("--role=api")).await
    }

    async fn requests_beyond(&self, before: u64) {
        wait_for(async || (self.lab.request_count() > before).then_some(())).await;
    }

    /// Checks that a job has each page once, and that each was charged once.
    async fn is_exact(&self, api: &Server, key: &str, job: &str, before: i64) {
        let done = api.wait(key, job, &["completed", "failed"]).await;
        assert_eq!(done["status"], "completed", "{done}");
        let items = api.results(key, job).await;
        let urls: HashSet<_> = items.iter().map(|item| item["url"].to_string()).collect();
        assert_eq!(urls.len(), items.len(), "no result twice");
        assert!(items.len() >= 60, "{}", items.len());
        let after = credits(api, key).await;
        assert_eq!(Some(before - after), done["credits_used"].as_i64(), "{done}");
    }
}

async fn credits(api: &Server, key: &str) -> i64 {
    api.get("/v1/account", key).await["credits"].as_i64().expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn stopped_worker_hands_its_runs_to_another_node_on_postgres() {
    let cluster = Cluster::start().await;
    let mut api = cluster.api().await;
    let key = api.first_key();
    let before = credits(&api, &key).await;
    let first = ApilessNode::start(&cluster.setup, "worker");
    first.ready().await;
    let job = api.create(&key, "http://one.lab/", json!({})).await;
    cluster.requests_beyond(8).await;
    let second = ApilessNode::start(&cluster.setup, "worker");
    second.ready().await;
    first.signal();
    assert!(first.wait().success());
    // A lease that was not handed back would be valid for ten minutes.
    cluster.is_exact(&api, &key, &job, before).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn queue_is_counted_without_workers_and_started_by_the_first_one_on_postgres() {
    let cluster = Cluster::start().await;
    let mut api = cluster.api().await;
    let key = api.first_key();
    let notify = ApilessNode::start(&cluster.setup, "notify");
    let before = credits(&api, &key).await;
    let job = api.create(&key, "http://one.lab/", json!({})).await;
    wait_for(async || notify.metrics().await.contains("trawl_queue_ready 1").then_some(())).await;
    wait_for(async || api.metrics().await.contains("trawl_queue_ready 1").then_some(())).await;
    let shown = api.get(&format!("/v1/jobs/{job}"), &key).await;
    assert_eq!(shown["status"], "queued", "a notify node runs no jobs");
    let worker = ApilessNode::start(&cluster.setup, "worker");
    wait_for(async || worker.metrics().await.contains("trawl_queue_ready 0").then_some(())).await;
    cluster.is_exact(&api, &key, &job, before).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn nodes_of_two_releases_share_a_database_during_an_upgrade_on_postgres() {
    let cluster = Cluster::start().await;
    let mut api = cluster.api().await;
    let key = api.first_key();
    let old = ApilessNode::start(&cluster.setup, "worker");
    old.ready().await;
    let before = credits(&api, &key).await;
    let job = api.create(&key, "http://one.lab/", json!({})).await;
    cluster.requests_beyond(5).await;

    // The next release adds an expanding migration, which this one may not know.
    sqlx::any::install_default_drivers();
    let pool = AnyPool::connect(&cluster.database).await.expect("it connects");
    let row = format!(
        "INSERT INTO schema_version (step, needs) VALUES (9999, {})",
        store::newest_schema()
    );
    sqlx::query(sqlx::AssertSqlSafe(row)).execute(&pool).await.expect("a row");
    pool.close().await;

    // Nodes of the old release go on, and one that restarts is accepted.
    let new = ApilessNode::start(&cluster.setup, "worker");
    new.ready().await;
    let restarted = cluster.api().await;
    assert_eq!(credits(&restarted, &key).await, credits(&api, &key).await);
    old.signal();
    assert!(old.wait().success());
    cluster.is_exact(&restarted, &key, &job, before).await;
    let before = credits(&api, &key).await;
    let second = api.create(&key, "http://two.lab/", json!({})).await;
    assert!(api.terminate().success());
    cluster.is_exact(&restarted, &key, &second, before).await;
}
