//! Hostile accounts crawl hostile sites while a health check measures the server.
//!
//!     cargo bench -p trawl --bench soak                 # one minute
//!     cargo bench -p trawl --bench soak -- 1800         # this many seconds
//!     cargo bench -p trawl --bench soak -- 60 GzipBomb  # these attacks only
//!     cargo bench -p trawl --bench soak -- 60 TRAWL_FRONTIER_BYTES=1  # another setting
//!
//! 20 accounts start runs of all modes and estimates over 40 sites, each of which serves one
//! kind of attack, as fast as the server takes them; beside them another account crawls a sound
//! site. Prints rows for `docs/BENCHMARKS.md`: percentiles of `/healthz` over new connections,
//! the peak memory of the server and of its reader processes, and what became of the pages. Fails
//! when a goal is missed, the server died or met a bug, or no run over the sound site completed.
//!
//! The sites run in this process and take their share of the cores. `/healthz` is requested
//! by a separate thread, so that it does not wait for them in this process.

#[path = "harness/measured.rs"]
#[expect(dead_code, reason = "the server goes on; what a whole process cost is for others")]
mod measured;
#[path = "soak/sites.rs"]
mod sites;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use lab::{Catalogue, Lab};
use measured::peak;
use reqwest::Client;
use serde_json::{Value, json};
use sites::{Attack, HostileSite};
use tokio::time::sleep;

const ACCOUNTS: usize = 20;
const SITES: usize = 40;
const MODES: [&str; 5] = ["links", "sitemap", "markdown", "products", "contacts"];

/// Concurrent runs of one account.
const RUNS_OF_AN_ACCOUNT: usize = 2;

/// Time after which a run is aborted for the next attack.
const RUN_FOR: Duration = Duration::from_secs(20);

/// Every this many runs, the site is estimated first.
const ESTIMATE_EVERY: usize = 4;

const LATENCY_GOAL: Duration = Duration::from_millis(50);
const MEMORY_GOAL: u64 = 1 << 30;

const METRICS_TOKEN: &str = "a token for the metrics of the soak";

const SOUND_HOST: &str = "sound.soak.test";
const SOUND_PAGES: usize = 200;

#[tokio::main]
async fn main() {
    // Cargo adds `--bench`.
    let seconds = std::env::args().find_map(|text| text.parse().ok()).unwrap_or(60);
    let length = Duration::from_secs(seconds);
    let lab = Lab::start().await.expect("a port");
    lab.record_requests(false).serve(SOUND_HOST, Catalogue::plain(SOUND_PAGES));
    let named: Vec<String> = std::env::args().collect();
    let named = |attack: &Attack| named.contains(&format!("{attack:?}"));
    let mut attacks: Vec<Attack> = Attack::ALL.into_iter().filter(named).collect();
    if attacks.is_empty() {
        attacks = Attack::ALL.to_vec();
    }
    for number in 0..SITES {
        let (host, attack) = (host(number), attacks[number % attacks.len()]);
        lab.serve(&host, HostileSite::new(attack, &host));
    }
    let sound_pages = lab.truth(SOUND_HOST).expect("it is served").delivered.len() as u64;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let server = Arc::new(Server::start(folder.path(), &lab));
    server.ready().await;
    let keys: Vec<String> = (0..=ACCOUNTS).map(|number| server.account(number)).collect();

    let over = Arc::new(AtomicBool::new(false));
    let health = {
        let (address, over) = (server.address().to_owned(), Arc::clone(&over));
        thread::spawn(move || watch_health(&address, &over))
    };
    let mut attackers = Vec::new();
    for (account, key) in keys[..ACCOUNTS].iter().enumerate() {
        for lane in 0..RUNS_OF_AN_ACCOUNT {
            let (server, over, key) = (Arc::clone(&server), Arc::clone(&over), key.clone());
            attackers.push(tokio::spawn(async move {
                let mut turn = account * RUNS_OF_AN_ACCOUNT + lane;
                while !over.load(Ordering::Relaxed) {
                    attack(&server, &key, turn, &over).await;
                    turn += ACCOUNTS * RUNS_OF_AN_ACCOUNT + 1;
                }
            }));
        }
    }
    let (server_too, key, over_too) = (Arc::clone(&server), keys[ACCOUNTS].clone(), over.clone());
    let sound =
        tokio::spawn(
            async move { crawl_sound_site(&server_too, &key, sound_pages, &over_too).await },
        );

    let (mut server_bytes, mut children_bytes) = (0, 0);
    let end = Instant::now() + length;
    while Instant::now() < end && !health.is_finished() {
        sleep(Duration::from_secs(1)).await;
        server_bytes = peak(server.child.id()).max(server_bytes);
        children_bytes = memory_of_children(server.child.id()).max(children_bytes);
    }
    let numbers = server.metrics().await;
    over.store(true, Ordering::Relaxed);
    let mut latencies = health.join().expect("the server answers health checks");
    let sound = sound.await.expect("runs over the sound site are complete");
    for attacker in attackers {
        attacker.await.expect("no panic");
    }

    latencies.sort_unstable();
    let at = |share: f64| latencies[((latencies.len() - 1) as f64 * share) as usize];
    let ms = |latency: Duration| latency.as_secs_f64() * 1_000.0;
    let number = |name: &str| numbers.get(name).copied().unwrap_or(0);
    let (runs, estimates) = (load(&server.runs), load(&server.estimates));
    println!(
        "{runs} hostile runs and {estimates} estimates of {ACCOUNTS} accounts over {SITES} sites in {seconds} s"
    );
    println!("refused: {:?}", server.refusals.lock().expect("no panic"));
    println!();
    println!("| what | measured | goal |");
    println!("|---|---|---|");
    println!(
        "| `/healthz`, {} checks | p50 {:.1} ms, p99 {:.1} ms, max {:.1} ms; p99 = {:.2} × the goal | p99 under {} ms |",
        latencies.len(),
        ms(at(0.5)),
        ms(at(0.99)),
        ms(at(1.0)),
        at(0.99).as_secs_f64() / LATENCY_GOAL.as_secs_f64(),
        LATENCY_GOAL.as_millis()
    );
    println!(
        "| memory of the server, peak (VmHWM) | {} MiB; {:.2} × the goal | under {} MiB |",
        server_bytes >> 20,
        server_bytes as f64 / MEMORY_GOAL as f64,
        MEMORY_GOAL >> 20
    );
    println!(
        "| memory of its reader processes, sum, peak (RSS) | {} MiB | |",
        children_bytes >> 20
    );
    println!(
        "| pages read | {}; {} too complex, {} of them overdue; {} runs evicted | no bug ({}) |",
        number("trawl_pages_total"),
        number("trawl_too_complex_pages_total"),
        number("trawl_overdue_pages_total"),
        number("trawl_runs_evicted_total"),
        number("trawl_bugs_total")
    );
    println!(
        "| sound site of {sound_pages} pages beside them | {sound} complete runs | at least one |"
    );
    let met = at(0.99) < LATENCY_GOAL
        && server_bytes < MEMORY_GOAL
        && number("trawl_bugs_total") == 0
        && sound > 0
        && runs > 0;
    // `exit` runs no destructors.
    drop(server);
    drop(folder);
    std::process::exit(i32::from(!met));
}

