//! Many sites at once with default politeness: how near one server gets to the maximum that
//! politeness allows.
//!
//! A job starts with robots.txt and the start page, sequentially; only then there are links to
//! follow. *Steady* is the time in which every run is past that and none is done: sites must be
//! large enough that the first is not done before the last starts.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lab::{Catalogue, Lab};
use reqwest::Client;
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

use crate::job::completed;
use crate::measured::{peak, times};
use crate::server::Server;
use crate::{mb, own_program};

/// Latency of every response.
const LATENCY: Duration = Duration::from_millis(100);

/// The default delay between two requests to a host: the maximum is one request per delay.
const DELAY: Duration = Duration::from_millis(100);

/// Requests as seen by the sites. Times in seconds.
#[derive(Debug, Serialize, Deserialize)]
struct Seen {
    /// Number of requests, and the time from the first to the last.
    requests: usize,
    whole: f64,
    /// Median time from the first request of a host to the first linked page.
    start_up: f64,
    /// Time from the first request of the first host to that of the last.
    spread: f64,
    /// Requests in the steady time and its length; negative if there was none.
    steady_requests: usize,
    steady: f64,
    /// Requests per second of the busiest host in the steady time.
    fastest: f64,
    /// Maximum concurrent requests of one host.
    at_a_time: usize,
}

/// Runs a job for each host and prints what the hosts saw.
pub fn run(hosts: usize, pages: usize) {
    let most = hosts as f64 / DELAY.as_secs_f64();
    println!(
        "{hosts} hosts with {pages} pages each, {LATENCY:?} an answer; 4 connections and \
         {DELAY:?} between starts at each host, as by default: at most {most:.0} requests/s"
    );
    let mut sites = Sites::start(hosts, pages);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(crawl(hosts, pages, &sites.names));
    let seen = sites.end();
    println!(
        "start-up      {:.2} s from a host's robots.txt to its first link (median); the last \
         host was asked {:.2} s after the first",
        seen.start_up, seen.spread
    );
    if seen.steady > 0.0 {
        let rate = seen.steady_requests as f64 / seen.steady;
        println!(
            "steady        {rate:.0} requests/s for {:.1} s: {:.3} of the most",
            seen.steady,
            rate / most
        );
    } else {
        println!("steady        never: some runs were done before others had begun");
    }
    let rate = seen.requests as f64 / seen.whole;
    println!(
        "from end to end {rate:.0} requests/s for {:.1} s: {:.3} of the most",
        seen.whole,
        rate / most
    );
    println!(
        "politeness    at most {} at a time at a host, {:.2} requests/s at the busiest",
        seen.at_a_time, seen.fastest
    );
}

async fn crawl(hosts: usize, pages: usize, names: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let many = hosts.to_string();
    let settings = [
        ("TRAWL_ALLOW_NETWORKS", "127.0.0.0/8"),
        ("TRAWL_RESOLVE", names),
        ("TRAWL_FIRST_CREDITS", "10000000"),
        // One account and one node run all jobs.
        ("TRAWL_RUNS", &many),
        ("TRAWL_RUNNING_JOBS", &many),
    ];
    let server = Arc::new(Server::start(folder.path(), "all", &settings));
    let pid = server.child.id();
    let (_, before) = times(pid);
    let started = Instant::now();
    let client = Client::new();
    let mut orders = JoinSet::new();
    for host in 0..hosts {
        let (server, client) = (Arc::clone(&server), client.clone());
        orders
            .spawn(async move { server.create(&client, &format!("http://{}/", name(host))).await });
    }
    let jobs = orders.join_all().await;
    let ordered = started.elapsed().as_secs_f64();
    for job in &jobs {
        let job = completed(&server, &client, job).await;
        assert_eq!(
            job["counts"]["results"].as_u64(),
            Some(pages as u64),
            "not the whole site: {job}"
        );
    }
    println!(
        "{hosts} jobs ordered in {ordered:.2} s, completed with {pages} of {pages} pages each \
         in {:.1} s; the server took {:.2} CPU-s and {:.0} MB",
        started.elapsed().as_secs_f64(),
        times(pid).1 - before,
        mb(peak(pid))
    );
}

fn name(host: usize) -> String {
    format!("site-{host}.test")
}

/// The sites in a separate process.
struct Sites {
    child: Child,
    out: BufReader<std::process::ChildStdout>,
    names: String,
}

impl Sites {
    fn start(hosts: usize, pages: usize) -> Self {
        let mut child = Command::new(own_program())
            .arg("--lab-of-hosts")
            .args([hosts, pages].map(|number| number.to_string()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the lab starts");
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut names = String::new();
        out.read_line(&mut names).expect("its names");
        Self { child, out, names: names.trim().to_owned() }
    }

    /// Closes standard input of the sites, which ends them and returns their counts.
    fn end(&mut self) -> Seen {
        drop(self.child.stdin.take());
        let mut seen = String::new();
        self.out.read_line(&mut seen).expect("what it saw");
        serde_json::from_str(&seen).expect("JSON")
    }
}

impl Drop for Sites {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves the sites until standard input is closed; then prints what they saw.
pub fn serve(hosts: usize, pages: usize) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let lab = runtime.block_on(Lab::start()).expect("a port");
    for host in 0..hosts {
        lab.serve(&name(host), Catalogue { seed: host as u64, ..Catalogue::plain(pages) });
        lab.with_latency(&name(host), LATENCY);
    }
    println!("{}", lab.name_table());
    let _ = std::io::stdin().read(&mut [0]);
    println!("{}", serde_json::to_string(&seen(&lab, hosts)).expect("numbers"));
}

fn seen(lab: &Lab, hosts: usize) -> Seen {
    let requests = lab.requests();
    let first = requests.first().expect("a request").at;
    // In the order of arrival, by host.
    let mut by_host: HashMap<&str, Vec<f64>> = HashMap::new();
    let mut linked: HashMap<&str, f64> = HashMap::new();
    for request in &requests {
        let at = request.at.duration_since(first).as_secs_f64();
        by_host.entry(&request.host).or_default().push(at);
        if request.path.starts_with("/page-") {
            linked.entry(&request.host).or_insert(at);
        }
    }
    assert_eq!((by_host.len(), linked.len()), (hosts, hosts), "every host was crawled");
    let mut start_ups: Vec<f64> = linked.iter().map(|(host, at)| at - by_host[host][0]).collect();
    start_ups.sort_by(f64::total_cmp);
    let ends = by_host.values().map(|times| times[times.len() - 1]);
    let whole = ends.clone().fold(0.0, f64::max);
    let begun = linked.values().copied().fold(0.0, f64::max);
    let over = ends.fold(f64::INFINITY, f64::min);
    let within = |times: &[f64]| times.iter().filter(|at| (begun..over).contains(at)).count();
    let steady = over - begun;
    Seen {
        requests: requests.len(),
        whole,
        start_up: start_ups[start_ups.len() / 2],
        spread: by_host.values().map(|times| times[0]).fold(0.0, f64::max),
        steady_requests: by_host.values().map(|times| within(times)).sum(),
        steady,
        fastest: by_host.values().map(|times| within(times) as f64 / steady).fold(0.0, f64::max),
        at_a_time: (0..hosts).map(|host| lab.max_in_flight(&name(host))).max().unwrap_or_default(),
    }
}
