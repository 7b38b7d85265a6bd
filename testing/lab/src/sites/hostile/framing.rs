//! Body framing: wrong lengths, wrong chunks, connections that end.

use std::time::Duration;

use bytes::Bytes;
use contract::FetchFault;

use super::{HostileCase, LONG_PAUSE, bytes, raw};
use crate::sites::broken::reset_within_body;
use crate::{ExpectedSkip, RawStep, Reply};

const CONNECT: ExpectedSkip = ExpectedSkip::Fault(FetchFault::Connect);
const HTTP: ExpectedSkip = ExpectedSkip::Fault(FetchFault::Http);

pub(super) const CASES: &[HostileCase] = &[
    HostileCase::skipped("/length-too-long", CONNECT, || {
        bytes(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 5000\r\n\r\n\
              <!doctype html><title>Half</title>",
        )
    }),
    // The bytes after the length look like the response to the next request on this connection, which
    // stays open.
    HostileCase::page("/length-too-short", "First", || {
        Reply::Raw(vec![
            raw("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 20\r\n\r\n"),
            raw("<title>First</title>"),
            raw("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 23\r\n\r\n"),
            raw("<title>Smuggled</title>"),
            RawStep::Pause(LONG_PAUSE),
        ])
    }),
    HostileCase::skipped("/length-twice", HTTP, || {
        bytes(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\
              content-length: 20\r\ncontent-length: 21\r\n\r\n<title>Twice</title> ",
        )
    }),
    HostileCase::skipped("/length-negative", HTTP, || {
        bytes(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: -1\r\n\r\n<p>")
    }),
    // A declared length alone must not allocate memory.
    HostileCase::skipped("/length-of-exabytes", CONNECT, || {
        bytes(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\
              content-length: 9223372036854775807\r\n\r\n<title>Much</title>",
        )
    }),
    HostileCase::skipped("/length-beyond-numbers", HTTP, || {
        bytes(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\
              content-length: 99999999999999999999999\r\n\r\n<title>More</title>",
        )
    }),
    HostileCase::page("/length-none", "Until the end", || {
        bytes(b"HTTP/1.0 200 OK\r\ncontent-type: text/html\r\n\r\n<title>Until the end</title>")
    }),
    HostileCase::page("/length-and-chunks", "Chunks count", || {
        bytes(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 3\r\n\
              transfer-encoding: chunked\r\n\r\n1b\r\n<title>Chunks count</title>\r\n0\r\n\r\n",
        )
    }),
    HostileCase::skipped("/chunk-garbage", HTTP, || chunked("5\r\nhello\r\nnonsense\r\n")),
    HostileCase::skipped("/chunk-cut-off", CONNECT, || chunked("ff\r\n<title>Cut</title>")),
    HostileCase::skipped("/chunk-without-last", CONNECT, || chunked("5\r\nhello\r\n")),
    HostileCase::skipped("/chunk-too-large", HTTP, || chunked("fffffffffffffffff\r\nx")),
    HostileCase::skipped("/chunk-extension", HTTP, || endless_behind("5;", "never=ending;")),
    HostileCase::skipped("/chunk-trailers", HTTP, || {
        endless_behind("0\r\n", "x-more: and more\r\n")
    }),
    HostileCase::skipped("/reset", CONNECT, reset_within_body),
    HostileCase::skipped("/reset-at-once", CONNECT, || Reply::Raw(vec![RawStep::Reset])),
    HostileCase::skipped("/silence", CONNECT, || Reply::Raw(vec![RawStep::Close])),
];

fn chunked(chunks: &'static str) -> Reply {
    Reply::Raw(vec![CHUNKED, raw(chunks), RawStep::Close])
}

fn endless_behind(start: &'static str, more: &str) -> Reply {
    let more = Bytes::from(more.repeat(64));
    Reply::Raw(vec![CHUNKED, raw(start), RawStep::Forever(more, Duration::ZERO)])
}

const CHUNKED: RawStep = RawStep::Bytes(Bytes::from_static(
    b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n",
));
