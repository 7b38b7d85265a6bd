//! A site with common server faults, one path per fault.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use contract::FetchFault;
use flate2::write::GzEncoder;
use flate2::{Compress, Compression, Crc, FlushCompress};

use crate::reply::raw;
use crate::{ExpectedSkip, RawStep, Reply, Site, SiteTruth};

/// A start page that links to every fault and to some valid pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// How long `/drip` waits between two bytes.
    pub drip: Duration,
}

impl Default for Broken {
    fn default() -> Self {
        Self { drip: Duration::from_millis(100) }
    }
}

/// A gzip bomb: 12 MiB of zeros, more than the maximum of a page, compressed to less than 1 %.
pub(super) static BOMB: LazyLock<Bytes> = LazyLock::new(|| {
    // After a full flush the stream does not refer to earlier data, so that one piece can be repeated;
    // compressing everything would take seconds.
    const TIMES: usize = 48;
    let zeros = vec![0; 256 * 1024];
    let mut piece = Vec::with_capacity(64 * 1024);
    let _ = Compress::new(Compression::fast(), false).compress_vec(
        &zeros,
        &mut piece,
        FlushCompress::Full,
    );
    let (mut one, mut all) = (Crc::new(), Crc::new());
    one.update(&zeros);
    let mut bomb = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    for _ in 0..TIMES {
        bomb.extend_from_slice(&piece);
        all.combine(&one);
    }
    // An empty last block, then the gzip trailer.
    bomb.extend_from_slice(&[3, 0]);
    bomb.extend_from_slice(&all.sum().to_le_bytes());
    bomb.extend_from_slice(&all.amount().to_le_bytes());
    Bytes::from(bomb)
});

pub(super) fn gzip(plain: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to a Vec cannot fail.
    let _ = encoder.write_all(plain);
    Bytes::from(encoder.finish().unwrap_or_default())
}

/// Every fault with its expected outcome.
const FAULTS: &[(&str, ExpectedSkip)] = &[
    ("/404", ExpectedSkip::Status(404)),
    ("/410", ExpectedSkip::Status(410)),
    ("/429", ExpectedSkip::Status(429)),
    ("/500", ExpectedSkip::Status(500)),
    ("/503", ExpectedSkip::Status(503)),
    ("/loop", ExpectedSkip::Fault(FetchFault::RedirectLoop)),
    ("/ever-further", ExpectedSkip::Fault(FetchFault::RedirectLoop)),
    ("/to-private", ExpectedSkip::Fault(FetchFault::Dns)),
    ("/short", ExpectedSkip::Fault(FetchFault::Connect)),
    ("/reset", ExpectedSkip::Fault(FetchFault::Connect)),
    ("/silence", ExpectedSkip::Fault(FetchFault::Connect)),
    ("/garbage-chunk", ExpectedSkip::Fault(FetchFault::Http)),
    ("/not-http", ExpectedSkip::Fault(FetchFault::Http)),
    ("/huge-header", ExpectedSkip::Fault(FetchFault::Http)),
    ("/endless-headers", ExpectedSkip::Fault(FetchFault::Http)),
    ("/drip", ExpectedSkip::Fault(FetchFault::Timeout)),
    ("/bomb", ExpectedSkip::Fault(FetchFault::TooLarge)),
    ("/two-encodings", ExpectedSkip::Fault(FetchFault::BadEncoding)),
    ("/bad-gzip", ExpectedSkip::Fault(FetchFault::BadEncoding)),
];

/// The pages that are delivered.
const FINE: &[&str] = &["/", "/fine", "/lying-charset"];

fn start() -> Reply {
    let mut html = String::from("<!doctype html><title>Broken</title><h1>Broken</h1><ul>\n");
    for path in FINE.iter().copied().chain(FAULTS.iter().map(|(path, _)| *path)) {
        // Writing to a String cannot fail.
        let _ = writeln!(html, "<li><a href=\"{path}\">{path}</a></li>");
    }
    Reply::html(html)
}

/// A reset of the connection after a part of the body.
pub(super) fn reset_within_body() -> Reply {
    Reply::Raw(vec![
        raw("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 5000\r\n\r\n"),
        raw("<!doctype html><title>Reset</title>"),
        // The body must arrive before the reset.
        RawStep::Pause(Duration::from_millis(20)),
        RawStep::Reset,
    ])
}

