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
        (json!(URL), "webhook"),
    ] {
        let answer = api.post("/v1/jobs", &job(&webhook)).await;
        assert_eq!(answer.status, 422, "{webhook}: {}", answer.text);
        assert_eq!(answer.body["errors"][0]["field"], field, "{}", answer.text);
    }
    assert_eq!(api.get("/v1/jobs").await.body["total"], 0);
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
