//! Pages that exceed limits: read in child processes and skipped.

#[cfg(target_os = "linux")]
use std::io::Read;
#[cfg(target_os = "linux")]
use std::process::{Command, Stdio};
use std::time::Duration;

use crawl::{BodyNeed, ExtractRequest, FetchTask, FetchVia, Purpose, ResponseHead};
use lab::{Lab, Reply, Site, SiteTruth};
use page::ReadRequest;
use runner::{ReadTrial, ReaderPool, ReaderPoolSettings};
use serde_json::{Value, json};
use urls::CanonicalUrl;

use crate::server::{Server, Setup, wait_for};

const MIB: u64 = 1 << 20;

fn pool(memory: u64, cpu: Duration) -> ReaderPool {
    ReaderPool::new(ReaderPoolSettings {
        program: env!("CARGO_BIN_EXE_trawl").into(),
        arguments: vec!["read-pages".to_owned()],
        children: 1,
        cpu,
        memory,
    })
}

fn request() -> ReadRequest {
    let task = FetchTask {
        url: CanonicalUrl::parse("https://site.test/").expect("a URL"),
        purpose: Purpose::Url { id: journal::UrlId::START, need: BodyNeed::Page { images: true } },
        visit: None,
        gap: None,
        fetch_via: FetchVia::Plain,
        extract: ExtractRequest {
            extractor: registry::extractor(contract::Mode::Contacts, &[]),
            language: false,
        },
    };
    let head = ResponseHead {
        status: 200,
        content_type: Some("text/html".to_owned()),
        ..ResponseHead::default()
    };
    ReadRequest::of(&task, &head)
}

/// Many small elements: the DOM is much larger than the markup.
fn page(bytes: usize) -> Vec<u8> {
    "<p><b>x</b>".repeat(bytes / 11).into_bytes()
}

#[tokio::test]
async fn page_within_the_limits_survives_an_isolated_reader() {
    let pool = pool(512 * MIB, Duration::from_secs(20));
    for bytes in [0, 1_000, 100_000] {
        let trial = pool.try_read(&request(), &page(bytes)).await;
        assert!(matches!(trial, ReadTrial::Survived), "{bytes}: {trial:?}");
    }
}

#[tokio::test]
async fn page_that_exceeds_the_memory_of_an_isolated_reader_is_too_complex() {
    let pool = pool(64 * MIB, Duration::from_secs(20));
    let trial = pool.try_read(&request(), &page(6 << 20)).await;
    assert!(matches!(trial, ReadTrial::TooComplex(_)), "{trial:?}");
    // A new child reads the next page.
    let trial = pool.try_read(&request(), &page(1_000)).await;
    assert!(matches!(trial, ReadTrial::Survived), "{trial:?}");
}

#[tokio::test]
async fn page_that_exceeds_the_cpu_time_of_an_isolated_reader_is_too_complex() {
    let pool = pool(512 * MIB, Duration::from_millis(1));
    let trial = pool.try_read(&request(), &page(4 << 20)).await;
    assert!(matches!(trial, ReadTrial::TooComplex(_)), "{trial:?}");
}

/// Other systems do not report mapped memory.
#[cfg(target_os = "linux")]
#[test]
fn isolated_reader_refuses_to_start_beyond_its_memory_limit() {
    let start = |eager: &str| {
        Command::new(env!("CARGO_BIN_EXE_trawl"))
            .args(["read-pages", &(32 * MIB).to_string(), "1000"])
            .env("MIMALLOC_ARENA_EAGER_COMMIT", eager)
            .stdin(Stdio::null())
            .output()
            .expect("the binary starts")
    };
    let ready = start("0");
    assert!(ready.status.success() && ready.stdout == b"R", "{ready:?}");
    // An allocator may map its arena before the limit applies.
    let refused = start("1");
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && said.contains("memory limit"), "{refused:?}");
}

/// The sandbox layers are tested in `runner`; this shows that the program applies them.
#[cfg(target_os = "linux")]
#[test]
fn isolated_reader_is_confined_before_it_reads_a_page() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_trawl"))
        .args(["read-pages", &(64 * MIB).to_string(), "1000"])
        .env("MIMALLOC_ARENA_EAGER_COMMIT", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut ready = [0];
    child.stdout.as_mut().expect("a pipe").read_exact(&mut ready).expect("it gets ready");
    let of_child = |file: &str| {
        let text = std::fs::read_to_string(format!("/proc/{}/{file}", child.id()));
        text.expect("the kernel reports it")
    };
    let (status, limits) = (of_child("status"), of_child("limits"));
    let value = |text: &str, name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|line| line.split_whitespace().next()).map(str::to_owned)
    };
    for (text, name, expected) in [
        (&status, "NoNewPrivs:", 1),
        (&status, "Seccomp:", 2),
        (&limits, "Max data size", 64 * MIB),
        (&limits, "Max open files", 3),
        (&limits, "Max file size", 0),
        (&limits, "Max core file size", 0),
    ] {
        assert_eq!(value(text, name), Some(expected.to_string()), "{name}");
    }
    drop(child.stdin.take());
    assert!(child.wait().expect("it ends").success());
}

