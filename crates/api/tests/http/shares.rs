//! Fair shares: of one account over all its keys, and of one address.

use std::time::Duration;

use api::{MetricsAccess, OperatorToken, Registration};
use http::Method;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::bench::{Bench, REDIRECT_URI, bearer};

#[tokio::test]
async fn account_has_a_ceiling_over_all_its_keys() {
    let bench = Bench::with(|settings| {
        settings.limits.requests_per_minute = 10;
        settings.limits.request_burst = 2;
        settings.limits.account_requests_per_minute = 30;
    })
    .await;
    let (_, other) = bench.account("bob@example.com", 0).await;
    let keys = [
        bench.key.clone(),
        bench.key_of(&bench.account, "direct").await,
        bench.key_of(&bench.account, "mcp").await,
    ];
    // Of the account three at once: a tenth of its minute.
    for key in [&keys[0], &keys[0], &keys[1]] {
        assert_eq!(bench.get_as(key, "/v1/account").await.status, 200);
    }
    let refused = bench.get_as(&keys[2], "/v1/account").await;
    assert_eq!(refused.refusal(), (429, "rate_limited"));
    assert!(refused.text.contains("over all keys"), "{}", refused.text);
    assert_eq!(refused.header("ratelimit-policy"), Some("\"account\";q=30;w=60"));
    let account = bench.get_as(&other, "/v1/account").await;
    assert_eq!(account.status, 200, "another account has its own");
    assert_eq!(account.body["limits"]["account_requests_per_minute"], 30);
    bench.pass(Duration::from_secs(2));
    assert_eq!(bench.get_as(&keys[2], "/v1/account").await.status, 200);
}

#[tokio::test]
async fn flood_of_one_address_is_refused_before_its_credential_is_looked_at() {
    let bench = Bench::with(|settings| {
        settings.trust_forwarded_for = true;
        settings.limits.requests_per_minute = 10;
        settings.limits.request_burst = 1;
        settings.limits.account_requests_per_minute = 10;
        settings.address_per_minute = 20;
    })
    .await;
    let from = async |address: &str, path: &str| {
        let headers = [("authorization", "Bearer nonsense"), ("x-forwarded-for", address)];
        bench.send(Method::GET, path, &headers, "").await.status
    };
    assert_eq!(from("192.0.2.1", "/v1/account").await, 401);
    assert_eq!(from("192.0.2.1", "/v1/jobs").await, 401);
    assert_eq!(from("192.0.2.1", "/v1/account").await, 429);
    assert_eq!(from("192.0.2.1", "/nowhere").await, 429, "whatever is asked for");
    assert_eq!(from("192.0.2.1", "/healthz").await, 200, "but health checks");
    assert_eq!(from("192.0.2.2", "/v1/account").await, 401, "another address has its own");
    assert_eq!(from("2001:db8:0:1::1", "/v1/account").await, 401);
    assert_eq!(from("2001:db8:0:1::2", "/v1/account").await, 401);
    assert_eq!(from("2001:db8:0:1::3", "/v1/account").await, 429, "a /64 is one customer");
}

#[tokio::test]
async fn connections_of_one_address_have_a_ceiling() {
    let bench = Bench::with(|settings| settings.inbound.address_connections = 2).await;
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(bench.address).await.expect("a connection");
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await.expect("sent");
        let mut answer = [0; 15];
        stream.read_exact(&mut answer).await.expect("an answer");
        assert_eq!(&answer, b"HTTP/1.1 200 OK");
        open.push(stream);
    }
    let mut third = TcpStream::connect(bench.address).await.expect("a connection");
    let mut answer = String::new();
    third.read_to_string(&mut answer).await.expect("a closed connection");
    assert!(answer.starts_with("HTTP/1.1 429 "), "{answer}");
    open.pop();
    // The place is free as soon as the server has seen the end of the connection.
    let limit = tokio::time::Instant::now() + Duration::from_secs(30);
    loop {
        let mut next = TcpStream::connect(bench.address).await.expect("a connection");
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
async fn metrics_are_not_public() {
    let bench = Bench::with(|settings| settings.trust_forwarded_for = true).await;
    let local = bench.send(Method::GET, "/metrics", &[], "").await;
    assert_eq!(local.status, 200, "a process of this machine");
    for header in ["x-forwarded-for", "forwarded", "via", "x-real-ip"] {
        let proxied = bench.send(Method::GET, "/metrics", &[(header, "192.0.2.1")], "").await;
        assert_eq!(proxied.refusal(), (404, "not_found"), "{header}");
    }
    let token = OperatorToken::new("a token for prometheus");
    let access = MetricsAccess::Token(token);
    let bench = Bench::with(|settings| settings.metrics = access).await;
    let none = bench.send(Method::GET, "/metrics", &[], "").await;
    assert_eq!(none.refusal(), (401, "unauthorized"));
    let wrong = bearer("a token for nobody");
    let wrong = bench.send(Method::GET, "/metrics", &[("authorization", &wrong)], "").await;
    assert_eq!(wrong.status, 401);
    let right = bearer("a token for prometheus");
    let headers = [("authorization", right.as_str()), ("x-forwarded-for", "192.0.2.1")];
    assert_eq!(bench.send(Method::GET, "/metrics", &headers, "").await.status, 200);
    let bench = Bench::with(|settings| settings.metrics = MetricsAccess::Elsewhere).await;
    assert_eq!(bench.send(Method::GET, "/metrics", &[], "").await.status, 404);
}

#[tokio::test]
async fn registration_can_be_closed_or_need_a_token() {
    let body = json!({"redirect_uris": [REDIRECT_URI], "client_name": "Notes"});
    let metadata = "/.well-known/oauth-authorization-server";
    let bench = Bench::with(|settings| settings.registration = Registration::Off).await;
    let refused = bench.register(&body).await;
    assert_eq!((refused.status, &refused.body["error"]), (400, &json!("unauthorized_client")));
    let told = bench.send(Method::GET, metadata, &[], "").await;
    assert_eq!(told.body.get("registration_endpoint"), None);

    let token = OperatorToken::new("an initial access token");
    let bench = Bench::with(|settings| settings.registration = Registration::Token(token)).await;
    let refused = bench.register(&body).await;
    assert_eq!((refused.status, &refused.body["error"]), (401, &json!("invalid_client")));
    assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
    let token = bearer("an initial access token");
    let headers = [("content-type", "application/json"), ("authorization", token.as_str())];
    let made = bench.send(Method::POST, "/oauth/register", &headers, &body.to_string()).await;
    assert_eq!(made.status, 201);
}

#[tokio::test]
async fn registration_takes_three_redirect_uris_of_512_bytes() {
    let bench = Bench::start().await;
    let uri = |length: usize| format!("https://notes.example/{}", "a".repeat(length - 22));
    let error = async |uris: Vec<String>| {
        let made = bench.register(&json!({"redirect_uris": uris})).await;
        (made.status, made.body["error"].as_str().map(str::to_owned))
    };
    let wrong = (400, Some("invalid_redirect_uri".to_owned()));
    assert_eq!(error(vec![uri(512); 1]).await.0, 201);
    assert_eq!(error(vec![uri(513); 1]).await, wrong);
    assert_eq!(error((0..3).map(|n| uri(30 + n)).collect()).await.0, 201);
    assert_eq!(error((0..4).map(|n| uri(30 + n)).collect()).await, wrong);
}
