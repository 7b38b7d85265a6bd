//! `/v1/webhooks/{id}/deliveries`, `/test`, and failing endpoints in the account.

use std::time::Duration;

use contract::{DeliveryAttempt, Millis, WebhookId};
use serde_json::{Value, json};
use store::{CompletedAttempt, DeliveryOutcome};

use crate::harness::{NOW, TestApi};
use crate::webhooks::api;

/// One attempt at whatever is due first, with this outcome.
async fn attempt(api: &TestApi, webhook: &str, at: Millis, outcome: DeliveryOutcome) {
    let webhook: WebhookId = webhook.parse().expect("an id");
    let due = api.store.due_deliveries(&webhook, at, 1).await.expect("it answers");
    let error = (outcome != DeliveryOutcome::Delivered).then(|| "answered 503".to_owned());
    let status_code = Some(if error.is_some() { 503 } else { 200 });
    let attempt = DeliveryAttempt { at, status_code, duration_ms: 12, error };
    let due = due.into_iter().next().expect("something is due");
    api.store
        .record_attempts(&[CompletedAttempt { due, attempt, outcome }])
        .await
        .expect("it answers");
}

#[tokio::test]
async fn deliveries_show_payload_and_attempts() {
    let api = api().await;
    let webhook = api.webhook().await;
    let (job, mut lease) = api.running("example.com").await;
    api.deliver(&mut lease, 0..2).await;
    let path = format!("/v1/webhooks/{webhook}/deliveries");
    let waiting = api.get(&path).await;
    assert_eq!(waiting.body["items"][0]["payload"]["data"]["job"]["job_id"], job.as_str());
    assert_eq!(
        waiting.body["items"][0]["payload"]["data"]["job"]["counts"],
        api.get(&format!("/v1/jobs/{job}")).await.body["counts"],
        "the counts of GET"
    );
    let later = NOW.plus(Duration::from_secs(5));
    attempt(&api, &webhook, NOW, DeliveryOutcome::Retry { at: later }).await;
    insta::assert_json_snapshot!("retried", api.get(&path).await.stable());
    attempt(&api, &webhook, later, DeliveryOutcome::Delivered).await;
    let delivered = api.get(&path).await;
    let item = &delivered.body["items"][0];
    assert_eq!((&item["state"], &item["next_attempt_at"]), (&json!("delivered"), &Value::Null));
    assert_eq!(item["attempts"].as_array().map(Vec::len), Some(2));
    let endpoint = api.get("/v1/webhooks").await;
    assert_eq!(endpoint.body[0]["last_success_at"], "2026-11-15T09:30:05.012Z");
}

#[tokio::test]
async fn deliveries_are_paged_and_filtered_by_state() {
    let api = api().await;
    let webhook = api.webhook().await;
    let test = format!("/v1/webhooks/{webhook}/test");
    let mut ids = Vec::new();
    for _ in 0..5 {
        let sent = api.post(&test, &json!({})).await;
        assert_eq!(sent.status, 202);
        ids.push(sent.body["id"].as_str().expect("an id").to_owned());
        api.pass(Duration::from_millis(1));
    }
    ids.reverse();
    let path = format!("/v1/webhooks/{webhook}/deliveries");
    let mut listed = Vec::new();
    for page in 1..=3 {
        let answer = api.get(&format!("{path}?page={page}&page_size=2")).await;
        assert_eq!(
            (&answer.body["total"], &answer.body["has_more"]),
            (&json!(5), &json!(page < 3))
        );
        let items = answer.body["items"].as_array().expect("items").clone();
        listed.extend(items.iter().map(|item| item["id"].as_str().expect("an id").to_owned()));
    }
    assert_eq!(listed, ids);
    attempt(&api, &webhook, NOW, DeliveryOutcome::Failed).await;
    for (state, total) in [("pending", 4), ("failed", 1), ("delivered", 0), ("held", 0)] {
        let answer = api.get(&format!("{path}?state={state}")).await;
        assert_eq!(answer.body["total"], total, "{state}");
    }
    let wrong = api.get(&format!("{path}?state=lost&page=0&page_size=5000")).await;
    assert_eq!((wrong.status, wrong.fields()), (422, vec!["page", "page_size", "state"]));
}

#[tokio::test]
async fn test_event_and_redelivery_are_queued() {
    let api = api().await;
    let webhook = api.webhook().await;
    let test = api.post(&format!("/v1/webhooks/{webhook}/test"), &json!({})).await;
    insta::assert_json_snapshot!("test", test.stable());
    attempt(&api, &webhook, NOW, DeliveryOutcome::Failed).await;
    assert_eq!(api.get("/v1/webhooks").await.body[0]["failing_since"], Value::Null);
    let delivery = test.body["id"].as_str().expect("an id");
    let again = format!("/v1/webhooks/{webhook}/deliveries/{delivery}/redeliver");
    api.pass(Duration::from_secs(1));
    let sent = api.post(&again, &json!({})).await;
    assert_eq!((sent.status, &sent.body["state"]), (202, &json!("pending")));
    assert_eq!(sent.body["event_id"], test.body["event_id"], "the same event");
    for unknown in ["dlv_00000000000000000000000000000000", "1", webhook.as_str()] {
        let again = format!("/v1/webhooks/{webhook}/deliveries/{unknown}/redeliver");
        assert_eq!(api.post(&again, &json!({})).await.refusal(), (404, "not_found"));
    }
}

#[tokio::test]
async fn account_shows_a_failing_webhook() {
    let api = api().await;
    let webhook = api.webhook().await;
    let failing = async || api.get("/v1/account").await.body["webhook_failing"].clone();
    let (_, mut lease) = api.running("example.com").await;
    api.deliver(&mut lease, 0..1).await;
    assert_eq!(failing().await, false);
    attempt(&api, &webhook, NOW, DeliveryOutcome::Exhausted).await;
    assert_eq!(failing().await, true);
    let listed = api.get("/v1/webhooks").await;
    insta::assert_json_snapshot!("exhausted", listed.stable());
    let path = format!("/v1/webhooks/{webhook}");
    assert_eq!(api.patch(&path, &json!({"active": true})).await.body["active"], true);
    assert_eq!(failing().await, false, "an owner who enables it again has repaired it");
}
