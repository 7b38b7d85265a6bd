//! Limits of time and size, and invalid responses.

use std::time::Duration;

use bytes::Bytes;
use contract::FetchFault;
use lab::{Broken, ExpectedSkip, RawStep, Reply, Site as _};
use net::{FetchError, FetchRequest, HttpFetch, HttpSettings, Phase};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::{Script, ask, get, lab_with, on_loopback, url};

const SHORT: Duration = Duration::from_millis(200);

fn raw(text: &'static str) -> RawStep {
    RawStep::Bytes(Bytes::from_static(text.as_bytes()))
}

#[tokio::test]
async fn every_broken_response_is_reported_as_its_fault() {
    let site = Broken::default();
    let truth = site.truth();
    let lab = lab_with(site).await;
    let fetch = HttpFetch::new(on_loopback()).expect("sound settings");
    let hasty = HttpSettings { drip_window: SHORT, ..on_loopback() };
    let hasty = HttpFetch::new(hasty).expect("sound settings");
    for (path, why) in truth.skipped {
        // The engine follows redirects, not the fetcher.
        let ExpectedSkip::Fault(fault) = why else { continue };
        if matches!(fault, FetchFault::RedirectLoop | FetchFault::Dns) {
            continue;
        }
        let fetch = if fault == FetchFault::Timeout { &hasty } else { &fetch };
        let answer = ask(fetch, FetchRequest::get(url(&lab.url(&path)))).await;
        let error = answer.expect_err(&path);
        assert_eq!(error.fault(), fault, "{path}: {error}");
    }
    for path in truth.delivered.keys() {
        let answer = ask(&fetch, FetchRequest::get(url(&lab.url(path)))).await;
        assert_eq!(answer.map(|answer| answer.status), Ok(200), "{path}");
    }
}

#[tokio::test]
async fn each_phase_has_its_own_timeout() {
    let ok = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n";
    let site = Script::default()
        .on("/mute", Reply::Raw(vec![RawStep::Pause(Duration::from_secs(600))]))
        .on(
            "/interim",
            Reply::Raw(vec![RawStep::Forever(
                Bytes::from_static(b"HTTP/1.1 102 Processing\r\n\r\n"),
                Duration::from_millis(10),
            )]),
        )
        .on("/stalled", Reply::Raw(vec![raw(ok), RawStep::Pause(Duration::from_secs(600))]))
        .on(
            "/long",
            Reply::Raw(vec![
                raw(ok),
                RawStep::Forever(Bytes::from(vec![b'.'; 4096]), Duration::from_millis(10)),
            ]),
        );
    let lab = lab_with(site).await;
    let at = |path: &str| lab.url(path);
    let hasty = HttpSettings { first_byte: SHORT, ..on_loopback() };
    for path in ["/mute", "/interim"] {
        let answer = get(hasty.clone(), &at(path)).await;
        assert_eq!(answer, Err(FetchError::TimedOut(Phase::FirstByte)), "{path}");
    }
    let answer = get(HttpSettings { drip_window: SHORT, ..on_loopback() }, &at("/stalled")).await;
    assert_eq!(answer, Err(FetchError::TimedOut(Phase::Drip)));
    let answer = get(HttpSettings { whole: SHORT, ..on_loopback() }, &at("/long")).await;
    assert_eq!(answer, Err(FetchError::TimedOut(Phase::Whole)));
    let fetch = HttpFetch::new(on_loopback()).expect("sound settings");
    let answer = ask(&fetch, FetchRequest::get(url(&at("/long"))).within(SHORT)).await;
    assert_eq!(answer, Err(FetchError::TimedOut(Phase::Whole)));
}

#[tokio::test]
async fn refused_connection_and_silent_handshake_are_distinguished() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    // The connection is accepted, but the handshake gets no response.
    let settings = HttpSettings { connect: SHORT, ..on_loopback() };
    let answer = get(settings.clone(), &format!("https://{address}/")).await;
    assert_eq!(answer, Err(FetchError::TimedOut(Phase::Handshake)));
    drop(listener);
    let answer = get(settings, &format!("http://{address}/")).await;
    assert_eq!(answer, Err(FetchError::Connect(std::io::ErrorKind::ConnectionRefused)));
}

#[tokio::test]
async fn connection_that_is_not_accepted_times_out() {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(([127, 0, 0, 1], 0).into()).expect("a port is free");
    let listener = socket.listen(1).expect("it listens");
    let address = listener.local_addr().expect("it is bound");
    // Nothing accepts: once the backlog is full, further connections time out.
    let mut queue = Vec::new();
    while let Ok(Ok(stream)) = tokio::time::timeout(SHORT, TcpStream::connect(address)).await {
        queue.push(stream);
    }
    let settings = HttpSettings { connect: SHORT, ..on_loopback() };
    let answer = get(settings, &format!("http://{address}/")).await;
    assert_eq!(answer, Err(FetchError::TimedOut(Phase::Connect)));
}

