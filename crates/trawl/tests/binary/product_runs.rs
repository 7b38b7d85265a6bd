//! `products` runs: from the request to a workbook, over kills, with learned templates, and on the
//! command line.

use std::collections::BTreeSet;
use std::time::Duration;

use lab::{Lab, Shop};
use serde_json::{Value, json};

use crate::server::{Server, Setup, output, text, trawl};

/// A toy shop in Austria, Switzerland and Britain.
const TOYS: &str = "holzwurm.lab.test";
/// A shop in German and English; some translations are linked by article number only.
const MARBLES: &str = "murmelberg.lab.test";
/// A shop with prices on request and contact details in descriptions.
const SCREWS: &str = "normteil.lab.test";
/// A shop where every second product page has no structured data.
const CLOTHES: &str = "mill.lab.test";

async fn served() -> (Lab, tempfile::TempDir, Setup) {
    let lab = Lab::start().await.expect("a port");
    for host in [TOYS, MARBLES, SCREWS] {
        lab.serve(host, Shop::named(host).expect("a shop"));
    }
    lab.serve(CLOTHES, Shop::named(CLOTHES).expect("a shop").stripped());
    let folder = tempfile::tempdir().expect("a folder");
    let setup = Setup::new(folder.path()).with("TRAWL_RESOLVE", lab.name_table());
    (lab, folder, setup)
}

fn start(host: &str) -> String {
    format!("http://{host}/")
}

async fn done(server: &Server, key: &str, host: &str, options: Value) -> (Value, Vec<Value>) {
    let more = json!({"mode": "products", "options": options});
    let job = server.create(key, &start(host), more).await;
    let done = server.wait(key, &job, &["completed", "failed"]).await;
    assert_eq!((&done["status"], &done["error"]), (&json!("completed"), &Value::Null));
    let items = server.results(key, &job).await;
    let urls: BTreeSet<_> = items.iter().map(|item| item["url"].to_string()).collect();
    assert_eq!(urls.len(), items.len(), "nothing is delivered twice");
    assert_eq!(done["credits_used"], items.len() * 5, "five credits per product");
    assert_eq!(done["counts"]["results"], items.len());
    (done, items)
}

