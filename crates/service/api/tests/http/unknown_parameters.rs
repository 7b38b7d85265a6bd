//! Query parameters that no operation knows.

use http::Method;
use serde_json::json;

use crate::bench::{Bench, bearer, parameter, sent_to};

#[tokio::test]
async fn unknown_query_parameters_are_refused_on_every_route_with_a_credential() {
    let bench = Bench::start().await;
    let id = bench.queued("example.com").await;
    let (key, session) = (bearer(&bench.key), bearer(&bench.session().await));
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
        let answer = bench.send(method.clone(), &path, &headers, "").await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["pagesize"]), "{method} {path}");
        // A credential is asked for first.
        let answer = bench.send(method, &path, &[], "").await;
        assert_eq!(answer.status, 401, "{path}");
    }
    let job = bench.get(&format!("/v1/jobs/{id}")).await;
    assert_eq!(job.body["status"], "queued", "nothing was confirmed or aborted");
}

#[tokio::test]
async fn the_nearest_known_parameter_is_named() {
    let bench = Bench::start().await;
    let answer = bench.get("/v1/jobs?page_sise=3&statu=queued&zzz=1").await;
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
    assert_eq!(bench.get("/v1/jobs?page_size=3&status=queued").await.status, 200);
}

#[tokio::test]
async fn unknown_parameters_of_authorization_requests_are_ignored() {
    let bench = Bench::start().await;
    let notes = bench.notes().await;
    let mut asks = notes.asks("jobs:read");
    asks.extend([("prompt", "consent"), ("nonce", "n"), ("login_hint", "ada@example.com")]);
    let answered = bench.answer(&asks, true).await;
    assert!(parameter(&sent_to(&answered), "code").is_some(), "{}", answered.text);
}

#[tokio::test]
async fn unknown_query_parameters_are_refused_without_a_credential_too() {
    let bench = Bench::start().await;
    let body = json!({"email": "ada@example.com", "password": "correct horse"}).to_string();
    let json = [("content-type", "application/json")];
    let answer = bench.send(Method::POST, "/session?x=1", &json, &body).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["x"]));
    for path in ["/downloads/x", "/openapi.json", "/metrics"] {
        let answer = bench.send(Method::GET, &format!("{path}?x=1"), &[], "").await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["x"]), "{path}");
    }
    for path in ["/healthz", "/readyz", "/bot", "/.well-known/oauth-authorization-server"] {
        let answer = bench.send(Method::GET, &format!("{path}?x=1"), &[], "").await;
        assert_eq!(answer.status, 200, "{path}");
    }
}
