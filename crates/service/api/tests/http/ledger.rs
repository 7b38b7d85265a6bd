//! `GET /v1/ledger`.

use crate::bench::Bench;

#[tokio::test]
async fn the_ledger_shows_what_came_and_went() {
    let bench = Bench::start().await;
    let answer = bench.get("/v1/ledger?page_size=5").await;
    assert_eq!((answer.status, answer.body["items"].as_array().map(Vec::len)), (200, Some(1)));
    insta::assert_json_snapshot!(answer.stable());
    assert_eq!(bench.get("/v1/ledger?page=0").await.fields(), ["page"]);
    assert_eq!(bench.get("/v1/ledger?page=2").await.body["items"], serde_json::json!([]));
}
