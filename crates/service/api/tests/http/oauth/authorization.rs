//! `/oauth/authorization`: the consent page and its redirects.

use http::Method;
use serde_json::json;

use crate::harness::{ApiReply, REDIRECT_URI, TestApi, parameter, query, sent_to};

async fn look(api: &TestApi, parameters: &[(&str, &str)]) -> ApiReply {
    let path = format!("/oauth/authorization?{}", query(parameters));
    api.send(Method::GET, &path, &[], "").await
}

#[tokio::test]
async fn consent_data_shows_application_and_scopes() {
    let api = TestApi::start().await;
    let notes = api.notes().await;
    let asked = look(&api, &notes.asks("jobs:write jobs:read")).await;
    assert_eq!(asked.status, 200);
    insta::assert_json_snapshot!(asked.stable());
    let mut all = notes.asks("");
    all.retain(|(name, _)| *name != "scope");
    let asked = look(&api, &all).await;
    assert_eq!(asked.body["asked"]["scopes"].as_array().map(Vec::len), Some(5));
}

#[tokio::test]
async fn approval_gives_a_code_and_denial_an_error() {
    let api = TestApi::start().await;
    let notes = api.notes().await;
    let yes = sent_to(&api.answer(&notes.asks("jobs:read"), true).await);
    assert!(yes.as_str().starts_with(&format!("{REDIRECT_URI}?code=oac_")), "{yes}");
    assert_eq!(parameter(&yes, "state").as_deref(), Some("a b&c"), "as it came");
    assert_eq!(parameter(&yes, "iss").as_deref(), Some("https://trawl.example"));
    let no = sent_to(&api.answer(&notes.asks("jobs:read"), false).await);
    assert_eq!(parameter(&no, "error").as_deref(), Some("access_denied"));
    assert_eq!(parameter(&no, "state").as_deref(), Some("a b&c"));
    assert_eq!(parameter(&no, "iss").as_deref(), Some("https://trawl.example"));
    assert_eq!(parameter(&no, "code"), None);
}

#[tokio::test]
async fn consent_needs_a_session() {
    let api = TestApi::start().await;
    let notes = api.notes().await;
    let path = format!("/oauth/authorization?{}", query(&notes.asks("jobs:read")));
    let token = api.token("jobs:write account:read").await;
    for credential in [api.key.as_str(), &token, "sess_x"] {
        let answer = api.post_as(credential, &path, &json!({"approved": true})).await;
        assert_eq!(answer.refusal(), (401, "unauthorized"));
    }
    let session = api.session().await;
    for body in [json!({}), json!({"approved": "yes"}), json!({"approved": null})] {
        let answer = api.post_as(&session, &path, &body).await;
        assert_eq!((answer.status, answer.fields()), (422, vec!["approved"]));
    }
}

/// As long as it is not sure where the answer may go, it goes nowhere.
#[tokio::test]
async fn unknown_client_or_redirect_uri_is_not_redirected() {
    let api = TestApi::start().await;
    let notes = api.notes().await;
    let with = |name: &'static str, value: &'static str| {
        let mut asks = notes.asks("jobs:read");
        asks.retain(|(given, _)| *given != name);
        if !value.is_empty() {
            asks.push((name, value));
        }
        asks
    };
    let mut twice = notes.asks("jobs:read");
    twice.push(("redirect_uri", "https://evil.example/"));
    for (asks, field) in [
        (with("client_id", ""), "client_id"),
        (with("client_id", "notes"), "client_id"),
        (with("client_id", "app_00000000000000000000000000000000"), "client_id"),
        (with("redirect_uri", "https://evil.example/back"), "redirect_uri"),
        (with("redirect_uri", "https://notes.example/back/../evil"), "redirect_uri"),
        (with("redirect_uri", "https://notes.example/back?next=//evil.example"), "redirect_uri"),
        (with("redirect_uri", "https://notes.example.evil.example/back"), "redirect_uri"),
        (with("redirect_uri", "https://notes.example@evil.example/back"), "redirect_uri"),
        (with("redirect_uri", "//notes.example/back"), "redirect_uri"),
        (with("redirect_uri", "javascript:alert(1)"), "redirect_uri"),
        (twice, "redirect_uri"),
    ] {
        let answers = [look(&api, &asks).await, api.answer(&asks, true).await];
        for answer in answers {
            assert_eq!((answer.status, answer.fields()), (422, vec![field]), "{asks:?}");
            assert!(answer.header("location").is_none() && answer.body["redirect_to"].is_null());
        }
    }
}

