//! Whether dead and slow domains delay others, and whether memory grows with the list.
//!
//!     cargo bench -p trawl --bench contacts_domains [-- DOMAINS]
//!
//! Visits small companies on loopback, one in ten of them dead or slow, and the healthy ones
//! alone; prints the time until the last healthy record can be read in each run, and the peak
//! memory of the server at a fifth of the domains and at all of them.

#[path = "harness/measured.rs"]
#[expect(dead_code, reason = "the cost of a whole process is not measured here")]
mod measured;
#[path = "harness/server.rs"]
#[expect(dead_code, reason = "the job of this benchmark is over domains")]
mod server;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use lab::{Company, Lab};
use measured::{peak, times};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use server::Server;

/// Poll interval for new records.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Page size for reading records.
const PAGE: usize = 100;

#[tokio::main]
async fn main() {
    let count = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(1_000_usize);
    let companies = Company::generated(count);
    let healthy: Vec<Company> = companies.iter().filter(|one| is_healthy(one)).cloned().collect();
    println!("{count} domains, {} of them healthy", healthy.len());
    let alone = visit("the healthy alone", &healthy, &healthy).await;
    let among = visit("among the dead and slow", &companies, &healthy).await;
    let fifth: Vec<Company> = companies.iter().take(count / 5).cloned().collect();
    let few: Vec<Company> = fifth.iter().filter(|one| is_healthy(one)).cloned().collect();
    let small = visit("a fifth of them", &fifth, &few).await;
    println!(
        "last healthy record: {:.2} times as late (goal: at most 1.3)",
        among.last_healthy.as_secs_f64() / alone.last_healthy.as_secs_f64()
    );
    println!(
        "peak memory: {} MB at {count} domains, {} MB at {}",
        among.peak_bytes >> 20,
        small.peak_bytes >> 20,
        fifth.len()
    );
}

struct Seen {
    last_healthy: Duration,
    peak_bytes: u64,
}

/// Whether the company responds at once: the lab makes one in ten dead or slow.
fn is_healthy(company: &Company) -> bool {
    let name = company.host().split('.').next().unwrap_or_default();
    !name.ends_with('9')
}

async fn visit(name: &str, companies: &[Company], healthy: &[Company]) -> Seen {
    let lab = Lab::start().await.expect("a port");
    lab.record_requests(false);
    let names = Company::serve_all(companies, &lab);
    let folder = tempfile::tempdir().expect("a folder");
    let settings = folder.path().join("settings.toml");
    // Longer than the environment needs.
    std::fs::write(&settings, format!("resolve = \"{names}\"\n")).expect("a file");
    let settings = settings.to_str().expect("a path");
    let variables = [("TRAWL_CONFIG", settings), ("TRAWL_FIRST_CREDITS", "1000000")];
    let server = Server::start(folder.path(), "all", &variables);
    let client = Client::new();
    let domains: Vec<_> = companies.iter().map(Company::host).collect();
    let body = json!({"mode": "contacts", "legal_basis_accepted": true, "domains": domains});
    let request = server.request(&client, Method::POST, "/v1/jobs").json(&body);
    let started = Instant::now();
    let answer: Value = request.send().await.expect("an answer").json().await.expect("JSON");
    let job = format!("/v1/jobs/{}", answer["job_id"].as_str().expect("an id"));
    let mut waited_for: HashSet<&str> = healthy.iter().map(Company::host).collect();
    let (mut read, mut last_healthy) = (0, Duration::ZERO);
    loop {
        let path = format!("{job}/results?page={}&page_size={PAGE}", read / PAGE + 1);
        let request = server.request(&client, Method::GET, &path);
        let page: Value = request.send().await.expect("an answer").json().await.expect("JSON");
        let items = page["items"].as_array().expect("items");
        for item in items.iter().skip(read % PAGE) {
            if waited_for.remove(item["domain"].as_str().expect("a domain")) {
                last_healthy = started.elapsed();
            }
        }
        read = read / PAGE * PAGE + items.len();
        if read >= domains.len() {
            break;
        }
        if page["has_more"] == false {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
    assert!(waited_for.is_empty(), "no record of {waited_for:?}");
    let peak_bytes = peak(server.child.id());
    let (_, cpu) = times(server.child.id());
    println!(
        "{name}: last healthy record after {:.1} s, the last of all after {:.1} s, {cpu:.1} s of CPU, \
         {} MB at most",
        last_healthy.as_secs_f64(),
        started.elapsed().as_secs_f64(),
        peak_bytes >> 20
    );
    Seen { last_healthy, peak_bytes }
}
