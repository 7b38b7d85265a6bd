//! `POST /v1/jobs/{id}/confirm`.

use contract::Credits;
use http::Method;
use job::{JobCommand, Tier};
use serde_json::json;

use crate::harness::{NOW, TestApi, bearer};

async fn awaiting(api: &TestApi, host: &str) -> String {
    let (id, lease) = api.running(host).await;
    let tier = Tier::Protected { marker: "cloudflare_challenge".to_owned() };
    api.report(&lease, &JobCommand::LearnTier(tier)).await;
    format!("/v1/jobs/{id}/confirm")
}

#[tokio::test]
async fn protected_rate_is_confirmed_with_an_empty_body() {
    let api = TestApi::start().await;
    let path = awaiting(&api, "a.example").await;
    let key = bearer(&api.key);
    // No body, no content type.
    let answer = api.send(Method::POST, &path, &[("authorization", &key)], "").await;
    assert_eq!((answer.status, &answer.body["status"]), (200, &json!("queued")));
    assert_eq!(answer.body["credit_per_unit"], 5);
}

#[tokio::test]
async fn protected_rate_is_confirmed_with_a_higher_limit() {
    let api = TestApi::start().await;
    let path = awaiting(&api, "a.example").await;
    let answer = api.post(&path, &json!({"max_credit_per_unit": 5})).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn batch_boundary_needs_continue_batch() {
    let api = TestApi::start().await;
    let (id, lease) = api.running("a.example").await;
    api.report(&lease, &JobCommand::ReachBoundary).await;
    let path = format!("/v1/jobs/{id}/confirm");
    let answer = api.post(&path, &json!({})).await;
    assert_eq!(answer.refusal(), (409, "conflict"));
    assert!(answer.body["message"].as_str().is_some_and(|text| text.contains("continue_batch")));
    let answer = api.post(&path, &json!({"continue_batch": true})).await;
    assert_eq!((answer.status, &answer.body["batch"]), (200, &json!(2)));
    assert_eq!(answer.body["batch_ready"], false);
    // It waits for nothing any more.
    let answer = api.post(&path, &json!({"continue_batch": true})).await;
    assert_eq!(answer.refusal(), (409, "conflict"));
}

#[tokio::test]
async fn confirm_in_another_state_is_a_conflict() {
    let api = TestApi::start().await;
    let path = awaiting(&api, "a.example").await;
    let answer = api.post(&path, &json!({"continue_batch": true})).await;
    assert_eq!(answer.refusal(), (409, "conflict"));
    assert!(answer.body["message"].as_str().is_some_and(|text| text.contains("5 credits")));
    let answer = api.post(&path, &json!({"max_credit_per_unit": 4})).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["max_credit_per_unit"]));
    for body in [
        json!({"continue_batch": "yes"}),
        json!({"max_credit_per_unit": 0}),
        json!({"max_credit_per_unit": "5"}),
        json!({"continue_batches": true}),
        json!([]),
    ] {
        assert_eq!(api.post(&path, &body).await.refusal(), (422, "validation_failed"), "{body}");
    }
    assert_eq!(api.post_text(&path, "{").await.refusal(), (400, "invalid_json"));
    let aborted = path.replace("confirm", "abort");
    assert_eq!(api.post(&aborted, &json!({})).await.status, 200);
    assert_eq!(api.post(&path, &json!({})).await.refusal(), (409, "conflict"));
}

#[tokio::test]
async fn confirm_cannot_lower_max_credit_per_unit() {
    let api = TestApi::start().await;
    let body = json!({"mode": "links", "url": "https://a.example/", "max_credit_per_unit": 3});
    let id = api.post("/v1/jobs", &body).await.job_id();
    let lease = api.store.claim(&api.node, std::time::Duration::from_secs(60), NOW).await;
    let lease = lease.expect("the database answers").expect("a free shard");
    api.report(&lease, &JobCommand::Start).await;
    let tier = Tier::Protected { marker: "captcha".to_owned() };
    api.report(&lease, &JobCommand::LearnTier(tier)).await;
    let path = format!("/v1/jobs/{id}/confirm");
    let answer = api.post(&path, &json!({"max_credit_per_unit": 2})).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["max_credit_per_unit"]));
    let shown = api.get(&format!("/v1/jobs/{id}")).await;
    assert_eq!(
        (&shown.body["credit_per_unit"], &shown.body["protected"]),
        (&json!(5), &json!(true))
    );
    // Whatever ceiling it had: the rate that it shows is accepted.
    let answer = api.post(&path, &json!({})).await;
    assert_eq!((answer.status, &answer.body["credit_per_unit"]), (200, &json!(5)));
}

#[tokio::test]
async fn confirm_without_credits_keeps_the_job_waiting() {
    let api = TestApi::start().await;
    let (_, key) = api.account("poor@example.com", 1).await;
    let body = json!({"mode": "links", "url": "https://a.example/"});
    let id = api.post_as(&key, "/v1/jobs", &body).await.job_id();
    let lease = api.store.claim(&api.node, std::time::Duration::from_secs(60), NOW).await;
    let mut lease = lease.expect("the database answers").expect("a free shard");
    api.report(&lease, &JobCommand::Start).await;
    api.deliver(&mut lease, 0..1).await;
    api.report(&lease, &JobCommand::ExhaustCredits).await;
    let path = format!("/v1/jobs/{id}/confirm");
    let answer = api.post_as(&key, &path, &json!({})).await;
    assert_eq!(answer.refusal(), (402, "insufficient_credits"));
    assert_eq!(answer.body["top_up_url"], "https://trawl.example/top-up");
    api.store.grant("poor@example.com", Credits(1), NOW).await.expect("a grant");
    let answer = api.post_as(&key, &path, &json!({})).await;
    assert_eq!((answer.status, &answer.body["error"]), (200, &json!(null)));
}
