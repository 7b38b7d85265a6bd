//! Limits per account over all its keys, and per address.

use std::time::Duration;

use api::{MetricsAccess, OperatorToken, Registration};
use axum::body::Body;
use futures_util::future::join_all;
use http::{Method, Request};
use job::{JobCommand, RunEnding};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tower::ServiceExt as _;

use crate::harness::{REDIRECT_URI, TestApi, bearer};

#[tokio::test]
async fn account_rate_limit_covers_all_keys() {
    let api = TestApi::with(|settings| {
        settings.limits.requests_per_minute = 10;
        settings.limits.request_burst = 2;
        settings.limits.account_requests_per_minute = 30;
    })
    .await;
    let (_, other) = api.account("bob@example.com", 0).await;
    let keys = [
        api.key.clone(),
        api.key_of(&api.account, "direct").await,
        api.key_of(&api.account, "mcp").await,
    ];
    // Of the account three at once: a tenth of its minute.
    for key in [&keys[0], &keys[0], &keys[1]] {
        assert_eq!(api.get_as(key, "/v1/account").await.status, 200);
    }
    let refused = api.get_as(&keys[2], "/v1/account").await;
    assert_eq!(refused.refusal(), (429, "rate_limited"));
    assert!(refused.text.contains("over all keys"), "{}", refused.text);
    assert_eq!(refused.header("ratelimit-policy"), Some("\"account\";q=30;w=60"));
    let account = api.get_as(&other, "/v1/account").await;
    assert_eq!(account.status, 200, "another account has its own");
    assert_eq!(account.body["limits"]["account_requests_per_minute"], 30);
    api.pass(Duration::from_secs(2));
    assert_eq!(api.get_as(&keys[2], "/v1/account").await.status, 200);
}

#[tokio::test]
async fn address_limit_applies_before_authentication() {
    let api = TestApi::with(|settings| {
        settings.trust_forwarded_for = true;
        settings.limits.requests_per_minute = 10;
        settings.limits.request_burst = 1;
        settings.limits.account_requests_per_minute = 10;
        settings.address_per_minute = 20;
    })
    .await;
    let asked = async |address: &str, path: &str| {
        let headers = [("authorization", "Bearer nonsense"), ("x-forwarded-for", address)];
        api.send(Method::GET, path, &headers, "").await
    };
    let from = async |address: &str, path: &str| asked(address, path).await.status;
    assert_eq!(from("192.0.2.1", "/v1/account").await, 401);
    assert_eq!(from("192.0.2.1", "/v1/jobs").await, 401);
    assert_eq!(from("192.0.2.1", "/v1/account").await, 429);
    let refused = asked("192.0.2.1", "/nowhere").await;
    assert_eq!(refused.refusal(), (429, "rate_limited"), "whatever is asked for");
    let message = refused.body["message"].as_str().expect("a message");
    assert!(message.starts_with("burst limit: more than 2 requests at once from one address"));
    assert_eq!(refused.header("ratelimit-policy"), Some("\"address\";q=20;w=60"));
    assert_eq!(from("192.0.2.1", "/healthz").await, 200, "but health checks");
    assert_eq!(from("192.0.2.2", "/v1/account").await, 401, "another address has its own");
    assert_eq!(from("2001:db8:0:1::1", "/v1/account").await, 401);
    assert_eq!(from("2001:db8:0:1::2", "/v1/account").await, 401);
    assert_eq!(from("2001:db8:0:1::3", "/v1/account").await, 429, "a /64 is one customer");
}

