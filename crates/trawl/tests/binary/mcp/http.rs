//! `/mcp` over HTTP: authentication, origins, limits, shutdown.

use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};

use super::{Scene, scene, scene_with};
use crate::server::{PATIENCE, wait_for};

fn message(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn post(url: &str, message: &Value) -> RequestBuilder {
    reqwest::Client::new()
        .post(format!("{url}/mcp"))
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2025-11-25")
        .json(message)
}

async fn send(request: RequestBuilder) -> Response {
    request.send().await.expect("an answer")
}

fn header<'r>(response: &'r Response, name: &str) -> &'r str {
    response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_credential_gets_401_with_oauth_metadata() {
    let Scene { mut server, key, setup, _folder, .. } = scene().await;
    let url = &server.url.clone();
    let tools = message("tools/list", &json!({}));
    let metadata = format!("resource_metadata=\"{url}/.well-known/oauth-protected-resource/mcp\"");
    let stranger = "key_live_00000000000000000000000000000000000000";
    for request in [
        post(url, &tools),
        post(url, &tools).bearer_auth(stranger),
        post(url, &tools).header("authorization", format!("Basic {key}")),
        // Two credentials are ambiguous.
        post(url, &tools).bearer_auth(&key).header("authorization", format!("Bearer {stranger}")),
        reqwest::Client::new().get(format!("{url}/mcp")),
    ] {
        let refused = send(request).await;
        assert_eq!(refused.status(), 401);
        let challenge = header(&refused, "www-authenticate").to_owned();
        assert!(challenge.starts_with("Bearer ") && challenge.contains(&metadata), "{challenge}");
        let problem: Value = refused.json().await.expect("JSON");
        assert_eq!(problem["code"], "unauthorized");
        assert!(problem["request_id"].is_string() && problem["docs"].is_string());
    }
    assert_eq!(send(post(url, &tools).bearer_auth(&key)).await.status(), 200);

    // A revoked key is rejected at once.
    let made =
        setup.other().args(["key", "create", "--email", "operator@localhost", "--json"]).output();
    let made: Value = serde_json::from_slice(&made.expect("it runs").stdout).expect("JSON");
    let short_lived = made["key"].as_str().expect("a key");
    assert_eq!(send(post(url, &tools).bearer_auth(short_lived)).await.status(), 200);
    let credentials = json!({"email": "operator@localhost", "password": server.first_password()});
    let session: Value =
        server.post("/session", "", &credentials).await.json().await.expect("JSON");
    let session = session["token"].as_str().expect("a token");
    let path = format!("/api-keys/{}", made["id"].as_str().expect("an id"));
    let revoked = server.request(Method::DELETE, &path, session).send().await.expect("an answer");
    assert_eq!(revoked.status(), 200);
    assert_eq!(send(post(url, &tools).bearer_auth(short_lived)).await.status(), 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn tool_results_are_compressed_on_request() {
    let Scene { server, key, _folder, .. } = scene().await;
    let tools = message("tools/list", &json!({}));
    let ask = |encoding: &str| {
        let request = post(&server.url, &tools).bearer_auth(&key);
        send(request.header("accept-encoding", encoding.to_owned()))
    };
    let plain = ask("identity").await;
    assert_eq!((plain.status().as_u16(), header(&plain, "content-encoding")), (200, ""));
    let length = plain.bytes().await.expect("a body").len();
    for encoding in ["gzip", "br", "zstd"] {
        let packed = ask(encoding).await;
        assert_eq!(header(&packed, "content-encoding"), encoding);
        assert_eq!(header(&packed, "vary"), "accept-encoding");
        let packed = packed.bytes().await.expect("a body").len();
        assert!(packed * 2 < length, "{encoding}: {packed} of {length} bytes");
    }
    // Error responses too.
    let refused = send(post(&server.url, &tools).header("accept-encoding", "gzip")).await;
    assert_eq!(refused.status(), 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_origins_and_large_messages_are_rejected() {
    let Scene { server, key, _folder, .. } = scene().await;
    let url = &server.url;
    let tools = message("tools/list", &json!({}));
    for (origin, status) in [
        (url.as_str(), 200),
        ("http://evil.example", 403),
        ("http://127.0.0.1:1", 403),
        ("null", 403),
        ("https://127.0.0.1", 403),
    ] {
        let answer = send(post(url, &tools).bearer_auth(&key).header("origin", origin)).await;
        assert_eq!(answer.status(), status, "{origin}");
    }
    let large = message("tools/list", &json!({"padding": "x".repeat(2 * 1024 * 1024)}));
    let answer = send(post(url, &large).bearer_auth(&key)).await;
    assert_eq!(answer.status(), 413);
    for method in [Method::GET, Method::DELETE, Method::PUT] {
        let request = reqwest::Client::new().request(method.clone(), format!("{url}/mcp"));
        let answer = send(request.bearer_auth(&key)).await;
        assert_eq!((answer.status().as_u16(), header(&answer, "allow")), (405, "POST"), "{method}");
    }
    let garbage = post(url, &json!("nothing")).bearer_auth(&key);
    assert!(send(garbage).await.status().is_client_error());
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_tool_returns_when_the_server_stops() {
    let Scene { server, key, _folder, .. } = scene().await;
    let job = server.create(&key, "http://slow.lab/", json!({})).await;
    server.wait(&key, &job, &["running"]).await;
    let arguments = json!({"job_id": job, "wait_seconds": 300});
    // With a progress token, the response starts with progress.
    let params =
        json!({"name": "get_run", "arguments": arguments, "_meta": {"progressToken": "p"}});
    let request = post(&server.url, &message("tools/call", &params)).bearer_auth(&key);
    let mut answer = send(request).await;
    assert_eq!(answer.status(), 200);
    assert!(header(&answer, "content-type").starts_with("text/event-stream"));
    let first = answer.chunk().await.expect("no break").expect("progress");
    assert!(String::from_utf8_lossy(&first).contains("notifications/progress"));
    let ended = tokio::task::spawn_blocking(move || server.terminate());
    let rest = tokio::time::timeout(PATIENCE, answer.text()).await.expect("it ends");
    let rest = rest.expect("whole");
    assert!(rest.contains("\"structuredContent\""), "it got its answer: {rest}");
    assert!(ended.await.expect("no panic").success());
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelled_request_frees_its_stream() {
    // With one stream for the account, it shows whether it is in use.
    let settings = [("TRAWL_ACCOUNT_LISTENERS", "1"), ("TRAWL_BATCH_SIZE", "100000")];
    let Scene { server, key, _folder, .. } = scene_with(&settings).await;
    let job = server.create(&key, "http://slow.lab/", json!({})).await;
    server.wait(&key, &job, &["running"]).await;
    let wait = |seconds: u64| {
        let arguments = json!({"job_id": job, "wait_seconds": seconds});
        let params = json!({"name": "get_run", "arguments": arguments,
            "_meta": {"progressToken": "p"}});
        post(&server.url, &message("tools/call", &params)).bearer_auth(&key)
    };
    let is_refused = async || {
        let response = send(wait(1)).await.text().await.expect("an answer");
        response.contains("\"isError\":true")
    };
    let mut waiting = send(wait(300)).await;
    waiting.chunk().await.expect("no break").expect("progress");
    assert!(is_refused().await, "the stream is in use");
    drop(waiting);
    wait_for(async || (!is_refused().await).then_some(())).await;
}
