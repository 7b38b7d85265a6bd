//! `GET /v1/account`.

use serde_json::json;

use crate::harness::TestApi;

#[tokio::test]
async fn account_shows_balance_key_and_limits() {
    let api = TestApi::with(|settings| settings.limits.request_burst = 60).await;
    insta::assert_json_snapshot!(api.get("/v1/account").await.stable());
}

#[tokio::test]
async fn reserved_credits_are_not_available() {
    let api = TestApi::start().await;
    let id = api.queued("example.com").await;
    assert_eq!(api.get("/v1/account").await.body["credits"], 999);
    api.post(&format!("/v1/jobs/{id}/abort"), &json!({})).await;
    assert_eq!(api.get("/v1/account").await.body["credits"], 1_000);
}
