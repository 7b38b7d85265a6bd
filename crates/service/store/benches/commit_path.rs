//! The commit path: URLs a second into the log, with price, results and counters, against
//! the raw append of the same bytes in the same database with the same durability.
//!
//!     cargo bench -p store --bench commit_path
//!
//! PostgreSQL is measured when `TRAWL_TEST_POSTGRES` names a server. The rounds of the
//! two ways alternate, so that a noisy machine disturbs both alike.

use std::time::{Duration, Instant};

use contract::{DiscoveredBy, Item, LinkItem, LinkType};
use fixture::NOW;
use journal::{Commit, DiscoveredUrl, Finished, Outcome, Segment, Step, UrlId, Via};
use sqlx::AnyPool;
use sqlx::any::AnyPoolOptions;
use store::{Appended, Lease, Store, StoreSettings};

const URLS_A_COMMIT: u32 = 256;
const COMMITS_A_ROUND: u32 = 40;
const ROUNDS: u32 = 8;

#[tokio::main]
async fn main() {
    sqlx::any::install_default_drivers();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite:{}/bench.db?mode=rwc", folder.path().display());
    measure("SQLite", url).await;
    match std::env::var("TRAWL_TEST_POSTGRES") {
        Ok(_) => measure("PostgreSQL", fixture::fresh_postgres().await).await,
        Err(_) => println!("PostgreSQL: not measured, TRAWL_TEST_POSTGRES names no server"),
    }
}

async fn measure(name: &str, url: String) {
    let store = Store::new(StoreSettings::new(url.clone())).expect("an address");
    store.prepare().await.expect("the tables are made");
    let mut lease = running(&store).await;
    let raw = raw_pool(&url).await;
    let (mut whole, mut bare) = (Duration::ZERO, Duration::ZERO);
    let mut ordinal = 0;
    let mut bytes = 0;
    for round in 0..ROUNDS {
        let commits: Vec<_> = (0..COMMITS_A_ROUND)
            .map(|_| {
                ordinal += URLS_A_COMMIT;
                commit(ordinal)
            })
            .collect();
        let encoded: Vec<_> = commits
            .iter()
            .map(|(commit, items)| {
                let log = commit.encode().expect("it encodes");
                (log, Segment::pack(items).expect("it packs").bytes)
            })
            .collect();
        bytes += encoded.iter().map(|(log, items)| log.len() + items.len()).sum::<usize>();
        let started = Instant::now();
        for (commit, items) in &commits {
            let appended = store.append(&mut lease, commit, items, &[], NOW).await;
            assert_eq!(appended.expect("it answers"), Appended::Stored);
        }
        whole += started.elapsed();
        let started = Instant::now();
        for (number, (log, items)) in (0_i64..).zip(encoded) {
            let seq = i64::from(round) * 1_000 + number;
            raw_append(&raw, &url, seq, log, items).await;
        }
        bare += started.elapsed();
    }
    let urls = f64::from(URLS_A_COMMIT * COMMITS_A_ROUND * ROUNDS);
    let (whole, bare) = (urls / whole.as_secs_f64(), urls / bare.as_secs_f64());
    println!(
        "{name}: {whole:.0} URLs/s through the store, {bare:.0} URLs/s raw ({} bytes a URL); \
         ratio {:.2} of the raw append",
        bytes / urls as usize,
        whole / bare
    );
}

/// The same bytes, in two tables, one transaction a commit.
async fn raw_append(pool: &AnyPool, url: &str, seq: i64, log: Vec<u8>, items: Vec<u8>) {
    let begin = if url.starts_with("sqlite") { "BEGIN IMMEDIATE" } else { "BEGIN" };
    let mut tx = pool.begin_with(begin).await.expect("it begins");
    for (statement, body) in [(RAW_LOG, log), (RAW_ITEMS, items)] {
        sqlx::query(statement).bind(seq).bind(body).execute(&mut *tx).await.expect("it is written");
    }
    tx.commit().await.expect("it commits");
}

