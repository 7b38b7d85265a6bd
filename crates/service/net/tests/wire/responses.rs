//! Valid responses, and the requests that are sent.

use std::io::Write as _;
use std::time::Duration;

use contract::Millis;
use lab::{Broken, Catalogue, RawStep, Reply};
use net::{BodyLimit, Encoding, FetchError, FetchRequest, HttpFetch};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::{PATIENCE, Script, ask, get, lab_with, on_loopback, url};

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(plain).expect("a Vec takes everything");
    encoder.finish().expect("a Vec takes everything")
}

#[tokio::test]
async fn response_has_status_address_sizes_and_times() {
    let lab = lab_with(Catalogue::plain(3)).await;
    let answer = get(on_loopback(), &lab.url("/page-1")).await.expect("the lab answers");
    assert_eq!((answer.status, answer.remote), (200, lab.address()));
    assert_eq!(answer.media_type().as_deref(), Some("text/html"));
    assert_eq!(answer.content_length(), Some(answer.body.len() as u64));
    assert_eq!(answer.wire_bytes, answer.body.len() as u64);
    assert!(!answer.body_truncated && answer.first_byte <= answer.elapsed);
    let seen = &lab.requests()[0];
    assert_eq!((seen.method.as_str(), seen.user_agent.as_deref()), ("GET", Some("Trawl/test")));
}

#[tokio::test]
async fn error_statuses_are_responses_and_redirects_are_not_followed() {
    let lab = lab_with(Broken::default()).await;
    let fetch = HttpFetch::new(on_loopback()).expect("sound settings");
    for status in [404, 410, 429, 500, 503] {
        let page = url(&lab.url(&format!("/{status}")));
        let answer = ask(&fetch, FetchRequest::get(page)).await.expect("it is an answer");
        assert_eq!(answer.status, status);
    }
    let waiting = ask(&fetch, FetchRequest::get(url(&lab.url("/503")))).await.expect("an answer");
    assert_eq!(waiting.retry_after(Millis(0)), Some(Duration::from_secs(1)));
    lab.clear_requests();
    let moved = ask(&fetch, FetchRequest::get(url(&lab.url("/loop")))).await.expect("an answer");
    assert_eq!((moved.status, moved.location().as_deref()), (302, Some("/loop-back")));
    let inside =
        ask(&fetch, FetchRequest::get(url(&lab.url("/to-private")))).await.expect("an answer");
    assert_eq!(inside.location().as_deref(), Some("http://127.0.0.77:8080/secret"));
    assert_eq!(lab.requests().len(), 2);
}

#[tokio::test]
async fn head_response_has_no_body_despite_its_headers() {
    let site = Script::default()
        .on("/", Reply::html(gzip(b"text")).with_header("content-encoding", "gzip"));
    let lab = lab_with(site).await;
    let fetch = HttpFetch::new(on_loopback()).expect("sound settings");
    let answer = ask(&fetch, FetchRequest::head(url(&lab.url("/")))).await.expect("an answer");
    assert!(answer.body.is_empty() && answer.content_length().is_some_and(|length| length > 4));
    assert_eq!(lab.requests()[0].method, "HEAD");
}

#[tokio::test]
async fn content_encodings_are_decoded() {
    let plain = "all the same text ".repeat(300);
    let mut brotli = Vec::new();
    let params = brotli::enc::BrotliEncoderParams::default();
    brotli::BrotliCompress(&mut plain.as_bytes(), &mut brotli, &params).expect("memory suffices");
    let zstd = zstd::bulk::compress(plain.as_bytes(), 1).expect("memory suffices");
    let encoded = |body: Vec<u8>, name| Reply::html(body).with_header("content-encoding", name);
    let site = Script::default()
        .on("/gzip", encoded(gzip(plain.as_bytes()), "gzip"))
        .on("/br", encoded(brotli, "br"))
        .on("/zstd", encoded(zstd, "ZSTD"))
        .on("/none", encoded(plain.clone().into_bytes(), "identity"))
        .on("/empty", Reply::status(204).with_header("content-encoding", "gzip"))
        .on("/unknown", encoded(Vec::new(), "sdch"));
    let lab = lab_with(site).await;
    let fetch = HttpFetch::new(on_loopback()).expect("sound settings");
    for (path, encoding) in [
        ("/gzip", Encoding::Gzip),
        ("/br", Encoding::Brotli),
        ("/zstd", Encoding::Zstd),
        ("/none", Encoding::Identity),
    ] {
        let answer = ask(&fetch, FetchRequest::get(url(&lab.url(path)))).await.expect(path);
        assert_eq!((answer.encoding, &answer.body[..]), (encoding, plain.as_bytes()), "{path}");
        let kept = answer.headers.contains_key("content-length");
        assert_eq!(kept, encoding == Encoding::Identity, "{path}");
    }
    let unknown = ask(&fetch, FetchRequest::get(url(&lab.url("/unknown")))).await;
    assert_eq!(unknown, Err(FetchError::BadEncoding));
}

