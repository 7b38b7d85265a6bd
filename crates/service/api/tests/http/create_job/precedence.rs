//! The order of error checks: 401, 429, 413 / 415 / 400, replay, 422, 409, 402.

use http::Method;
use serde_json::{Value, json};

use crate::harness::{ApiReply, TestApi, bearer};

async fn post(api: &TestApi, token: &str, kind: &str, key: &str, body: &str) -> ApiReply {
    let token = bearer(token);
    let headers =
        [("authorization", token.as_str()), ("content-type", kind), ("idempotency-key", key)];
    api.send(Method::POST, "/v1/jobs", &headers, body).await
}

const JSON: &str = "application/json";

#[tokio::test]
async fn errors_have_their_documented_precedence() {
    let api = TestApi::start().await;
    let (_, poor) = api.account("poor@example.com", 1).await;
    let good = json!({"mode": "links", "url": "https://example.com/"}).to_string();
    let large = "x".repeat((1 << 20) + 1);
    // The account's only credit is spent on the site's only job.
    let first = post(&api, &poor, JSON, "known", &good).await;
    assert_eq!(first.status, 202);

    // Everything is wrong, and the credential is looked at first.
    let answer = post(&api, "nobody", "text/plain", "ü", &large).await;
    assert_eq!(answer.refusal(), (401, "unauthorized"));
    let answer = post(&api, &poor, "text/plain", "ü", &large).await;
    assert_eq!(answer.refusal(), (413, "payload_too_large"));
    let answer = post(&api, &poor, "text/plain", "ü", "{").await;
    assert_eq!(answer.refusal(), (415, "unsupported_media_type"));
    let answer = post(&api, &poor, JSON, "ü", "{").await;
    assert_eq!(answer.refusal(), (400, "invalid_json"));
    // A known key answers before fields, site and balance are judged.
    assert_eq!(post(&api, &poor, JSON, "known", &good).await.body, first.body);
    assert_eq!(post(&api, &poor, JSON, "known", "{}").await.code(), "idempotency_key_reused");
    // Wrong fields, then the site, then the balance.
    let wrong = with(&good, "max_credit_per_unit", &json!(0));
    assert_eq!(post(&api, &poor, JSON, "new", &wrong).await.code(), "validation_failed");
    let wrong = with(&good, "on_protected", &json!("auto"));
    assert_eq!(post(&api, &poor, JSON, "new", &wrong).await.code(), "validation_failed");
    assert_eq!(post(&api, &poor, JSON, "new", &good).await.refusal(), (409, "conflict"));
    let elsewhere = with(&good, "url", &json!("https://other.example/"));
    let answer = post(&api, &poor, JSON, "new", &elsewhere).await;
    assert_eq!(answer.refusal(), (402, "insufficient_credits"));
}

#[tokio::test]
async fn rate_limit_applies_before_the_body() {
    let api = TestApi::with(|settings| settings.limits.request_burst = 1).await;
    assert_eq!(api.get("/v1/account").await.status, 200);
    let answer = post(&api, &api.key, "text/plain", "ü", "{").await;
    assert_eq!(answer.refusal(), (429, "rate_limited"));
    assert_eq!(post(&api, "nobody", JSON, "k", "{").await.status, 401);
}

fn with(body: &str, name: &str, value: &Value) -> String {
    let mut body: Value = serde_json::from_str(body).expect("JSON");
    body[name] = value.clone();
    body.to_string()
}