/// The templates as the operator sees them.
fn templates(setup: &Setup) -> Vec<Value> {
    let ended = output(setup.other().args(["template", "list", "--json"]));
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    serde_json::from_slice(&ended.stdout).expect("JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn products_run_delivers_items_and_exports_a_workbook() {
    let (_lab, folder, setup) = served().await;
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let (job, items) = done(&server, &key, TOYS, json!({})).await;
    let sold = Shop::named(TOYS).expect("a shop").shop_truth().products.len() / 3;
    assert!((sold * 95 / 100..=sold).contains(&items.len()), "{} of {sold}", items.len());
    assert_eq!(job["credit_per_unit"], 5);
    assert!(job["counts"]["products"].as_u64() >= Some(items.len() as u64));
    for item in &items {
        assert_eq!(item["language"], "de-AT", "{item}");
        let languages: BTreeSet<_> = item["alternates"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(|one| one["lang"].as_str())
            .collect();
        assert_eq!(languages, BTreeSet::from(["de-CH", "en-GB"]), "{item}");
    }
    let id = job["job_id"].as_str().expect("an id");
    let skipped = server.get(&format!("/v1/jobs/{id}/skipped"), &key).await;
    assert!(skipped["reasons"]["no_product"].as_u64() > Some(5), "{skipped}");

    let take = async |format: &str| {
        let answer =
            server.post(&format!("/v1/jobs/{id}/export"), &key, &json!({"format": format})).await;
        let answer: Value = answer.json().await.expect("JSON");
        let file = reqwest::get(answer["url"].as_str().expect("an address")).await;
        file.expect("a file").bytes().await.expect("bytes")
    };
    let table = take("csv").await;
    let table = table.strip_prefix("\u{feff}".as_bytes()).expect("a mark");
    let mut reader = csv::Reader::from_reader(table);
    let headings = reader.headers().expect("headings").clone();
    let rows: Vec<_> = reader.records().map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), items.len());
    for (row, item) in rows.iter().zip(&items) {
        let cell = |name: &str| {
            headings.iter().position(|heading| heading == name).and_then(|at| row.get(at))
        };
        assert_eq!(cell("url"), item["url"].as_str());
        assert_eq!(cell("price"), Some(item["price"].as_str().unwrap_or_default()));
        assert!(cell("alternates.lang").is_some_and(|langs| langs.contains("; ")), "{row:?}");
    }
    assert!(take("xlsx").await.starts_with(b"PK"));
    let ended = output(setup.other().args(["export", id, "-o"]).arg(folder.path().join("t.xlsx")));
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    assert!(std::fs::metadata(folder.path().join("t.xlsx")).is_ok_and(|file| file.len() > 5_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn language_options_keep_languages_or_regions() {
    let (_lab, _folder, setup) = served().await;
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let count = async |options: Value| done(&server, &key, TOYS, options).await.1;
    let all = count(json!({"all_languages": true})).await;
    assert!((86..=90).contains(&all.len()), "{}", all.len());
    assert!(all.iter().all(|item| item["alternates"] == json!([])));
    let apart = count(json!({"region_aware": true})).await;
    assert!((57..=60).contains(&apart.len()), "{}", apart.len());
    let english = count(json!({"preferred_language": "en"})).await;
    assert!((28..=30).contains(&english.len()), "{}", english.len());
    assert!(english.iter().all(|item| item["language"] == "en-GB"));
}

#[tokio::test(flavor = "multi_thread")]
async fn contact_details_and_hidden_prices_follow_their_options() {
    let (_lab, _folder, setup) = served().await;
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let truth = Shop::named(SCREWS).expect("a shop").shop_truth();
    let leaks = |items: &[Value]| {
        let leaks = truth.products.iter().filter(|product| {
            let item = items.iter().find(|item| item["url"] == product.url.as_str());
            let text = item.and_then(|item| item["description"].as_str()).unwrap_or_default();
            product.contacts.iter().any(|contact| text.contains(contact.as_str()))
        });
        leaks.count()
    };
    let of_type = |items: &[Value], kind: &str| {
        items.iter().filter(|item| item["price_type"] == kind).cloned().collect::<Vec<_>>()
    };
    let (_, plain) = done(&server, &key, SCREWS, json!({})).await;
    assert_eq!(leaks(&plain), 0);
    assert!(of_type(&plain, "hidden").is_empty());
    let on_request = of_type(&plain, "on_request");
    assert!(on_request.len() > 4);
    assert!(on_request.iter().all(|item| item["price"].is_null()));
    let (_, with_contacts) = done(&server, &key, SCREWS, json!({"suppress_contact": false})).await;
    assert!(leaks(&with_contacts) > 5);
    let (_, collected) = done(&server, &key, SCREWS, json!({"collect_hidden_prices": true})).await;
    let hidden = of_type(&collected, "hidden");
    assert!(!hidden.is_empty() && hidden.iter().all(|item| item["price"].is_string()));
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_run_keeps_its_template() {
    let (lab, _folder, setup) = served().await;
    // Small, so that the run is also restored from snapshots.
    let setup = setup.with("TRAWL_LEASE_MS", 500).with("TRAWL_SNAPSHOT_BYTES", 8_000);
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let (_, undisturbed) = done(&server, &key, CLOTHES, json!({})).await;
    for one in templates(&setup) {
        let site = one["site"].as_str().expect("a site");
        assert!(output(setup.other().args(["template", "forget", site])).status.success());
    }
    lab.with_latency(CLOTHES, Duration::from_millis(60));
    let job = server.create(&key, &start(CLOTHES), json!({"mode": "products"})).await;
    for enough in [8, 25] {
        server = server.killed_after(&setup, &key, &job, enough).await;
    }
    let seen = server.wait(&key, &job, &["completed", "failed"]).await;
    assert_eq!((&seen["status"], &seen["error"]), (&json!("completed"), &Value::Null));
    let items = server.results(&key, &job).await;
    let urls = |items: &[Value]| -> BTreeSet<String> {
        items.iter().map(|item| item["url"].to_string()).collect()
    };
    assert_eq!(urls(&items), urls(&undisturbed));
    assert_eq!(items.len(), undisturbed.len(), "nothing twice");
    assert_eq!(seen["credits_used"], items.len() * 5);
    let account = server.get("/v1/account", &key).await;
    assert!(account["credits"].is_number());
}

#[tokio::test(flavor = "multi_thread")]
async fn next_run_starts_with_the_learned_template() {
    let (_lab, _folder, setup) = served().await;
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    let off = json!({"use_template_extraction": false});
    let (_, without) = done(&server, &key, CLOTHES, off.clone()).await;
    assert!(templates(&setup).is_empty(), "neither learned");
    let by_template =
        |items: &[Value]| items.iter().filter(|item| item["template_id"].is_string()).count();
    assert_eq!(by_template(&without), 0, "nor used");
    let (_, first) = done(&server, &key, CLOTHES, json!({})).await;
    let kept = templates(&setup);
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(kept[0]["site"], CLOTHES);
    assert!(kept[0]["template_id"].is_string() && kept[0]["version"].as_u64() >= Some(1));

    // Another account and another server on the same data.
    let words = ["account", "create", "--email", "bob@example.com", "--credits", "5000", "--json"];
    assert!(output(setup.other().args(words)).status.success());
    let words = ["key", "create", "--email", "bob@example.com", "--json"];
    let bob: Value =
        serde_json::from_slice(&output(setup.other().args(words)).stdout).expect("JSON");
    let bob = bob["key"].as_str().expect("a key").to_owned();
    server.terminate();
    let server = Server::start(&setup).await;
    // A run on one page learns nothing: it uses the template that it started with.
    let item = first.iter().find(|item| item["template_id"] == kept[0]["template_id"]);
    let url = item.expect("a product by the last version")["url"].as_str().expect("a url");
    let more = json!({"mode": "products", "scope": {"one_page": true}});
    let job = server.create(&bob, url, more).await;
    server.wait(&bob, &job, &["completed", "failed"]).await;
    let again = server.results(&bob, &job).await;
    assert_eq!(again[0]["template_id"], kept[0]["template_id"]);
    let (_, off) = done(&server, &bob, CLOTHES, off).await;
    assert_eq!(by_template(&off), 0);

    let forget = |site: &str| output(setup.other().args(["template", "forget", site]));
    assert!(forget(CLOTHES).status.success());
    assert!(templates(&setup).is_empty());
    let again = forget(CLOTHES);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("no template"), "{}", text(&again.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn crawl_command_writes_jsonl_csv_and_xlsx() {
    let (lab, folder, _setup) = served().await;
    let run = |file: &str, host: &str, more: &[&str]| {
        let path = folder.path().join(file);
        let ended = output(
            trawl()
                .env("TRAWL_RESOLVE", lab.name_table())
                .args(["crawl", &start(host), "--mode", "products", "--delay", "0", "-q"])
                .args(more)
                .arg("-o")
                .arg(&path),
        );
        assert!(ended.status.success(), "{}", text(&ended.stderr));
        std::fs::read(path).expect("a file")
    };
    let lines = |bytes: &[u8]| -> Vec<Value> {
        let lines = text(bytes);
        lines.lines().map(|line| serde_json::from_str(line).expect("an item")).collect()
    };
    let items = lines(&run("toys.jsonl", MARBLES, &[]));
    assert!((30..=32).contains(&items.len()), "{}", items.len());
    let is_german =
        |item: &Value| item["language"].as_str().is_some_and(|tag| tag.starts_with("de"));
    assert!(items.iter().all(is_german));
    // Some translations are found after their product was written.
    let folded = items.iter().filter(|item| item["alternates"][0]["lang"] == "en-GB").count();
    assert!(folded * 100 >= items.len() * 60, "{folded} of {}", items.len());
    let all = lines(&run("all.jsonl", MARBLES, &["--all-languages"]));
    assert!(all.len() > items.len() + 25, "{}", all.len());
    let hidden = lines(&run("hidden.jsonl", SCREWS, &["--collect-hidden-prices"]));
    assert!(hidden.iter().any(|item| item["price_type"] == "hidden"));
    let table = text(&run("toys.csv", MARBLES, &[]));
    assert!(table.contains("product_id") && table.lines().count() > items.len());
    assert!(run("toys.xlsx", MARBLES, &[]).starts_with(b"PK"));
}

#[tokio::test(flavor = "multi_thread")]
async fn estimate_uses_the_products_rate() {
    let (lab, _folder, _setup) = served().await;
    let ended = output(trawl().env("TRAWL_RESOLVE", lab.name_table()).args([
        "estimate",
        &start(TOYS),
        "--mode",
        "products",
        "--json",
    ]));
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    let estimate: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    assert_eq!((&estimate["mode"], &estimate["credit_per_unit"]), (&json!("products"), &json!(5)));
    assert_eq!(
        (&estimate["estimated_pages"], &estimate["estimated_credits"]),
        (&json!(90), &json!(450))
    );
}
