//! `GET /v1/audit`.

use http::Method;
use serde_json::json;

use crate::harness::{TestApi, bearer};

#[tokio::test]
async fn audit_entries_have_actor_action_and_address() {
    let api = TestApi::start().await;
    let session = api.session().await;
    let key = api.post_as(&session, "/api-keys", &json!({"name": "nightly"})).await;
    let id = key.body["id"].as_str().expect("a key").to_owned();
    api.delete_as(&session, &format!("/api-keys/{id}")).await;
    for credential in [&session, &api.key] {
        let answer = api.get_as(credential, "/v1/audit?action=key.revoked").await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let entry = &answer.body["items"][0];
        assert_eq!(entry["object"], json!({"kind": "key", "id": id}));
        assert_eq!(entry["actor"], json!({"kind": "session", "id": api.account}));
        assert_eq!(entry["address"], "127.0.0.1");
        assert!(entry["request_id"].as_str().is_some_and(|id| id.starts_with("req_")));
        assert_eq!((&answer.body["has_more"], &answer.body["page"]), (&json!(false), &json!(1)));
    }
    let secret = key.body["key"].as_str().expect("a secret");
    let all = api.get("/v1/audit").await;
    assert!(all.body["items"].as_array().is_some_and(|items| items.len() > 3));
    assert!(!all.text.contains(secret) && !all.text.contains(&session));
}

#[tokio::test]
async fn schedule_changes_are_audited() {
    let api = TestApi::start().await;
    let body = json!({"cron": "@daily", "request": {"mode": "links", "url": "https://e.org/"}});
    let made = api.post("/v1/schedules", &body).await;
    let id = made.body["id"].as_str().expect("an id").to_owned();
    let path = format!("/v1/schedules/{id}");
    let paused = api.patch(&path, &json!({"paused": true})).await;
    let gone = api.delete(&path).await;
    for (action, answer) in
        [("schedule.created", made), ("schedule.changed", paused), ("schedule.removed", gone)]
    {
        let log = api.get(&format!("/v1/audit?action={action}")).await;
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
async fn audit_log_shows_only_the_own_account() {
    let api = TestApi::start().await;
    let (_, other) = api.account("bob@example.com", 0).await;
    let answer = api.get_as(&other, "/v1/audit").await;
    let items = answer.body["items"].as_array().expect("items");
    assert_eq!(items.len(), 2, "its creation and its key: {items:?}");
    assert!(!answer.text.contains(api.account.as_str()));
}

#[tokio::test]
async fn audit_filters_and_pages_are_validated() {
    let api = TestApi::start().await;
    let refused = api.get("/v1/audit?action=key.stolen&from=soon&page=0").await;
    assert_eq!((refused.status, refused.fields()), (422, vec!["page", "action", "from"]));
    let none = api.get("/v1/audit?to=2001-01-01").await;
    assert_eq!((none.status, &none.body["items"]), (200, &json!([])));
    let first = api.get("/v1/audit?page_size=1").await;
    assert_eq!(first.body["has_more"], json!(true));
    assert_eq!(api.send(Method::GET, "/v1/audit", &[], "").await.status, 401);
    let wrong = bearer("sess_nobody");
    let headers = [("authorization", wrong.as_str())];
    assert_eq!(api.send(Method::GET, "/v1/audit", &headers, "").await.status, 401);
}

#[tokio::test]
async fn audit_log_needs_scope_account_read() {
    let api = TestApi::start().await;
    for (scope, status) in [("account:read", 200), ("jobs:read", 403)] {
        let token = api.token(scope).await;
        let answer = api.get_as(&token, "/v1/audit").await;
        assert_eq!(answer.status, status, "{scope}");
        assert!(!answer.text.contains("127.0.0.1"), "addresses are for the owner");
    }
    assert!(api.get("/v1/audit").await.text.contains("127.0.0.1"));
}
