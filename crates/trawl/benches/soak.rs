//! Hostile accounts crawl hostile sites while a well-behaved client watches the server.
//!
//!     cargo bench -p trawl --bench soak              one minute
//!     TRAWL_SOAK_SECONDS=1800 cargo bench -p trawl --bench soak
//!
//! 20 accounts start runs of all modes over 40 sites, each of which serves one kind of attack,
//! as fast as the server takes them. Prints the 50th, 99th and last percentile of `/healthz`
//! and the most memory that the server took, each against its goal, and fails when a goal is
//! missed, the server died, or a run over a sound site beside the others was not complete.

#[path = "soak/sites.rs"]
mod sites;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lab::{Catalogue, Lab};
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};
use sites::{Attack, HostileSite};

const ACCOUNTS: usize = 20;
const SITES: usize = 40;
const MODES: [&str; 5] = ["links", "sitemap", "markdown", "products", "contacts"];

/// Runs that one account has under way at a time.
const RUNS_OF_AN_ACCOUNT: usize = 2;

/// A run is aborted after this long: the next attack has its turn.
const RUN_FOR: Duration = Duration::from_secs(20);

const LATENCY_GOAL: Duration = Duration::from_millis(50);
const MEMORY_GOAL: u64 = 1 << 30;

/// Pages of the sound site.
const SOUND_PAGES: usize = 200;

