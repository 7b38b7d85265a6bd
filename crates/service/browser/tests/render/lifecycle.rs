//! Start, replacement and end of browsers.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use browser::{RenderFetch, RenderSettings};
use lab::Lab;
use net::{Fetch as _, FetchError, FetchRequest, RenderFault};

use crate::{
    PATIENCE, Script, ask, chromium, get, http, lab_with, patient, processes, renderer, text, url,
};

/// Names the profile directory of the child process.
const SCRATCH: &str = "TRAWL_TEST_SCRATCH";

fn within(scratch: &Path) -> RenderSettings {
    RenderSettings { scratch: Some(scratch.to_owned()), ..patient() }
}

fn entries(folder: &Path) -> usize {
    std::fs::read_dir(folder).expect("a folder").count()
}

/// Pages that keep their renderer busy.
async fn busy_lab() -> Lab {
    let site = Script::default()
        .page("/", "<title>fine</title>")
        .page("/loop", "<p>x<script>fetch('/started').then(() => { for (;;); })</script>")
        .page(
            "/waiting",
            "<p>x<script>fetch('/started'); setInterval(() => fetch('/busy'), 50)</script>",
        );
    lab_with(site).await
}

/// Waits for a request of `path`.
async fn asked_for(lab: &Lab, path: &str) {
    let asked = async {
        while !lab.requests().iter().any(|seen| seen.path == path) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, asked).await.expect("the page asks for it");
}

