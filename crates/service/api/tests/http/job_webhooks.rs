//! `webhook` of a job.

use serde_json::{Value, json};

use crate::harness::TestApi;
use crate::webhooks::api;

const URL: &str = "https://hooks.public.test/job?token=7";

fn job(webhook: &Value) -> Value {
    json!({"mode": "links", "url": "https://a.example/", "webhook": webhook})
}

#[tokio::test]
async fn secret_is_shown_once_and_the_webhook_is_echoed() {
    let api = api().await;
    let webhook = json!({"url": URL, "events": ["job.completed", "job.failed"]});
    let created = api.post("/v1/jobs", &job(&webhook)).await;
    assert_eq!(created.status, 202, "{}", created.text);
    let secret = created.body["webhook_secret"].as_str().expect("a secret");
    assert!(secret.starts_with("whsec_") && secret.len() == 49);
    let path = format!("/v1/jobs/{}", created.body["job_id"].as_str().expect("an id"));
    let shown = api.get(&path).await;
    assert_eq!(shown.body["webhook"], webhook);
    assert!(!shown.text.contains(&secret[6..]));
    let listed = api.get("/v1/jobs").await;
    assert!(!listed.text.contains(&secret[6..]) && listed.body["items"][0]["webhook"].is_null());
    assert_eq!(api.get("/v1/webhooks").await.body, json!([]), "it is no endpoint of the account");
}

#[tokio::test]
async fn replay_has_no_secret() {
    let api = api().await;
    let body = job(&json!({"url": URL}));
    let first = api.create(&body, "once").await;
    let again = api.create(&body, "once").await;
    assert!(first.body["webhook_secret"].is_string(), "{}", first.text);
    assert_eq!((again.status, &again.body["webhook_secret"]), (202, &Value::Null));
    assert_eq!(again.body["job_id"], first.body["job_id"]);
}

#[tokio::test]
async fn receivers_that_are_refused_to_endpoints_are_refused_to_jobs() {
    let api = api().await;
    for (webhook, field) in [
        (json!({"url": "http://hooks.public.test/"}), "webhook.url"),
        (json!({"url": "https://10.0.0.7/"}), "webhook.url"),
        (json!({"url": "https://private.test/"}), "webhook.url"),
        (json!({"url": "https://denied.test/"}), "webhook.url"),
        (json!({"url": "https://unknown.example/"}), "webhook.url"),
        (json!({}), "webhook.url"),
        (json!({"url": URL, "events": ["job.done"]}), "webhook.events[0]"),
        (json!({"url": URL, "events": ["billing.recharge_failed"]}), "webhook.events[0]"),
        (json!({"url": URL, "secret": "x"}), "webhook.secret"),
        (json!({"url": URL, "secret": "ü".repeat(32)}), "webhook.secret"),
        (json!({"url": URL, "format": "cloud"}), "webhook.format"),
        (json!({"url": URL, "results": true}), "webhook.results"),
        (json!({"url": URL, "results": true, "format": "firecrawl"}), "webhook.results"),
        (json!({"url": URL, "headers": {"Host": "a.example"}}), "webhook.headers.Host"),
        (json!({"url": URL, "headers": {"Content-Type": "a/b"}}), "webhook.headers.Content-Type"),
        // In the clear only to a network that the operator allows.
        (json!({"url": "http://own.test:8443/"}), "webhook.url"),
        (json!({"url": "http://hooks.public.test/", "format": "firecrawl"}), "webhook.url"),
        (json!({"url": "http://private.test/", "format": "firecrawl"}), "webhook.url"),
        (json!({"url": "http://localhost/", "format": "firecrawl"}), "webhook.url"),
        (json!(URL), "webhook"),
    ] {
        let answer = api.post("/v1/jobs", &job(&webhook)).await;
        assert_eq!(answer.status, 422, "{webhook}: {}", answer.text);
        assert_eq!(answer.body["errors"][0]["field"], field, "{}", answer.text);
    }
    assert_eq!(api.get("/v1/jobs").await.body["total"], 0);
}

#[tokio::test]
async fn receiver_in_a_network_of_the_operator_needs_no_tls_in_the_format_of_firecrawl() {
    let api = api().await;
    for url in ["http://own.test:8443/in", "https://own.test:8443/in", "http://127.0.0.9:8443/"] {
        let body = job(&json!({"url": url, "format": "firecrawl"}));
        let created = api.post("/v1/jobs", &body).await;
        assert_eq!(created.status, 202, "{url}: {}", created.text);
        let id = created.body["job_id"].as_str().expect("an id");
        assert_eq!(api.post(&format!("/v1/jobs/{id}/abort"), &json!({})).await.status, 200);
    }
}

#[tokio::test]
async fn chosen_secret_and_headers_are_in_no_answer() {
    let api = api().await;
    let secret = "a-secret-of-the-client-with-40-characters";
    let body = job(&json!({"url": URL, "secret": secret, "headers": {"X-Token": "hush-hush"}}));
    let created = api.create(&body, "once").await;
    assert_eq!((created.status, &created.body["webhook_secret"]), (202, &Value::Null));
    let path = format!("/v1/jobs/{}", created.body["job_id"].as_str().expect("an id"));
    let shown = api.get(&path).await;
    assert_eq!(shown.body["webhook"], json!({"url": URL, "headers": {"X-Token": "(hidden)"}}));
    let again = api.create(&body, "once").await;
    let events = api.get("/v1/events").await;
    for text in [&created.text, &shown.text, &again.text, &events.text] {
        assert!(!text.contains("hush-hush") && !text.contains(secret), "{text}");
    }
}

#[tokio::test]
async fn webhooks_of_jobs_do_not_count_as_endpoints() {
    let api: TestApi = api().await;
    for site in 0..21 {
        let mut body = job(&json!({"url": URL}));
        body["url"] = format!("https://s{site}.example/").into();
        assert_eq!(api.post("/v1/jobs", &body).await.status, 202);
    }
    api.webhook().await;
}
