//! Connections of HTTP/2, without TLS.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, Request, StatusCode, header};
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::harness::TestApi;

/// Timeout that only a hang reaches.
const LIMIT: Duration = Duration::from_secs(30);

/// A service that closes idle connections soon.
async fn impatient() -> TestApi {
    TestApi::with(|settings| {
        settings.inbound.header_timeout = Duration::from_millis(300);
        settings.inbound.keep_alive = Duration::from_millis(300);
        settings.inbound.write_timeout = Duration::from_millis(300);
    })
    .await
}

type Connection = (SendRequest<Empty<Bytes>>, JoinHandle<hyper::Result<()>>);

/// A connection whose client makes room for this many bytes of each response.
async fn connect(api: &TestApi, window: u32) -> Connection {
    let stream = TcpStream::connect(api.address).await.expect("a connection");
    let mut builder = Builder::new(TokioExecutor::new());
    builder.initial_stream_window_size(window);
    let (sender, connection) = builder.handshake(TokioIo::new(stream)).await.expect("HTTP/2");
    (sender, tokio::spawn(connection))
}

fn request(api: &TestApi, path: &str) -> http::request::Builder {
    Request::get(format!("http://{}{path}", api.address))
}

async fn send(
    sender: &mut SendRequest<Empty<Bytes>>,
    request: http::request::Builder,
) -> http::Response<Incoming> {
    let request = request.body(Empty::new()).expect("a request");
    timeout(LIMIT, sender.send_request(request)).await.expect("in time").expect("a response")
}

#[tokio::test]
async fn requests_of_one_connection_are_answered_side_by_side() {
    let api = TestApi::start().await;
    let (sender, _connection) = connect(&api, 65_535).await;
    let requests = (0..50).map(|_| {
        let (mut sender, request) = (sender.clone(), request(&api, "/v1/account"));
        let request = request.header(header::AUTHORIZATION, format!("Bearer {}", api.key));
        async move {
            let response = send(&mut sender, request).await;
            let status = response.status();
            (status, response.into_body().collect().await.expect("a body").to_bytes())
        }
    });
    for (status, body) in futures_util::future::join_all(requests).await {
        assert_eq!(status, StatusCode::OK);
        assert!(body.starts_with(b"{\"account_id\""), "{body:?}");
    }
}

#[tokio::test]
async fn header_bytes_are_limited() {
    let api = TestApi::start().await;
    let (mut sender, _connection) = connect(&api, 65_535).await;
    let long = HeaderValue::from_str(&"a".repeat(40_000)).expect("a value");
    let refused = request(&api, "/healthz").header("a", long).body(Empty::new());
    let refused = timeout(LIMIT, sender.send_request(refused.expect("a request"))).await;
    let refused = refused.expect("in time");
    assert!(
        refused.as_ref().map_or(true, |response| response.status().is_client_error()),
        "{refused:?}"
    );
    let (mut sender, _connection) = connect(&api, 65_535).await;
    let fits = HeaderValue::from_str(&"a".repeat(20_000)).expect("a value");
    let answer = send(&mut sender, request(&api, "/healthz").header("a", fits)).await;
    assert_eq!(answer.status(), StatusCode::OK);
}

#[tokio::test]
async fn idle_connection_is_closed_with_notice() {
    let api = impatient().await;
    let (mut sender, connection) = connect(&api, 65_535).await;
    let answer = send(&mut sender, request(&api, "/healthz")).await;
    assert_eq!(answer.into_body().collect().await.expect("a body").to_bytes(), "ok");
    // GOAWAY without an error.
    timeout(LIMIT, connection).await.expect("it is closed").expect("no panic").expect("no error");
    assert!(sender.is_closed());
}

#[tokio::test]
async fn client_that_makes_no_room_for_its_response_is_disconnected() {
    let api = impatient().await;
    let (mut sender, connection) = connect(&api, 1).await;
    let answer = send(&mut sender, request(&api, "/openapi.json")).await;
    let ended = timeout(LIMIT, connection).await.expect("it is closed").expect("no panic");
    let body = timeout(LIMIT, answer.into_body().collect()).await.expect("it ends");
    assert!(ended.is_err() || body.is_err(), "the response is not complete");
}

#[tokio::test]
async fn client_that_sends_nothing_after_the_preface_is_disconnected() {
    let api = impatient().await;
    for start in [&b"P"[..], b"PRI ", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        let mut stream = TcpStream::connect(api.address).await.expect("a connection");
        stream.write_all(start).await.expect("written");
        let mut answer = Vec::new();
        let _ = timeout(LIMIT, stream.read_to_end(&mut answer)).await.expect("it is closed");
    }
}
