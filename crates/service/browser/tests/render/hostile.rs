//! Hostile pages get an outcome each and do not affect other pages.

use std::time::Duration;

use browser::{RenderFetch, RenderSettings};
use net::{FetchError, FetchRequest, FetchResponse, RenderFault};

use crate::{Script, ask, get, lab_with, patient, renderer, text, url};

const HEALTHY: &str = "<title>x</title><script>onload = () => document.title = 'healthy'</script>";

/// Hostile pages; three run at a time in the browser of their account.
const HOSTILE: [(&str, &str); 9] = [
    ("/windows", "<p>w<script>for (let n = 0; n < 1000; n++) window.open('/healthy?' + n, '_blank')</script>"),
    ("/clicks", "<a href=/healthy target=_blank>w</a><script>
        for (let n = 0; n < 1000; n++) document.querySelector('a').click()</script>"),
    ("/leaving", "<p>g<script>setInterval(() => location = '/healthy?' + Math.random(), 1)</script>"),
    ("/heap", "<p>h<script>const all = []; for (;;) all.push(new Array(1000).fill({n: all.length}))</script>"),
    ("/buffers", "<p>b<script>const all = []; setInterval(() => { fetch('/busy');
        const more = new Uint8Array(64 << 20); more.fill(7); all.push(more) }, 1)</script>"),
    ("/loop", "<p>l<script>for (;;);</script>"),
    ("/alerts", "<p>a<script>for (;;) alert('look')</script>"),
    ("/nodes", "<p>n<script>for (;;) {
        const p = document.createElement('p'); p.textContent = 'x'.repeat(1000); document.body.append(p) }</script>"),
    ("/requests", "<p>r<script>setInterval(() => { for (let n = 0; n < 100; n++) fetch('/healthy?' + Math.random()) }, 1)</script>"),
];

/// Maximum time of a hostile page.
const SHORT_LIFE: Duration = Duration::from_secs(4);

fn site() -> Script {
    HOSTILE.iter().fold(Script::default().page("/healthy", HEALTHY), |site, (path, page)| {
        site.page(path, *page)
    })
}

async fn healthy(fetch: &RenderFetch) -> FetchResponse {
    let request =
        FetchRequest::get(url("http://site.lab.test/healthy")).isolated("another account");
    let answer = ask(fetch, request).await.expect("a healthy page");
    assert!(text(&answer).contains("<title>healthy</title>"), "{}", text(&answer));
    answer
}

