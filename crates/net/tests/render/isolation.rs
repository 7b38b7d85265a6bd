//! What the browser keeps for one never reaches another.

use net::{RenderFetch, RenderSettings, Request};

use crate::{Script, ask, lab_with, patient, renderer, text, url};

/// Says what it finds, and leaves something behind.
const PAGE: &str = "<p id=found></p><script>
    const found = [document.cookie, localStorage.mark, sessionStorage.mark, window.name];
    document.getElementById('found').textContent = 'found: ' + found.filter(Boolean).join();
    document.cookie = 'cookie=1'; localStorage.mark = 'local'; sessionStorage.mark = 'session';
    window.name = 'name';</script>";

async fn found(fetch: &RenderFetch, whom: Option<&str>) -> String {
    let request = Request::get(url("http://site.lab.test/"));
    let request = match whom {
        Some(whom) => request.isolated(whom),
        None => request,
    };
    let answer = ask(fetch, request).await.expect("a page");
    let found = text(&answer).split("found: ").nth(1).and_then(|rest| rest.split("</p>").next());
    found.expect("a finding").to_owned()
}

#[tokio::test]
async fn cookies_and_storage_stay_with_whom_they_are_for() {
    let lab = lab_with(Script::default().page("/", PAGE)).await;
    let fetch = renderer(&lab, patient());
    assert_eq!(found(&fetch, Some("one")).await, "");
    assert_eq!(found(&fetch, Some("one")).await, "cookie=1,local");
    assert_eq!(found(&fetch, Some("two")).await, "");
    assert_eq!(found(&fetch, None).await, "");
    assert_eq!(found(&fetch, None).await, "cookie=1,local");
    assert_eq!(found(&fetch, Some("two")).await, "cookie=1,local");
    assert_eq!(fetch.counts().starts, 1);
}

#[tokio::test]
async fn a_context_is_closed_after_its_pages() {
    let lab = lab_with(Script::default().page("/", PAGE)).await;
    let fetch = renderer(&lab, RenderSettings { context_pages: 2, ..patient() });
    for expected in ["", "cookie=1,local", "", "cookie=1,local", ""] {
        assert_eq!(found(&fetch, Some("one")).await, expected);
    }
    assert_eq!(fetch.counts().starts, 1);
}

#[tokio::test]
async fn a_context_that_nobody_uses_is_closed() {
    let lab = lab_with(Script::default().page("/", PAGE)).await;
    let idle = std::time::Duration::from_millis(100);
    let fetch = renderer(&lab, RenderSettings { context_idle: idle, ..patient() });
    assert_eq!(found(&fetch, Some("one")).await, "");
    // The browser is looked after four times a second.
    tokio::time::sleep(std::time::Duration::from_secs(3)).await;
    assert_eq!(found(&fetch, Some("one")).await, "");
}

#[tokio::test]
async fn service_workers_do_not_come_between() {
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
        let answer = ask(&fetch, Request::get(url("http://localhost/"))).await.expect("a page");
        assert!(text(&answer).contains("from the site"), "{}", text(&answer));
    }
}
