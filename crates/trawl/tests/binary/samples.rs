//! Runs on the built-in sample sites: free, without network, reproducible.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::server::{Server, Setup};

/// A server with one account without credits, and other settings.
async fn server(settings: &[(&str, &str)]) -> (Server, String, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut setup = Setup::new(folder.path())
        .with("TRAWL_FIRST_CREDITS", 0)
        .with("TRAWL_CHROMIUM", "none")
        .with("TRAWL_RETRY_MS", 50);
    for (name, value) in settings {
        setup = setup.with(name, value);
    }
    let mut server = Server::start(&setup).await;
    let key = server.first_key();
    (server, key, folder)
}

/// Runs a job to its end: the job and its items by URL.
async fn run(server: &Server, key: &str, url: &str, more: Value) -> (Value, Vec<Value>) {
    let job = server.create(key, url, more).await;
    let done = server.wait(key, &job, &["completed", "failed"]).await;
    assert_eq!(done["credits_used"], 0, "{done}");
    (done, server.results(key, &job).await)
}

fn statuses(items: &[Value]) -> BTreeMap<String, Option<u64>> {
    let entry = |item: &Value| {
        let url = item["url"].as_str().expect("a URL");
        let path = url.splitn(4, '/').nth(3).unwrap_or_default();
        (format!("/{path}"), item["status_code"].as_u64())
    };
    items.iter().map(entry).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn shop_gives_results_in_every_mode_without_credits() {
    let (server, key, _folder) = server(&[]).await;
    let shop = "https://shop.lab.test/";
    let (done, items) = run(&server, &key, shop, json!({})).await;
    assert_eq!(done["status"], "completed");
    assert_eq!(items.len(), 33, "home, about, contact, 5 categories and 25 products");
    assert_eq!(done["credit_per_unit"], 0, "the rate that is charged");

    let (_, items) = run(&server, &key, shop, json!({"mode": "sitemap"})).await;
    assert_eq!(items.len(), 33);
    let (_, items) = run(&server, &key, shop, json!({"mode": "markdown"})).await;
    assert!(items.iter().any(|item| {
        item["markdown"].as_str().is_some_and(|text| text.contains("lighthouses by night"))
    }));

    let (_, items) = run(&server, &key, shop, json!({"mode": "products"})).await;
    assert_eq!(items.len(), 25);
    let mug = items.iter().find(|item| item["name"] == "Harbour Mug").expect("a mug");
    assert_eq!(mug["variants"].as_array().map(Vec::len), Some(3), "{mug}");
    assert_eq!(mug["currency"], "EUR");

    let domains = json!({"mode": "contacts", "domains": ["shop.lab.test"], "url": null,
        "legal_basis_accepted": true});
    let (_, items) = run(&server, &key, shop, domains).await;
    let found = items[0].to_string();
    for text in ["hello@shop.lab.test", "Hamburg", "Jonas Lindqvist"] {
        assert!(found.contains(text), "{text} is missing in {found}");
    }
    let account = server.get("/v1/account", &key).await;
    assert_eq!((&account["credits"], &account["key"]["credits_used"]), (&json!(0), &json!(0)));
    let other = json!({"mode": "links", "url": "https://example.com/"});
    assert_eq!(server.post("/v1/jobs", &key, &other).await.status(), 402, "other sites are paid");
}

#[tokio::test(flavor = "multi_thread")]
async fn docs_have_translations_a_broken_link_and_an_orphan() {
    let (server, key, _folder) = server(&[]).await;
    let docs = "https://docs.lab.test/";
    let scope = json!({"scope": {"include_broken": true, "include_orphan": true}});
    let (_, items) = run(&server, &key, docs, scope).await;
    let found = statuses(&items);
    assert_eq!(found["/troubleshooting"], Some(404));
    assert_eq!((found["/changes"], found["/fr/glossary"]), (Some(200), Some(200)));
    assert_eq!(found.values().filter(|status| **status == Some(200)).count(), 34);
    let german = json!({"mode": "markdown", "options": {"preferred_language": "de"}});
    let (_, items) = run(&server, &key, docs, german).await;
    assert_eq!(items.len(), 11);
    let estimate = json!({"mode": "links", "url": docs});
    let estimate = server.post("/v1/estimate", &key, &estimate).await;
    let estimate: Value = estimate.json().await.expect("JSON");
    // Without its orphan.
    let (least, most) = (&estimate["estimated_pages_min"], &estimate["estimated_pages_max"]);
    assert!(least.as_u64() <= Some(33) && most.as_u64() >= Some(33), "{estimate}");
    assert_eq!(estimate["protected"], false);
    for price in ["credit_per_unit", "credit_per_1000", "estimated_credits"] {
        assert_eq!(estimate[price], 0, "{price}: {estimate}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_runs_of_one_key_share_a_sample_site() {
    let (server, key, _folder) = server(&[]).await;
    let shop = "https://shop.lab.test/";
    let mut jobs = Vec::new();
    for _ in 0..5 {
        jobs.push(server.create(&key, shop, json!({"mode": "products"})).await);
    }
    for job in &jobs {
        let done = server.wait(&key, job, &["completed", "failed"]).await;
        assert_eq!(
            (&done["status"], &done["counts"]["results"]),
            (&json!("completed"), &json!(25))
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn protected_sample_asks_for_the_rate_and_is_blocked_without_a_tier() {
    let (server, key, _folder) = server(&[("TRAWL_PROTECTED_TIER", "none")]).await;
    let wall = "https://wall.lab.test/";
    let (done, _) = run(&server, &key, wall, json!({})).await;
    assert_eq!(
        (&done["status"], &done["error"]["code"]),
        (&json!("failed"), &json!("target_blocked"))
    );
    let estimate = json!({"mode": "links", "url": wall});
    let estimate = server.post("/v1/estimate", &key, &estimate).await;
    let estimate: Value = estimate.json().await.expect("JSON");
    assert_eq!(estimate["protected"], true, "{estimate}");
}

#[tokio::test(flavor = "multi_thread")]
async fn protected_sample_continues_by_the_tier_after_confirmation() {
    let proxy = ("TRAWL_PROTECTED_PROXY", "http://127.0.0.1:9");
    let (server, key, _folder) = server(&[("TRAWL_PROTECTED_TIER", "proxy"), proxy]).await;
    let wall = "https://wall.lab.test/";
    let job = server.create(&key, wall, json!({})).await;
    let asks = server.wait(&key, &job, &["awaiting_confirmation", "failed"]).await;
    assert_eq!(
        (&asks["status"], &asks["credit_per_unit"]),
        (&json!("awaiting_confirmation"), &json!(5))
    );
    let confirmed = server.post(&format!("/v1/jobs/{job}/confirm"), &key, &json!({})).await;
    assert_eq!(confirmed.status(), 200);
    let done = server.wait(&key, &job, &["completed", "failed"]).await;
    assert_eq!((&done["status"], &done["credits_used"]), (&json!("completed"), &json!(0)));
    assert_eq!(done["credit_per_unit"], 0);
    assert_eq!(server.results(&key, &job).await.len(), 6);
    let (done, _) = run(&server, &key, wall, json!({"on_protected": "fail"})).await;
    assert_eq!(done["error"]["code"], "protected_rate_refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_site_shows_retries_failures_and_a_redirect_loop() {
    let (server, key, _folder) = server(&[]).await;
    let scope = json!({"scope": {"include_broken": true}});
    let (done, items) = run(&server, &key, "https://slow.lab.test/", scope).await;
    assert_eq!(done["status"], "completed");
    let found = statuses(&items);
    for path in ["/fine/1", "/slow/3", "/limited/1", "/limited/2", "/flaky/1", "/flaky/2"] {
        assert_eq!(found.get(path), Some(&Some(200)), "{path}");
    }
    for path in ["/unavailable/1", "/unavailable/2", "/unavailable/3"] {
        assert_eq!(found.get(path), Some(&Some(503)), "{path}");
    }
    assert_eq!(found.get("/hangs"), Some(&None), "no answer");
}
