//! `GET /v1/events`.

use job::{JobCommand, RunEnding};
use serde_json::{Value, json};

use crate::harness::{NOW, TestApi};

#[tokio::test]
async fn missed_events_can_be_read() {
    let api = TestApi::start().await;
    let (_, mut lease) = api.running("example.com").await;
    api.deliver(&mut lease, 0..2).await;
    api.report(&lease, &JobCommand::Finish(RunEnding::Complete)).await;
    api.store
        .emit_recharge_failed(&api.account, "the card expired", NOW)
        .await
        .expect("a stored event");
    let all = api.get("/v1/events").await;
    insta::assert_json_snapshot!(all.stable());
    let items = all.body["items"].as_array().expect("items").clone();
    // One after the other, as a receiver does that remembers the last it has seen.
    let (mut after, mut seen) = (String::new(), Vec::new());
    loop {
        let answer = api.get(&format!("/v1/events?page_size=2{after}")).await;
        seen.extend(answer.body["items"].as_array().expect("items").iter().cloned());
        let last: &Value = seen.last().expect("events");
        after = format!("&after={}", last["id"].as_str().expect("an id"));
        if answer.body["has_more"] == false {
            break;
        }
    }
    assert_eq!(seen, items);
    let rest = api.get(&format!("/v1/events?{after}")).await;
    assert_eq!(rest.body, json!({"items": [], "has_more": false}));
    let (_, bob) = api.account("bob@example.com", 5).await;
    assert_eq!(api.get_as(&bob, "/v1/events").await.body["items"], json!([]));
    let foreign = api.get_as(&bob, &format!("/v1/events?{after}")).await;
    assert_eq!((foreign.status, foreign.fields()), (422, vec!["after"]));
}

#[tokio::test]
async fn invalid_event_positions_are_rejected() {
    let api = TestApi::start().await;
    for (query, fields) in [
        ("after=yesterday", vec!["after"]),
        ("after=", vec!["after"]),
        ("after=evt_00000000000000000000000000000000", vec!["after"]),
        ("page_size=0&after=x", vec!["page_size", "after"]),
    ] {
        let answer = api.get(&format!("/v1/events?{query}")).await;
        assert_eq!((answer.status, answer.fields()), (422, fields), "{query}");
    }
}
