//! Unknown query parameters.

use http::Method;
use serde_json::json;

use crate::harness::{TestApi, bearer, parameter, sent_to};

#[tokio::test]
async fn unknown_query_parameters_are_rejected_with_a_credential() {
    let api = TestApi::start().await;
    let id = api.queued("example.com").await;
    let (key, session) = (bearer(&api.key), bearer(&api.session().await));
    for (method, path, credential) in [
        (Method::GET, "/v1/jobs".to_owned(), &key),
        (Method::GET, format!("/v1/jobs/{id}"), &key),
        (Method::GET, format!("/v1/jobs/{id}/results"), &key),
        (Method::GET, format!("/v1/jobs/{id}/skipped"), &key),
        (Method::GET, format!("/v1/jobs/{id}/events"), &key),
        (Method::GET, format!("/v1/jobs/{id}/changes"), &key),
        (Method::POST, format!("/v1/jobs/{id}/confirm"), &key),
        (Method::POST, format!("/v1/jobs/{id}/abort"), &key),
        (Method::GET, "/v1/account".to_owned(), &key),
        (Method::GET, "/v1/usage".to_owned(), &key),
        (Method::GET, "/v1/ledger".to_owned(), &key),
        (Method::GET, "/v1/events".to_owned(), &key),
        (Method::GET, "/v1/webhooks".to_owned(), &key),
        (Method::GET, "/v1/schedules".to_owned(), &key),
        (Method::GET, "/api-keys".to_owned(), &session),
        (Method::GET, "/auto-top-up".to_owned(), &session),
        (Method::GET, "/assistant-settings".to_owned(), &session),
        (Method::GET, "/oauth/applications".to_owned(), &session),
    ] {
        let path = format!("{path}?pagesize=3");
        let headers = [("authorization", credential.as_str())];
        let answer = api.send(method.clone(), &path, &headers, "").await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["pagesize"]), "{method} {path}");
        // A credential is asked for first.
        let answer = api.send(method, &path, &[], "").await;
        assert_eq!(answer.status, 401, "{path}");
    }
    let job = api.get(&format!("/v1/jobs/{id}")).await;
    assert_eq!(job.body["status"], "queued", "nothing was confirmed or aborted");
}

#[tokio::test]
async fn similar_parameter_is_suggested() {
    let api = TestApi::start().await;
    let answer = api.get("/v1/jobs?page_sise=3&statu=queued&zzz=1").await;
    assert_eq!(answer.fields(), ["page_sise", "statu", "zzz"]);
    let messages: Vec<_> =
        answer.body["errors"].as_array().expect("errors").iter().map(|e| &e["message"]).collect();
    assert_eq!(
        messages,
        [
            &json!("is not known; did you mean page_size?"),
            &json!("is not known; did you mean status?"),
            &json!("is not known"),
        ]
    );
    assert_eq!(api.get("/v1/jobs?page_size=3&status=queued").await.status, 200);
}

#[tokio::test]
async fn unknown_parameters_of_authorization_requests_are_ignored() {
    let api = TestApi::start().await;
    let notes = api.notes().await;
    let mut asks = notes.asks("jobs:read");
    asks.extend([("prompt", "consent"), ("nonce", "n"), ("login_hint", "ada@example.com")]);
    let answered = api.answer(&asks, true).await;
    assert!(parameter(&sent_to(&answered), "code").is_some(), "{}", answered.text);
}

#[tokio::test]
async fn unknown_query_parameters_are_rejected_without_a_credential() {
    let api = TestApi::start().await;
    let body = json!({"email": "ada@example.com", "password": "correct horse"}).to_string();
    let json = [("content-type", "application/json")];
    let answer = api.send(Method::POST, "/session?x=1", &json, &body).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["x"]));
    for path in ["/downloads/x", "/openapi.json", "/metrics"] {
        let answer = api.send(Method::GET, &format!("{path}?x=1"), &[], "").await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["x"]), "{path}");
    }
    for path in ["/healthz", "/readyz", "/bot", "/.well-known/oauth-authorization-server"] {
        let answer = api.send(Method::GET, &format!("{path}?x=1"), &[], "").await;
        assert_eq!(answer.status, 200, "{path}");
    }
}
