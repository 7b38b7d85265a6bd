//! Pages that attack the browser, and killed browsers: only that page is affected.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lab::{HostileScripts, Reply, Scripted, Site, SiteTruth};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::{Scene, paths, scene};
use crate::server::{Server, output, wait_for};

/// Time for twenty pages that use their whole time limit, four at a time, on a busy machine.
const LONG: Duration = Duration::from_secs(400);

/// A page that is empty until its script has run.
fn shell(script: &str) -> Reply {
    Reply::html(format!(
        "<!doctype html><html><head><title>App</title></head><body><div id=\"app\"></div>\
         <noscript>This page needs JavaScript.</noscript><script>\n\
         const show = (html) => document.getElementById('app').innerHTML = html;\n{script}\n\
         </script></body></html>"
    ))
}

async fn ended(scene: &Scene, job: &str) -> Value {
    let end = async {
        loop {
            let seen = scene.server.get(&format!("/v1/jobs/{job}"), &scene.key).await;
            if ["completed", "failed"].contains(&seen["status"].as_str().unwrap_or_default()) {
                return seen;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(LONG, end).await.expect("an end")
}

async fn found(scene: &Scene, job: &str) -> BTreeSet<String> {
    let items = scene.server.results(&scene.key, job).await;
    let urls = items.iter().map(|item| item["url"].as_str().expect("a url"));
    urls.map(|url| format!("/{}", url.splitn(4, '/').last().unwrap_or_default())).collect()
}

async fn metric(scene: &Scene, name: &str) -> u64 {
    let text = scene.server.metrics().await;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.map_or(0, |number| number.parse().expect("a number"))
}

/// A server on a private address, and the number of connections to it.
async fn neighbour() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let knocks = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&knocks);
    tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    (address, knocks)
}

/// Browser processes with a profile in this test's folder.
fn browsers(scratch: &Path) -> Vec<(u32, String)> {
    let folder = scratch.display().to_string();
    let all = std::fs::read_dir("/proc").expect("/proc").flatten();
    all.filter_map(|entry| {
        let id: u32 = entry.file_name().to_str()?.parse().ok()?;
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains(&folder).then_some((id, line))
    })
    .collect()
}

fn kill(id: u32) {
    output(std::process::Command::new("kill").args(["-9", &id.to_string()]));
}

fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| {
            let mut below = files(&entry.path());
            below.push(entry.file_name().to_string_lossy().into_owned());
            below
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn hostile_scripts_affect_only_their_own_page() {
    let (private, knocks) = neighbour().await;
    let mischief = HostileScripts { private, elsewhere: "http://elsewhere.lab/landing".to_owned() };
    let truth = mischief.truth();
    let scene = scene(&[("TRAWL_BROWSER_PAGE_MS", "4000")], |lab| {
        lab.serve("mischief.lab", mischief)
            .serve("app.lab", Scripted::Shell)
            .serve("elsewhere.lab", Scripted::Prerendered);
    })
    .await;
    let bad = scene.server.create(&scene.key, "http://mischief.lab/", json!({})).await;
    // The healthy run starts while the browser is fully used.
    wait_for(async || (metric(&scene, "trawl_browser_tabs").await >= 3).then_some(())).await;
    let good = scene.server.create(&scene.key, "http://app.lab/", json!({})).await;
    let done = ended(&scene, &good).await;
    assert_eq!((&done["status"], &done["error"]), (&json!("completed"), &Value::Null));
    assert_eq!(found(&scene, &good).await, paths(&Scripted::Shell.truth_rendered()));

    let done = ended(&scene, &bad).await;
    assert_eq!((&done["status"], &done["error"]), (&json!("completed"), &Value::Null));
    assert_eq!(found(&scene, &bad).await, truth.delivered.keys().cloned().collect());
    assert_eq!(done["credits_used"], truth.delivered.len());
    let asked = scene.lab.requests();
    for never in &truth.never {
        let taken = asked.iter().find(|seen| seen.path.starts_with(never));
        assert!(taken.is_none(), "a page got what it must not: {taken:?}");
    }
    assert!(!asked.iter().any(|seen| seen.host == "elsewhere.lab"), "no page leaves");
    assert!(!asked.iter().any(|seen| seen.path.contains("window=")), "no page opens another");
    assert_eq!(knocks.load(Ordering::SeqCst), 0, "the private server got no connection");
    let kept = files(&scene.scratch());
    assert!(!kept.iter().any(|name| name == "x" || name.ends_with(".bin")), "{kept:?}");
    let outcome = |word: &str| format!("trawl_rendered_pages_total{{outcome=\"{word}\"}}");
    assert!(metric(&scene, &outcome("ok")).await >= 8, "the healthy ones");
    assert!(metric(&scene, &outcome("hung")).await >= 1, "the endless loop");
    wait_for(async || (metric(&scene, "trawl_browser_tabs").await == 0).then_some(())).await;
}

/// Pages that take a while and then show a link.
#[derive(Debug)]
struct Slow;

const SLOW: usize = 6;

impl Site for Slow {
    fn answer(&self, path_and_query: &str) -> Reply {
        if path_and_query == "/" {
            let links: String = (0..SLOW).map(|n| format!("<a href=/slow/{n}>{n}</a> ")).collect();
            return Reply::html(format!("<p>A page with words and links.</p>{links}"));
        }
        match path_and_query.strip_prefix("/slow/") {
            Some(n) => shell(&format!(
                "fetch('/started').then(() => fetch('/started')).then(() => \
                 show('<p>Words that were there all along.</p><a href=/deep/{n}>deep</a>'))"
            )),
            None => match path_and_query {
                "/started" => Reply::text("yes"),
                path if path.starts_with("/deep/") => {
                    Reply::html(format!("<p>Deep down, words of {path}.</p>"))
                }
                _ => Reply::status(404),
            },
        }
    }

    fn truth(&self) -> SiteTruth {
        let pages = (0..SLOW).flat_map(|n| [format!("/slow/{n}"), format!("/deep/{n}")]);
        let delivered = pages.chain(["/".to_owned()]).map(|path| (path, 200)).collect();
        SiteTruth { delivered, ..SiteTruth::default() }
    }
}

/// A run that is rendering its first pages.
async fn in_mid_page() -> (Scene, String) {
    let scene = scene(&[], |lab| {
        lab.serve("slow.lab", Slow).with_latency("slow.lab", Duration::from_millis(300));
    })
    .await;
    let job = scene.server.create(&scene.key, "http://slow.lab/", json!({})).await;
    wait_for(async || {
        scene.lab.requests().iter().any(|seen| seen.path == "/started").then_some(())
    })
    .await;
    (scene, job)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn killed_browser_loses_no_page() {
    let (scene, job) = in_mid_page().await;
    let all = browsers(&scene.scratch());
    let browser =
        all.iter().find(|(_, line)| !line.contains("--type=") && !line.contains("crashpad"));
    kill(browser.expect("a browser").0);
    let done = ended(&scene, &job).await;
    assert_eq!((&done["status"], &done["error"]), (&json!("completed"), &Value::Null));
    assert_eq!(found(&scene, &job).await, paths(&Slow.truth()), "also what only scripts show");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn browsers_end_with_a_killed_server() {
    let (scene, job) = in_mid_page().await;
    let scratch = scene.scratch();
    assert!(!browsers(&scratch).is_empty());
    let Scene { lab, server, key, setup, folder } = scene;
    server.kill();
    wait_for(async || browsers(&scratch).is_empty().then_some(())).await;
    // The run continues with a new browser.
    let scene = Scene { lab, server: Server::start(&setup).await, key, setup, folder };
    let done = ended(&scene, &job).await;
    assert_eq!((&done["status"], &done["error"]), (&json!("completed"), &Value::Null));
    assert_eq!(found(&scene, &job).await, paths(&Slow.truth()));
}

/// A page that shows whether its cookie was set before.
#[derive(Debug)]
struct Remembers;

impl Site for Remembers {
    fn answer(&self, path_and_query: &str) -> Reply {
        match path_and_query {
            "/" => shell(
                "const been = document.cookie.includes('been') || localStorage.getItem('been'); \
                 document.cookie = 'been=1; path=/; max-age=600'; localStorage.setItem('been', 1); \
                 show('<p>Words for the reader.</p><a href=' + (been ? '/again' : '/new') + '>on</a>')",
            ),
            "/again" | "/new" => Reply::html("<p>Words enough to be a page.</p>"),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn accounts_have_separate_cookies() {
    let mut scene = scene(&[], |lab| {
        lab.serve("remembers.lab", Remembers);
    })
    .await;
    let visit = async |scene: &Scene| {
        let job = scene.server.create(&scene.key, "http://remembers.lab/", json!({})).await;
        ended(scene, &job).await;
        found(scene, &job).await
    };
    let seen = |path: &str| BTreeSet::from(["/".to_owned(), path.to_owned()]);
    assert_eq!(visit(&scene).await, seen("/new"));
    assert_eq!(visit(&scene).await, seen("/again"), "cookies of the same account persist");
    let other = |words: &[&str]| output(scene.setup.other().args(words)).stdout;
    let email = ["--email", "ada@example.com", "--json"];
    other(&[&["account", "create", "--credits", "50"], &email[..]].concat());
    let key: Value =
        serde_json::from_slice(&other(&[&["key", "create"], &email[..]].concat())).expect("a key");
    scene.key = key["key"].as_str().expect("a secret").to_owned();
    assert_eq!(visit(&scene).await, seen("/new"), "another account has no cookies");
}
