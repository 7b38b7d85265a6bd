//! Receivers that fail for a while or permanently, and the actions of their owner.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use fixture::ReceiverBehavior;
use serde_json::{Value, json};

use super::harness::{Scene, body_of};
use super::verifiers::Verifiers;
use crate::server::wait_for;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs Python and Node.js: scripts/test installs them"]
async fn delivery_is_retried_until_accepted() {
    let asked = AtomicUsize::new(0);
    let retries = [("TRAWL_WEBHOOK_RETRIES", "0.1,0.1,0.1,0.1,0.1")];
    let scene = Scene::start(&retries, move |_| match asked.fetch_add(1, Ordering::SeqCst) {
        0..3 => ReceiverBehavior::Status(500),
        _ => ReceiverBehavior::Status(200),
    })
    .await;
    let hook = scene.hook("late", json!(["job.aborted"])).await;
    scene.abort_one().await;
    let delivery = scene.until(&hook, "delivered").await;
    let statuses: Vec<_> = delivery["attempts"]
        .as_array()
        .expect("attempts")
        .iter()
        .map(|attempt| (attempt["status_code"].clone(), attempt["error"].clone()))
        .collect();
    let failed = (json!(500), json!("answered 500"));
    assert_eq!(statuses, [failed.clone(), failed.clone(), failed, (json!(200), Value::Null)]);
    let received = scene.receiver.received();
    let verifiers = Verifiers::new();
    let mut times = Vec::new();
    for attempt in &received {
        assert_eq!(attempt.body, received[0].body, "the same event, byte for byte");
        let signature = attempt.header("x-service-signature").expect("a signature");
        assert!(verifiers.accept(&hook.secret, signature, &attempt.body));
        times.push(signature.split(',').next().expect("t=").to_owned());
    }
    assert_eq!((received.len(), times.is_sorted()), (4, true), "each with its own time");
    let seen = scene.seen(&hook).await;
    assert_eq!((&seen["failing_since"], &seen["last_error"]), (&Value::Null, &Value::Null));
    assert!(seen["last_success_at"].is_string() && seen["active"] == true);
}

#[tokio::test(flavor = "multi_thread")]
async fn exhausted_attempts_disable_the_endpoint_until_reenabled() {
    let well = Arc::new(AtomicBool::new(false));
    let health = Arc::clone(&well);
    let retries = [("TRAWL_WEBHOOK_RETRIES", "0.05,0.05")];
    let scene = Scene::start(&retries, move |received| {
        let is_well = health.load(Ordering::SeqCst) || received.host.starts_with("good.");
        ReceiverBehavior::Status(if is_well { 200 } else { 503 })
    })
    .await;
    let hook = scene.hook("sick", json!(["job.aborted"])).await;
    let good = scene.hook("good", json!(["job.aborted"])).await;
    scene.abort_one().await;
    let failed = scene.until(&hook, "failed").await;
    assert_eq!(failed["attempts"].as_array().map(Vec::len), Some(3), "the first and two retries");
    assert_eq!(failed["next_attempt_at"], Value::Null);
    let seen = scene.seen(&hook).await;
    assert_eq!((&seen["active"], &seen["last_error"]), (&json!(false), &json!("answered 503")));
    assert!(seen["failing_since"].is_string());
    assert_eq!(scene.get("/v1/account").await["webhook_failing"], true);

    // The disabled endpoint gets nothing more; others do.
    scene.abort_one().await;
    wait_for(async || {
        let deliveries = scene.deliveries(&good).await;
        (deliveries.iter().filter(|one| one["state"] == "delivered").count() == 2).then_some(())
    })
    .await;
    assert_eq!(scene.deliveries(&hook).await.len(), 1);

    well.store(true, Ordering::SeqCst);
    // A test is sent although the endpoint is disabled.
    let test = format!("/v1/webhooks/{}/test", hook.id);
    assert_eq!(scene.server.post(&test, &scene.key, &json!({})).await.status(), 202);
    let test = scene.until(&hook, "delivered").await;
    assert_eq!(test["type"], "webhook.test");
    assert_eq!(scene.seen(&hook).await["active"], false, "a successful test does not enable it");
    assert_eq!(scene.patch(&hook, &json!({"active": true})).await["active"], true);
    assert_eq!(scene.get("/v1/account").await["webhook_failing"], false);
    // Failed deliveries are redelivered manually, missed events are read from the list.
    let id = failed["id"].as_str().expect("an id");
    let again = format!("/v1/webhooks/{}/deliveries/{id}/redeliver", hook.id);
    assert_eq!(scene.server.post(&again, &scene.key, &json!({})).await.status(), 202);
    wait_for(async || {
        let all = scene.deliveries(&hook).await;
        let one = all.iter().find(|one| one["id"] == id).expect("it is listed");
        (one["state"] == "delivered").then_some(())
    })
    .await;
    let arrived: Vec<_> = scene.receiver.received().iter().map(body_of).collect();
    assert_eq!(arrived.last().expect("one")["id"], failed["event_id"], "the same event");
    let events = scene.events().await;
    let missed = events.iter().filter(|event| event["type"] == "job.aborted");
    assert_eq!(missed.count(), 2, "nothing is lost");
}

#[tokio::test(flavor = "multi_thread")]
async fn endpoint_with_410_is_disabled_at_once() {
    let scene = Scene::start(&[], |_| ReceiverBehavior::Status(410)).await;
    let hook = scene.hook("gone", json!(["job.aborted"])).await;
    scene.abort_one().await;
    let failed = scene.until(&hook, "failed").await;
    assert_eq!(failed["attempts"].as_array().map(Vec::len), Some(1));
    let seen = scene.seen(&hook).await;
    assert_eq!((&seen["active"], &seen["last_error"]), (&json!(false), &json!("answered 410")));
    assert_eq!(scene.get("/v1/account").await["webhook_failing"], true);
    assert_eq!(scene.receiver.received().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn shutdown_does_not_wait_for_hanging_receivers() {
    let scene = Scene::start(&[], |_| ReceiverBehavior::Hang).await;
    let hook = scene.hook("hang", json!(["job.aborted"])).await;
    scene.abort_one().await;
    scene.asked(1).await;
    let delivery = scene.deliveries(&hook).await.remove(0);
    assert_eq!(delivery["state"], "pending", "under way");
    assert!(scene.server.terminate().success());
}
