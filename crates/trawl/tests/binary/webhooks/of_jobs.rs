//! The webhook of a job: its events alone, signed with its own secret, also after its end.

use std::time::Duration;

use fixture::ReceiverBehavior;
use lab::Catalogue;
use serde_json::{Value, json};

use super::harness::{Scene, body_of};
use super::verifiers::Verifiers;
use crate::database::Kind;
use crate::server::wait_for;

async fn start(scene: &Scene, site: &str, name: &str, events: Value) -> (String, String) {
    let url = format!("https://{name}.hooks.test/in?token=hush-{name}");
    let body = json!({"mode": "links", "url": format!("http://{site}.lab/"),
        "webhook": {"url": url, "events": events}});
    let answer = scene.server.post("/v1/jobs", &scene.key, &body).await;
    let status = answer.status();
    let answer: Value = answer.json().await.expect("JSON");
    assert_eq!(status, 202, "{answer}");
    let text = |name: &str| answer[name].as_str().expect("a text").to_owned();
    (text("job_id"), text("webhook_secret"))
}

async fn events_of_a_job_are_sent_to_its_webhook_alone(kind: Kind) {
    let sites = |lab: &lab::Lab| {
        for site in ["one.lab", "two.lab", "other.lab"] {
            lab.serve(site, Catalogue::plain(20));
        }
    };
    let scene = Scene::over(kind, sites, &[], |_| ReceiverBehavior::Status(204)).await;
    let all = scene.hook("all", json!(["job.completed"])).await;
    let (one, secret) = start(&scene, "one", "one", Value::Null).await;
    let (two, other_secret) = start(&scene, "two", "two", json!(["job.completed"])).await;
    let other = scene.server.create(&scene.key, "http://other.lab/", json!({})).await;
    assert_ne!(secret, other_secret);
    for job in [&one, &two, &other] {
        scene.server.wait(&scene.key, job, &["completed"]).await;
    }
    let received = wait_for(async || {
        let received = scene.receiver.received();
        let ends = received.iter().filter(|one| body_of(one)["type"] == "job.completed");
        (ends.count() >= 5).then_some(received)
    })
    .await;
    let verifiers = Verifiers::new();
    for delivery in &received {
        let event = body_of(delivery);
        let (job, secret) = match delivery.host.as_str() {
            host if host.starts_with("one.") => (&one, &secret),
            host if host.starts_with("two.") => (&two, &other_secret),
            _ => continue,
        };
        assert_eq!(event["data"]["job"]["job_id"], json!(job), "its own events alone");
        let signature = delivery.header("x-service-signature").expect("a signature");
        assert!(verifiers.accept(secret, signature, &delivery.body), "{signature}");
    }
    let of = |name: &str| {
        let hosts = received.iter().filter(|one| one.host.starts_with(name));
        hosts.map(|one| body_of(one)["type"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(of("two."), ["job.completed"]);
    assert_eq!(of("all."), ["job.completed"; 3]);
    assert!(of("one.").contains(&json!("job.completed")));
    let endpoints = scene.get("/v1/webhooks").await;
    assert_eq!(endpoints.as_array().expect("a list").len(), 1, "{endpoints}");
    assert_eq!(endpoints[0]["id"], json!(all.id));
    let shown = scene.get(&format!("/v1/jobs/{one}")).await.to_string();
    assert!(shown.contains("one.hooks.test") && !shown.contains("whsec_"));
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_a_job_are_sent_to_its_webhook_alone_on_sqlite() {
    events_of_a_job_are_sent_to_its_webhook_alone(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn events_of_a_job_are_sent_to_its_webhook_alone_on_postgres() {
    events_of_a_job_are_sent_to_its_webhook_alone(Kind::Postgres).await;
}

/// The end of a job is delivered by a retry after its end, and a deleted job sends nothing more.
#[tokio::test(flavor = "multi_thread")]
async fn end_of_a_job_is_retried_until_the_job_is_deleted() {
    let sites = |lab: &lab::Lab| {
        lab.serve("one.lab", Catalogue::plain(9));
        lab.serve("two.lab", Catalogue::plain(9));
    };
    let settings = [("TRAWL_WEBHOOK_RETRIES", "1,1,1,1,1,1,1,1,1,1")];
    let attempts = std::sync::atomic::AtomicUsize::new(0);
    let scene = Scene::over(Kind::Sqlite, sites, &settings, move |request| {
        let is_late = request.host.starts_with("late.")
            && attempts.fetch_add(1, std::sync::atomic::Ordering::SeqCst) >= 2;
        ReceiverBehavior::Status(if is_late { 204 } else { 503 })
    })
    .await;
    let (one, _) = start(&scene, "one", "late", json!(["job.completed"])).await;
    let (two, _) = start(&scene, "two", "never", json!(["job.completed"])).await;
    scene.server.wait(&scene.key, &one, &["completed"]).await;
    scene.server.wait(&scene.key, &two, &["completed"]).await;
    let count = |name: &str| {
        scene.receiver.received().iter().filter(|one| one.host.starts_with(name)).count()
    };
    wait_for(async || (count("late.") >= 3 && count("never.") >= 2).then_some(())).await;
    let deleted =
        scene.server.request(reqwest::Method::DELETE, &format!("/v1/jobs/{two}"), &scene.key);
    assert_eq!(deleted.send().await.expect("an answer").status(), 200);
    tokio::time::sleep(Duration::from_millis(500)).await;
    let before = count("never.");
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!((count("never."), count("late.")), (before, 3));
}
