//! Content types: files that are no pages, of any size, and wrong types.

use bytes::Bytes;
use contract::FetchFault;

use super::bodies::forever;
use super::{HostileCase, raw, titled};
use crate::{ExpectedSkip, RawStep, Reply};

/// More than the maximum of a page.
const LARGE: usize = 20 * 1024 * 1024;

const ZIP: &[u8] = b"PK\x03\x04\x14\0\0\0\x08\0";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";
const FILM: &[u8] = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom";

pub(super) const CASES: &[HostileCase] = &[
    HostileCase::skipped("/large-archive", ExpectedSkip::File, || large("application/zip", ZIP)),
    HostileCase::skipped("/large-film", ExpectedSkip::File, || large("video/mp4", FILM)),
    HostileCase::skipped("/large-image", ExpectedSkip::Image, || large("image/png", PNG)),
    HostileCase::skipped("/large-bytes", ExpectedSkip::File, || {
        large("application/octet-stream", ZIP)
    }),
    HostileCase::skipped("/large-bytes-unsaid", ExpectedSkip::File, || large("", FILM)),
    HostileCase::skipped("/large-text", ExpectedSkip::File, || {
        large("text/plain", b"a log of ages")
    }),
    HostileCase::skipped("/large-data", ExpectedSkip::File, || large("application/json", b"[0")),
    HostileCase::skipped("/large-page", ExpectedSkip::Fault(FetchFault::TooLarge), || {
        large("text/html", b"<!doctype html><title>Large</title>")
    }),
    HostileCase::skipped("/endless-film", ExpectedSkip::File, || {
        Reply::Raw(vec![
            raw("HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\n\r\n"),
            RawStep::Bytes(Bytes::from_static(FILM)),
            forever("\0\0\0\0\0\0\0\0"),
        ])
    }),
    HostileCase::skipped("/packed-film", ExpectedSkip::File, || {
        Reply::typed(200, "video/mp4", crate::sites::broken::BOMB.clone())
            .with_header("content-encoding", "gzip")
    }),
    HostileCase::page("/page-as-text", "As text", || typed("text/plain", titled("As text", ""))),
    HostileCase::page("/page-as-bytes", "As bytes", || {
        typed("application/octet-stream", titled("As bytes", ""))
    }),
    HostileCase::page("/page-unsaid", "Unsaid", || typed("", titled("Unsaid", ""))),
    HostileCase::page("/page-as-nonsense", "Nonsense", || {
        typed("nonsense", titled("Nonsense", ""))
    }),
    HostileCase::page("/page-with-bom", "Marked", || {
        typed("text/plain", format!("\u{feff}\n {}", titled("Marked", "")))
    }),
    HostileCase::skipped("/image-as-page", ExpectedSkip::Image, || typed("text/html", PNG)),
    HostileCase::skipped("/archive-as-page", ExpectedSkip::File, || typed("text/html", ZIP)),
    // The header declares a page, and nothing contradicts it.
    HostileCase::untitled("/noise-as-page", || {
        typed("text/html", (0..=255).rev().collect::<Vec<u8>>())
    }),
    HostileCase::untitled("/page-of-nothing", || typed("text/html", "")),
];

/// A reply with this content type; without one if it is empty.
fn typed(content_type: &str, body: impl Into<Bytes>) -> Reply {
    let mut reply = Reply::typed(200, content_type, body);
    if let Reply::Full(whole) = &mut reply
        && content_type.is_empty()
    {
        whole.headers.clear();
    }
    reply
}

fn large(content_type: &str, start: &[u8]) -> Reply {
    let mut body = start.to_vec();
    body.resize(LARGE, b' ');
    typed(content_type, body)
}
