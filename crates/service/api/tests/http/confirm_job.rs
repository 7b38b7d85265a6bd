//! `POST /v1/jobs/{id}/confirm`.

use contract::Credits;
use http::Method;
use job::{JobCommand, Tier};
use serde_json::json;

use crate::bench::{Bench, NOW, bearer};

async fn awaiting(bench: &Bench, host: &str) -> String {
    let (id, lease) = bench.running(host).await;
    let tier = Tier::Protected { marker: "cloudflare_challenge".to_owned() };
    bench.report(&lease, &JobCommand::LearnTier(tier)).await;
    format!("/v1/jobs/{id}/confirm")
}

#[tokio::test]
async fn an_escalation_is_confirmed_with_an_empty_body() {
    let bench = Bench::start().await;
    let path = awaiting(&bench, "a.example").await;
    let key = bearer(&bench.key);
    // No body, no content type.
    let answer = bench.send(Method::POST, &path, &[("authorization", &key)], "").await;
    assert_eq!((answer.status, &answer.body["status"]), (200, &json!("queued")));
    assert_eq!(answer.body["credit_per_unit"], 5);
}

#[tokio::test]
async fn an_escalation_is_confirmed_with_a_ceiling() {
    let bench = Bench::start().await;
    let path = awaiting(&bench, "a.example").await;
    let answer = bench.post(&path, &json!({"max_credit_per_unit": 5})).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn a_boundary_needs_continue_batch() {
    let bench = Bench::start().await;
    let (id, lease) = bench.running("a.example").await;
    bench.report(&lease, &JobCommand::ReachBoundary).await;
    let path = format!("/v1/jobs/{id}/confirm");
    let answer = bench.post(&path, &json!({})).await;
    assert_eq!(answer.refusal(), (409, "conflict"));
    assert!(answer.body["message"].as_str().is_some_and(|text| text.contains("continue_batch")));
    let answer = bench.post(&path, &json!({"continue_batch": true})).await;
    assert_eq!((answer.status, &answer.body["batch"]), (200, &json!(2)));
    assert_eq!(answer.body["batch_ready"], false);
    // It waits for nothing any more.
    let answer = bench.post(&path, &json!({"continue_batch": true})).await;
    assert_eq!(answer.refusal(), (409, "conflict"));
}

#[tokio::test]
async fn a_confirm_that_does_not_fit_is_refused() {
    let bench = Bench::start().await;
    let path = awaiting(&bench, "a.example").await;
    let answer = bench.post(&path, &json!({"continue_batch": true})).await;
    assert_eq!(answer.refusal(), (409, "conflict"));
    assert!(answer.body["message"].as_str().is_some_and(|text| text.contains("5 credits")));
    let answer = bench.post(&path, &json!({"max_credit_per_unit": 4})).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["max_credit_per_unit"]));
    for body in [
        json!({"continue_batch": "yes"}),
        json!({"max_credit_per_unit": 0}),
        json!({"max_credit_per_unit": "5"}),
        json!({"continue_batches": true}),
        json!([]),
    ] {
        assert_eq!(bench.post(&path, &body).await.refusal(), (422, "validation_failed"), "{body}");
    }
    assert_eq!(bench.post_text(&path, "{").await.refusal(), (400, "invalid_json"));
    let aborted = path.replace("confirm", "abort");
    assert_eq!(bench.post(&aborted, &json!({})).await.status, 200);
    assert_eq!(bench.post(&path, &json!({})).await.refusal(), (409, "conflict"));
}

#[tokio::test]
async fn a_ceiling_is_never_lowered() {
    let bench = Bench::start().await;
    let body = json!({"mode": "links", "url": "https://a.example/", "max_credit_per_unit": 3});
    let id = bench.post("/v1/jobs", &body).await.job_id();
    let lease = bench.store.claim(&bench.node, std::time::Duration::from_secs(60), NOW).await;
    let lease = lease.expect("the database answers").expect("a free shard");
    bench.report(&lease, &JobCommand::Start).await;
    let tier = Tier::Protected { marker: "captcha".to_owned() };
    bench.report(&lease, &JobCommand::LearnTier(tier)).await;
    let path = format!("/v1/jobs/{id}/confirm");
    let answer = bench.post(&path, &json!({"max_credit_per_unit": 2})).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["max_credit_per_unit"]));
    let shown = bench.get(&format!("/v1/jobs/{id}")).await;
    assert_eq!(
        (&shown.body["credit_per_unit"], &shown.body["protected"]),
        (&json!(5), &json!(true))
    );
    // Whatever ceiling it had: the rate that it shows is accepted.
    let answer = bench.post(&path, &json!({})).await;
    assert_eq!((answer.status, &answer.body["credit_per_unit"]), (200, &json!(5)));
}

#[tokio::test]
async fn without_credits_it_goes_on_waiting() {
    let bench = Bench::start().await;
    let (_, key) = bench.account("poor@example.com", 1).await;
    let body = json!({"mode": "links", "url": "https://a.example/"});
    let id = bench.post_as(&key, "/v1/jobs", &body).await.job_id();
    let lease = bench.store.claim(&bench.node, std::time::Duration::from_secs(60), NOW).await;
    let mut lease = lease.expect("the database answers").expect("a free shard");
    bench.report(&lease, &JobCommand::Start).await;
    bench.deliver(&mut lease, 0..1).await;
    bench.report(&lease, &JobCommand::ExhaustCredits).await;
    let path = format!("/v1/jobs/{id}/confirm");
    let answer = bench.post_as(&key, &path, &json!({})).await;
    assert_eq!(answer.refusal(), (402, "insufficient_credits"));
    assert_eq!(answer.body["top_up_url"], "https://trawl.example/top-up");
    bench.store.grant("poor@example.com", Credits(1), NOW).await.expect("a grant");
    let answer = bench.post_as(&key, &path, &json!({})).await;
    assert_eq!((answer.status, &answer.body["error"]), (200, &json!(null)));
}
