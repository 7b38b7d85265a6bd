//! Texts with a wrong or unusual encoding.

use super::{HostileCase, bytes, titled};
use crate::Reply;

pub(super) const CASES: &[HostileCase] = &[
    HostileCase::page("/utf-16-le", "Grüße", || {
        typed("text/html", wide("Grüße", u16::to_le_bytes))
    }),
    HostileCase::page("/utf-16-be", "Grüße", || {
        typed("text/html", wide("Grüße", u16::to_be_bytes))
    }),
    HostileCase::page("/utf-16-said", "Grüße", || {
        typed("text/html; charset=utf-16", wide("Grüße", u16::to_le_bytes))
    }),
    HostileCase::page("/utf-16-lie", "Grüße", || {
        typed("text/html; charset=utf-16", titled("Grüße", "").into_bytes())
    }),
    HostileCase::page("/utf-16-cut-off", "Half a letter", || {
        let mut wide = wide("Half a letter", u16::to_le_bytes);
        wide.push(b'x');
        typed("text/html", wide)
    }),
    HostileCase::page("/utf-8-lie", "Caf\u{fffd}", || {
        typed("text/html; charset=utf-8", b"<title>Caf\xe9</title>".to_vec())
    }),
    HostileCase::page("/latin-1-unsaid", "Café", || {
        typed("text/html", b"<!doctype html><title>Caf\xe9</title>".to_vec())
    }),
    HostileCase::page("/charset-unknown", "Café", || {
        typed("text/html; charset=martian", titled("Café", "").into_bytes())
    }),
    HostileCase::page("/charset-twice", "Café", || {
        typed("text/html; charset=utf-8; charset=utf-16", titled("Café", "").into_bytes())
    }),
    // Browsers reject this label, because it was used to hide scripts.
    HostileCase::untitled("/charset-refused", || {
        typed("text/html; charset=iso-2022-kr", titled("Hidden", "").into_bytes())
    }),
    HostileCase::page("/type-not-ascii", "Café", || {
        bytes(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/html; x=\xff\xfe\r\n\r\n\
              <!doctype html><title>Caf\xc3\xa9</title>",
        )
    }),
    HostileCase::page("/nul", "Nothing here", || {
        typed("text/html", b"<title>No\0thing\0 here</title>".to_vec())
    }),
    HostileCase::page("/nul-reference", "No\u{fffd}thing", || {
        typed("text/html", b"<title>No&#0;thing</title>".to_vec())
    }),
    // Overlong encodings of `/` and `NUL`, and a character of seven bytes.
    HostileCase::page(
        "/overlong",
        "a\u{fffd}\u{fffd}b\u{fffd}\u{fffd}c\u{fffd}\u{fffd}\u{fffd}d",
        || {
            typed(
                "text/html; charset=utf-8",
                b"<title>a\xc0\xafb\xc0\x80c\xe0\x80\xafd</title>\
              <a href=\"http://outside.test/%c0%ae%c0%ae/\">"
                    .to_vec(),
            )
        },
    ),
    HostileCase::page("/surrogates", "a\u{fffd}b\u{fffd}\u{fffd}\u{fffd}c", || {
        typed(
            "text/html; charset=utf-8",
            b"<title>a&#xD800;b\xed\xa0\x80c</title>\
              <script type=\"application/ld+json\">{\"name\":\"\\ud800\"}</script>"
                .to_vec(),
        )
    }),
    // Bidirectional controls reverse the displayed text, not the extracted one.
    HostileCase::page("/bidi", "\u{202e}gpj.exe\u{202c}\u{2066}a\u{2069}", || {
        typed(
            "text/html; charset=utf-8",
            titled("\u{202e}gpj.exe\u{202c}\u{2066}a\u{2069}", "").into_bytes(),
        )
    }),
    HostileCase::page("/controls", "a\u{1b}[31mb\u{7}", || {
        typed("text/html; charset=utf-8", b"<title>a\x1b[31mb\x07</title>".to_vec())
    }),
];

fn typed(content_type: &str, body: Vec<u8>) -> Reply {
    Reply::typed(200, content_type, body)
}

/// A page in UTF-16 without a byte order mark.
fn wide(title: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
    titled(title, "<p>wide").encode_utf16().flat_map(order).collect()
}