#[tokio::test]
async fn body_limits_reject_or_truncate_a_large_body() {
    let site = Script::default().on("/", Reply::html(vec![b'x'; 100_000]));
    let lab = lab_with(site).await;
    let fetch = HttpFetch::new(on_loopback()).expect("sound settings");
    let with = |limit| FetchRequest::get(url(&lab.url("/"))).body(limit);
    let whole = ask(&fetch, with(BodyLimit::AtMost(100_000))).await.expect("it fits");
    assert!(whole.body.len() == 100_000 && !whole.body_truncated);
    let refused = ask(&fetch, with(BodyLimit::AtMost(99_999))).await;
    assert_eq!(refused, Err(FetchError::TooLarge(99_999)));
    for limit in [BodyLimit::First(10), BodyLimit::Range(10)] {
        let part = ask(&fetch, with(limit)).await.expect("the rest is not read");
        assert!(&part.body[..] == b"xxxxxxxxxx" && part.body_truncated, "{limit:?}");
    }
}

#[tokio::test]
async fn body_is_the_same_in_one_chunk_and_in_many() {
    let bodies = [1, 4_096, 16_383, 16_384, 16_385, 30_000].into_iter().flat_map(|length| {
        let of = |start: &[u8]| {
            let mut body = start.to_vec();
            body.extend((0..=u8::MAX).cycle().take(length - start.len().min(length)));
            body.truncate(length);
            body
        };
        [("text/html", of(b"<p>")), ("text/plain", of(b"words"))]
    });
    for (kind, body) in bodies {
        let length = body.len();
        let head = format!(
            "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: {kind}\r\n\
             content-length: {length}\r\n\r\n"
        );
        let pieces = body.chunks(7_000).flat_map(|piece| {
            let pause = RawStep::Pause(Duration::from_millis(2));
            [RawStep::Bytes(piece.to_vec().into()), pause]
        });
        let begin = || RawStep::Bytes(head.clone().into());
        let site = Script::default()
            .on("/once", Reply::Raw(vec![RawStep::Bytes([head.as_bytes(), &body].concat().into())]))
            .on("/after", Reply::Raw(vec![begin(), RawStep::Bytes(body.clone().into())]))
            .on("/pieces", Reply::Raw([begin()].into_iter().chain(pieces).collect()));
        let lab = lab_with(site).await;
        let fetch = HttpFetch::new(on_loopback()).expect("sound settings");
        for limit in [
            BodyLimit::Page,
            BodyLimit::AtMost(length),
            BodyLimit::AtMost(length - 1),
            BodyLimit::First(length),
            BodyLimit::First(length - 1),
        ] {
            let read = async |path: &str| {
                let answer = ask(&fetch, FetchRequest::get(url(&lab.url(path))).body(limit)).await;
                answer.map(|answer| (answer.body, answer.body_truncated))
            };
            let expected = match limit {
                BodyLimit::AtMost(most) if most < length => Err(FetchError::TooLarge(most)),
                BodyLimit::First(most) => Ok((body[..most].to_vec().into(), most < length)),
                BodyLimit::Page if kind == "text/plain" && length > 4_096 => {
                    Ok((body[..4_096].to_vec().into(), true))
                }
                _ => Ok((body.clone().into(), false)),
            };
            for path in ["/once", "/after", "/pieces"] {
                assert_eq!(read(path).await, expected, "{path} {kind} {length} {limit:?}");
            }
        }
    }
}

