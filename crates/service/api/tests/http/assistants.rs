//! `/assistant-settings` and the legal basis of assistants.

use http::Method;
use serde_json::{Value, json};

use crate::harness::{ApiReply, TestApi, bearer};

async fn allow(api: &TestApi, allowed: &Value) -> ApiReply {
    let session = bearer(&api.session().await);
    let headers = [("authorization", session.as_str()), ("content-type", "application/json")];
    let body = json!({"may_accept_legal_basis": allowed}).to_string();
    api.send(Method::PUT, "/assistant-settings", &headers, &body).await
}

#[tokio::test]
async fn assistant_cannot_accept_legal_basis_without_permission() {
    let api = TestApi::start().await;
    let assistant = api.key_of(&api.account, "mcp").await;
    let body = json!({"mode": "contacts", "domains": ["a.example"], "legal_basis_accepted": true});
    let refused = api.post_as(&assistant, "/v1/jobs", &body).await;
    assert_eq!(refused.refusal(), (422, "legal_basis_required"));
    assert!(refused.text.contains("owner of the account"), "{}", refused.text);
    let schedule = json!({"cron": "0 6 * * *", "request": body});
    let refused = api.post_as(&assistant, "/v1/schedules", &schedule).await;
    assert_eq!(refused.refusal(), (422, "legal_basis_required"));
    let shown = api.get("/v1/account").await;
    assert_eq!(shown.body["assistants_may_accept_legal_basis"], false, "off by default");
    // Other runs, and other callers, are not held up.
    let pages = json!({"mode": "links", "url": "https://a.example/"});
    assert_eq!(api.post_as(&assistant, "/v1/jobs", &pages).await.status, 202);
    assert_eq!(api.post("/v1/jobs", &body).await.status, 202);

    assert_eq!(allow(&api, &json!(true)).await.status, 200);
    assert_eq!(api.get("/v1/account").await.body["assistants_may_accept_legal_basis"], true);
    assert_eq!(api.post_as(&assistant, "/v1/jobs", &body).await.status, 202);
    assert_eq!(allow(&api, &json!(false)).await.status, 200);
    let refused = api.post_as(&assistant, "/v1/jobs", &body).await;
    assert_eq!(refused.refusal(), (422, "legal_basis_required"));
}

#[tokio::test]
async fn assistant_settings_need_a_session() {
    let api = TestApi::start().await;
    let key = bearer(&api.key);
    let headers = [("authorization", key.as_str()), ("content-type", "application/json")];
    let body = json!({"may_accept_legal_basis": true}).to_string();
    let answer = api.send(Method::PUT, "/assistant-settings", &headers, &body).await;
    assert_eq!(answer.refusal(), (401, "unauthorized"));
    for wrong in [json!("yes"), json!(null), json!(1)] {
        let answer = allow(&api, &wrong).await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["may_accept_legal_basis"]));
    }
}
