//! Sites behind a login, and rendering of every page of a run.

use std::time::Duration;

use lab::{Catalogue, Lab, MEMBER, Members, Signpost, Site, forbidden_urls};
use serde_json::{Value, json};

use super::{Scene, paths, scene};
use crate::server::{Server, output, text};

const URL: &str = "http://members.lab/";
const PASSWORD: &str = MEMBER.1;

fn login() -> Value {
    json!({
        "url": "http://members.lab/login",
        "actions": [
            {"type": "type", "selector": "#user", "text": MEMBER.0},
            {"type": "type", "selector": "#password", "text": PASSWORD},
            {"type": "click", "selector": "#go"},
        ],
        "wait_for": "#member",
    })
}

async fn members(site: &Members) -> Scene {
    let served = site.clone();
    scene(&[("TRAWL_LOG", "debug")], |lab| {
        lab.serve("members.lab", served);
    })
    .await
}

/// Whether a file of the data folder contains the password.
fn is_stored(scene: &Scene) -> bool {
    let entries = std::fs::read_dir(&scene.setup.data).expect("the data folder").flatten();
    let mut files = entries.filter_map(|entry| std::fs::read(entry.path()).ok());
    files.any(|bytes| bytes.windows(PASSWORD.len()).any(|part| part == PASSWORD.as_bytes()))
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn site_behind_a_login_is_crawled_completely() {
    let site = Members::new(30);
    let scene = members(&site).await;
    let (found, done) = scene.run(URL, json!({"login": login()})).await;
    assert_eq!((&done["status"], &done["error"]), (&json!("completed"), &Value::Null), "{done}");
    assert_eq!(found, paths(&site.truth()));
    assert_eq!((site.logins(), site.rejected()), (1, 0));
    let path = format!("/v1/jobs/{}", done["job_id"].as_str().expect("an id"));
    let shown = scene.server.get(&path, &scene.key).await;
    assert_eq!(shown["access"]["login"]["actions"][1]["text"], "(hidden)", "{shown}");
    assert!(!shown.to_string().contains(PASSWORD) && !is_stored(&scene));
    let logged = scene.server.logged.lock().expect("no panic").clone();
    assert!(logged.contains("logged in") && !logged.contains(PASSWORD));
    assert!(!logged.contains("session=member"), "the cookie is no secret in the log");

    // The text of the pages, rendered by the browser in the same session.
    let more = json!({"mode": "markdown", "login": login(), "render": "always",
        "options": {"max_pages": 4}, "wait_for": "main"});
    let job = scene.server.create(&scene.key, URL, more).await;
    scene.server.wait(&scene.key, &job, &["completed"]).await;
    let items = scene.server.results(&scene.key, &job).await;
    assert!(items.len() >= 3, "{items:?}");
    assert!(
        items
            .iter()
            .all(|item| item["markdown"].as_str().is_some_and(|it| it.contains("Only members")))
    );
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn expired_session_is_renewed_by_a_login() {
    let site = Members::new(40).expiring_after(15);
    let scene = members(&site).await;
    let (found, done) = scene.run(URL, json!({"login": login()})).await;
    assert_eq!((&done["status"], &done["error"]), (&json!("completed"), &Value::Null), "{done}");
    assert_eq!(found, paths(&site.truth()));
    assert!((2..=20).contains(&site.logins()), "{}", site.logins());
    assert_eq!(site.rejected(), 0);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn failed_login_ends_the_run_before_its_first_page() {
    let site = Members::new(5);
    let scene = members(&site).await;
    let credits = async || scene.server.get("/v1/account", &scene.key).await["credits"].clone();
    let before = credits().await;
    let mut missing = login();
    missing["actions"][2]["selector"] = "#submit".into();
    let mut wrong = login();
    wrong["actions"][1]["text"] = "wrong-password".into();
    wrong["wait_for"] = "#member".into();
    for (login, expected) in [
        (missing, "login: action 3 (click #submit): no element matches the selector"),
        (wrong, "login: wait_for: no element matches the selector"),
    ] {
        let (found, done) = scene.run(URL, json!({"login": login})).await;
        assert_eq!((&done["status"], found.len()), (&json!("failed"), 0));
        assert_eq!(done["error"], json!({"code": "login_failed", "message": expected}));
    }
    assert_eq!((credits().await, site.logins()), (before, 0));
    let asked = scene.lab.requests();
    assert!(asked.iter().all(|seen| seen.path == "/login"), "{asked:?}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn run_that_was_killed_is_still_logged_in() {
    let site = Members::new(60);
    let Scene { lab, server, key, setup, folder } = members(&site).await;
    lab.with_latency("members.lab", Duration::from_millis(60));
    let job = server.create(&key, URL, json!({"login": login()})).await;
    let server = server.killed_after(&setup, &key, &job, 15).await;
    let done = server.wait(&key, &job, &["completed", "failed"]).await;
    assert_eq!((&done["status"], &done["error"]), (&json!("completed"), &Value::Null), "{done}");
    assert_eq!(server.results(&key, &job).await.len(), site.truth().delivered.len());
    assert_eq!(site.logins(), 1, "the session was kept");
    drop((server, folder));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn failed_action_skips_its_page_and_not_the_run() {
    let site = Catalogue::plain(6);
    let served = site.clone();
    let scene = scene(&[], |lab| {
        lab.serve("plain.lab", served);
    })
    .await;
    let more =
        json!({"actions": [{"type": "wait", "selector": "h1"}], "options": {"max_pages": 3}});
    let (found, done) = scene.run("http://plain.lab/", more).await;
    assert_eq!((&done["status"], found.is_empty()), (&json!("completed"), false), "{done}");
    let more = json!({"actions": [{"type": "click", "selector": "#missing"}]});
    let job = scene.server.create(&scene.key, "http://plain.lab/", more).await;
    let done = scene.server.wait(&scene.key, &job, &["completed", "failed"]).await;
    assert_eq!((&done["status"], &done["credits_used"]), (&json!("failed"), &json!(0)), "{done}");
    let named = "actions[0]: click #missing: no element matches the selector";
    assert_eq!(
        (&done["error"]["code"], &done["error"]["cause"]),
        (&json!("no_data"), &json!("action_failed"))
    );
    assert!(done["error"]["message"].as_str().expect("a text").starts_with(named), "{done}");
    let path = format!("/v1/jobs/{job}/skipped");
    let skipped = scene.server.get(&path, &scene.key).await;
    let row = &skipped["items"][0];
    assert_eq!(
        (&row["reason"], &row["cause"]),
        (&json!("broken"), &json!("action_failed")),
        "{row}"
    );
    let failed = &row["failed_action"];
    assert_eq!((&failed["action"], failed.get("kept_as")), (&json!(0), None), "{failed}");
    assert!(named.ends_with(failed["message"].as_str().expect("a text")), "{failed}");
    let picture = &failed["screenshot"];
    let answer = reqwest::get(picture["url"].as_str().expect("a link")).await.expect("it answers");
    assert_eq!(answer.status(), 200);
    assert!(answer.bytes().await.expect("bytes").starts_with(b"\x89PNG"), "a picture of the page");
    // An item that `include_broken` delivers has both in its files.
    let more = json!({"actions": [{"type": "click", "selector": "#missing"}],
        "scope": {"include_broken": true, "one_page": true}});
    let broken = scene.server.create(&scene.key, "http://plain.lab/", more).await;
    let done = scene.server.wait(&scene.key, &broken, &["completed", "failed"]).await;
    assert_eq!(
        (&done["status"], &done["credits_used"]),
        (&json!("completed"), &json!(0)),
        "{done}"
    );
    let items = scene.server.results(&scene.key, &broken).await;
    let files = &items[0]["files"];
    assert_eq!((&files["warnings"], files.get("raw_html")), (&json!([named]), None), "{files}");
    assert!(files["screenshot"]["url"].is_string(), "{files}");
    // The same after a restart: it is stored.
    let Scene { server, key, setup, folder, .. } = scene;
    server.kill();
    let server = Server::start(&setup).await;
    let again = server.get(&path, &key).await;
    assert_eq!(again["items"][0]["failed_action"]["screenshot"]["bytes"], picture["bytes"]);
    drop(folder);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn crawl_command_logs_in() {
    let site = Members::new(12);
    let scene = members(&site).await;
    let file = scene.scratch().join("login.json");
    std::fs::write(&file, login().to_string()).expect("a file");
    let mut command = scene.setup.other();
    command.args(["crawl", URL, "--mode", "links", "-q", "--delay", "0", "--login"]).arg(&file);
    let done = output(&mut command);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(text(&done.stdout).lines().count(), site.truth().delivered.len());
    assert_eq!(site.logins(), 1);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium: scripts/test installs it"]
async fn browser_follows_no_redirect_to_a_forbidden_address() {
    let secret = Lab::start().await.expect("a port");
    secret.serve("secret.lab", Catalogue::plain(1));
    let places = forbidden_urls(secret.address());
    let served = Signpost(places.clone());
    let scene = scene(&[], |lab| {
        lab.serve("signpost.lab", served);
    })
    .await;
    let detour = |number: usize| format!("http://signpost.lab/to-{number}");
    for number in [0, 14, 33] {
        let page = json!({"url": detour(number), "render": "always", "timeout_ms": 60_000});
        let answer = scene.server.post("/v1/pages", &scene.key, &page).await;
        assert!(!answer.status().is_success(), "{}", places[number]);
    }
    let steps = json!([{"type": "wait", "milliseconds": 10}]);
    let login = json!({"url": detour(0), "actions": steps});
    let (found, done) = scene.run("http://signpost.lab/", json!({"login": login})).await;
    assert_eq!((&done["status"], found.len()), (&json!("failed"), 0), "{done}");
    assert_eq!(secret.request_count(), 0);
}