#[tokio::main]
async fn main() {
    let seconds = std::env::var("TRAWL_SOAK_SECONDS").ok().and_then(|text| text.parse().ok());
    let length = Duration::from_secs(seconds.unwrap_or(60));
    let lab = Lab::start().await.expect("a port");
    lab.record(false).serve("sound.soak.test", Catalogue::plain(SOUND_PAGES));
    for number in 0..SITES {
        let (host, attack) = (host(number), Attack::ALL[number % Attack::ALL.len()]);
        lab.serve(&host, HostileSite::new(attack, &host));
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let server = Arc::new(Server::start(folder.path(), &lab));
    let keys: Vec<String> = (0..ACCOUNTS).map(|n| server.account(folder.path(), n)).collect();

    let over = Arc::new(AtomicBool::new(false));
    let started_runs = Arc::new(AtomicU64::new(0));
    let mut attackers = Vec::new();
    for (account, key) in keys.iter().enumerate() {
        for lane in 0..RUNS_OF_AN_ACCOUNT {
            let (server, over) = (Arc::clone(&server), Arc::clone(&over));
            let (key, count) = (key.clone(), Arc::clone(&started_runs));
            attackers.push(tokio::spawn(async move {
                let mut turn = account * RUNS_OF_AN_ACCOUNT + lane;
                while !over.load(Ordering::Relaxed) {
                    attack(&server, &key, turn, &over).await;
                    count.fetch_add(1, Ordering::Relaxed);
                    turn += ACCOUNTS * RUNS_OF_AN_ACCOUNT + 1;
                }
            }));
        }
    }
    let sound = tokio::spawn(crawl_sound_site(Arc::clone(&server), keys[0].clone(), over.clone()));

    let mut latencies = Vec::new();
    let mut memory = 0;
    let client = Client::new();
    let end = Instant::now() + length;
    while Instant::now() < end {
        let asked = Instant::now();
        let answer = client.get(format!("{}/healthz", server.url)).send().await;
        assert!(answer.is_ok_and(|answer| answer.status() == StatusCode::OK), "the server is gone");
        latencies.push(asked.elapsed());
        memory = memory.max(server.memory());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    over.store(true, Ordering::Relaxed);
    let sound = sound.await.expect("no panic");
    for attacker in attackers {
        attacker.await.expect("no panic");
    }

    latencies.sort_unstable();
    let at = |share: f64| latencies[((latencies.len() - 1) as f64 * share) as usize];
    let runs = started_runs.load(Ordering::Relaxed);
    println!("{runs} hostile runs of {ACCOUNTS} accounts over {SITES} sites in {length:?}");
    println!(
        "/healthz: p50 {:?}, p99 {:?}, worst {:?}; p99 {:.2} of the goal",
        at(0.5),
        at(0.99),
        at(1.0),
        at(0.99).as_secs_f64() / LATENCY_GOAL.as_secs_f64()
    );
    println!(
        "memory: {} MiB at most; {:.2} of the goal",
        memory >> 20,
        memory as f64 / MEMORY_GOAL as f64
    );
    println!("a sound site of {SOUND_PAGES} pages beside them: {sound} complete runs");
    let met = at(0.99) < LATENCY_GOAL && memory < MEMORY_GOAL && sound > 0;
    std::process::exit(i32::from(!met));
}

fn host(number: usize) -> String {
    format!("site-{number}.soak.test")
}

/// One run over one hostile site.
async fn attack(server: &Server, key: &str, turn: usize, over: &AtomicBool) {
    let mode = MODES[(turn / SITES + turn) % MODES.len()];
    let url = format!("http://{}/", host(turn % SITES));
    let Some(job) = server.create(key, mode, &url).await else {
        tokio::time::sleep(Duration::from_millis(500)).await;
        return;
    };
    let end = Instant::now() + RUN_FOR;
    while Instant::now() < end && !over.load(Ordering::Relaxed) {
        tokio::time::sleep(Duration::from_millis(500)).await;
        if server.is_over(key, &job).await {
            return;
        }
    }
    server.post(key, &format!("/v1/jobs/{job}/abort"), &json!({})).await;
}

/// Crawls the sound site again and again; gives how often that was complete.
async fn crawl_sound_site(server: Arc<Server>, key: String, over: Arc<AtomicBool>) -> usize {
    let mut complete = 0;
    while !over.load(Ordering::Relaxed) {
        let Some(job) = server.create(&key, "links", "http://sound.soak.test/").await else {
            tokio::time::sleep(Duration::from_millis(500)).await;
            continue;
        };
        while !server.is_over(&key, &job).await {
            tokio::time::sleep(Duration::from_millis(200)).await;
            if over.load(Ordering::Relaxed) {
                return complete;
            }
        }
        let seen = server.get(&key, &format!("/v1/jobs/{job}")).await;
        assert_eq!(seen["status"], "completed", "{seen}");
        complete += 1;
    }
    complete
}

struct Server {
    child: Child,
    url: String,
    client: Client,
}

impl Server {
    fn start(folder: &Path, lab: &Lab) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_trawl"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder)
            .env("TRAWL_RESOLVE", format!("*={}", lab.address()))
            .env("TRAWL_ALLOW_NETWORKS", lab.address().to_string())
            .env("TRAWL_HOST_DELAY_MS", "0")
            .env("TRAWL_CHROMIUM", "none")
            .env("TRAWL_LOG", "error")
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let url = loop {
            let line = lines.next().expect("a line").expect("text");
            if line.contains("listens on") {
                break line.split_whitespace().last().expect("a word").to_owned();
            }
        };
        // A server that cannot print the rest of its greeting ends.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url, client: Client::new() }
    }

    /// A new account with credits; gives its API key.
    fn account(&self, folder: &Path, number: usize) -> String {
        let email = format!("account-{number}@soak.test");
        let trawl = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_trawl"));
            command.arg("--data").arg(folder);
            command
        };
        let created = trawl()
            .args(["account", "create", "--credits", "1000000000", "--json", "--email", &email])
            .output()
            .expect("the binary runs");
        assert!(created.status.success(), "{created:?}");
        let key = trawl()
            .args(["key", "create", "--json", "--email", &email])
            .output()
            .expect("the binary runs");
        let key: Value = serde_json::from_slice(&key.stdout).expect("JSON");
        key["key"].as_str().expect("a key").to_owned()
    }

    async fn get(&self, key: &str, path: &str) -> Value {
        let request = self.client.get(format!("{}{path}", self.url)).bearer_auth(key);
        match request.send().await {
            Ok(answer) => answer.json().await.unwrap_or_default(),
            Err(_) => Value::Null,
        }
    }

    async fn post(&self, key: &str, path: &str, body: &Value) -> Value {
        let request = self.client.post(format!("{}{path}", self.url)).bearer_auth(key);
        match request.json(body).send().await {
            Ok(answer) => answer.json().await.unwrap_or_default(),
            Err(_) => Value::Null,
        }
    }

    /// Starts a run; none when the server refuses it for now.
    async fn create(&self, key: &str, mode: &str, url: &str) -> Option<String> {
        let mut body = json!({"mode": mode, "url": url});
        if mode == "contacts" {
            body["legal_basis_accepted"] = true.into();
        } else {
            body["scope"] = json!({"include_sitemap": true, "include_query_strings": true});
        }
        let answer = self.post(key, "/v1/jobs", &body).await;
        answer["job_id"].as_str().filter(|_| answer["code"].is_null()).map(str::to_owned)
    }

    async fn is_over(&self, key: &str, job: &str) -> bool {
        let seen = self.get(key, &format!("/v1/jobs/{job}")).await;
        !matches!(seen["status"].as_str(), Some("queued" | "running") | None)
    }

    /// Bytes of memory that the server takes, without its children.
    fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kilobytes.unwrap_or(0) << 10
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