fn in_background(
    fetch: &RenderFetch,
    page: &str,
) -> tokio::task::JoinHandle<Result<net::FetchResponse, FetchError>> {
    let (fetch, request) = (fetch.clone(), FetchRequest::get(url(page)));
    tokio::spawn(async move { fetch.fetch(request).await })
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn browser_ends_with_its_last_owner_and_its_profile_is_removed() {
    let lab = busy_lab().await;
    let scratch = tempfile::tempdir().expect("a folder");
    let fetch = renderer(&lab, within(scratch.path()));
    assert!(processes::under(scratch.path()).is_empty(), "no browser starts before the first page");
    get(&fetch, "http://site.lab.test/").await.expect("a page");
    let clone = fetch.clone();
    drop(fetch);
    assert_eq!(entries(scratch.path()), 1);
    get(&clone, "http://site.lab.test/").await.expect("a page");
    assert_eq!(clone.counts().starts, 1);
    assert!(clone.memory() > 10 << 20);
    drop(clone);
    processes::all_gone(scratch.path()).await;
    processes::emptied(scratch.path()).await;
}

/// Does nothing unless the test below runs it in a child process, which it kills.
#[tokio::test]
async fn child_renders_until_it_is_killed() {
    let Some(scratch) = std::env::var_os(SCRATCH) else {
        return;
    };
    let lab = busy_lab().await;
    let fetch = renderer(&lab, within(Path::new(&scratch)));
    let _busy = in_background(&fetch, "http://site.lab.test/loop");
    asked_for(&lab, "/started").await;
    std::fs::write(Path::new(&scratch).join("started"), "").expect("a file");
    std::future::pending::<()>().await;
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn browser_ends_when_its_parent_process_is_killed() {
    let scratch = tempfile::tempdir().expect("a folder");
    let mut parent = Command::new(std::env::current_exe().expect("the test itself"))
        .args(["--exact", "lifecycle::child_renders_until_it_is_killed"])
        .env(SCRATCH, scratch.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let started = async {
        while !scratch.path().join("started").exists() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let started = tokio::time::timeout(PATIENCE, started).await;
    let browsers = processes::under(scratch.path());
    // SIGKILL: the child cannot clean up.
    parent.kill().expect("it lives");
    parent.wait().expect("it ends");
    started.expect("the page is shown");
    assert!(browsers.iter().any(processes::Process::is_renderer), "{browsers:?}");
    processes::all_gone(scratch.path()).await;
    // The next renderer removes its profile.
    let left = entries(scratch.path());
    assert_eq!(left, 2, "the profile, and the mark of the test");
    let lab = busy_lab().await;
    let fetch = renderer(&lab, within(scratch.path()));
    get(&fetch, "http://site.lab.test/").await.expect("a page");
    assert_eq!(entries(scratch.path()), 2, "its own profile, and the lock file");
}

/// Kills the browser while it renders a page.
async fn kill_in_mid_page(lab: &Lab, scratch: &Path) {
    asked_for(lab, "/started").await;
    for process in processes::under(scratch).iter().filter(|process| process.is_browser()) {
        process.kill();
    }
    lab.clear_requests();
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn page_is_retried_once_when_its_browser_is_killed() {
    let lab = busy_lab().await;
    let scratch = tempfile::tempdir().expect("a folder");
    let life = Duration::from_secs(6);
    let fetch = renderer(&lab, RenderSettings { page_life: life, ..within(scratch.path()) });
    let page = in_background(&fetch, "http://site.lab.test/waiting");
    kill_in_mid_page(&lab, scratch.path()).await;
    let shown = tokio::time::timeout(PATIENCE, page).await.expect("an end").expect("no panic");
    assert!(text(&shown.expect("a page")).contains("<p>x"));
    assert_eq!(fetch.counts().starts, 2);
    lab.clear_requests();
    let page = in_background(&fetch, "http://site.lab.test/waiting");
    for _ in 0..2 {
        kill_in_mid_page(&lab, scratch.path()).await;
    }
    let lost = tokio::time::timeout(PATIENCE, page).await.expect("an end").expect("no panic");
    assert_eq!(lost, Err(FetchError::Renderer(RenderFault::BrowserGone)));
    let fine = get(&fetch, "http://site.lab.test/").await.expect("a page");
    assert!(text(&fine).contains("fine"));
    assert!(fetch.is_healthy());
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn killed_renderer_process_fails_only_its_page() {
    let lab = busy_lab().await;
    let scratch = tempfile::tempdir().expect("a folder");
    let fetch = renderer(&lab, within(scratch.path()));
    let page = in_background(&fetch, "http://site.lab.test/waiting");
    asked_for(&lab, "/started").await;
    for process in processes::under(scratch.path()).iter().filter(|process| process.is_renderer()) {
        process.kill();
    }
    let lost = tokio::time::timeout(PATIENCE, page).await.expect("an end").expect("no panic");
    assert_eq!(lost, Err(FetchError::Renderer(RenderFault::Crashed)));
    // Every renderer was killed, also the spare one for the next page.
    let mut next = get(&fetch, "http://site.lab.test/").await;
    if next.is_err() {
        next = get(&fetch, "http://site.lab.test/").await;
    }
    next.expect("a page");
    assert_eq!(fetch.counts().crashes, 1);
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn page_of_a_cancelled_fetch_is_closed() {
    let lab = busy_lab().await;
    // With one tab, the next page starts only after the previous one is closed.
    let fetch = renderer(&lab, RenderSettings { tabs: 1, ..patient() });
    for path in ["/waiting", "/loop"] {
        lab.clear_requests();
        let page = in_background(&fetch, &format!("http://site.lab.test{path}"));
        asked_for(&lab, "/started").await;
        page.abort();
        get(&fetch, "http://site.lab.test/").await.expect("a page");
        lab.clear_requests();
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert!(lab.requests().is_empty(), "{path} continues: {:?}", lab.requests());
    }
    assert_eq!(fetch.counts().starts, 1);
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn browser_is_replaced_after_its_maximum_pages() {
    let lab = busy_lab().await;
    let scratch = tempfile::tempdir().expect("a folder");
    let settings = RenderSettings { browser_pages: 2, ..within(scratch.path()) };
    let fetch = renderer(&lab, settings);
    for _ in 0..5 {
        get(&fetch, "http://site.lab.test/").await.expect("a page");
    }
    assert_eq!(fetch.counts().starts, 3);
    assert_eq!(entries(scratch.path()), 1);
}

/// A context is replaced after its maximum pages while its open pages continue.
#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn memory_limit_applies_to_pages_of_a_replaced_context() {
    let growing = "<p>x<script>fetch('/started'); setInterval(() => fetch('/busy'), 50);
        const kept = [];
        const grow = () => { if (kept.length < 40) kept.push(new Uint8Array(16 << 20).fill(1)); };
        setTimeout(() => setInterval(grow, 20), 4000);</script>";
    let lab =
        lab_with(Script::default().page("/growing", growing).page("/", "<title>fine</title>"));
    let lab = lab.await;
    let settings = RenderSettings { context_pages: 1, page_memory: 320 << 20, ..patient() };
    let fetch = renderer(&lab, settings);
    let page = in_background(&fetch, "http://site.lab.test/growing");
    asked_for(&lab, "/started").await;
    get(&fetch, "http://site.lab.test/").await.expect("a page");
    let lost = tokio::time::timeout(PATIENCE, page).await.expect("an end").expect("no panic");
    assert_eq!(lost, Err(FetchError::Renderer(RenderFault::Crashed)));
    assert_eq!(fetch.counts().starts, 1);
}

/// The browser of an account is replaced only when it is idle.
#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn account_has_one_browser_process_at_a_time() {
    let lab = busy_lab().await;
    let scratch = tempfile::tempdir().expect("a folder");
    let life = Duration::from_secs(6);
    let settings = RenderSettings { browser_pages: 1, page_life: life, ..within(scratch.path()) };
    let fetch = renderer(&lab, settings);
    let page = in_background(&fetch, "http://site.lab.test/waiting");
    asked_for(&lab, "/started").await;
    // With `browser_pages` 1 the second page uses the same browser; the third waits for the first.
    for _ in 0..2 {
        get(&fetch, "http://site.lab.test/").await.expect("a page");
    }
    assert!(page.is_finished(), "a second browser was started");
    assert!(fetch.counts().starts >= 2, "{:?}", fetch.counts());
    page.await.expect("no panic").expect("a page");
    let browsers = processes::under(scratch.path());
    assert_eq!(browsers.iter().filter(|process| process.is_browser()).count(), 1);
}

/// Renders a page that exceeds a limit and checks that its browser is killed.
async fn assert_killed_over_limit(path: &str, settings: RenderSettings) {
    let lab = busy_lab().await;
    let scratch = tempfile::tempdir().expect("a folder");
    let fetch = renderer(&lab, RenderSettings { scratch: Some(scratch.path().into()), ..settings });
    let page = format!("http://site.lab.test{path}");
    let lost = get(&fetch, &page).await;
    assert_eq!(lost, Err(FetchError::Renderer(RenderFault::OverLimit)), "{path}");
    let counts = fetch.counts();
    assert_eq!((counts.starts, counts.over_limit), (2, 2), "retried once in a new browser");
    // The killed browser is cleaned up without a further page.
    processes::all_gone(scratch.path()).await;
    processes::emptied(scratch.path()).await;
    assert!(fetch.is_healthy());
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn browser_over_its_memory_limit_is_killed_and_the_page_fails() {
    assert_killed_over_limit("/waiting", RenderSettings { browser_memory: 1 << 20, ..patient() })
        .await;
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn browser_over_its_cpu_limit_is_killed_and_the_page_fails() {
    let browser_cpu_burst = Duration::from_secs(5);
    let settings = RenderSettings { browser_cores: 0.01, browser_cpu_burst, ..patient() };
    assert_killed_over_limit("/loop", settings).await;
}

#[tokio::test]
async fn failed_start_is_retried_with_backoff_not_for_every_page() {
    let lab = busy_lab().await;
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("chromium");
    let tries = folder.path().join("tries");
    std::fs::write(&tries, "").expect("a file");
    // Chromium may run as another user than the test.
    std::fs::set_permissions(&tries, std::fs::Permissions::from_mode(0o666)).expect("rights");
    let script = format!("#!/bin/sh\necho x >> {}\necho no display >&2\nexit 1\n", tries.display());
    std::fs::write(&program, script).expect("a file");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("rights");
    let found = RenderFetch::find(Some(&program)).expect("a program");
    let fetch = RenderFetch::new(found, patient(), http(&lab));
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(8) {
        let error = get(&fetch, "http://site.lab.test/").await.expect_err("no browser");
        let FetchError::Renderer(RenderFault::Unavailable(why)) = &error else {
            panic!("{error}");
        };
        assert!(why.contains("no display"), "{why}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(!fetch.is_healthy());
    // Starts after 1, 2 and 4 seconds instead of 400.
    let tries = std::fs::read_to_string(tries).expect("it was tried").lines().count();
    assert!((2..=4).contains(&tries), "{tries} tries");
    assert_eq!(fetch.counts().failed_starts, tries as u64);
    assert!(lab.requests().is_empty());
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn failed_start_of_one_account_does_not_delay_others() {
    let lab = busy_lab().await;
    let folder = tempfile::tempdir().expect("a folder");
    let (program, broken) = (folder.path().join("chromium"), folder.path().join("broken"));
    std::fs::write(&broken, "").expect("a file");
    let (real, mark) = (chromium(), broken.display());
    let script = format!("#!/bin/sh\n[ -e {mark} ] && exit 1\nexec {} \"$@\"\n", real.display());
    std::fs::write(&program, script).expect("a file");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("rights");
    let fetch = RenderFetch::new(program, patient(), http(&lab));
    let page = |account: &str| FetchRequest::get(url("http://site.lab.test/")).isolated(account);
    let refused = ask(&fetch, page("one")).await;
    assert!(
        matches!(refused, Err(FetchError::Renderer(RenderFault::Unavailable(_)))),
        "{refused:?}"
    );
    std::fs::remove_file(&broken).expect("it is there");
    // Only the first account waits for a second.
    ask(&fetch, page("two")).await.expect("a page");
    assert!(fetch.is_healthy());
}

#[test]
fn missing_browser_is_an_error_only_when_needed() {
    assert_eq!(RenderFetch::find(Some(Path::new("/no/such/chromium"))), None);
}