#[tokio::test]
async fn other_errors_are_redirected_to_the_application() {
    let api = TestApi::start().await;
    let notes = api.notes().await;
    for (name, value, error) in [
        ("response_type", "", "invalid_request"),
        ("response_type", "token", "unsupported_response_type"),
        ("code_challenge", "", "invalid_request"),
        ("code_challenge", "short", "invalid_request"),
        ("code_challenge_method", "", "invalid_request"),
        ("code_challenge_method", "plain", "invalid_request"),
        ("scope", "jobs:read openid", "invalid_scope"),
        ("scope", "session", "invalid_scope"),
        ("resource", "https://elsewhere.example/", "invalid_target"),
        ("resource", "https://trawl.example.evil.example/mcp", "invalid_target"),
    ] {
        let mut asks = notes.asks("jobs:read");
        asks.retain(|(given, _)| *given != name);
        if !value.is_empty() {
            asks.push((name, value));
        }
        for answer in [look(&api, &asks).await, api.answer(&asks, true).await] {
            let sent = sent_to(&answer);
            assert_eq!(sent.host_str(), Some("notes.example"));
            assert_eq!(parameter(&sent, "error").as_deref(), Some(error), "{name}={value}");
            assert_eq!(parameter(&sent, "state").as_deref(), Some("a b&c"));
            assert_eq!(parameter(&sent, "iss").as_deref(), Some("https://trawl.example"));
            assert_eq!(parameter(&sent, "code"), None);
        }
    }
    let mut twice = notes.asks("jobs:read");
    twice.push(("scope", "jobs:write"));
    let sent = sent_to(&look(&api, &twice).await);
    assert_eq!(parameter(&sent, "error").as_deref(), Some("invalid_request"));
}

#[tokio::test]
async fn unregistered_scopes_are_rejected() {
    let api = TestApi::start().await;
    let body = json!({"redirect_uris": [REDIRECT_URI], "scope": "jobs:read"});
    let made = api.register(&body).await;
    let id = made.body["client_id"].as_str().expect("an id");
    let notes = crate::harness::Notes { id: id.to_owned() };
    let sent = sent_to(&look(&api, &notes.asks("jobs:read jobs:write")).await);
    assert_eq!(parameter(&sent, "error").as_deref(), Some("invalid_scope"));
}

#[tokio::test]
async fn loopback_redirect_uri_accepts_any_port() {
    let api = TestApi::start().await;
    let made = api
        .register(&json!({
            "redirect_uris": ["http://127.0.0.1/back", "http://localhost:1/back"],
            "token_endpoint_auth_method": "none",
        }))
        .await;
    let id = made.body["client_id"].as_str().expect("an id");
    let notes = crate::harness::Notes { id: id.to_owned() };
    for (uri, status) in [
        ("http://127.0.0.1:49152/back", 200),
        ("http://localhost:50000/back", 200),
        ("http://127.0.0.1:49152/other", 422),
        ("http://[::1]:49152/back", 422),
        ("http://127.0.0.1:49152@evil.example/back", 422),
        ("", 422),
    ] {
        let mut asks = notes.asks("jobs:read");
        asks.retain(|(given, _)| *given != "redirect_uri");
        asks.push(("redirect_uri", uri));
        assert_eq!(look(&api, &asks).await.status, status, "{uri}");
    }
}