#[tokio::test]
async fn headers_are_limited_in_size_and_number() {
    let many = (0..101).fold(Reply::html(""), |reply, _| reply.with_header("x-one", "more"));
    let some = (0..90).fold(Reply::html(""), |reply, _| reply.with_header("x-one", "more"));
    let long = Reply::html("").with_header("x-long", "y".repeat(40_000));
    let site = Script::default().on("/many", many).on("/some", some).on("/long", long);
    let lab = lab_with(site).await;
    let answer = get(on_loopback(), &lab.url("/many")).await;
    assert_eq!(answer, Err(FetchError::HeadersTooLarge));
    assert!(get(on_loopback(), &lab.url("/some")).await.is_ok());
    assert!(get(on_loopback(), &lab.url("/long")).await.is_ok());
    let strict = HttpSettings { header_bytes: 10_000, ..on_loopback() };
    assert_eq!(get(strict, &lab.url("/long")).await, Err(FetchError::HeadersTooLarge));
}

#[tokio::test]
async fn wire_bytes_of_a_body_are_limited() {
    // Empty deflate blocks: many wire bytes, nothing decoded.
    let mut nothing = vec![31, 139, 8, 0, 0, 0, 0, 0, 0, 255];
    nothing.extend([0, 0, 0, 255, 255].repeat(40_000));
    let site =
        Script::default().on("/", Reply::html(nothing).with_header("content-encoding", "gzip"));
    let lab = lab_with(site).await;
    let settings = HttpSettings { body_bytes: 1000, ..on_loopback() };
    assert_eq!(get(settings, &lab.url("/")).await, Err(FetchError::TooLarge(1000)));
}

#[tokio::test]
async fn invalid_framing_is_rejected_and_content_length_respected() {
    let site = Script::default()
        .on(
            "/two-lengths",
            Reply::Raw(vec![raw(
                "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 5\r\n\r\nhello",
            )]),
        )
        .on(
            "/more-than-said",
            Reply::Raw(vec![raw("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nhello")]),
        )
        .on(
            "/huge-chunk",
            Reply::Raw(vec![raw(
                "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\nx",
            )]),
        )
        .on("/until-the-end", Reply::Raw(vec![raw("HTTP/1.0 200 OK\r\n\r\nall of it")]));
    let lab = lab_with(site).await;
    let body = async |path: &str| {
        get(on_loopback(), &lab.url(path)).await.map(|answer| answer.body).map_err(|e| e.fault())
    };
    assert_eq!(body("/two-lengths").await, Err(FetchFault::Http));
    assert_eq!(body("/more-than-said").await, Ok(Bytes::from("hel")));
    assert_eq!(body("/huge-chunk").await, Err(FetchFault::Http));
    assert_eq!(body("/until-the-end").await, Ok(Bytes::from("all of it")));
}

#[tokio::test]
async fn waiting_for_body_memory_beyond_the_deadline_is_reported_as_busy() {
    let page = Reply::html("x".repeat(300 << 10));
    let lab = lab_with(Script::default().on("/", page)).await;
    // Memory for one such page.
    let settings = HttpSettings { large_body_bytes: 512 << 10, ..on_loopback() };
    let fetch = HttpFetch::new(settings).expect("sound settings");
    let request = || FetchRequest::get(url(&lab.url("/")));
    let held = ask(&fetch, request()).await.expect("memory");
    let waited = ask(&fetch, request().within(SHORT)).await;
    assert_eq!(waited, Err(FetchError::Busy));
    drop(held);
    assert!(ask(&fetch, request()).await.is_ok());
}

/// An endless body of unknown length that needs a memory permit and then sends one byte at a time.
fn dripping() -> Reply {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n";
    Reply::Raw(vec![
        raw(head),
        RawStep::Bytes(Bytes::from(vec![b'.'; 300 << 10])),
        RawStep::Forever(Bytes::from_static(b"."), Duration::from_millis(10)),
    ])
}

#[tokio::test]
async fn large_bodies_of_one_account_do_not_block_other_accounts() {
    let page = Reply::html("x".repeat(300 << 10));
    let lab = lab_with(Script::default().on("/dripping", dripping()).on("/", page)).await;
    let settings = HttpSettings {
        large_body_bytes: 2 << 20,
        bytes_per_second: 0,
        large_bytes_per_second: 0,
        ..on_loopback()
    };
    let fetch = HttpFetch::new(settings).expect("sound settings");
    let get = |path: &str, account: &str| FetchRequest::get(url(&lab.url(path))).isolated(account);
    let (slow, request) = (fetch.clone(), get("/dripping", "one"));
    let slow = tokio::spawn(async move { ask(&slow, request).await });
    // Until it holds memory, requests of the same account succeed.
    let busy = async {
        while ask(&fetch, get("/", "one").within(SHORT)).await != Err(FetchError::Busy) {}
    };
    tokio::time::timeout(crate::PATIENCE, busy).await.expect("it acquires its memory");
    let other = ask(&fetch, get("/", "two")).await.expect("memory that the other does not use");
    assert_eq!(other.body.len(), 300 << 10);
    slow.abort();
}

#[tokio::test]
async fn large_body_has_a_higher_minimum_rate() {
    let lab = lab_with(Script::default().on("/", dripping())).await;
    let slow = HttpSettings { drip_window: SHORT, bytes_per_second: 1, ..on_loopback() };
    let answer = get(slow.clone(), &lab.url("/")).await;
    assert_eq!(answer, Err(FetchError::TimedOut(Phase::Drip)));
    let whole = Duration::from_secs(2);
    let as_slow_as_others = HttpSettings { large_bytes_per_second: 0, whole, ..slow };
    let answer = get(as_slow_as_others, &lab.url("/")).await;
    assert_eq!(answer, Err(FetchError::TimedOut(Phase::Whole)));
}