const RAW_TABLES: &str = "CREATE TABLE raw_log (seq BIGINT PRIMARY KEY, body blob NOT NULL); \
     CREATE TABLE raw_items (seq BIGINT PRIMARY KEY, body blob NOT NULL);";
const RAW_LOG: &str = "INSERT INTO raw_log (seq, body) VALUES ($1, $2)";
const RAW_ITEMS: &str = "INSERT INTO raw_items (seq, body) VALUES ($1, $2)";

async fn raw_pool(url: &str) -> AnyPool {
    let sqlite = url.starts_with("sqlite");
    let pool = AnyPoolOptions::new()
        .max_connections(1)
        .after_connect(move |connection, _| {
            Box::pin(async move {
                if sqlite {
                    let pragmas = "PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; \
                                   PRAGMA synchronous = FULL;";
                    sqlx::raw_sql(pragmas).execute(connection).await?;
                }
                Ok(())
            })
        })
        .connect(url)
        .await
        .expect("it connects");
    sqlx::raw_sql(RAW_TABLES).execute(&pool).await.expect("the tables are made");
    pool
}

async fn running(store: &Store) -> Lease {
    let account = fixture::account(store, 1_000_000_000).await;
    let mut new = fixture::new_job(&account, "example.com");
    new.draft.batch_size = 1_000_000_000;
    fixture::running(store, &new).await
}

/// 256 pages of a large site: each was found on another, links to sixty and is delivered.
fn commit(first: u32) -> (Commit, Vec<Item>) {
    let pages = first..first + URLS_A_COMMIT;
    let steps = pages.clone().map(|ordinal| {
        let anchor = Some(format!("Read more about product {ordinal}").into());
        Step::Finished(Finished {
            found: vec![DiscoveredUrl::page(url(ordinal + 1), Via::Link, anchor)],
            linked: (0..60).map(|n| UrlId(ordinal.wrapping_mul(n + 7) % (first + 1))).collect(),
            content: Some(u64::from(ordinal).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            delivered: true,
            units: 1,
            ..Finished::bare(UrlId(ordinal), Outcome::Answered(200))
        })
    });
    (Commit { steps: steps.collect() }, pages.map(item).collect())
}

fn url(ordinal: u32) -> String {
    format!("https://example.com/category/{}/product-{ordinal}.html", ordinal % 97)
}

fn item(ordinal: u32) -> Item {
    Item::Link(Box::new(LinkItem {
        url: url(ordinal),
        title: Some(format!("Product {ordinal} in its category")),
        kind: LinkType::Page,
        status_code: Some(200),
        final_url: None,
        redirects: Vec::new(),
        content_type: Some("text/html; charset=utf-8".to_owned()),
        size_bytes: Some(u64::from(20_000 + ordinal % 10_000)),
        response_ms: Some(u64::from(20 + ordinal % 90)),
        error: None,
        depth: Some(3),
        inlinks: u64::from(ordinal % 40),
        found_on: Some(url(ordinal / 2)),
        anchor: Some(format!("Read more about product {ordinal}")),
        discovered_by: vec![DiscoveredBy::Link],
        external: false,
        broken: false,
        orphan: false,
        in_sitemap: None,
        indexable: Some(true),
        index_reason: None,
        canonical_url: Some(url(ordinal)),
        duplicate_of: None,
        language: Some("en".to_owned()),
        description: Some(format!("Everything that there is to know about product {ordinal}.")),
        h1: Some(format!("Product {ordinal}")),
        word_count: Some(u64::from(300 + ordinal % 700)),
        content_hash: Some(format!("{:016x}", u64::from(ordinal).wrapping_mul(0x9e37_79b9))),
        fetched_at: Some(NOW),
        nofollow: false,
        robots: Vec::new(),
        files: None,
    }))
}
