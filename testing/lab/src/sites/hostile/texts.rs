//! Text that is not what its label says, or not what text should be.

use super::{Deed, bytes, titled};
use crate::Reply;

pub(super) const DEEDS: &[Deed] = &[
    Deed::page("/utf-16-le", "Grüße", || typed("text/html", wide("Grüße", u16::to_le_bytes))),
    Deed::page("/utf-16-be", "Grüße", || typed("text/html", wide("Grüße", u16::to_be_bytes))),
    Deed::page("/utf-16-said", "Grüße", || {
        typed("text/html; charset=utf-16", wide("Grüße", u16::to_le_bytes))
    }),
    Deed::page("/utf-16-lie", "Grüße", || {
        typed("text/html; charset=utf-16", titled("Grüße", "").into_bytes())
    }),
    Deed::page("/utf-16-cut-off", "Half a letter", || {
        let mut wide = wide("Half a letter", u16::to_le_bytes);
        wide.push(b'x');
        typed("text/html", wide)
    }),
    Deed::page("/utf-8-lie", "Caf\u{fffd}", || {
        typed("text/html; charset=utf-8", b"<title>Caf\xe9</title>".to_vec())
    }),
    Deed::page("/latin-1-unsaid", "Café", || {
        typed("text/html", b"<!doctype html><title>Caf\xe9</title>".to_vec())
    }),
    Deed::page("/charset-unknown", "Café", || {
        typed("text/html; charset=martian", titled("Café", "").into_bytes())
    }),
    Deed::page("/charset-twice", "Café", || {
        typed("text/html; charset=utf-8; charset=utf-16", titled("Café", "").into_bytes())
    }),
    // A label that browsers know only to refuse: it has been used to hide scripts.
    Deed::untitled("/charset-refused", || {
        typed("text/html; charset=iso-2022-kr", titled("Hidden", "").into_bytes())
    }),
    Deed::page("/type-not-ascii", "Café", || {
        bytes(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/html; x=\xff\xfe\r\n\r\n\
              <!doctype html><title>Caf\xc3\xa9</title>",
        )
    }),
    Deed::page("/nul", "Nothing here", || {
        typed("text/html", b"<title>No\0thing\0 here</title>".to_vec())
    }),
    Deed::page("/nul-reference", "No\u{fffd}thing", || {
        typed("text/html", b"<title>No&#0;thing</title>".to_vec())
    }),
    // `/` and `NUL` in more bytes than they need, and a letter of seven.
    Deed::page("/overlong", "a\u{fffd}\u{fffd}b\u{fffd}\u{fffd}c\u{fffd}\u{fffd}\u{fffd}d", || {
        typed(
            "text/html; charset=utf-8",
            b"<title>a\xc0\xafb\xc0\x80c\xe0\x80\xafd</title>\
              <a href=\"http://outside.test/%c0%ae%c0%ae/\">"
                .to_vec(),
        )
    }),
    Deed::page("/surrogates", "a\u{fffd}b\u{fffd}\u{fffd}\u{fffd}c", || {
        typed(
            "text/html; charset=utf-8",
            b"<title>a&#xD800;b\xed\xa0\x80c</title>\
              <script type=\"application/ld+json\">{\"name\":\"\\ud800\"}</script>"
                .to_vec(),
        )
    }),
    // They turn the text around for whoever looks at it; what is read stays as it is.
    Deed::page("/bidi", "\u{202e}gpj.exe\u{202c}\u{2066}a\u{2069}", || {
        typed(
            "text/html; charset=utf-8",
            titled("\u{202e}gpj.exe\u{202c}\u{2066}a\u{2069}", "").into_bytes(),
        )
    }),
    Deed::page("/controls", "a\u{1b}[31mb\u{7}", || {
        typed("text/html; charset=utf-8", b"<title>a\x1b[31mb\x07</title>".to_vec())
    }),
];

fn typed(content_type: &str, body: Vec<u8>) -> Reply {
    Reply::typed(200, content_type, body)
}

/// A page in UTF-16 without a mark at its beginning.
fn wide(title: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
    titled(title, "<p>wide").encode_utf16().flat_map(order).collect()
}
