//! Authentication: which credential is accepted where.

use http::Method;

use crate::harness::{TestApi, bearer};

#[tokio::test]
async fn all_invalid_credentials_get_the_same_401() {
    let api = TestApi::start().await;
    let session = api.session().await;
    let bare = api.key.clone();
    let other = bearer(store::KeySecret::mint(contract::KeyPrefix::Live).reveal());
    let session = bearer(&session);
    let mut altered = api.key.clone();
    altered.pop();
    let altered = bearer(&altered);
    let mut answers = Vec::new();
    for value in [
        "",
        "Bearer",
        "Bearer ",
        "Bearer x",
        &bare,
        "Basic YTpi",
        &other,
        &session,
        &altered,
        "Bearer \u{fc}",
    ] {
        let headers = [("authorization", value)];
        let answer = api.send(Method::GET, "/v1/account", &headers, "").await;
        assert_eq!(answer.refusal(), (401, "unauthorized"), "{value}");
        let challenge = "Bearer resource_metadata=\
            \"https://trawl.example/.well-known/oauth-protected-resource\"";
        assert_eq!(answer.header("www-authenticate"), Some(challenge));
        assert!(answer.header("ratelimit").is_none());
        answers.push(answer.stable());
    }
    answers.dedup();
    assert_eq!(answers.len(), 1);
    insta::assert_json_snapshot!(answers[0]);
    let missing = api.send(Method::GET, "/v1/account", &[], "").await;
    assert_eq!(missing.refusal(), (401, "unauthorized"));
    let message = "missing API key: send it as `Authorization: Bearer KEY`";
    assert_eq!(missing.body["message"], message);
}

#[tokio::test]
async fn bearer_scheme_is_case_insensitive() {
    let api = TestApi::start().await;
    for scheme in ["bearer", "BEARER", "bEaReR"] {
        let value = format!("{scheme} {}", api.key);
        let answer = api.send(Method::GET, "/v1/account", &[("authorization", &value)], "").await;
        assert_eq!(answer.status, 200);
    }
}

#[tokio::test]
async fn two_authorization_headers_are_401() {
    let api = TestApi::start().await;
    let key = bearer(&api.key);
    let headers = [("authorization", key.as_str()), ("authorization", "Bearer x")];
    assert_eq!(api.send(Method::GET, "/v1/account", &headers, "").await.status, 401);
}

#[tokio::test]
async fn keys_and_sessions_are_not_interchangeable() {
    let api = TestApi::start().await;
    let session = api.session().await;
    for (method, path) in [
        (Method::GET, "/api-keys"),
        (Method::POST, "/api-keys"),
        (Method::DELETE, "/api-keys/key_00000000000000000000000000000000"),
        (Method::DELETE, "/session"),
    ] {
        let key = bearer(&api.key);
        let answer = api.send(method, path, &[("authorization", &key)], "").await;
        assert_eq!(answer.refusal(), (401, "unauthorized"), "{path}");
    }
    for path in [
        "/v1/jobs",
        "/v1/account",
        "/v1/usage",
        "/v1/jobs/1",
        "/v1/jobs/1/results",
        "/v1/jobs/1/skipped",
    ] {
        assert_eq!(api.get_as(&session, path).await.refusal(), (401, "unauthorized"), "{path}");
    }
}

#[tokio::test]
async fn authentication_comes_before_all_other_checks() {
    let api = TestApi::start().await;
    for path in ["/v1/jobs/1", "/v1/jobs?page=0", "/v1/usage?from=x"] {
        assert_eq!(api.send(Method::GET, path, &[], "").await.status, 401, "{path}");
    }
}
