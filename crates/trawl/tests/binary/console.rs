//! The console in a real Chromium, with data of hostile sites.
//!
//! One server gets an account with runs of every kind. `tests/browser` then checks every page and
//! plays the scenarios of a user. `console/welcome.rs` walks the first five minutes of a new account.

mod account_data;
mod hostile_sites;
mod welcome;

use std::path::PathBuf;
use std::process::Command;

use lab::{Catalogue, Company, Handbook, Lab, ProtectedSite, ProtectionPage, Shop};
use reqwest::Method;
use serde_json::{Value, json};

use crate::server::{Server, Setup};
use hostile_sites::{Poisoned, Stuck};

const SHOP: &str = "holzwurm.lab.test";

struct Stage {
    server: Server,
    stage_json: Value,
    _labs: [Lab; 2],
    _folder: tempfile::TempDir,
}

/// Starts a server with a run of every kind.
async fn set() -> Stage {
    let lab = Lab::start().await.expect("a port");
    let wall = ProtectionPage::named("cloudflare_challenge").expect("a protection page");
    lab.serve("links.lab", Catalogue::plain(150))
        .serve("large.lab", Catalogue::plain(500))
        .serve("slow.lab", Catalogue::plain(40))
        .serve("daily.lab", Catalogue::plain(20))
        .serve("handbook.lab", Handbook { chapters: 3, sections: 4 })
        .serve(SHOP, Shop::named(SHOP).expect("a shop"))
        .serve("poisoned.lab", Poisoned)
        .serve("stuck.lab", Stuck)
        .serve("walled.lab", ProtectedSite::new(wall).with_pages(6).passing_tier());
    lab.with_latency("slow.lab", std::time::Duration::from_millis(60));
    let companies: Vec<_> = Company::all().into_iter().take(12).collect();
    let firms = Lab::start().await.expect("a port");
    let firms_at = Company::serve_all(&companies, &firms);
    let names = format!("{},{firms_at},hooks.lab=127.0.0.1:1", lab.name_table());
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_RESOLVE", names)
        .with("TRAWL_BATCH_SIZE", 200)
        .with("TRAWL_ALLOW_WEBHOOK_NETWORKS", "127.0.0.1:1")
        .with("TRAWL_BLOCKED_DOMAINS", "blocked.example")
        .with("TRAWL_FIRST_BYTE_MS", 600_000);
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let password = Some(server.first_password());

    let mut runs = serde_json::Map::new();
    let broken = json!({"scope": {"include_broken": true, "include_external": true}});
    for (name, url, more, until) in [
        ("links", "http://links.lab/", broken.clone(), "completed"),
        ("large", "http://large.lab/", json!({}), "paused"),
        ("markdown", "http://handbook.lab/", json!({"mode": "markdown"}), "completed"),
        ("products", &format!("http://{SHOP}/"), json!({"mode": "products"}), "completed"),
        ("walled", "http://walled.lab/", json!({"on_protected": "pause"}), "awaiting_confirmation"),
        ("stuck", "http://stuck.lab/", json!({}), "running"),
        ("hostile_links", "http://poisoned.lab/", broken, "completed"),
        ("hostile_markdown", "http://poisoned.lab/", json!({"mode": "markdown"}), "completed"),
        ("hostile_products", "http://poisoned.lab/", json!({"mode": "products"}), "completed"),
    ] {
        let job = server.create(&key, url, in_order(more)).await;
        server.wait(&key, &job, &[until]).await;
        runs.insert(name.to_owned(), json!(job));
    }
    let mut domains: Vec<_> = companies.iter().map(|company| company.host().to_owned()).collect();
    domains.push("poisoned.lab".to_owned());
    let body = json!({"mode": "contacts", "legal_basis_accepted": true, "domains": domains});
    let body = in_order(body);
    let answer = server.post("/v1/jobs", &key, &body).await;
    let answer: Value = answer.json().await.expect("JSON");
    let contacts = answer["job_id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned();
    server.wait(&key, &contacts, &["completed"]).await;
    runs.insert("contacts".to_owned(), json!(contacts));
    let places =
        account_data::create(&server, &key, password.as_deref().expect("a password")).await;
    for (name, id) in scheduled(&server, &lab, &key).await {
        runs.insert(name.to_owned(), json!(id));
    }
    let stage_json = json!({
        "places": places,
        "url": server.url,
        "email": "operator@localhost",
        "password": password,
        "runs": runs,
        "slow": "http://slow.lab/",
    });
    Stage { server, stage_json, _labs: [lab, firms], _folder: folder }
}

/// The request with one page at a time: its results have the same order in every test.
fn in_order(mut request: Value) -> Value {
    request["options"] = json!({"concurrency": 1});
    request
}

/// A schedule with two runs on a site that grew in between.
async fn scheduled(server: &Server, lab: &Lab, key: &str) -> [(&'static str, String); 3] {
    let request = in_order(json!({"mode": "links", "url": "http://daily.lab/"}));
    let body = json!({"name": "Every morning", "cron": "0 6 * * *", "timezone": "Europe/Berlin",
        "request": request});
    let made: Value = server.post("/v1/schedules", key, &body).await.json().await.expect("JSON");
    let id = made["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
    let mut runs = Vec::new();
    for pages in [20, 25] {
        lab.serve("daily.lab", Catalogue::plain(pages));
        let run = server.post(&format!("/v1/schedules/{id}/run"), key, &json!({})).await;
        let run: Value = run.json().await.expect("JSON");
        let job = run["job_id"].as_str().unwrap_or_else(|| panic!("{run}")).to_owned();
        server.wait(key, &job, &["completed"]).await;
        runs.push(job);
    }
    let [first, again] = <[String; 2]>::try_from(runs).expect("two runs");
    [("schedule", id), ("first", first), ("again", again)]
}

/// Installs the browser driver and returns its folder.
fn browser() -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let installed = Command::new(root.join("../../scripts/browser-tools")).status();
    assert!(installed.expect("the script runs").success(), "npm has what drives the browser");
    root.join("tests/browser")
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Chromium, Node.js and Playwright: scripts/test installs them"]
async fn every_page_renders_and_every_scenario_passes_in_a_browser() {
    let stage = set().await;
    let folder = browser();
    let mut command = tokio::process::Command::new("node");
    command.arg(folder.join("look.mjs")).env("TRAWL_STAGE", stage.stage_json.to_string());
    let ended = command.kill_on_drop(true).output().await.expect("node runs");
    let stdout = String::from_utf8_lossy(&ended.stdout).into_owned();
    let wrong = String::from_utf8_lossy(&ended.stderr).into_owned();
    let logged = stage.server.logged.lock().expect("no panic").clone();
    assert!(ended.status.success(), "log of the server:\n{logged}\n{wrong}\nproblems:\n{stdout}");
}

/// An HTTP client with its own cookies.
fn visitor() -> reqwest::Client {
    let policy = reqwest::redirect::Policy::none();
    reqwest::Client::builder().redirect(policy).build().expect("a client")
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_sign_in_attempts_are_rate_limited() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Server::start(&Setup::new(folder.path())).await;
    server.first_key();
    let visitor = visitor();
    let mut seen = std::collections::BTreeMap::new();
    for number in 0..200 {
        let form = format!("email=operator%40localhost&password=guess{number}");
        let answer = visitor
            .post(format!("{}/sign-in", server.url))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(form)
            .send()
            .await
            .expect("an answer");
        let status = answer.status().as_u16();
        if status == 429 {
            assert!(answer.headers().contains_key("retry-after"));
        }
        *seen.entry(status).or_insert(0) += 1;
    }
    // Five attempts per minute: most are rejected, however slow the machine is.
    let tried = seen.get(&401).copied().unwrap_or(0);
    assert!(tried >= 5 && tried + seen.get(&429).copied().unwrap_or(0) == 200, "{seen:?}");
    assert!(seen[&429] > 100, "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_without_html_get_the_api_response_at_root() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Server::start(&Setup::new(folder.path())).await;
    let key = server.first_key();
    let index = server.get("/", &key).await;
    assert_eq!(index["docs"], format!("{}/docs/", server.url));
    let answer = server.request(Method::GET, "/nothing/of/the/kind", &key).send().await;
    let answer = answer.expect("an answer");
    assert_eq!(answer.status(), 404);
    let problem: Value = answer.json().await.expect("JSON");
    assert_eq!(problem["code"], "not_found");
    let page = visitor().get(format!("{}/nothing", server.url)).header("accept", "text/html");
    let page = page.send().await.expect("an answer");
    assert_eq!(page.status(), 404);
    assert!(page.text().await.expect("text").contains("Request <code>req_"));
}
