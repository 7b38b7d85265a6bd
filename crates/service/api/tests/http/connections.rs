//! Timeouts and limits of connections.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::harness::TestApi;

const LIMIT: Duration = Duration::from_secs(10);

async fn impatient() -> TestApi {
    TestApi::with(|settings| {
        settings.inbound.header_timeout = Duration::from_millis(300);
        settings.inbound.keep_alive = Duration::from_millis(300);
        settings.inbound.body_timeout = Duration::from_millis(300);
    })
    .await
}

/// Whatever comes back for these bytes until the connection ends.
async fn exchange(api: &TestApi, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(api.address).await.expect("a connection");
    // The other side may close before it has read all.
    let _ = stream.write_all(bytes).await;
    read(&mut stream).await
}

async fn read(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    let _ = timeout(LIMIT, stream.read_to_end(&mut answer)).await.expect("an end");
    String::from_utf8_lossy(&answer).into_owned()
}

fn post(api: &TestApi, more: &str) -> String {
    let key = &api.key;
    format!("POST /v1/jobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n{more}")
}

#[tokio::test]
async fn header_timeout_closes_the_connection() {
    let api = impatient().await;
    for bytes in ["", "GET /healthz HTTP/1.1\r\nHost:"] {
        let began = Instant::now();
        exchange(&api, bytes.as_bytes()).await;
        assert!(began.elapsed() < Duration::from_secs(5));
    }
}

#[tokio::test]
async fn idle_connection_is_closed_after_keep_alive() {
    let api = impatient().await;
    let answer = exchange(&api, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("ok"), "{answer}");
}

/// A service with `places` connections, which leaves clients little time for headers and much between
/// two requests.
async fn restful(places: usize) -> TestApi {
    TestApi::with(|settings| {
        settings.inbound.connections = places;
        settings.inbound.header_timeout = Duration::from_millis(300);
        settings.inbound.keep_alive = Duration::from_secs(600);
    })
    .await
}

/// A connection on which one request was answered.
async fn at_rest(api: &TestApi) -> TcpStream {
    let mut stream = TcpStream::connect(api.address).await.expect("a connection");
    ask(&mut stream).await;
    stream
}

async fn ask(stream: &mut TcpStream) {
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await.expect("it is open");
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\nok") {
        let read = timeout(LIMIT, stream.read_buf(&mut answer)).await.expect("in time");
        assert!(read.expect("it is open") > 0, "an end after {answer:?}");
    }
}

#[tokio::test]
async fn polling_client_keeps_its_connection() {
    let api = restful(100).await;
    let mut stream = at_rest(&api).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    ask(&mut stream).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    ask(&mut stream).await;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost:").await.expect("it is open");
    assert_eq!(read(&mut stream).await, "", "headers that have begun have to come");
}

#[tokio::test]
async fn idle_connections_close_early_when_slots_are_short() {
    let api = restful(2).await;
    let idle = [at_rest(&api).await, at_rest(&api).await];
    let mut third = TcpStream::connect(api.address).await.expect("a connection");
    ask(&mut third).await;
    drop(idle);
}

