//! Response heads that are too large, slow, invalid or missing.

use std::time::Duration;

use bytes::Bytes;
use contract::FetchFault;

use super::{HostileCase, bytes, raw, titled};
use crate::{ExpectedSkip, RawStep, Reply};

const HTTP: ExpectedSkip = ExpectedSkip::Fault(FetchFault::Http);

pub(super) const CASES: &[HostileCase] = &[
    HostileCase::skipped("/headers-endless", HTTP, || {
        let more = Bytes::from("x-more: and more\r\n".repeat(64));
        Reply::Raw(vec![raw("HTTP/1.1 200 OK\r\n"), RawStep::Forever(more, Duration::ZERO)])
    }),
    HostileCase::skipped("/header-endless", HTTP, || {
        let more = Bytes::from("and more ".repeat(128));
        Reply::Raw(vec![raw("HTTP/1.1 200 OK\r\nx-more: "), RawStep::Forever(more, Duration::ZERO)])
    }),
    HostileCase::page("/headers-just-fit", "Just fit", || {
        let reply = Reply::html(titled("Just fit", "")).with_header("x-long", "y".repeat(60_000));
        with_headers(reply, 80)
    }),
    HostileCase::skipped("/headers-too-many", HTTP, || with_headers(Reply::html("<p>"), 101)),
    HostileCase::skipped("/headers-too-long", HTTP, || {
        Reply::html("<p>").with_header("x-long", "y".repeat(66_000))
    }),
    HostileCase::skipped("/header-with-nul", HTTP, || {
        bytes(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nx-nul: a\0b\r\n\r\n<p>")
    }),
    HostileCase::skipped("/header-without-name", HTTP, || {
        bytes(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n: nothing\r\n\r\n<p>")
    }),
    HostileCase::page("/interim", "After the hints", || {
        bytes(
            b"HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n\
              HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<title>After the hints</title>",
        )
    }),
    HostileCase::skipped("/status-101", ExpectedSkip::Status(101), || {
        bytes(
            b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\
              connection: upgrade\r\n\r\n\x81\x05hello",
        )
    }),
    HostileCase::skipped("/status-999", ExpectedSkip::Status(999), || Reply::status(999)),
    HostileCase::skipped("/status-600", ExpectedSkip::Status(600), || Reply::status(600)),
    HostileCase::skipped("/status-000", HTTP, || bytes(b"HTTP/1.1 000 None\r\n\r\n<p>")),
    HostileCase::skipped("/status-1000", HTTP, || bytes(b"HTTP/1.1 1000 Many\r\n\r\n<p>")),
    HostileCase::skipped("/status-in-words", HTTP, || bytes(b"HTTP/1.1 fine OK\r\n\r\n<p>")),
    HostileCase::page("/reason-none", "No reason", || {
        bytes(b"HTTP/1.1 200\r\ncontent-type: text/html\r\n\r\n<title>No reason</title>")
    }),
    HostileCase::skipped("/http-0.9", HTTP, || {
        bytes(b"<!doctype html><title>Long ago</title>\r\n\r\n")
    }),
    HostileCase::skipped("/http-9", HTTP, || {
        bytes(b"HTTP/9.0 200 OK\r\ncontent-type: text/html\r\n\r\n<title>Not yet</title>")
    }),
    HostileCase::skipped("/mail-server", HTTP, || bytes(b"220 mail.lab.test ESMTP\r\n")),
    HostileCase::skipped("/noise", HTTP, || {
        bytes(b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\r\n\r\n")
    }),
];

fn with_headers(reply: Reply, count: usize) -> Reply {
    (0..count).fold(reply, |reply, _| reply.with_header("x-one", "more"))
}
