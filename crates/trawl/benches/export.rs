//! Exports of a large job: rows per CPU-second of the server compared with the libraries alone,
//! and the memory of the server.
//!
//!     cargo bench -p trawl --bench export -- [ROWS]        (1,000,000)

#[path = "harness/measured.rs"]
#[expect(dead_code, reason = "shared with a bench that measures whole processes")]
mod measured;
#[path = "harness/server.rs"]
mod server;

use std::path::Path;
use std::time::Duration;

use contract::Millis;
use fixture::pages_commit;
use job::{JobCommand, Tier};
use measured::{peak, times};
use reqwest::{Client, Method};
use serde_json::{Value, json};
use server::Server;
use store::{NodeName, Store, StoreSettings};

/// Number of rows in one commit.
const COMMIT: u32 = 256;

/// Maximum additional memory of an export.
const ALLOWED: u64 = 64 << 20;

#[tokio::main]
async fn main() {
    let rows = std::env::args().filter_map(|word| word.parse().ok()).next().unwrap_or(1_000_000);
    let folder = tempfile::tempdir().expect("a folder");
    let settings = [("TRAWL_FIRST_CREDITS", "100000000")];
    let server = Server::start(folder.path(), "api", &settings);
    let client = Client::new();
    let job = server.create(&client, "https://example.com/").await;
    fill(folder.path(), rows).await;
    let pid = server.child.id();
    println!("{rows} rows of `links`");
    let direct = [("csv", directly(rows, csv_file)), ("xlsx", directly(rows, workbook))];
    for format in ["json", "csv", "md", "xml", "xlsx"] {
        let address = address(&server, &client, &job, format).await;
        // Reset the peak memory.
        std::fs::write(format!("/proc/{pid}/clear_refs"), "5").expect("its own child");
        let (idle, (_, before)) = (peak(pid), times(pid));
        let mut file = client.get(address).send().await.expect("an answer");
        assert!(file.status().is_success());
        let mut bytes = 0;
        while let Some(chunk) = file.chunk().await.expect("a whole file") {
            bytes += chunk.len();
        }
        let cpu = times(pid).1 - before;
        let more = peak(pid).saturating_sub(idle);
        print!(
            "{format:5} {:8.0} rows per CPU-second, {:5} MB, {} MB above idle ({:.2} of what is \
             allowed)",
            f64::from(rows) / cpu,
            bytes >> 20,
            more >> 20,
            more as f64 / ALLOWED as f64,
        );
        match direct.iter().find(|(name, _)| *name == format) {
            Some((_, alone)) => println!("  {:.2} of the library alone", alone / cpu),
            None => println!(),
        }
    }
}

/// Fills the job with results as a worker does.
async fn fill(folder: &Path, rows: u32) {
    let url = format!("sqlite:{}/trawl.db?mode=rwc", folder.display());
    let store = Store::new(StoreSettings::new(url)).expect("the server's database");
    store.prepare().await.expect("it is there");
    let now = Millis(1_794_735_000_000);
    let lease = store.claim(&NodeName::random(), Duration::from_secs(3_600), now).await;
    let mut lease = lease.expect("it answers").expect("a free shard");
    for command in [JobCommand::Start, JobCommand::LearnTier(Tier::Normal)] {
        store.report(&lease, &command, now).await.expect("it runs");
    }
    for first in (0..rows).step_by(COMMIT as usize) {
        let (commit, items) = pages_commit(first..rows.min(first + COMMIT));
        store.append(&mut lease, &commit, &items, &[], now).await.expect("it is stored");
    }
    store.close().await;
}

async fn address(server: &Server, client: &Client, job: &str, format: &str) -> String {
    let request = server.request(client, Method::POST, &format!("{job}/export"));
    let answer = request.json(&json!({"format": format})).send().await.expect("an answer");
    let answer: Value = answer.json().await.expect("JSON");
    answer["url"].as_str().expect("an address").to_owned()
}

/// CPU-seconds of this process for the same rows with the library alone; the texts are prepared.
fn directly(rows: u32, write: fn(u32, &[(String, String)])) -> f64 {
    let (_, items) = pages_commit(0..1);
    let item = serde_json::to_value(&items[0]).expect("JSON");
    let members = item.as_object().expect("an object").iter();
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let row: Vec<_> = members.map(|(name, value)| (name.clone(), text(value))).collect();
    let before = times(std::process::id()).1;
    write(rows, &row);
    times(std::process::id()).1 - before
}

fn csv_file(rows: u32, row: &[(String, String)]) {
    let mut out = csv::Writer::from_writer(std::io::sink());
    out.write_record(row.iter().map(|(name, _)| name)).expect("it takes all");
    for _ in 0..rows {
        out.write_record(row.iter().map(|(_, value)| value)).expect("it takes all");
    }
    out.flush().expect("it takes all");
}

fn workbook(rows: u32, row: &[(String, String)]) {
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet_with_constant_memory().expect("a sheet");
    for at in 0..rows.min(1_048_575) {
        for (column, (_, value)) in (0_u16..).zip(row) {
            if let Ok(number) = value.parse::<f64>() {
                sheet.write_number(at, column, number).expect("a cell");
            } else if !value.is_empty() {
                sheet.write_string(at, column, value).expect("a cell");
            }
        }
    }
    book.save_to_writer(std::io::sink()).expect("it takes all");
}
