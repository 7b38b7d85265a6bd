//! Scopes and lifetime of access tokens.

use axum::body::Body;
use contract::{AccountId, CallOrigin};
use http::{Method, Request};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::harness::{TestApi, bearer};

const OPERATIONS: &[(&str, &str, &str)] = &[
    ("POST", "/v1/estimate", "jobs:read"),
    ("GET", "/v1/jobs", "jobs:read"),
    ("GET", "/v1/jobs/1", "jobs:read"),
    ("PATCH", "/v1/jobs/1", "jobs:write"),
    ("DELETE", "/v1/jobs/1", "jobs:write"),
    ("GET", "/v1/jobs/1/results", "jobs:read"),
    ("GET", "/v1/jobs/1/skipped", "jobs:read"),
    ("GET", "/v1/jobs/1/requests", "jobs:read"),
    ("GET", "/v1/jobs/1/events", "jobs:read"),
    ("GET", "/v1/jobs/1/changes", "jobs:read"),
    ("GET", "/v1/schedules", "jobs:read"),
    ("GET", "/v1/schedules/1", "jobs:read"),
    ("POST", "/v1/schedules", "jobs:write"),
    ("PATCH", "/v1/schedules/1", "jobs:write"),
    ("DELETE", "/v1/schedules/1", "jobs:write"),
    ("POST", "/v1/schedules/1/run", "jobs:write"),
    ("POST", "/v1/jobs", "jobs:write"),
    ("POST", "/v1/pages", "jobs:write"),
    ("POST", "/v1/lists", "jobs:write"),
    ("GET", "/v1/lists/1", "jobs:read"),
    ("DELETE", "/v1/lists/1", "jobs:write"),
    ("POST", "/v1/map", "jobs:read"),
    ("POST", "/v1/jobs/1/explain", "jobs:read"),
    ("POST", "/v1/jobs/1/confirm", "jobs:write"),
    ("POST", "/v1/jobs/1/abort", "jobs:write"),
    ("POST", "/v1/jobs/1/export", "jobs:write"),
    ("GET", "/v1/account", "account:read"),
    ("GET", "/v1/usage", "account:read"),
    ("GET", "/v1/ledger", "account:read"),
    ("GET", "/v1/audit", "account:read"),
    ("GET", "/v1/webhooks", "webhooks:read"),
    ("GET", "/v1/webhooks/1/deliveries", "webhooks:read"),
    ("GET", "/v1/events", "webhooks:read"),
    ("POST", "/v1/webhooks", "webhooks:write"),
    ("PATCH", "/v1/webhooks/1", "webhooks:write"),
    ("DELETE", "/v1/webhooks/1", "webhooks:write"),
    ("POST", "/v1/webhooks/1/test", "webhooks:write"),
    ("POST", "/v1/webhooks/1/deliveries/1/redeliver", "webhooks:write"),
];

const SCOPES: &[&str] =
    &["jobs:read", "jobs:write", "account:read", "webhooks:read", "webhooks:write"];

#[tokio::test]
async fn each_operation_requires_its_scope() {
    let api = TestApi::start().await;
    for scope in SCOPES {
        let token = bearer(&api.token(scope).await);
        for (method, path, needed) in OPERATIONS {
            let method: Method = method.parse().expect("a method");
            let answer = api.send(method.clone(), path, &[("authorization", &token)], "").await;
            if needed == scope {
                assert!(![401, 403].contains(&answer.status), "{method} {path}: {}", answer.text);
                continue;
            }
            assert_eq!(answer.refusal(), (403, "forbidden"), "{method} {path} by {scope}");
            let challenge = format!(
                "Bearer error=\"insufficient_scope\", scope=\"{needed}\", resource_metadata=\
                 \"https://trawl.example/.well-known/oauth-protected-resource\""
            );
            assert_eq!(answer.header("www-authenticate"), Some(challenge.as_str()));
        }
    }
}

/// The list above is complete: an operation that takes access tokens cannot be forgotten.
#[tokio::test]
async fn all_operations_with_oauth_are_covered() {
    let document = api::openapi(&api::ApiSettings::default());
    let mut documented = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let needs = operation["security"].as_array().expect("its needs");
            let scopes = needs.iter().find_map(|need| need.get("oauth"));
            let Some(scope) = scopes.map(|scopes| scopes[0].as_str().expect("a scope")) else {
                assert!(!path.starts_with("/v1/"), "{method} {path} takes no access token");
                continue;
            };
            let path = path.replace("{id}", "1").replace("{delivery}", "1");
            documented.push((method.to_uppercase(), path, scope.to_owned()));
        }
    }
    let mut tested: Vec<_> = OPERATIONS
        .iter()
        .map(|(method, path, scope)| {
            ((*method).to_owned(), (*path).to_owned(), (*scope).to_owned())
        })
        .collect();
    documented.sort();
    tested.sort();
    assert_eq!(documented, tested);
}