fn host(number: usize) -> String {
    format!("site-{number}.soak.test")
}

fn load(number: &AtomicU64) -> u64 {
    number.load(Ordering::Relaxed)
}

/// One run on one hostile site, sometimes after an estimate.
async fn attack(server: &Server, key: &str, turn: usize, over: &AtomicBool) {
    let mode = MODES[(turn / SITES + turn) % MODES.len()];
    let url = format!("http://{}/", host(turn % SITES));
    if turn.is_multiple_of(ESTIMATE_EVERY) {
        server.post(key, "/v1/estimate", &json!({"mode": mode, "url": url})).await;
        server.estimates.fetch_add(1, Ordering::Relaxed);
    }
    let mut body = json!({"mode": mode, "url": url});
    if mode == "contacts" {
        body["legal_basis_accepted"] = true.into();
    } else {
        body["scope"] = json!({"include_sitemap": true, "include_query_strings": true});
    }
    let Some(job) = server.create(key, &body).await else {
        sleep(Duration::from_millis(500)).await;
        return;
    };
    server.runs.fetch_add(1, Ordering::Relaxed);
    let end = Instant::now() + RUN_FOR;
    while Instant::now() < end && !over.load(Ordering::Relaxed) {
        sleep(Duration::from_millis(500)).await;
        match server.status(key, &job).await.as_deref() {
            Some("completed" | "failed" | "aborted") => return,
            // The run waits for a confirmation that never comes.
            Some("paused" | "awaiting_confirmation") => break,
            _ => {}
        }
    }
    server.post(key, &format!("/v1/jobs/{job}/abort"), &json!({})).await;
}

/// Crawls the good site repeatedly; returns the number of complete runs.
async fn crawl_sound_site(server: &Server, key: &str, pages: u64, over: &AtomicBool) -> usize {
    let body = json!({"mode": "links", "url": format!("http://{SOUND_HOST}/")});
    let mut complete = 0;
    while !over.load(Ordering::Relaxed) {
        let Some(job) = server.create(key, &body).await else {
            sleep(Duration::from_millis(500)).await;
            continue;
        };
        while matches!(server.status(key, &job).await.as_deref(), None | Some("queued" | "running"))
        {
            sleep(Duration::from_millis(200)).await;
            if over.load(Ordering::Relaxed) {
                return complete;
            }
        }
        let seen = server.get(key, &format!("/v1/jobs/{job}")).await;
        assert_eq!(
            (&seen["status"], &seen["counts"]["results"]),
            (&"completed".into(), &pages.into()),
            "{seen}"
        );
        complete += 1;
    }
    complete
}

