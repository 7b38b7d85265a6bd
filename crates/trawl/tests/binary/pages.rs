//! `POST /v1/pages` and `trawl read`: the item equals that of a run, a killed server charges once or
//! not at all, and the protected tier is used within the accepted rate.

use std::time::Duration;

use lab::{Handbook, Lab, ProtectedSite, ProtectionPage, Reply, Site, SiteTruth};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reqwest::Method;
use serde_json::{Value, json};

use crate::database::{self, Kind};
use crate::protected_site::{START, Scene};
use crate::server::{Server, Setup, output, text};

const SITE: Handbook = Handbook { chapters: 2, sections: 3 };

/// A site whose start page redirects twice.
#[derive(Debug)]
struct Moved;

impl Site for Moved {
    fn answer(&self, path: &str) -> Reply {
        match path {
            "/" => Reply::redirect(301, "/en"),
            "/en" => Reply::redirect(302, "/en/start"),
            "/en/start" => Reply::html(
                "<html lang=en><title>Start</title><main><h1>Start</h1><p>This is the page behind \
                 two redirects, and it has enough words to be delivered.</p></main>",
            ),
            _ => Reply::status(404),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth::default()
    }
}

/// The item without the values that every request has anew.
fn timeless(item: &Value) -> String {
    let mut item = item.clone();
    for member in ["fetched_at", "response_ms"] {
        if let Some(value) = item.get_mut(member) {
            *value = Value::Null;
        }
    }
    item.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn item_of_a_page_is_byte_for_byte_the_one_of_a_run() {
    let lab = Lab::start().await.expect("a port");
    lab.serve("site.lab", SITE).serve("moved.lab", Moved);
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path())
        .with("TRAWL_ALLOW_NETWORKS", lab.address().to_string())
        .with("TRAWL_RESOLVE", lab.name_table());
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let start = lab.url("/");
    let shop = "https://shop.lab.test/mugs/harbour-mug";
    for (mode, url) in [
        ("markdown", start.as_str()),
        ("links", start.as_str()),
        ("markdown", "http://moved.lab/"),
        ("links", "http://moved.lab/"),
        ("products", shop),
        ("contacts", "https://docs.lab.test/"),
    ] {
        let mut more = json!({"mode": mode, "scope": {"one_page": true}});
        if mode == "contacts" {
            more = json!({"mode": mode, "legal_basis_accepted": true});
        }
        let job = server.create(&key, url, more).await;
        server.wait(&key, &job, &["completed", "failed"]).await;
        let items = server.results(&key, &job).await;
        let body = json!({"url": url, "mode": mode, "legal_basis_accepted": true});
        let answer = server.post("/v1/pages", &key, &body).await;
        let status = answer.status();
        let answer: Value = answer.json().await.expect("JSON");
        assert_eq!(status, 200, "{mode}: {answer}");
        if mode == "contacts" {
            // A run reads more pages of the domain.
            assert_eq!(answer["item"]["domain"], items[0]["domain"], "{mode}");
            continue;
        }
        assert_eq!(timeless(&answer["item"]), timeless(&items[0]), "{mode} of {url}");
        if url.contains("moved.lab") {
            let last = "http://moved.lab/en/start";
            assert!(answer["item"].to_string().contains(last), "{mode}: {answer}");
        }
    }
}

/// Calls the server until it answers, also after it was killed.
async fn page(server: &Server, key: &str, url: &str, idempotency: &str) -> Option<(Value, bool)> {
    let request = server.request(Method::POST, "/v1/pages", key);
    let request = request.header("Idempotency-Key", idempotency);
    let answer = request.json(&json!({"url": url, "mode": "links"})).send().await.ok()?;
    if answer.status() == 503 {
        return None;
    }
    assert_eq!(answer.status(), 200);
    let is_replayed = answer.headers().contains_key("idempotent-replayed");
    Some((answer.json().await.ok()?, is_replayed))
}

async fn killed_server_charges_once_or_not_at_all(kind: Kind) {
    let seed: u64 = match std::env::var("TRAWL_CRASH_SEED") {
        Ok(seed) => seed.parse().expect("TRAWL_CRASH_SEED is a number"),
        Err(_) => rand::random(),
    };
    println!("replay with TRAWL_CRASH_SEED={seed}");
    let mut rng = StdRng::seed_from_u64(seed);
    let lab = Lab::start().await.expect("a port");
    lab.record_requests(false).serve("site.lab", SITE);
    lab.with_latency("site.lab", Duration::from_millis(5));
    let folder = tempfile::tempdir().expect("a folder");
    let database = database::fresh(kind).await;
    let setup = Setup::new(folder.path())
        .with("TRAWL_DATABASE", &database)
        .with("TRAWL_ALLOW_NETWORKS", lab.address().to_string());
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let before = server.get("/v1/account", &key).await["credits"].as_i64().expect("credits");
    let url = lab.url("/");
    let mut ids = std::collections::BTreeSet::new();
    for round in 0..12 {
        let idempotency = format!("round-{round}");
        {
            let call = page(&server, &key, &url, &idempotency);
            let wait = Duration::from_micros(rng.random_range(0..40_000));
            // The call and the server end at a random point of the answer.
            let _ = tokio::time::timeout(wait, call).await;
        }
        server.kill();
        server = Server::start(&setup).await;
        let (answer, _) = page(&server, &key, &url, &idempotency).await.expect("ready");
        let (again, is_replayed) = page(&server, &key, &url, &idempotency).await.expect("ready");
        assert!(is_replayed, "seed {seed}");
        assert_eq!(answer.to_string(), again.to_string(), "seed {seed}");
        ids.insert(answer["page_id"].as_str().expect("an id").to_owned());
    }
    assert_eq!(ids.len(), 12);
    let account = server.get("/v1/account", &key).await;
    assert_eq!(account["credits"], before - 12, "seed {seed}: each page is charged once");
    let ledger = server.get("/v1/ledger", &key).await;
    let charged = ledger["items"].as_array().expect("lines").iter();
    let charged: std::collections::BTreeSet<_> =
        charged.filter_map(|line| line["page_id"].as_str().map(str::to_owned)).collect();
    assert_eq!(charged, ids, "seed {seed}: the answers are those that were charged");
    let store = database::open(&database, folder.path()).await;
    let id = account["account_id"].as_str().expect("an id").parse().expect("an account");
    let audit = store.audit_ledger(&id).await.expect("it answers").expect("an account");
    assert!(audit.is_consistent(), "seed {seed}: {audit:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_server_charges_a_page_once_or_not_at_all_on_sqlite() {
    killed_server_charges_once_or_not_at_all(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn killed_server_charges_a_page_once_or_not_at_all_on_postgres() {
    killed_server_charges_once_or_not_at_all(Kind::Postgres).await;
}

#[test]
fn page_is_printed_as_markdown_or_json() {
    let mut command = crate::server::trawl();
    let printed = output(command.args(["read", "https://docs.lab.test/keys"]));
    assert!(printed.status.success(), "{}", text(&printed.stderr));
    let markdown = text(&printed.stdout);
    assert!(markdown.starts_with("# "), "{markdown}");

    let mut command = crate::server::trawl();
    let printed = output(command.args(["read", "https://docs.lab.test/keys", "--json"]));
    let answer: Value = serde_json::from_slice(&printed.stdout).expect("JSON");
    assert_eq!(answer["metadata"]["status_code"], 200);
    assert_eq!(answer["item"]["markdown"].as_str().map(str::trim_end), Some(markdown.trim_end()));
    assert!(!answer["links"].as_array().expect("links").is_empty());

    for (arguments, code, message) in [
        (&["read", "https://docs.lab.test/missing"][..], 1, "no_data"),
        (&["read", "https://docs.lab.test/", "--mode", "sitemap"], 2, "the modes are"),
        (&["read", "https://docs.lab.test/", "--mode", "contacts"], 2, "--accept-legal-basis"),
        (&["read", "ftp://docs.lab.test/"], 2, "http"),
    ] {
        let printed = output(crate::server::trawl().args(arguments));
        assert_eq!(printed.status.code(), Some(code), "{arguments:?}");
        assert!(text(&printed.stderr).contains(message), "{}", text(&printed.stderr));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn protected_page_is_read_within_the_accepted_rate_only() {
    let wall = ProtectionPage::named("cloudflare_challenge").expect("a protection page");
    let open = ProtectedSite::new(wall).with_pages(3).one_in(usize::MAX);
    let scene = Scene::between(ProtectedSite::new(wall).with_pages(3), open, &[]).await;
    let (server, key) = (&scene.server, &scene.key);
    let before = server.get("/v1/account", key).await["credits"].as_i64().expect("credits");
    for body in [
        json!({"url": START, "mode": "links"}),
        json!({"url": START, "mode": "links", "max_credit_per_unit": 4}),
        json!({"url": START, "mode": "links", "on_protected": "fail", "max_credit_per_unit": 5}),
        json!({"url": START, "mode": "links", "on_protected": "pause"}),
    ] {
        let answer = server.post("/v1/pages", key, &body).await;
        assert_eq!(answer.status(), 422, "{body}");
        let answer: Value = answer.json().await.expect("JSON");
        assert_eq!(
            (&answer["code"], &answer["credit_per_unit"]),
            (&json!("page_protected"), &json!(5))
        );
    }
    let account = server.get("/v1/account", key).await;
    assert_eq!(account["credits"], before, "walls are free");
    let body = json!({"url": START, "mode": "links", "max_credit_per_unit": 5});
    let answer = server.post("/v1/pages", key, &body).await;
    let answer: Value = answer.json().await.expect("JSON");
    assert_eq!(
        (&answer["protected"], &answer["credits_used"]),
        (&json!(true), &json!(5)),
        "{answer}"
    );
    assert_eq!(answer["item"]["status_code"], 200);
    assert_eq!(server.get("/v1/account", key).await["credits"], before - 5);
}