#[tokio::test]
async fn session_operations_reject_access_tokens() {
    let api = TestApi::start().await;
    let token = api.token("jobs:read jobs:write account:read webhooks:read webhooks:write").await;
    for path in ["/api-keys", "/auto-top-up", "/oauth/applications"] {
        let answer = api.get_as(&token, path).await;
        assert_eq!(answer.refusal(), (401, "unauthorized"), "{path}");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    assert_eq!(api.delete_as(&token, "/session").await.status, 401);
}

#[tokio::test]
async fn connected_applications_are_listed_and_disconnected() {
    let api = TestApi::start().await;
    let token = api.token("account:read jobs:read").await;
    let session = api.session().await;
    assert_eq!(api.get_as(&token, "/v1/account").await.status, 200);
    let listed = api.get_as(&session, "/oauth/applications").await;
    insta::assert_json_snapshot!(listed.stable());
    let path = format!("/oauth/applications/{}", listed.body[0]["id"].as_str().expect("an id"));

    let (bob, _) = api.account("bob@example.com", 0).await;
    let of_bob = session_of(&api, &bob).await;
    assert_eq!(api.get_as(&of_bob, "/oauth/applications").await.body, json!([]));
    assert_eq!(api.delete_as(&of_bob, &path).await.refusal(), (404, "not_found"));
    assert_eq!(api.get_as(&token, "/v1/account").await.status, 200, "it is not his");

    let gone = api.delete_as(&session, &path).await;
    assert_eq!((gone.status, gone.text.as_str()), (200, ""));
    assert_eq!(api.get_as(&token, "/v1/account").await.refusal(), (401, "unauthorized"));
    assert_eq!(api.get_as(&session, "/oauth/applications").await.body, json!([]));
    assert_eq!(api.delete_as(&session, &path).await.status, 404);
}

async fn session_of(api: &TestApi, account: &AccountId) -> String {
    api.store.open_session(account, crate::harness::NOW).await.expect("a session").token
}

/// Asks as a room of the same process does.
async fn inside(
    api: &TestApi,
    door: Option<CallOrigin>,
    token: &str,
    path: &str,
    body: &str,
) -> (u16, Value) {
    let method = if body.is_empty() { Method::GET } else { Method::POST };
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header("authorization", bearer(token))
        .header("content-type", "application/json")
        .body(Body::from(body.to_owned()))
        .expect("a request");
    if let Some(door) = door {
        request.extensions_mut().insert(door);
    }
    let response = api.router.clone().oneshot(request).await.expect("an answer");
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.expect("a whole body").to_bytes();
    (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
}

#[tokio::test]
async fn jobs_started_by_mcp_have_source_mcp() {
    let api = TestApi::start().await;
    let token = api.token("jobs:read jobs:write").await;
    for (door, site, source) in
        [(Some(CallOrigin::Mcp), "a.example", "mcp"), (None, "b.example", "direct")]
    {
        let order = json!({"mode": "links", "url": format!("https://{site}/")}).to_string();
        let (status, job) = inside(&api, door, &token, "/v1/jobs", &order).await;
        assert_eq!(status, 202);
        let path = format!("/v1/jobs/{}", job["job_id"].as_str().expect("a job"));
        assert_eq!(api.get(&path).await.body["source"], source);
    }
}

#[tokio::test]
async fn mcp_token_is_rejected_elsewhere() {
    let api = TestApi::start().await;
    let notes = api.notes().await;
    let mut asks = notes.asks("account:read");
    asks.push(("resource", "https://trawl.example/mcp"));
    let sent = crate::harness::sent_to(&api.answer(&asks, true).await);
    let code = crate::harness::parameter(&sent, "code").expect("a code");
    let mut shows = notes.shows(&code);
    shows.push(("resource", "https://trawl.example/mcp"));
    let tokens = api.form("/oauth/token", &shows).await;
    let token = tokens.body["access_token"].as_str().expect("a token");
    assert_eq!(api.get_as(token, "/v1/account").await.refusal(), (401, "unauthorized"));
    let (status, account) = inside(&api, Some(CallOrigin::Mcp), token, "/v1/account", "").await;
    assert_eq!((status, &account["auth_method"]), (200, &json!("oauth")));
    let (status, _) = inside(&api, Some(CallOrigin::Console), token, "/v1/account", "").await;
    assert_eq!(status, 401, "the console is for people");
}

#[tokio::test]
async fn acceptance_names_the_application() {
    let api = TestApi::start().await;
    let token = api.token("jobs:write").await;
    let order = json!({"mode": "contacts", "domains": ["a.example"], "legal_basis_accepted": true});
    assert_eq!(api.post_as(&token, "/v1/jobs", &order).await.status, 202);
    let accepted = api.store.acceptances(None, None).await.expect("it answers");
    let connected = api
        .store
        .connected_applications(&api.account, crate::harness::NOW)
        .await
        .expect("it answers");
    assert_eq!(
        (&accepted[0].key, accepted[0].application.as_ref()),
        (&None, Some(&connected[0].id))
    );
}

#[tokio::test]
async fn application_has_its_own_rate_limit() {
    let api = TestApi::with(|settings| settings.limits.request_burst = 6).await;
    let (one, other) = (api.token("account:read").await, api.token("account:read").await);
    for _ in 0..6 {
        assert_eq!(api.get_as(&one, "/v1/account").await.status, 200);
    }
    assert_eq!(api.get_as(&one, "/v1/account").await.refusal(), (429, "rate_limited"));
    assert_eq!(api.get_as(&other, "/v1/account").await.status, 200);
    assert_eq!(api.get("/v1/account").await.status, 200);
}
