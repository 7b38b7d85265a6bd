//! `GET /v1/usage`.

use serde_json::json;

use crate::harness::TestApi;

#[tokio::test]
async fn usage_is_the_sum_of_the_ledger() {
    let api = TestApi::start().await;
    let (_, mut lease) = api.running("example.com").await;
    api.deliver(&mut lease, 0..3).await;
    api.pass(std::time::Duration::from_secs(1));
    for group in ["source", "mode", "day"] {
        let answer = api.get(&format!("/v1/usage?group_by={group}")).await;
        insta::assert_json_snapshot!(group, answer.stable());
    }
    let day = api.get("/v1/usage?from=2026-11-15&to=2026-11-16").await;
    assert_eq!(day.body["total"]["credits"], 3);
    let before = api.get("/v1/usage?from=2026-11-14&to=2026-11-15").await;
    assert_eq!((&before.body["total"]["credits"], &before.body["items"]), (&json!(0), &json!([])));
    let zone = api.get("/v1/usage?from=2026-11-15T00:00:00+01:00").await;
    assert_eq!(zone.body["from"], "2026-11-14T23:00:00.000Z");
}

#[tokio::test]
async fn invalid_time_spans_are_rejected() {
    let api = TestApi::start().await;
    for (query, field) in [
        ("from=yesterday", "from"),
        ("to=", "to"),
        ("group_by=week", "group_by"),
        ("from=2026-11-16&to=2026-11-15", "from"),
    ] {
        let answer = api.get(&format!("/v1/usage?{query}")).await;
        assert_eq!((answer.status, answer.fields()), (422, vec![field]), "{query}");
    }
}