#[tokio::test]
async fn missing_reader_program_is_not_blamed_on_the_page() {
    let pool = ReaderPool::new(ReaderPoolSettings {
        program: "/nowhere/trawl".into(),
        arguments: Vec::new(),
        children: 1,
        cpu: Duration::from_secs(1),
        memory: 512 * MIB,
    });
    let trial = pool.try_read(&request(), b"<p>").await;
    assert!(matches!(trial, ReadTrial::Unavailable(_)), "{trial:?}");
}

/// A home page that links a heavy page and light pages.
#[derive(Debug, Clone, Copy)]
struct OneHeavyPage;

const LIGHT_PAGES: usize = 5;

impl Site for OneHeavyPage {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/" => {
                let light: String =
                    (0..LIGHT_PAGES).map(|n| format!("<a href=/light-{n}>light</a>")).collect();
                Reply::html(format!("<a href=/heavy>heavy</a>{light}"))
            }
            "/heavy" => Reply::html(page(6 << 20)),
            _ if path.starts_with("/light-") => Reply::html(format!("<p>{path}</p>")),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

async fn skipped(server: &Server, key: &str, job: &str) -> Vec<(String, String)> {
    let skipped = server.get(&format!("/v1/jobs/{job}/skipped"), key).await;
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let items = skipped["items"].as_array().expect("items").iter();
    items.map(|item| (text(&item["url"]), text(&item["reason"]))).collect()
}

async fn heavy_site() -> (Lab, tempfile::TempDir, Setup) {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", OneHeavyPage);
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path()).with("TRAWL_ALLOW_NETWORKS", lab.address().to_string());
    (lab, folder, setup)
}

#[tokio::test(flavor = "multi_thread")]
async fn page_over_its_cpu_budget_is_skipped_as_too_complex_and_the_run_continues() {
    let (lab, _folder, setup) = heavy_site().await;
    let mut server = Server::start(&setup.with("TRAWL_PAGE_CPU_MS", 20)).await;
    let key = server.first_key();
    let job = server.create(&key, &lab.url("/"), json!({"mode": "markdown"})).await;
    let done = server.wait(&key, &job, &["completed", "failed"]).await;
    assert_eq!(done["status"], "completed", "{done}");
    assert_eq!(server.results(&key, &job).await.len(), LIGHT_PAGES + 1);
    let heavy = (lab.url("/heavy"), "too_complex".to_owned());
    assert_eq!(skipped(&server, &key, &job).await, [heavy]);
    assert_eq!(done["credits_used"], 2 * (LIGHT_PAGES + 1), "a skipped page is not charged");
}

#[tokio::test(flavor = "multi_thread")]
async fn run_whose_worker_died_twice_is_read_in_child_processes() {
    let (lab, _folder, setup) = heavy_site().await;
    // The heavy page exceeds the memory of the children: it shows which pages they read.
    let setup =
        setup.with("TRAWL_ISOLATED_READER_BYTES", 32 * MIB).with("TRAWL_PAGE_CPU_MS", 60_000);
    let texts = json!({"mode": "markdown"});
    lab.with_latency("site.lab", Duration::from_millis(300));
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let job = server.create(&key, &lab.url("/"), texts.clone()).await;
    for _ in 0..2 {
        // The status survives a restart: only a request shows that this server runs the job.
        let before = lab.request_count();
        wait_for(async || (lab.request_count() > before).then_some(())).await;
        server.kill();
        server = Server::start(&setup).await;
    }
    let done = server.wait(&key, &job, &["completed", "failed"]).await;
    assert_eq!(done["status"], "completed", "{done}");
    let heavy = (lab.url("/heavy"), "too_complex".to_owned());
    assert_eq!(skipped(&server, &key, &job).await, [heavy]);
    // Other runs read the same page in the server.
    let job = server.create(&key, &lab.url("/"), texts).await;
    server.wait(&key, &job, &["completed", "failed"]).await;
    assert_eq!(server.results(&key, &job).await.len(), LIGHT_PAGES + 2);
}