/// The next redirect of an endless chain.
fn further(path: &str) -> Option<Reply> {
    let rest = path.strip_prefix("/ever-further")?;
    let step: u64 = if rest.is_empty() { 0 } else { rest.strip_prefix("-")?.parse().ok()? };
    Some(Reply::redirect(302, format!("/ever-further-{}", step.saturating_add(1))))
}

impl Broken {
    fn fault(&self, path: &str) -> Option<Reply> {
        let html = "text/html; charset=utf-8";
        let reply = match path {
            "/404" => Reply::status(404),
            "/410" => Reply::status(410),
            "/429" => Reply::status(429).with_header("retry-after", "1"),
            "/500" => Reply::status(500),
            "/503" => Reply::status(503).with_header("retry-after", "1"),
            "/loop" => Reply::redirect(302, "/loop-back"),
            "/loop-back" => Reply::redirect(302, "/loop"),
            // On loopback: if a guard fails, the request stays on this machine.
            "/to-private" => Reply::redirect(302, "http://127.0.0.77:8080/secret"),
            "/short" => Reply::Raw(vec![
                raw("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 5000\r\n\r\n"),
                raw("<!doctype html><title>Short</title>"),
                RawStep::Close,
            ]),
            "/reset" => reset_within_body(),
            "/silence" => Reply::Raw(vec![RawStep::Close]),
            "/garbage-chunk" => Reply::Raw(vec![
                raw("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n"),
                raw("transfer-encoding: chunked\r\n\r\n5\r\nhello\r\nnonsense\r\n"),
                RawStep::Close,
            ]),
            "/not-http" => Reply::Raw(vec![raw("220 mail.lab.test ESMTP\r\n"), RawStep::Close]),
            "/huge-header" => Reply::html("").with_header("x-huge", "x".repeat(256 * 1024)),
            "/endless-headers" => Reply::Raw(vec![
                raw("HTTP/1.1 200 OK\r\n"),
                RawStep::Forever(Bytes::from("x-more: and more\r\n".repeat(64)), Duration::ZERO),
            ]),
            "/drip" => Reply::Raw(vec![
                raw("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"),
                RawStep::Forever(Bytes::from_static(b"."), self.drip),
            ]),
            "/bomb" => {
                Reply::typed(200, html, BOMB.clone()).with_header("content-encoding", "gzip")
            }
            "/two-encodings" => Reply::typed(200, html, gzip(&gzip(b"<title>Twice</title>")))
                .with_header("content-encoding", "gzip, gzip"),
            "/bad-gzip" => Reply::typed(200, html, "<title>Not gzip at all</title>")
                .with_header("content-encoding", "gzip"),
            _ => return further(path),
        };
        Some(reply)
    }
}

impl Site for Broken {
    fn answer(&self, path_and_query: &str) -> Reply {
        match path_and_query {
            "/" => start(),
            "/robots.txt" => Reply::text("User-agent: *\nDisallow:\n"),
            "/fine" => Reply::html("<!doctype html><title>Fine</title><h1>Fine</h1>"),
            // Declared as UTF-8, encoded as Latin-1.
            "/lying-charset" => {
                Reply::html(&b"<!doctype html><title>Caf\xe9</title><h1>Gr\xfc\xdfe</h1>"[..])
            }
            path => self.fault(path).unwrap_or_else(|| Reply::status(404)),
        }
    }

    fn truth(&self) -> SiteTruth {
        SiteTruth {
            skipped: FAULTS.iter().map(|(path, why)| ((*path).to_owned(), why.clone())).collect(),
            ..SiteTruth::of_pages(FINE.iter().copied())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn bomb_is_valid_gzip_of_12_mib() {
        let mut buffer = vec![0; 64 * 1024];
        let mut decoder = flate2::read::GzDecoder::new(&BOMB[..]);
        let mut total = 0;
        loop {
            match decoder.read(&mut buffer).expect("the bomb decodes") {
                0 => break,
                read => total += read,
            }
        }
        assert_eq!(total, 12 * 1024 * 1024);
        assert!(BOMB.len() < 120 * 1024, "{}", BOMB.len());
    }
}