#[tokio::test]
async fn connections_per_address_are_limited() {
    let api = TestApi::with(|settings| settings.inbound.address_connections = 2).await;
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(api.address).await.expect("a connection");
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await.expect("sent");
        let mut answer = [0; 15];
        stream.read_exact(&mut answer).await.expect("an answer");
        assert_eq!(&answer, b"HTTP/1.1 200 OK");
        open.push(stream);
    }
    let mut third = TcpStream::connect(api.address).await.expect("a connection");
    let mut answer = String::new();
    third.read_to_string(&mut answer).await.expect("a closed connection");
    assert!(answer.starts_with("HTTP/1.1 429 "), "{answer}");
    open.pop();
    // The place is free as soon as the server has seen the end of the connection.
    let limit = tokio::time::Instant::now() + Duration::from_secs(30);
    loop {
        let mut next = TcpStream::connect(api.address).await.expect("a connection");
        let request = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
        // A refused connection may be gone before it is written to.
        let _ = next.write_all(request).await;
        let mut answer = String::new();
        let _ = next.read_to_string(&mut answer).await;
        if answer.starts_with("HTTP/1.1 200 ") {
            break;
        }
        assert!(tokio::time::Instant::now() < limit, "no place is given back");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn requests_in_flight_per_account_are_limited() {
    let api = TestApi::with(|settings| settings.account_requests_in_flight = 1).await;
    let (_, other) = api.account("bob@example.com", 0).await;
    // Authenticated, and then waiting for the rest of its body.
    let start_slow_request = async || {
        let mut slow = TcpStream::connect(api.address).await.expect("a connection");
        let head = format!(
            "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nAuthorization: {}\r\n\
             Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{",
            bearer(&api.key)
        );
        slow.write_all(head.as_bytes()).await.expect("sent");
        slow
    };
    let mut slow = start_slow_request().await;
    let limit = tokio::time::Instant::now() + Duration::from_secs(30);
    let refused = loop {
        let answer = api.get("/v1/account").await;
        if answer.status == 429 {
            break answer;
        }
        // The slow request is refused if it arrives while the other one is in flight.
        if slow.try_read(&mut [0; 1]).is_ok() {
            slow = start_slow_request().await;
        }
        assert!(tokio::time::Instant::now() < limit, "the slow request does not count");
    };
    assert!(
        refused.text.contains("account limit: 1 requests of the account are in flight"),
        "{}",
        refused.text
    );
    assert!(refused.header("retry-after").is_some());
    assert_eq!(api.get_as(&other, "/v1/account").await.status, 200, "another account");
    drop(slow);
    while api.get("/v1/account").await.status != 200 {
        assert!(tokio::time::Instant::now() < limit, "the share is not given back");
    }
}

#[tokio::test]
async fn downloads_per_account_are_limited() {
    let api = TestApi::with(|settings| settings.account_exports = 1).await;
    let (job, mut lease) = api.running("example.com").await;
    api.deliver(&mut lease, 0..3).await;
    let link = async || {
        let export = format!("/v1/jobs/{job}/export");
        let made = api.post(&export, &json!({"format": "csv"})).await;
        let url = made.body["url"].as_str().expect("an address").to_owned();
        url.strip_prefix("https://trawl.example").expect("a path").to_owned()
    };
    let (first, second) = (link().await, link().await);
    let request = Request::builder().uri(&first).body(Body::empty()).expect("a request");
    // A client that does not read: the file is under way until its body is dropped.
    let open = api.router.clone().oneshot(request).await.expect("an answer");
    assert_eq!(open.status(), 200);
    for method in [Method::GET, Method::HEAD] {
        let refused = api.send(method.clone(), &second, &[], "").await;
        assert_eq!(refused.status, 429, "{method}");
        if method == Method::GET {
            let said =
                "account limit: 1 files or result streams of the account are being downloaded";
            assert!(refused.text.contains(said), "{}", refused.text);
        }
    }
    drop(open);
    let taken = api.send(Method::GET, &second, &[], "").await;
    assert_eq!(taken.status, 200, "the link was not used up: {}", taken.text);
}

#[tokio::test]
async fn comparisons_per_account_are_limited() {
    let api = TestApi::with(|settings| settings.account_comparisons = 1).await;
    let mut jobs = Vec::new();
    for host in ["a.example", "b.example"] {
        let (job, mut lease) = api.running(host).await;
        api.deliver(&mut lease, 0..400).await;
        api.report(&lease, &JobCommand::Finish(RunEnding::Complete)).await;
        jobs.push(job);
    }
    let path = format!("/v1/jobs/{}/changes?since={}", jobs[0], jobs[1]);
    let answers = join_all((0..16).map(|_| api.get(&path))).await;
    let (done, refused): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|answer| answer.status == 200);
    assert!(!done.is_empty() && !refused.is_empty(), "{} were answered", done.len());
    for answer in refused {
        assert_eq!(answer.refusal(), (429, "rate_limited"));
        let said = "account limit: 1 comparisons of the account are running";
        assert!(answer.text.contains(said), "{}", answer.text);
    }
    assert_eq!(api.get(&path).await.status, 200, "the share is given back");
}

#[tokio::test]
async fn metrics_need_a_token() {
    let api = TestApi::start().await;
    let local = api.send(Method::GET, "/metrics", &[], "").await;
    assert_eq!(local.refusal(), (404, "not_found"), "a proxy of this machine could pass them on");
    let token = OperatorToken::new("a token for prometheus");
    let access = MetricsAccess::Token(token);
    let api = TestApi::with(|settings| settings.metrics = access).await;
    let none = api.send(Method::GET, "/metrics", &[], "").await;
    assert_eq!(none.refusal(), (401, "unauthorized"));
    let wrong = bearer("another token");
    let wrong = api.send(Method::GET, "/metrics", &[("authorization", &wrong)], "").await;
    assert_eq!(wrong.status, 401);
    let right = bearer("a token for prometheus");
    let headers = [("authorization", right.as_str()), ("x-forwarded-for", "192.0.2.1")];
    assert_eq!(api.send(Method::GET, "/metrics", &headers, "").await.status, 200);
}

#[tokio::test]
async fn registration_can_be_disabled_or_need_a_token() {
    let body = json!({"redirect_uris": [REDIRECT_URI], "client_name": "Notes"});
    let metadata = "/.well-known/oauth-authorization-server";
    let api = TestApi::with(|settings| settings.registration = Registration::Off).await;
    let refused = api.register(&body).await;
    assert_eq!((refused.status, &refused.body["error"]), (400, &json!("unauthorized_client")));
    let document = api.send(Method::GET, metadata, &[], "").await;
    assert_eq!(document.body.get("registration_endpoint"), None);

    let token = OperatorToken::new("an initial access token");
    let api = TestApi::with(|settings| settings.registration = Registration::Token(token)).await;
    let refused = api.register(&body).await;
    assert_eq!((refused.status, &refused.body["error"]), (401, &json!("invalid_client")));
    assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
    let token = bearer("an initial access token");
    let headers = [("content-type", "application/json"), ("authorization", token.as_str())];
    let made = api.send(Method::POST, "/oauth/register", &headers, &body.to_string()).await;
    assert_eq!(made.status, 201);
}

#[tokio::test]
async fn registration_limits_redirect_uris() {
    let api = TestApi::start().await;
    let uri = |length: usize| format!("https://notes.example/{}", "a".repeat(length - 22));
    let error = async |uris: Vec<String>| {
        let made = api.register(&json!({"redirect_uris": uris})).await;
        (made.status, made.body["error"].as_str().map(str::to_owned))
    };
    let wrong = (400, Some("invalid_redirect_uri".to_owned()));
    assert_eq!(error(vec![uri(512); 1]).await.0, 201);
    assert_eq!(error(vec![uri(513); 1]).await, wrong);
    assert_eq!(error((0..3).map(|n| uri(30 + n)).collect()).await.0, 201);
    assert_eq!(error((0..4).map(|n| uri(30 + n)).collect()).await, wrong);
}
