//! How long an answer is: wrong lengths, wrong chunks, connections that end.

use std::time::Duration;

use bytes::Bytes;
use contract::FetchFault;

use super::{AGES, Deed, bytes, raw};
use crate::{ExpectedSkip, RawStep, Reply};

const CONNECT: ExpectedSkip = ExpectedSkip::Fault(FetchFault::Connect);
const HTTP: ExpectedSkip = ExpectedSkip::Fault(FetchFault::Http);

pub(super) const DEEDS: &[Deed] = &[
    Deed::nothing("/length-too-long", CONNECT, || {
        bytes(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 5000\r\n\r\n\
              <!doctype html><title>Half</title>",
        )
    }),
    // What stands behind the length looks like an answer to the next request on
    // this connection, which stays open for it.
    Deed::page("/length-too-short", "First", || {
        Reply::Raw(vec![
            raw("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 20\r\n\r\n"),
            raw("<title>First</title>"),
            raw("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 23\r\n\r\n"),
            raw("<title>Smuggled</title>"),
            RawStep::Pause(AGES),
        ])
    }),
    Deed::nothing("/length-twice", HTTP, || {
        bytes(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\
              content-length: 20\r\ncontent-length: 21\r\n\r\n<title>Twice</title> ",
        )
    }),
    Deed::nothing("/length-negative", HTTP, || {
        bytes(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: -1\r\n\r\n<p>")
    }),
    // An announcement alone must not set memory aside.
    Deed::nothing("/length-of-exabytes", CONNECT, || {
        bytes(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\
              content-length: 9223372036854775807\r\n\r\n<title>Much</title>",
        )
    }),
    Deed::nothing("/length-beyond-numbers", HTTP, || {
        bytes(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\
              content-length: 99999999999999999999999\r\n\r\n<title>More</title>",
        )
    }),
    Deed::page("/length-none", "Until the end", || {
        bytes(b"HTTP/1.0 200 OK\r\ncontent-type: text/html\r\n\r\n<title>Until the end</title>")
    }),
    Deed::page("/length-and-chunks", "Chunks count", || {
        bytes(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 3\r\n\
              transfer-encoding: chunked\r\n\r\n1b\r\n<title>Chunks count</title>\r\n0\r\n\r\n",
        )
    }),
    Deed::nothing("/chunk-garbage", HTTP, || chunked("5\r\nhello\r\nnonsense\r\n")),
    Deed::nothing("/chunk-cut-off", CONNECT, || chunked("ff\r\n<title>Cut</title>")),
    Deed::nothing("/chunk-without-last", CONNECT, || chunked("5\r\nhello\r\n")),
    Deed::nothing("/chunk-too-large", HTTP, || chunked("fffffffffffffffff\r\nx")),
    Deed::nothing("/chunk-extension", HTTP, || endless_behind("5;", "never=ending;")),
    Deed::nothing("/chunk-trailers", HTTP, || endless_behind("0\r\n", "x-more: and more\r\n")),
    Deed::nothing("/reset", CONNECT, || {
        Reply::Raw(vec![
            raw("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 5000\r\n\r\n"),
            raw("<!doctype html><title>Reset</title>"),
            // The body must be on its way before the reset overtakes it.
            RawStep::Pause(Duration::from_millis(20)),
            RawStep::Reset,
        ])
    }),
    Deed::nothing("/reset-at-once", CONNECT, || Reply::Raw(vec![RawStep::Reset])),
    Deed::nothing("/silence", CONNECT, || Reply::Raw(vec![RawStep::Close])),
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
