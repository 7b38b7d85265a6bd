//! Time to continue a batch of a large run, from the claim of the shard to the first new request, compared
//! with only reading and decompressing the same bytes.
//!
//!     cargo bench -p worker --bench continue_batch              # 1,000,000 known URLs
//!     cargo bench -p worker --bench continue_batch -- 100000    # fewer
//!
//! Workers over SQLite crawl a simulated site until the batch is full, with commits and snapshots. Then the
//! batch is confirmed, and new workers continue it in each round, alternating with the raw replay.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use contract::{AccountId, Confirm, JobId, Status};
use fixture::NOW;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Version};
use net::{Encoding, Fetch, FetchError, FetchRequest, FetchResponse};
use runner::{Fetcher, HostGate, HostGateSettings};
use runtime::SystemClock;
use sqlx::AnyPool;
use store::{Creation, NewJob, Store, StoreSettings};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use worker::{WorkerSettings, Workers};

/// Links of a page: the number of known URLs is this multiple of the fetched ones.
const CHILDREN: u64 = 4;

const ROUNDS: usize = 5;

#[tokio::main]
async fn main() {
    // Cargo adds `--bench`.
    let known: u64 = std::env::args().find_map(|text| text.parse().ok()).unwrap_or(1_000_000);
    sqlx::any::install_default_drivers();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = format!("sqlite:{}/bench.db?mode=rwc", folder.path().display());
    let store = Store::new(StoreSettings::new(url.clone())).expect("an address");
    store.prepare().await.expect("the tables are made");
    let account = fixture::account(&store, 1_000_000_000).await;
    let mut new = fixture::new_job(&account, "example.com");
    new.draft.batch_size = known / CHILDREN;
    let job = fill_a_batch(&store, &new).await;
    println!("{} fetched, {} known URLs", new.draft.batch_size, known_urls(&store, &job).await);
    confirm(&store, &account, &job).await;

    let raw = AnyPool::connect(&url).await.expect("it connects");
    let (mut continued, mut replayed, mut sizes) = (Vec::new(), Vec::new(), (0, 0));
    for _ in 0..ROUNDS {
        continued.push(time_to_first_request(&store).await);
        let started = Instant::now();
        sizes = replay_raw(&raw).await;
        replayed.push(started.elapsed());
    }
    let (continued, replayed) = (median(&mut continued), median(&mut replayed));
    println!(
        "first new request after {continued:.2?}; {} MB read and unpacked to {} MB in \
         {replayed:.2?}; {:.2} ×",
        sizes.0 / 1_000_000,
        sizes.1 / 1_000_000,
        continued.as_secs_f64() / replayed.as_secs_f64()
    );
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Runs the job until its batch is full.
async fn fill_a_batch(store: &Store, new: &NewJob) -> JobId {
    let created = store.create_job(new, NOW).await.expect("the database answers");
    assert!(matches!(created, Creation::Created(_)), "not created: {created:?}");
    let job = new.draft.id.clone();
    let (stop, workers) = work(store, Arc::new(Tree));
    while status(store, &job).await != Status::Paused {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    stop.cancel();
    workers.await.expect("no panic");
    job
}

async fn status(store: &Store, job: &JobId) -> Status {
    store.job(job).await.expect("the database answers").expect("a job").status
}

async fn known_urls(store: &Store, job: &JobId) -> u64 {
    store.job(job).await.expect("the database answers").expect("a job").counts.pages
}

async fn confirm(store: &Store, account: &AccountId, job: &JobId) {
    let answer = Confirm { continue_batch: Some(true), ..Confirm::default() };
    store.confirm(account, job, answer, NOW).await.expect("it goes on");
}

/// Workers of a new process.
fn work(store: &Store, fetch: Arc<dyn Fetch>) -> (CancellationToken, tokio::task::JoinHandle<()>) {
    let clock = Arc::new(SystemClock);
    let gate = HostGateSettings { concurrency: 64, delay: Duration::ZERO };
    let fetcher = Fetcher::new(fetch, HostGate::new(gate, clock.clone()), clock);
    let settings = WorkerSettings { host_concurrency: 16, ..WorkerSettings::default() };
    let stop = CancellationToken::new();
    let workers = Workers::new(store.clone(), fetcher, settings);
    (stop.clone(), tokio::spawn(workers.run(stop)))
}

/// Time from the start of the workers, with claim, read and replay, to the first request.
async fn time_to_first_request(store: &Store) -> Duration {
    let first = Arc::new(First::default());
    let started = Instant::now();
    let (stop, workers) = work(store, Arc::clone(&first) as Arc<dyn Fetch>);
    first.seen.notified().await;
    let elapsed = started.elapsed();
    stop.cancel();
    workers.await.expect("no panic");
    let url = first.url.lock().expect("no panic").clone();
    assert!(url.is_some_and(|url| url.contains("/p/")), "a page that is new");
    elapsed
}

/// Reads and decompresses the bytes of a replay. Returns the sizes before and after.
async fn replay_raw(pool: &AnyPool) -> (usize, usize) {
    let snapshot: Vec<Vec<u8>> =
        sqlx::query_scalar("SELECT body FROM snapshots ORDER BY shard_id, part")
            .fetch_all(pool)
            .await
            .expect("it reads");
    let commits: Vec<Vec<u8>> = sqlx::query_scalar(
        "SELECT commits.body FROM commits JOIN shards ON shards.id = commits.shard_id \
         WHERE seq > snapshot_seq ORDER BY seq",
    )
    .fetch_all(pool)
    .await
    .expect("it reads");
    let snapshot = snapshot.concat();
    let mut sizes = (0, 0);
    for body in commits.iter().chain([&snapshot].into_iter().filter(|body| !body.is_empty())) {
        // After the type and the version.
        let bytes = zstd::stream::decode_all(&body[2..]).expect("it unpacks");
        sizes = (sizes.0 + body.len(), sizes.1 + bytes.len());
        std::hint::black_box(bytes);
    }
    sizes
}

fn answer(status: u16, kind: &'static str, body: String) -> FetchResponse {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    FetchResponse {
        status,
        version: Version::HTTP_11,
        headers,
        wire_bytes: body.len() as u64,
        body: Bytes::from(body),
        body_truncated: false,
        encoding: Encoding::Identity,
        remote: ([127, 0, 0, 1], 80).into(),
        first_byte: Duration::ZERO,
        elapsed: Duration::ZERO,
    }
}

/// An endless site: each page links to a few pages that no other page links to.
#[derive(Debug)]
struct Tree;

#[async_trait]
impl Fetch for Tree {
    async fn fetch(&self, request: FetchRequest) -> Result<FetchResponse, FetchError> {
        let path = request.url.path();
        if path == "/robots.txt" {
            return Ok(answer(200, "text/plain", "User-agent: *\nDisallow:\n".to_owned()));
        }
        let number: u64 = path.strip_prefix("/p/").and_then(|it| it.parse().ok()).unwrap_or(0);
        let links = (1..=CHILDREN).map(|child| {
            let child = number * CHILDREN + child;
            format!("<li><a href=\"/p/{child}\">Page number {child}</a></li>")
        });
        let links: String = links.collect();
        Ok(answer(
            200,
            "text/html; charset=utf-8",
            format!(
                "<!doctype html><html lang=\"en\"><head><title>Page {number}</title></head><body>\
                 <h1>Page {number}</h1><p>This is what page {number} has to say.</p>\
                 <ul>{links}</ul></body></html>"
            ),
        ))
    }
}

/// Reports the first request, and never responds.
#[derive(Debug, Default)]
struct First {
    asked: AtomicBool,
    url: Mutex<Option<String>>,
    seen: Notify,
}

#[async_trait]
impl Fetch for First {
    async fn fetch(&self, request: FetchRequest) -> Result<FetchResponse, FetchError> {
        if !self.asked.swap(true, Ordering::SeqCst) {
            *self.url.lock().expect("no panic") = Some(request.url.to_string());
            self.seen.notify_one();
        }
        std::future::pending().await
    }
}
