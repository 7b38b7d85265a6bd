//! Limits of time and size, and answers that are no answers.

use std::time::Duration;

use bytes::Bytes;
use contract::FetchFault;
use lab::{Broken, RawStep, Reply, Site as _, Withheld};
use net::{FetchError, HttpFetch, HttpSettings, Phase, Request};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

use crate::{Script, ask, get, lab_with, on_loopback, url};

const SHORT: Duration = Duration::from_millis(200);

fn raw(text: &'static str) -> RawStep {
    RawStep::Bytes(Bytes::from_static(text.as_bytes()))
}

#[tokio::test]
async fn every_misdeed_becomes_the_fault_it_is() {
    let site = Broken::default();
    let truth = site.truth();
    let lab = lab_with(site).await;
    let fetch = HttpFetch::new(on_loopback()).expect("sound settings");
    let hasty = HttpSettings { drip_window: SHORT, ..on_loopback() };
    let hasty = HttpFetch::new(hasty).expect("sound settings");
    for (path, why) in truth.withheld {
        // Where redirects lead is for the engine to find out.
        let Withheld::Fault(fault) = why else { continue };
        if matches!(fault, FetchFault::RedirectLoop | FetchFault::Dns) {
            continue;
        }
        let fetch = if fault == FetchFault::Timeout { &hasty } else { &fetch };
        let answer = ask(fetch, Request::get(url(&lab.url(&path)))).await;
        let error = answer.expect_err(&path);
        assert_eq!(error.fault(), fault, "{path}: {error}");
    }
    for path in truth.delivered.keys() {
        let answer = ask(&fetch, Request::get(url(&lab.url(path)))).await;
        assert_eq!(answer.map(|answer| answer.status), Ok(200), "{path}");
    }
}

#[tokio::test]
async fn each_phase_has_its_time() {
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
    let answer = ask(&fetch, Request::get(url(&at("/long"))).within(SHORT)).await;
    assert_eq!(answer, Err(FetchError::TimedOut(Phase::Whole)));
}

#[tokio::test]
async fn nobody_there_and_nobody_answering_differ() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    // Connected, but the handshake gets no answer.
    let settings = HttpSettings { connect: SHORT, ..on_loopback() };
    let answer = get(settings.clone(), &format!("https://{address}/")).await;
    assert_eq!(answer, Err(FetchError::TimedOut(Phase::Handshake)));
    drop(listener);
    let answer = get(settings, &format!("http://{address}/")).await;
    assert_eq!(answer, Err(FetchError::Connect(std::io::ErrorKind::ConnectionRefused)));
}

#[tokio::test]
async fn a_connection_that_is_not_taken_times_out() {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(([127, 0, 0, 1], 0).into()).expect("a port is free");
    let listener = socket.listen(1).expect("it listens");
    let address = listener.local_addr().expect("it is bound");
    // Nobody accepts: once the queue is full, further connections wait in vain.
    let mut queue = Vec::new();
    while let Ok(Ok(stream)) = tokio::time::timeout(SHORT, TcpStream::connect(address)).await {
        queue.push(stream);
    }
    let settings = HttpSettings { connect: SHORT, ..on_loopback() };
    let answer = get(settings, &format!("http://{address}/")).await;
    assert_eq!(answer, Err(FetchError::TimedOut(Phase::Connect)));
}

#[tokio::test]
async fn headers_are_bounded_in_length_and_number() {
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
async fn a_body_is_bounded_on_the_wire_as_well() {
    // Empty blocks of deflate: much on the wire, nothing decoded.
    let mut nothing = vec![31, 139, 8, 0, 0, 0, 0, 0, 0, 255];
    nothing.extend([0, 0, 0, 255, 255].repeat(40_000));
    let site =
        Script::default().on("/", Reply::html(nothing).with_header("content-encoding", "gzip"));
    let lab = lab_with(site).await;
    let settings = HttpSettings { body_bytes: 1000, ..on_loopback() };
    assert_eq!(get(settings, &lab.url("/")).await, Err(FetchError::TooLarge(1000)));
}

#[tokio::test]
async fn framing_is_taken_at_its_word_or_not_at_all() {
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
async fn body_that_waits_for_room_longer_than_its_deadline_is_no_fault_of_the_site() {
    let page = Reply::html("x".repeat(300 << 10));
    let lab = lab_with(Script::default().on("/", page)).await;
    // Room for one such page.
    let settings = HttpSettings { large_body_bytes: 512 << 10, ..on_loopback() };
    let fetch = HttpFetch::new(settings).expect("sound settings");
    let request = || Request::get(url(&lab.url("/")));
    let held = ask(&fetch, request()).await.expect("room");
    let waited = ask(&fetch, request().within(SHORT)).await;
    assert_eq!(waited, Err(FetchError::Busy));
    drop(held);
    assert!(ask(&fetch, request()).await.is_ok());
}

/// A body of unknown length that takes room and then gains a few bytes now and then, for ever.
fn dripping() -> Reply {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n";
    Reply::Raw(vec![
        raw(head),
        RawStep::Bytes(Bytes::from(vec![b'.'; 300 << 10])),
        RawStep::Forever(Bytes::from_static(b"."), Duration::from_millis(10)),
    ])
}

#[tokio::test]
async fn long_bodies_of_one_account_keep_out_no_other_account() {
    let page = Reply::html("x".repeat(300 << 10));
    let lab = lab_with(Script::default().on("/dripping", dripping()).on("/", page)).await;
    let settings = HttpSettings {
        large_body_bytes: 2 << 20,
        bytes_per_second: 0,
        large_bytes_per_second: 0,
        ..on_loopback()
    };
    let fetch = HttpFetch::new(settings).expect("sound settings");
    let get = |path: &str, account: &str| Request::get(url(&lab.url(path))).isolated(account);
    let (slow, request) = (fetch.clone(), get("/dripping", "one"));
    let slow = tokio::spawn(async move { ask(&slow, request).await });
    // Until it has taken room, its own account is served as well.
    let busy = async {
        while ask(&fetch, get("/", "one").within(SHORT)).await != Err(FetchError::Busy) {}
    };
    tokio::time::timeout(crate::PATIENCE, busy).await.expect("it takes its room");
    let other = ask(&fetch, get("/", "two")).await.expect("room of its own");
    assert_eq!(other.body.len(), 300 << 10);
    slow.abort();
}

#[tokio::test]
async fn body_that_holds_room_has_to_come_faster() {
    let lab = lab_with(Script::default().on("/", dripping())).await;
    let slow = HttpSettings { drip_window: SHORT, bytes_per_second: 1, ..on_loopback() };
    let answer = get(slow.clone(), &lab.url("/")).await;
    assert_eq!(answer, Err(FetchError::TimedOut(Phase::Drip)));
    let whole = Duration::from_secs(2);
    let as_slow_as_others = HttpSettings { large_bytes_per_second: 0, whole, ..slow };
    let answer = get(as_slow_as_others, &lab.url("/")).await;
    assert_eq!(answer, Err(FetchError::TimedOut(Phase::Whole)));
}
