//! `GET /v1/ledger`.

use crate::harness::TestApi;

#[tokio::test]
async fn ledger_shows_grants_and_debits() {
    let api = TestApi::start().await;
    let answer = api.get("/v1/ledger?page_size=5").await;
    assert_eq!((answer.status, answer.body["items"].as_array().map(Vec::len)), (200, Some(1)));
    insta::assert_json_snapshot!(answer.stable());
    let grouped = api.get("/v1/ledger?group=job").await;
    let line = &grouped.body["items"][0];
    assert_eq!((grouped.status, &line["balance"]), (200, &line["amount"]), "{line}");
    assert_eq!(api.get("/v1/ledger?group=day").await.fields(), ["group"]);
    assert_eq!(api.get("/v1/ledger?page=0").await.fields(), ["page"]);
    assert_eq!(api.get("/v1/ledger?page=2").await.body["items"], serde_json::json!([]));
}