/// Requests `/healthz` until the end; returns the response times.
fn watch_health(address: &str, over: &AtomicBool) -> Vec<Duration> {
    let mut latencies = Vec::new();
    while !over.load(Ordering::Relaxed) {
        let asked = Instant::now();
        let healthy = is_healthy(address);
        assert!(healthy.as_ref().is_ok_and(|healthy| *healthy), "the server is gone: {healthy:?}");
        latencies.push(asked.elapsed());
        thread::sleep(Duration::from_millis(50));
    }
    latencies
}

fn is_healthy(address: &str) -> io::Result<bool> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let request = format!("GET /healthz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer.starts_with("HTTP/1.1 200 "))
}

/// Memory of all child processes in bytes.
fn memory_of_children(parent: u32) -> u64 {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let bytes = processes.filter_map(|process| {
        let status = fs::read_to_string(process.path().join("status")).ok()?;
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        (field("PPid:")? == u64::from(parent)).then(|| field("VmRSS:").unwrap_or(0) << 10)
    });
    bytes.sum()
}

struct Server {
    child: Child,
    url: String,
    folder: PathBuf,
    client: Client,
    runs: AtomicU64,
    estimates: AtomicU64,
    /// Number of rejected job requests by error code.
    refusals: Mutex<BTreeMap<String, u64>>,
}

/// The binary with the settings of the soak, without the environment.
fn trawl(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trawl"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("TRAWL_")) {
        command.env_remove(name);
    }
    command
        .env("TRAWL_DATA", folder)
        .env("TRAWL_SECRET_KEY", "a key for the soak, with more than 32 characters")
        .stdin(Stdio::null());
    command
}

impl Server {
    fn start(folder: &Path, lab: &Lab) -> Self {
        let mut child = trawl(folder)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .env("TRAWL_RESOLVE", format!("*={}", lab.address()))
            .env("TRAWL_HOST_DELAY_MS", "0")
            .env("TRAWL_CHROMIUM", "none")
            .env("TRAWL_LOG", "error")
            .env("TRAWL_METRICS_TOKEN", METRICS_TOKEN)
            .envs(std::env::args().filter_map(|text| {
                let (name, value) = text.split_once('=')?;
                name.starts_with("TRAWL_").then(|| (name.to_owned(), value.to_owned()))
            }))
            // All accounts have one address, and poll.
            .envs([("TRAWL_RATE_PER_MINUTE", "1000000"), ("TRAWL_RATE_BURST", "100000")])
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
        // Keep reading standard output: the server ends when it cannot print.
        thread::spawn(move || lines.for_each(drop));
        let client = Client::builder().timeout(Duration::from_secs(60)).build().expect("a client");
        let (runs, estimates, refusals) = (AtomicU64::new(0), AtomicU64::new(0), Mutex::default());
        Self { child, url, folder: folder.to_owned(), client, runs, estimates, refusals }
    }

    /// The address that the server listens on.
    fn address(&self) -> &str {
        self.url.trim_start_matches("http://").trim_end_matches('/')
    }

    /// Waits until the database is prepared.
    async fn ready(&self) {
        loop {
            let answer = self.client.get(format!("{}/readyz", self.url)).send().await;
            if answer.is_ok_and(|answer| answer.status().is_success()) {
                return;
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Creates an account with credits; returns its API key.
    fn account(&self, number: usize) -> String {
        let email = format!("account-{number}@soak.test");
        let run = |arguments: &[&str]| -> Value {
            let mut command = trawl(&self.folder);
            let done = command.args(arguments).args(["--json", "--email", &email]).output();
            let done = done.expect("the binary runs");
            assert!(done.status.success(), "{done:?}");
            serde_json::from_slice(&done.stdout).expect("JSON")
        };
        run(&["account", "create", "--credits", "1000000000"]);
        run(&["key", "create"])["key"].as_str().expect("a key").to_owned()
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

    /// Starts a run; `None` if the server rejects it for now.
    async fn create(&self, key: &str, body: &Value) -> Option<String> {
        let answer = self.post(key, "/v1/jobs", body).await;
        if let (Some(job), None) = (answer["job_id"].as_str(), answer["code"].as_str()) {
            return Some(job.to_owned());
        }
        let code = answer["code"].as_str().unwrap_or("no answer").to_owned();
        *self.refusals.lock().expect("no panic").entry(code).or_default() += 1;
        None
    }

    /// The status of a job; `None` without a response.
    async fn status(&self, key: &str, job: &str) -> Option<String> {
        let seen = self.get(key, &format!("/v1/jobs/{job}")).await;
        seen["status"].as_str().map(str::to_owned)
    }

    /// Counters and gauges without labels.
    async fn metrics(&self) -> BTreeMap<String, u64> {
        let request = self.client.get(format!("{}/metrics", self.url));
        let answer = request.bearer_auth(METRICS_TOKEN).send().await;
        let Ok(answer) = answer else { return BTreeMap::new() };
        let text = answer.text().await.unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        lines.filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?))).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