#[tokio::test]
async fn body_timeout_is_408() {
    let api = impatient().await;
    let headers = "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"mode\":";
    let answer = exchange(&api, post(&api, headers).as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(answer.contains("\"code\":\"request_timeout\""), "{answer}");
}

#[tokio::test]
async fn too_many_or_long_headers_are_431() {
    let api = TestApi::start().await;
    let long = format!("GET /healthz HTTP/1.1\r\nHost: x\r\nA: {}\r\n\r\n", "a".repeat(40_000));
    let many = format!("GET /healthz HTTP/1.1\r\nHost: x\r\n{}\r\n", "A: b\r\n".repeat(200));
    let endless = format!("GET /healthz HTTP/1.1\r\nHost: x\r\n{}", "A: b\r\n".repeat(20_000));
    for bytes in [long, many, endless] {
        let answer = exchange(&api, bytes.as_bytes()).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    }
    let fits = format!(
        "GET /healthz HTTP/1.1\r\nConnection: close\r\nHost: x\r\nA: {}\r\n\r\n",
        "a".repeat(30_000)
    );
    assert!(exchange(&api, fits.as_bytes()).await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn truncated_request_does_not_affect_others() {
    let api = TestApi::start().await;
    for part in
        ["", "POST /v1", "POST /v1/jobs HTTP/1.1\r\n", &post(&api, "Content-Length: 9\r\n\r\n{")]
    {
        let mut stream = TcpStream::connect(api.address).await.expect("a connection");
        stream.write_all(part.as_bytes()).await.expect("a part is sent");
        drop(stream);
    }
    assert_eq!(api.get("/v1/jobs").await.body["total"], 0);
}

#[tokio::test]
async fn ambiguous_request_framing_is_rejected() {
    let api = impatient().await;
    for headers in [
        "Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}   {",
        "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "Content-Length: -1\r\n\r\n",
        "Content-Length : 2\r\n\r\n{}",
    ] {
        let answer = exchange(&api, post(&api, headers).as_bytes()).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{headers}: {answer}");
        assert!(answer.matches("HTTP/1.1").count() <= 1, "{headers}: {answer}");
    }
    let garbage = exchange(&api, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03").await;
    assert!(garbage.is_empty() || garbage.starts_with("HTTP/1.1 400"), "{garbage}");
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let api = TestApi::start().await;
    let bytes = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let answer = exchange(&api, bytes.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("HTTP/1.1 404"), "{answer}");
}

#[tokio::test]
async fn thousand_idle_connections_do_not_block_requests() {
    let api = impatient().await;
    let mut idle = Vec::new();
    for _ in 0..500 {
        idle.push(TcpStream::connect(api.address).await.expect("a connection"));
    }
    let answered = timeout(LIMIT, api.get("/v1/account")).await.expect("an answer");
    assert_eq!(answered.status, 200);
    for mut stream in idle {
        read(&mut stream).await;
    }
}

#[tokio::test]
async fn small_unread_body_is_drained_and_the_connection_kept() {
    let api = TestApi::start().await;
    let mut stream = TcpStream::connect(api.address).await.expect("a connection");
    let head = "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n";
    stream.write_all(head.as_bytes()).await.expect("the headers are sent");
    // The refusal is known by now; the body comes after it, as it does from many libraries.
    tokio::time::sleep(Duration::from_millis(100)).await;
    stream.write_all(b"{}").await.expect("the body is sent");
    let next = format!("GET /healthz HTTP/1.1\r\nHost: x{CLOSE}");
    stream.write_all(next.as_bytes()).await.expect("the connection is open");
    let answers = read(&mut stream).await;
    assert!(answers.starts_with("HTTP/1.1 401") && answers.ends_with("ok"), "{answers}");
}

#[tokio::test]
async fn large_or_slow_unread_body_closes_the_connection() {
    let api = TestApi::start().await;
    for length in [2, 100_000_000] {
        let head = format!("POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n");
        let answer = exchange(&api, head.as_bytes()).await;
        assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    }
    let mut stream = TcpStream::connect(api.address).await.expect("a connection");
    let asking =
        "POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n";
    stream.write_all(asking.as_bytes()).await.expect("the headers are sent");
    let answer = read(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 401"), "not asked to send in vain: {answer}");
}

#[tokio::test]
async fn connections_beyond_the_limit_wait() {
    let api = TestApi::with(|settings| {
        settings.inbound.connections = 2;
        settings.inbound.header_timeout = Duration::from_millis(300);
    })
    .await;
    let mut idle = Vec::new();
    for _ in 0..10 {
        idle.push(TcpStream::connect(api.address).await.expect("a connection"));
    }
    let answered = timeout(LIMIT, api.get("/v1/account")).await.expect("an answer");
    assert_eq!(answered.status, 200);
}

#[tokio::test]
async fn client_that_does_not_read_times_out() {
    let api =
        TestApi::with(|settings| settings.inbound.write_timeout = Duration::from_millis(300)).await;
    let file = exchange(&api, FILE.replace("\r\n\r\n", CLOSE).as_bytes()).await.len();
    let mut stream = TcpStream::connect(api.address).await.expect("a connection");
    let requests = 100;
    stream.write_all(FILE.repeat(requests).as_bytes()).await.expect("the requests are sent");
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(read(&mut stream).await.len() < file * requests / 2);
}

const FILE: &str = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n";
const CLOSE: &str = "\r\nConnection: close\r\n\r\n";

#[tokio::test]
async fn shutdown_waits_for_requests_in_flight() {
    let mut api = TestApi::start().await;
    let mut under_way = TcpStream::connect(api.address).await.expect("a connection");
    let headers = "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n";
    under_way.write_all(post(&api, headers).as_bytes()).await.expect("the headers are sent");
    // The request has begun once the service asks for its body.
    tokio::time::sleep(Duration::from_millis(100)).await;
    api.stop();
    let refused = async {
        while TcpStream::connect(api.address).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(LIMIT, refused).await.expect("new connections are refused");
    under_way.write_all(b"{}").await.expect("the body is sent");
    let answer = read(&mut under_way).await;
    assert!(answer.starts_with("HTTP/1.1 422"), "{answer}");
}