#[tokio::test]
async fn only_the_beginning_of_non_page_content_is_read() {
    const LENGTH: usize = 20 * 1024 * 1024;
    let large = |kind, start: &[u8]| {
        let mut body = start.to_vec();
        body.resize(LENGTH, b' ');
        Reply::typed(200, kind, body)
    };
    let film = Reply::typed(200, "video/mp4", gzip(&vec![0; 1024 * 1024]));
    let packed = gzip(&vec![0; 1024 * 1024]).len() as u64;
    let endless = RawStep::Forever(vec![0; 64 * 1024].into(), Duration::ZERO);
    let head = "HTTP/1.1 200 OK\r\ncontent-type: audio/ogg\r\n\r\n";
    let site = Script::default()
        .on("/film", large("video/mp4", b"\0\0\0\x18ftyp"))
        .on("/archive", large("application/zip", b"PK"))
        .on("/bytes", large("application/octet-stream", b"PK"))
        .on("/text", large("text/plain", b"words"))
        .on("/page", large("text/html", b"words"))
        .on("/page-as-text", large("text/plain", b" <html>"))
        .on("/packed", film.with_header("content-encoding", "gzip"))
        .on("/sound", Reply::Raw(vec![RawStep::Bytes(head.into()), endless]))
        .on("/moved", large("text/html", b"<p>").with_header("location", "/"))
        .on("/small", Reply::typed(200, "image/gif", "GIF8"));
    let lab = lab_with(site).await;
    let fetch = HttpFetch::new(on_loopback()).expect("sound settings");
    let page = async |path: &str| {
        ask(&fetch, FetchRequest::get(url(&lab.url(path))).body(BodyLimit::Page)).await
    };
    for (path, length) in [
        ("/film", Some(LENGTH as u64)),
        ("/archive", Some(LENGTH as u64)),
        ("/bytes", Some(LENGTH as u64)),
        ("/text", Some(LENGTH as u64)),
        ("/packed", Some(packed)),
        ("/sound", None),
    ] {
        let answer = page(path).await.expect("its beginning is there");
        assert!(answer.body.len() == 4096 && answer.body_truncated, "{path}");
        assert_eq!(answer.content_length(), length, "{path}");
        // Only buffered bytes were received: far less than a megabyte.
        assert!(answer.wire_bytes < 1024 * 1024, "{path}: {}", answer.wire_bytes);
    }
    for path in ["/page", "/page-as-text"] {
        assert!(matches!(page(path).await, Err(FetchError::TooLarge(_))), "{path}");
    }
    // A status of 200 is no redirect, even with a Location header.
    assert!(matches!(page("/moved").await, Err(FetchError::TooLarge(_))));
    let small = page("/small").await.expect("all of it is there");
    assert!(&small.body[..] == b"GIF8" && !small.body_truncated);
}

#[tokio::test]
async fn request_headers_are_sent_and_dropping_the_future_closes_the_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let page = format!("http://{}/a%20b?c=d", listener.local_addr().expect("it is bound"));
    let fetch = HttpFetch::new(on_loopback()).expect("sound settings");
    let request = FetchRequest::get(url(&page)).accept("text/plain").body(BodyLimit::Range(512));
    let asking = tokio::spawn(async move { ask(&fetch, request).await });
    let (mut stream, _) = listener.accept().await.expect("a connection");
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.expect("a whole head"));
    }
    let head = String::from_utf8(head).expect("plain text").to_lowercase();
    assert!(head.starts_with("get /a%20b?c=d http/1.1\r\n"), "{head}");
    for line in [
        "accept: text/plain",
        "accept-encoding: identity",
        "range: bytes=0-511",
        "user-agent: trawl/test",
    ] {
        assert!(head.contains(&format!("\r\n{line}\r\n")), "{line}: {head}");
    }
    stream.write_all(b"HTTP/1.1 200 OK\r\n").await.expect("it still listens");
    asking.abort();
    let end = tokio::time::timeout(PATIENCE, stream.read_u8()).await.expect("it leaves");
    assert!(end.is_err(), "the connection ends with the future");
}
