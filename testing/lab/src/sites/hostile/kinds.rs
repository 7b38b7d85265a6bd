//! Content types: what is no page, however large, and types that lie.

use bytes::Bytes;
use contract::FetchFault;

use super::bodies::forever;
use super::{Deed, raw, titled};
use crate::{ExpectedSkip, RawStep, Reply};

/// More than a page may have.
const LARGE: usize = 20 * 1024 * 1024;

const ZIP: &[u8] = b"PK\x03\x04\x14\0\0\0\x08\0";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";
const FILM: &[u8] = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom";

pub(super) const DEEDS: &[Deed] = &[
    Deed::nothing("/large-archive", ExpectedSkip::File, || large("application/zip", ZIP)),
    Deed::nothing("/large-film", ExpectedSkip::File, || large("video/mp4", FILM)),
    Deed::nothing("/large-image", ExpectedSkip::Image, || large("image/png", PNG)),
    Deed::nothing("/large-bytes", ExpectedSkip::File, || large("application/octet-stream", ZIP)),
    Deed::nothing("/large-bytes-unsaid", ExpectedSkip::File, || large("", FILM)),
    Deed::nothing("/large-text", ExpectedSkip::File, || large("text/plain", b"a log of ages")),
    Deed::nothing("/large-data", ExpectedSkip::File, || large("application/json", b"[0")),
    Deed::nothing("/large-page", ExpectedSkip::Fault(FetchFault::TooLarge), || {
        large("text/html", b"<!doctype html><title>Large</title>")
    }),
    Deed::nothing("/endless-film", ExpectedSkip::File, || {
        Reply::Raw(vec![
            raw("HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\n\r\n"),
            RawStep::Bytes(Bytes::from_static(FILM)),
            forever("\0\0\0\0\0\0\0\0"),
        ])
    }),
    Deed::nothing("/packed-film", ExpectedSkip::File, || {
        Reply::typed(200, "video/mp4", crate::sites::broken::BOMB.clone())
            .with_header("content-encoding", "gzip")
    }),
    Deed::page("/page-as-text", "As text", || typed("text/plain", titled("As text", ""))),
    Deed::page("/page-as-bytes", "As bytes", || {
        typed("application/octet-stream", titled("As bytes", ""))
    }),
    Deed::page("/page-unsaid", "Unsaid", || typed("", titled("Unsaid", ""))),
    Deed::page("/page-as-nonsense", "Nonsense", || typed("nonsense", titled("Nonsense", ""))),
    Deed::page("/page-with-bom", "Marked", || {
        typed("text/plain", format!("\u{feff}\n {}", titled("Marked", "")))
    }),
    Deed::nothing("/image-as-page", ExpectedSkip::Image, || typed("text/html", PNG)),
    Deed::nothing("/archive-as-page", ExpectedSkip::File, || typed("text/html", ZIP)),
    // Whatever this is, its server calls it a page and nothing says otherwise.
    Deed::untitled("/noise-as-page", || typed("text/html", (0..=255).rev().collect::<Vec<u8>>())),
    Deed::untitled("/page-of-nothing", || typed("text/html", "")),
];

/// A reply of this type; without one when it is empty.
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
