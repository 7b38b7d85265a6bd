//! Isolation of accounts: cookies, storage and processes are never shared.

use browser::{RenderFetch, RenderSettings};
use net::FetchRequest;

use crate::{Script, ask, lab_with, patient, processes, renderer, text, url};

/// A page that shows the stored values and stores new ones.
const PAGE: &str = "<p id=found></p><script>
    const found = [document.cookie, localStorage.mark, sessionStorage.mark, window.name];
    document.getElementById('found').textContent = 'found: ' + found.filter(Boolean).join();
    document.cookie = 'cookie=1'; localStorage.mark = 'local'; sessionStorage.mark = 'session';
    window.name = 'name';</script>";

async fn found(fetch: &RenderFetch, key: Option<&str>) -> String {
    let request = FetchRequest::get(url("http://site.lab.test/"));
    let request = match key {
        Some(key) => request.isolated(key),
        None => request,
    };
    let answer = ask(fetch, request).await.expect("a page");
    let found = text(&answer).split("found: ").nth(1).and_then(|rest| rest.split("</p>").next());
    found.expect("a finding").to_owned()
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn cookies_and_storage_are_isolated_by_account() {
    let lab = lab_with(Script::default().page("/", PAGE)).await;
    let fetch = renderer(&lab, patient());
    assert_eq!(found(&fetch, Some("one")).await, "");
    assert_eq!(found(&fetch, Some("one")).await, "cookie=1,local");
    assert_eq!(found(&fetch, Some("two")).await, "");
    assert_eq!(found(&fetch, None).await, "");
    assert_eq!(found(&fetch, None).await, "cookie=1,local");
    assert_eq!(found(&fetch, Some("two")).await, "cookie=1,local");
    assert_eq!(fetch.counts().starts, 3, "a browser for each");
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn accounts_never_share_a_browser_and_browsers_are_limited() {
    let page = "<p id=found></p><script>
        fetch('/started').then(() => fetch('/wait')).then(() => {
          document.getElementById('found').textContent = 'found: done'; });</script>";
    let lab = lab_with(Script::default().page("/", page)).await;
    let scratch = tempfile::tempdir().expect("a folder");
    let settings =
        RenderSettings { tabs: 2, scratch: Some(scratch.path().to_owned()), ..patient() };
    let fetch = renderer(&lab, settings);
    let mut browsers = std::collections::BTreeSet::new();
    for round in 0..2 {
        for account in ["one", "two", "three"] {
            assert_eq!(found(&fetch, Some(account)).await, "done", "{round} {account}");
            let running = fetch.process_ids();
            assert!((1..=2).contains(&running.len()), "{round} {account}: {running:?}");
            browsers.extend(running);
        }
    }
    // Each time the least recently used browser was killed.
    assert_eq!((fetch.counts().starts, browsers.len()), (6, 6));
    let at_once = ["one", "two", "three", "four"].map(|account| {
        let fetch = fetch.clone();
        tokio::spawn(async move { found(&fetch, Some(account)).await })
    });
    for page in at_once {
        assert_eq!(page.await.expect("no panic"), "done");
    }
    let browsers = processes::under(scratch.path());
    let browsers = browsers.iter().filter(|process| process.is_browser()).count();
    assert!(browsers <= 2, "{browsers} browsers");
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn idle_browser_is_killed_and_its_profile_removed() {
    let lab = lab_with(Script::default().page("/", PAGE)).await;
    let scratch = tempfile::tempdir().expect("a folder");
    let fetch = renderer(
        &lab,
        RenderSettings {
            browser_idle: std::time::Duration::from_millis(100),
            scratch: Some(scratch.path().to_owned()),
            ..patient()
        },
    );
    assert_eq!(found(&fetch, Some("one")).await, "");
    processes::all_gone(scratch.path()).await;
    processes::emptied(scratch.path()).await;
    assert_eq!(found(&fetch, Some("one")).await, "", "its storage is deleted");
    assert_eq!(fetch.counts().starts, 2);
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn context_is_closed_after_its_maximum_pages() {
    let lab = lab_with(Script::default().page("/", PAGE)).await;
    let fetch = renderer(&lab, RenderSettings { context_pages: 2, ..patient() });
    for expected in ["", "cookie=1,local", "", "cookie=1,local", ""] {
        assert_eq!(found(&fetch, Some("one")).await, expected);
    }
    assert_eq!(fetch.counts().starts, 1);
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn idle_context_is_closed() {
    let lab = lab_with(Script::default().page("/", PAGE)).await;
    let idle = std::time::Duration::from_millis(100);
    let fetch = renderer(&lab, RenderSettings { context_idle: idle, ..patient() });
    assert_eq!(found(&fetch, Some("one")).await, "");
    // Contexts are swept four times a second.
    tokio::time::sleep(std::time::Duration::from_secs(3)).await;
    assert_eq!(found(&fetch, Some("one")).await, "");
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn service_workers_are_bypassed() {
    let site = Script::default()
        .page(
            "/",
            "<p id=state>before</p><script>
             const say = (text) => document.getElementById('state').textContent = text;
             fetch('/data').then((answer) => answer.text()).then((data) => {
               say(data);
               return navigator.serviceWorker.register('/worker.js');
             }).catch(() => {});</script>",
        )
        .on("/data", lab::Reply::text("from the site"))
        .on(
            "/worker.js",
            lab::Reply::typed(
                200,
                "text/javascript",
                "onfetch = (e) => e.respondWith(new Response('from the worker'));
                 oninstall = () => skipWaiting(); onactivate = (e) => e.waitUntil(clients.claim());",
            ),
        );
    let lab = lab_with(Script::default()).await;
    lab.serve("localhost", site);
    let fetch = renderer(&lab, patient());
    for _ in 0..3 {
        let answer =
            ask(&fetch, FetchRequest::get(url("http://localhost/"))).await.expect("a page");
        assert!(text(&answer).contains("from the site"), "{}", text(&answer));
    }
}
