//! Responses while the database is unavailable.

use std::sync::atomic::Ordering;

use http::Method;
use serde_json::json;

use crate::harness::TestApi;

#[tokio::test]
async fn database_outage_is_503_with_retry_after() {
    let api = TestApi::start().await;
    let session = api.session().await;
    api.store.close().await;
    for path in ["/v1/jobs", "/v1/account", "/v1/jobs/job_00000000000000000000000000000000"] {
        let answer = api.get(path).await;
        assert_eq!(answer.refusal(), (503, "unavailable"), "{path}");
        assert!(answer.header("retry-after").is_some());
    }
    let body = json!({"mode": "links", "url": "https://example.com/"});
    insta::assert_json_snapshot!(api.create(&body, "k").await.stable());
    assert_eq!(api.get_as(&session, "/api-keys").await.status, 503);
    assert_eq!(api.send(Method::GET, "/readyz", &[], "").await.refusal(), (503, "unavailable"));
    assert_eq!(api.send(Method::GET, "/healthz", &[], "").await.status, 200);
}

#[tokio::test]
async fn service_is_ready_when_its_start_is_done() {
    let api = TestApi::start().await;
    api.is_started.store(false, Ordering::Release);
    let starting = api.send(Method::GET, "/readyz", &[], "").await;
    assert_eq!(starting.refusal(), (503, "unavailable"));
    assert!(starting.header("retry-after").is_some());
    api.is_started.store(true, Ordering::Release);
    assert_eq!(api.send(Method::GET, "/readyz", &[], "").await.status, 200);
}