fn check_outcome(path: &str, outcome: Result<FetchResponse, FetchError>) {
    let outcome = outcome.map(|answer| answer.status);
    match path {
        "/windows" | "/clicks" | "/leaving" => assert_eq!(outcome, Ok(200), "{path}"),
        // Rendered, unless its requests exceed the memory limit or its time before.
        "/requests" => assert!(
            matches!(outcome, Ok(200) | Err(FetchError::Renderer(_))),
            "{path}: {outcome:?}"
        ),
        "/buffers" => {
            assert_eq!(outcome, Err(FetchError::Renderer(RenderFault::Crashed)), "{path}");
        }
        "/loop" | "/alerts" => {
            assert_eq!(outcome, Err(FetchError::Renderer(RenderFault::Hung)), "{path}");
        }
        // Crashed or hung; on an overloaded machine they may not have started at all.
        _ => assert!(
            matches!(outcome, Err(FetchError::Renderer(_) | FetchError::TimedOut(_))),
            "{path}: {outcome:?}"
        ),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn hostile_pages_do_not_affect_other_pages() {
    let lab = lab_with(site()).await;
    lab.record_requests(false);
    // Two browsers share the machine with a page that sends requests forever.
    let reply = Duration::from_secs(15);
    let fetch = renderer(&lab, RenderSettings { reply, page_memory: 512 << 20, ..patient() });
    // The browser of the other account starts first: a start is slow on a busy machine, and the
    // hostile pages have little time.
    healthy(&fetch).await;
    for group in HOSTILE.chunks(3) {
        let pages = group.iter().map(|(path, _)| {
            let page = url(&format!("http://site.lab.test{path}"));
            let (fetch, request) = (fetch.clone(), FetchRequest::get(page).within(SHORT_LIFE));
            (*path, tokio::spawn(async move { ask(&fetch, request).await }))
        });
        let pages: Vec<_> = pages.collect();
        healthy(&fetch).await;
        for (path, page) in pages {
            check_outcome(path, page.await.expect("no panic"));
        }
        healthy(&fetch).await;
    }
    let counts = fetch.counts();
    // The healthy pages belong to another account with its own browser.
    assert_eq!((counts.starts, counts.pages), (2, 11), "{counts:?}");
    assert!(counts.crashes >= 1 && counts.hung >= 2, "{counts:?}");
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn too_large_document_is_an_error() {
    let site = Script::default()
        .page("/sent", format!("<p>{}", "x".repeat(200_000)))
        .page("/made", "<body><script>document.body.append('x'.repeat(9 << 20))</script>")
        .page(
            "/clobbered",
            "<img name=documentElement><img name=body><img name=doctype>
            <form name=createTreeWalker></form><p>here",
        );
    let lab = lab_with(site).await;
    let fetch = renderer(&lab, patient());
    let small = |path: &str| {
        let request = FetchRequest::get(url(&format!("http://site.lab.test{path}")));
        request.body(net::BodyLimit::AtMost(100_000))
    };
    assert_eq!(ask(&fetch, small("/sent")).await, Err(FetchError::TooLarge(100_000)));
    let made = get(&fetch, "http://site.lab.test/made").await;
    assert_eq!(made, Err(FetchError::TooLarge(8 << 20)));
    let sent = get(&fetch, "http://site.lab.test/sent").await.expect("a page");
    assert!(sent.body.len() > 200_000 && sent.wire_bytes > 200_000);
    let first = FetchRequest::get(url("http://site.lab.test/sent")).body(net::BodyLimit::First(50));
    let first = ask(&fetch, first).await.expect("the beginning");
    assert_eq!((first.body.len(), first.body_truncated), (50, true));
    let clobbered = get(&fetch, "http://site.lab.test/clobbered").await.expect("a page");
    assert!(text(&clobbered).contains("<p>here"), "{}", text(&clobbered));
}

#[tokio::test]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn dialogs_are_dismissed_and_permissions_denied() {
    let page = "<body><script>
        const busy = setInterval(() => fetch('/busy'), 100);
        alert('one'); const answers = [confirm('two'), prompt('three')];
        print(); onbeforeunload = () => 'stay';
        const silence = () => new Promise((yes) => setTimeout(yes, 2000, 'silence'));
        const ask = (name) => navigator.permissions.query({name}).then((p) => p.state, String);
        const locate = new Promise((yes) =>
          navigator.geolocation.getCurrentPosition(() => yes('here'), (e) => yes('no ' + e.code)));
        const asked = [ask('notifications'), ask('geolocation'), ask('camera'), locate,
          globalThis.Notification?.requestPermission() ?? 'denied', navigator.clipboard.readText().catch(() => 'no text')];
        Promise.all(asked.map((answer) => Promise.race([answer, silence()]))).then((all) => {
          document.body.append('GOT' + ' ' + answers.concat(all).join());
          clearInterval(busy);
        });
        const save = document.createElement('a');
        save.href = URL.createObjectURL(new Blob(['x'])); save.download = 'x.bin'; save.click();
        </script>";
    let lab = lab_with(Script::default()).await;
    lab.serve("localhost", Script::default().page("/", page));
    let scratch = tempfile::tempdir().expect("a folder");
    let settings = RenderSettings { scratch: Some(scratch.path().to_owned()), ..patient() };
    let fetch = renderer(&lab, settings);
    let answer = get(&fetch, "http://localhost/").await.expect("a page");
    let got = text(&answer).split("GOT ").nth(1).unwrap_or(text(&answer));
    assert!(got.starts_with("false,,denied,denied,denied,no 1,denied,no text"), "{got}");
    let found = walk(scratch.path());
    assert!(
        !found.iter().any(|name| name.ends_with("x.bin") || name.contains(".crdownload")),
        "{found:?}"
    );
}

fn walk(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| {
            let mut found = walk(&entry.path());
            found.push(entry.path().display().to_string());
            found
        })
        .collect()
}
