//! Throughput and memory of the renderer compared with Chromium driven directly.
//!
//!     cargo bench -p browser --bench render                  # 200 and 2,000 pages
//!     cargo bench -p browser --bench render -- 100 500       # other counts
//!
//! Prints pages a second with 4 tabs through `RenderFetch` and with the same Chromium
//! driven by as few commands as possible (a tab, a page, its load, its HTML), in turns, and
//! the memory of all processes of the pool after the first and after the second count of
//! pages (PSS, proportional set size).

use std::collections::HashMap;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use browser::{RenderFetch, RenderSettings};
use lab::{Lab, Reply, Site, SiteTruth};
use net::{Fetch as _, FetchRequest, HttpFetch, HttpSettings, NameTable, ResolverSettings};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::{mpsc, oneshot};
use urls::CanonicalUrl;

const TABS: usize = 4;

/// Pages of one comparison.
const COMPARED: usize = 200;

/// Number of comparisons, because of other load on the machine.
const ROUNDS: usize = 3;

/// Pages of 30 KB that a script fills.
#[derive(Debug)]
struct Shop;

impl Site for Shop {
    fn answer(&self, path_and_query: &str) -> Reply {
        match path_and_query {
            "/app.js" => Reply::typed(
                200,
                "text/javascript",
                "const list = document.getElementById('list');
                 for (let n = 0; n < 60; n++) {
                   const link = document.createElement('a');
                   link.href = '/page-' + n; link.textContent = 'Page ' + n; list.append(link);
                 }",
            ),
            _ => Reply::html(format!(
                "<!DOCTYPE html><title>{path_and_query}</title><div id=list></div>\
                 <script src=/app.js></script>{}",
                "<p>Lorem ipsum dolor sit amet, consectetur adipiscing elit.</p>".repeat(450)
            )),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

#[tokio::main]
async fn main() {
    // Cargo adds `--bench`.
    let counts: Vec<usize> = std::env::args().filter_map(|text| text.parse().ok()).collect();
    let (few, many) = match counts[..] {
        [few, many, ..] => (few, many),
        _ => (200, 2_000),
    };
    let chromium = RenderFetch::find(None).expect("Chromium");
    let lab = Lab::start().await.expect("a port is free");
    lab.serve("shop.lab.test", Shop).record_requests(false);

    println!("{TABS} tabs, {COMPARED} pages");
    for _ in 0..ROUNDS {
        compare(&chromium, &lab).await;
    }

    let scratch = tempfile::tempdir().expect("a folder");
    let fetch = renderer(&chromium, &lab, RenderSettings::default().quiet, Some(scratch.path()));
    let mut memory = Vec::new();
    for (shown, pages) in [(0, few), (few, many - few)] {
        let fetch_one = fetch.clone();
        pages_a_second(pages, move |n| show(fetch_one.clone(), shown + n)).await;
        // The last tabs close.
        tokio::time::sleep(Duration::from_secs(2)).await;
        memory.push(proportional_share(scratch.path()) as f64 / f64::from(1 << 20));
    }
    println!(
        "memory after {few} pages {:.0} MiB, after {many} pages {:.0} MiB: {:.2} × (goal: at \
         most 1.1); {} browsers",
        memory[0],
        memory[1],
        memory[1] / memory[0],
        fetch.counts().starts
    );
}

/// One round: Chromium alone, then the renderer without and with the quiet time.
async fn compare(chromium: &Path, lab: &Lab) {
    let driver = Arc::new(Driver::start(chromium).await);
    driver.show(&lab.url("/warm-up")).await;
    let directly = {
        let (driver, lab) = (Arc::clone(&driver), lab.address());
        pages_a_second(COMPARED, move |n| {
            let driver = Arc::clone(&driver);
            async move { driver.show(&format!("http://{lab}/page-{n}")).await }
        })
        .await
    };
    drop(driver);
    println!("driven directly: {directly:.1} pages/s");
    for (quiet, what) in [
        (Duration::ZERO, "done at load, as driven directly"),
        (RenderSettings::default().quiet, "done when quiet, as by default"),
    ] {
        let fetch = renderer(chromium, lab, quiet, None);
        show(fetch.clone(), 0).await;
        let through = pages_a_second(COMPARED, move |n| show(fetch.clone(), n)).await;
        println!("through RenderFetch, {what}: {through:.1} pages/s, {:.2} ×", through / directly);
    }
}

/// PSS in bytes of every process with a profile under `scratch`.
fn proportional_share(scratch: &Path) -> u64 {
    let scratch = scratch.to_string_lossy().into_owned();
    let processes = std::fs::read_dir("/proc").expect("/proc").flatten().map(|entry| entry.path());
    let read = |process: &Path, file: &str| {
        let bytes = std::fs::read(process.join(file)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    // Not all child processes have the profile in their arguments, but all have HOME.
    let of_pool = processes.filter(|process| {
        ["cmdline", "environ"].iter().any(|file| read(process, file).contains(&scratch))
    });
    let share = |process: &Path| {
        let rollup = read(process, "smaps_rollup");
        let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?;
        line.trim().trim_end_matches(" kB").parse::<u64>().ok()
    };
    of_pool.filter_map(|process| share(&process)).sum::<u64>() * 1_024
}

fn renderer(chromium: &Path, lab: &Lab, quiet: Duration, scratch: Option<&Path>) -> RenderFetch {
    let names = NameTable::parse(&lab.name_table()).expect("a table");
    let resolver = ResolverSettings { names, ..ResolverSettings::default() };
    let http = HttpFetch::new(HttpSettings { resolver, ..HttpSettings::default() });
    let scratch = scratch.map(Path::to_owned);
    let settings = RenderSettings { tabs: TABS, quiet, scratch, ..RenderSettings::default() };
    RenderFetch::new(chromium.to_owned(), settings, http.expect("sound settings"))
}

async fn show(fetch: RenderFetch, n: usize) {
    let url = CanonicalUrl::parse(&format!("http://shop.lab.test/page-{n}")).expect("a URL");
    let answer = fetch.fetch(FetchRequest::get(url)).await.expect("a page");
    assert!(std::str::from_utf8(&answer.body).expect("UTF-8").contains("Page 59"));
}

/// Renders pages with [`TABS`] concurrent tabs.
async fn pages_a_second<F>(pages: usize, show: impl Fn(usize) -> F + Clone + Send + 'static) -> f64
where
    F: Future<Output = ()> + Send,
{
    let started = Instant::now();
    let next = Arc::new(AtomicUsize::new(0));
    let tabs = (0..TABS).map(|_| {
        let (next, show) = (Arc::clone(&next), show.clone());
        tokio::spawn(async move {
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                if n >= pages {
                    return;
                }
                show(n).await;
            }
        })
    });
    for tab in tabs.collect::<Vec<_>>() {
        tab.await.expect("no panic");
    }
    pages as f64 / started.elapsed().as_secs_f64()
}

/// Chromium driven with as few commands as possible.
struct Driver {
    outbox: mpsc::UnboundedSender<Value>,
    next: AtomicU64,
    waiting: Waiting,
    _child: Child,
    _profile: tempfile::TempDir,
}

/// Waiters for the result of a command or the load event of a session.
type Waiting = Arc<Mutex<HashMap<String, oneshot::Sender<Value>>>>;

impl Driver {
    async fn start(chromium: &Path) -> Self {
        let profile = tempfile::tempdir().expect("a folder");
        let mut child = Command::new("/bin/sh")
            .args(["-c", r#"exec "$@" 3<&0 4>&1 0</dev/null 1>/dev/null"#, "chromium"])
            .arg(chromium)
            .args(["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .env("HOME", profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("it starts");
        let input = child.stdin.take().expect("a pipe");
        let mut output = child.stdout.take().expect("a pipe");
        let (outbox, messages) = mpsc::unbounded_channel();
        tokio::spawn(write(input, messages));
        let waiting = Waiting::default();
        let answered = Arc::clone(&waiting);
        tokio::spawn(async move {
            let (mut bytes, mut chunk) = (Vec::new(), vec![0; 64 * 1024]);
            while let Ok(length @ 1..) = output.read(&mut chunk).await {
                bytes.extend_from_slice(&chunk[..length]);
                while let Some(end) = bytes.iter().position(|byte| *byte == 0) {
                    let message = bytes.drain(..=end).collect::<Vec<_>>();
                    let message: Value = serde_json::from_slice(&message[..end]).expect("JSON");
                    let key = match (&message["id"], message["method"].as_str()) {
                        (Value::Number(id), _) => id.to_string(),
                        (_, Some("Page.loadEventFired")) => {
                            message["sessionId"].as_str().unwrap_or_default().to_owned()
                        }
                        _ => continue,
                    };
                    let waiting = answered.lock().expect("no panic").remove(&key);
                    waiting.map(|waiting| waiting.send(message["result"].clone()));
                }
            }
        });
        let next = AtomicU64::new(1);
        Self { outbox, next, waiting, _child: child, _profile: profile }
    }

    async fn call(&self, session: &str, method: &str, params: Value) -> Value {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let answer = self.expect(id.to_string());
        let mut message = json!({"id": id, "method": method, "params": params});
        if !session.is_empty() {
            message["sessionId"] = session.into();
        }
        self.outbox.send(message).expect("the browser lives");
        answer.await.expect("an answer")
    }

    fn expect(&self, key: String) -> oneshot::Receiver<Value> {
        let (sender, receiver) = oneshot::channel();
        self.waiting.lock().expect("no panic").insert(key, sender);
        receiver
    }

    async fn show(&self, url: &str) {
        let created = self.call("", "Target.createTarget", json!({"url": "about:blank"})).await;
        let target = &created["targetId"];
        let params = json!({"targetId": target, "flatten": true});
        let attached = self.call("", "Target.attachToTarget", params).await;
        let session = attached["sessionId"].as_str().expect("a session");
        self.call(session, "Page.enable", json!({})).await;
        let loaded = self.expect(session.to_owned());
        self.call(session, "Page.navigate", json!({"url": url})).await;
        loaded.await.expect("a page");
        let params = json!({"expression": "document.documentElement.outerHTML"});
        let html = self.call(session, "Runtime.evaluate", params).await;
        assert!(html["result"]["value"].as_str().is_some_and(|html| html.len() > 1000));
        self.call("", "Target.closeTarget", json!({"targetId": target})).await;
    }
}

async fn write(mut input: ChildStdin, mut messages: mpsc::UnboundedReceiver<Value>) {
    while let Some(message) = messages.recv().await {
        let text = format!("{message}\0");
        if input.write_all(text.as_bytes()).await.is_err() {
            return;
        }
    }
}
