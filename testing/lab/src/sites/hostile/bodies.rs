//! Bodies that never end.

use std::time::Duration;

use bytes::Bytes;
use contract::FetchFault;

use super::{HostileCase, raw};
use crate::{ExpectedSkip, RawStep, Reply};

const HTTP: ExpectedSkip = ExpectedSkip::Fault(FetchFault::Http);
const TOO_LARGE: ExpectedSkip = ExpectedSkip::Fault(FetchFault::TooLarge);

pub(super) const CASES: &[HostileCase] = &[
    HostileCase::skipped("/body-endless", TOO_LARGE, || {
        Reply::Raw(vec![
            raw("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n"),
            forever("<p>and more</p>"),
        ])
    }),
    HostileCase::skipped("/chunks-endless", TOO_LARGE, || {
        chunked("1f\r\n<p>There is no end to it.</p>  \r\n")
    }),
    // Chunks of one byte: more framing than content.
    HostileCase::skipped("/extensions-endless", HTTP, || chunked("1;a=b;c=d;e=f\r\nx\r\n")),
];

fn chunked(chunk: &str) -> Reply {
    Reply::Raw(vec![
        raw("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ntransfer-encoding: chunked\r\n\r\n"),
        forever(chunk),
    ])
}

/// Repeats a text without a pause.
pub(super) fn forever(text: &str) -> RawStep {
    RawStep::Forever(Bytes::from(text.repeat(64 * 1024 / text.len())), Duration::ZERO)
}
