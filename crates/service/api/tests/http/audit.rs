//! `GET /v1/audit`.

use http::Method;
use serde_json::json;

use crate::bench::{Bench, bearer};

#[tokio::test]
async fn the_audit_log_tells_who_did_what_from_where() {
    let bench = Bench::start().await;
    let session = bench.session().await;
    let key = bench.post_as(&session, "/api-keys", &json!({"name": "nightly"})).await;
    let id = key.body["id"].as_str().expect("a key").to_owned();
    bench.delete_as(&session, &format!("/api-keys/{id}")).await;
    for credential in [&session, &bench.key] {
        let answer = bench.get_as(credential, "/v1/audit?action=key.revoked").await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let entry = &answer.body["items"][0];
        assert_eq!(entry["object"], json!({"kind": "key", "id": id}));
        assert_eq!(entry["actor"], json!({"kind": "session", "id": bench.account}));
        assert_eq!(entry["address"], "127.0.0.1");
        assert!(entry["request_id"].as_str().is_some_and(|id| id.starts_with("req_")));
        assert_eq!((&answer.body["has_more"], &answer.body["page"]), (&json!(false), &json!(1)));
    }
    let secret = key.body["key"].as_str().expect("a secret");
    let all = bench.get("/v1/audit").await;
    assert!(all.body["items"].as_array().is_some_and(|items| items.len() > 3));
    assert!(!all.text.contains(secret) && !all.text.contains(&session));
}

#[tokio::test]
async fn changes_of_schedules_are_in_the_audit_log() {
    let bench = Bench::start().await;
    let body = json!({"cron": "@daily", "request": {"mode": "links", "url": "https://e.org/"}});
    let made = bench.post("/v1/schedules", &body).await;
    let id = made.body["id"].as_str().expect("an id").to_owned();
    let path = format!("/v1/schedules/{id}");
    let paused = bench.patch(&path, &json!({"paused": true})).await;
    let gone = bench.delete(&path).await;
    for (action, answer) in
        [("schedule.created", made), ("schedule.changed", paused), ("schedule.removed", gone)]
    {
        let log = bench.get(&format!("/v1/audit?action={action}")).await;
        let entry = &log.body["items"][0];
        assert_eq!(entry["object"], json!({"kind": "schedule", "id": id}), "{action}");
        assert_eq!(
            (&entry["actor"]["kind"], &entry["address"]),
            (&json!("api_key"), &json!("127.0.0.1"))
        );
        assert_eq!(entry["request_id"].as_str(), answer.header("x-request-id"), "{action}");
    }
}

#[tokio::test]
async fn an_account_sees_its_own_entries_only() {
    let bench = Bench::start().await;
    let (_, other) = bench.account("bob@example.com", 0).await;
    let answer = bench.get_as(&other, "/v1/audit").await;
    let items = answer.body["items"].as_array().expect("items");
    assert_eq!(items.len(), 2, "its creation and its key: {items:?}");
    assert!(!answer.text.contains(bench.account.as_str()));
}

#[tokio::test]
async fn filters_and_pages_are_judged() {
    let bench = Bench::start().await;
    let refused = bench.get("/v1/audit?action=key.stolen&from=soon&page=0").await;
    assert_eq!((refused.status, refused.fields()), (422, vec!["page", "action", "from"]));
    let none = bench.get("/v1/audit?to=2001-01-01").await;
    assert_eq!((none.status, &none.body["items"]), (200, &json!([])));
    let first = bench.get("/v1/audit?page_size=1").await;
    assert_eq!(first.body["has_more"], json!(true));
    assert_eq!(bench.send(Method::GET, "/v1/audit", &[], "").await.status, 401);
    let wrong = bearer("sess_nobody");
    let headers = [("authorization", wrong.as_str())];
    assert_eq!(bench.send(Method::GET, "/v1/audit", &headers, "").await.status, 401);
}

#[tokio::test]
async fn an_application_needs_the_scope_account_read() {
    let bench = Bench::start().await;
    for (scope, status) in [("account:read", 200), ("jobs:read", 403)] {
        let token = bench.token(scope).await;
        let answer = bench.get_as(&token, "/v1/audit").await;
        assert_eq!(answer.status, status, "{scope}");
        assert!(!answer.text.contains("127.0.0.1"), "addresses are for the owner");
    }
    assert!(bench.get("/v1/audit").await.text.contains("127.0.0.1"));
}
