//! `GET /v1/account`.

use serde_json::json;

use crate::bench::Bench;

#[tokio::test]
async fn an_account_shows_balance_key_and_ceilings() {
    let bench = Bench::with(|settings| settings.limits.request_burst = 60).await;
    insta::assert_json_snapshot!(bench.get("/v1/account").await.stable());
}

#[tokio::test]
async fn what_is_set_aside_is_not_available() {
    let bench = Bench::start().await;
    let id = bench.queued("example.com").await;
    assert_eq!(bench.get("/v1/account").await.body["credits"], 999);
    bench.post(&format!("/v1/jobs/{id}/abort"), &json!({})).await;
    assert_eq!(bench.get("/v1/account").await.body["credits"], 1_000);
}
