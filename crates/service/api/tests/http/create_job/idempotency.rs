//! A retried creation starts no second job.

use std::time::Duration;

use serde_json::json;

use crate::harness::TestApi;

#[tokio::test]
async fn same_key_and_body_replays_for_a_day() {
    let api = TestApi::start().await;
    let body = json!({"mode": "links", "url": "https://example.com/", "scope": {"one_page": true}});
    let first = api.create(&body, "order 66").await;
    assert_eq!((first.status, first.header("idempotent-replayed")), (202, None));
    // Order and white space do not count, and neither does what happened since.
    api.post(&format!("/v1/jobs/{}/abort", first.job_id()), &json!({})).await;
    let body = json!({"scope": {"one_page": true}, "url": "https://example.com/", "mode": "links"});
    api.pass(Duration::from_secs(24 * 60 * 60 - 1));
    let again = api.create(&body, "order 66").await;
    assert_eq!((again.status, again.header("idempotent-replayed")), (202, Some("true")));
    assert_eq!(again.body, first.body);
    api.pass(Duration::from_secs(2));
    let later = api.create(&body, "order 66").await;
    assert_eq!((later.status, later.header("idempotent-replayed")), (202, None));
    assert_ne!(later.body, first.body);
}

#[tokio::test]
async fn same_key_with_another_body_is_422() {
    let api = TestApi::start().await;
    api.create(&json!({"mode": "links", "url": "https://a.example/"}), "k").await;
    for body in [json!({"mode": "links", "url": "https://b.example/"}), json!({"nonsense": 1})] {
        assert_eq!(api.create(&body, "k").await.refusal(), (422, "idempotency_key_reused"));
    }
    // The key is the account's own.
    let (_, other) = api.account("bob@example.com", 5).await;
    let headers = [
        ("authorization", format!("Bearer {other}")),
        ("content-type", "application/json".to_owned()),
        ("idempotency-key", "k".to_owned()),
    ];
    let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
    let body = json!({"mode": "links", "url": "https://b.example/"}).to_string();
    let answer = api.send(http::Method::POST, "/v1/jobs", &headers, &body).await;
    assert_eq!(answer.status, 202);
}

#[tokio::test]
async fn failed_request_does_not_use_up_the_key() {
    let api = TestApi::start().await;
    assert_eq!(api.create(&json!({"mode": "links"}), "k").await.status, 422);
    let body = json!({"mode": "links", "url": "https://a.example/"});
    assert_eq!(api.create(&body, "k").await.status, 202);
}

#[tokio::test]
async fn idempotency_key_must_be_printable_ascii() {
    let api = TestApi::start().await;
    let body = json!({"mode": "links", "url": "https://a.example/"});
    for key in ["", "ü", &"x".repeat(256), "a\tb"] {
        let answer = api.create(&body, key).await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["Idempotency-Key"]), "{key:?}");
    }
    assert_eq!(api.create(&body, &"x".repeat(255)).await.status, 202);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_concurrent_requests_start_one_job() {
    fifty(TestApi::start().await).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn fifty_concurrent_requests_start_one_job_on_postgres() {
    fifty(TestApi::postgres().await).await;
}

#[tokio::test]
#[ignore = "needs PostgreSQL: scripts/test starts it"]
async fn request_in_progress_is_409_with_retry_after_on_postgres() {
    let api = TestApi::postgres().await;
    // Another transaction locks the account's row, as a creation in flight does.
    let pool = sqlx::any::AnyPoolOptions::new()
        .max_connections(1)
        .connect(api.database.as_deref().expect("a database"))
        .await
        .expect("the database answers");
    let mut holder = pool.begin().await.expect("a transaction");
    sqlx::query("UPDATE accounts SET balance = balance").execute(&mut *holder).await.expect("held");
    let body = json!({"mode": "links", "url": "https://example.com/"});
    let answer = api.create(&body, "k").await;
    assert_eq!(answer.refusal(), (409, "idempotency_in_progress"));
    assert!(answer.header("retry-after").is_some());
    // Without a key it is the database that is slow, not a twin.
    let answer = api.post("/v1/jobs", &body).await;
    assert_eq!(answer.refusal(), (503, "unavailable"));
    drop(holder);
    assert_eq!(api.create(&body, "k").await.status, 202);
}

async fn fifty(api: TestApi) {
    let body = json!({"mode": "links", "url": "https://example.com/"});
    let answers = futures_util::future::join_all((0..50).map(|_| api.create(&body, "one"))).await;
    let first = answers[0].job_id();
    for answer in &answers {
        assert_eq!((answer.status, answer.job_id()), (202, first.clone()), "{}", answer.text);
    }
    let replayed = answers.iter().filter(|a| a.header("idempotent-replayed").is_some()).count();
    assert_eq!(replayed, 49);
    assert_eq!(api.get("/v1/jobs").await.body["total"], 1);
    assert_eq!(api.get("/v1/account").await.body["credits"], 999);
}
