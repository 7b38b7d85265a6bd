//! From bytes to text: which encoding a page is in.
//!
//! A byte order mark decides, then the header, then what the page says of
//! itself, then whether the bytes are UTF-8. NUL never comes out: no page means
//! it, and databases refuse it.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::{memchr, memmem};

use crate::scanner::{Element, Scanner, Token};

/// How far into a page its own word on its encoding is looked for.
const PRESCAN_BYTES: usize = 1_024;

/// The text of a page.
#[must_use]
pub fn decode<'a>(body: &'a [u8], content_type: Option<&str>) -> Cow<'a, str> {
    let (encoding, body) = match Encoding::for_bom(body) {
        Some((encoding, length)) => (encoding, body.get(length..).unwrap_or_default()),
        None => (guess(body, content_type), body),
    };
    let (text, _) = encoding.decode_without_bom_handling(body);
    match memchr(0, text.as_bytes()) {
        Some(_) => Cow::Owned(text.replace('\0', "")),
        None => text,
    }
}

fn guess(body: &[u8], content_type: Option<&str>) -> &'static Encoding {
    if let Some(encoding) = content_type.and_then(charset_of) {
        let wide = encoding == UTF_16LE || encoding == UTF_16BE;
        // Markup that begins in ASCII shows that the header lies.
        if !(wide && matches!(body, [b'<', 1..=0x7f, ..])) {
            return encoding;
        }
    }
    // Markup in UTF-16 shows by its first character.
    match body {
        [b'<', 0, ..] => return UTF_16LE,
        [0, b'<', ..] => return UTF_16BE,
        _ => {}
    }
    if let Some(encoding) = prescan(body) {
        return encoding;
    }
    if std::str::from_utf8(body).is_ok() { UTF_8 } else { WINDOWS_1252 }
}

/// The encoding that a content type names.
fn charset_of(content_type: &str) -> Option<&'static Encoding> {
    let bytes = content_type.as_bytes();
    let mut from = 0;
    loop {
        let at = from + find_ignoring_case(bytes.get(from..)?, b"charset")?;
        from = at + b"charset".len();
        let value = bytes.get(from..)?.trim_ascii_start();
        let Some(value) = value.strip_prefix(b"=") else { continue };
        let value = value.trim_ascii_start();
        let label = match value.first() {
            Some(quote @ (b'"' | b'\'')) => value[1..].split(|byte| byte == quote).next(),
            _ => {
                value.split(|byte| byte.is_ascii_whitespace() || matches!(byte, b';' | b',')).next()
            }
        };
        return Encoding::for_label(label?);
    }
}

fn find_ignoring_case(bytes: &[u8], word: &[u8]) -> Option<usize> {
    bytes.windows(word.len()).position(|window| window.eq_ignore_ascii_case(word))
}

/// What the page itself says near its beginning.
fn prescan(body: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(body.get(..PRESCAN_BYTES).unwrap_or(body));
    let found = xml_encoding(&head).or_else(|| meta_encoding(&head))?;
    // It could be read as ASCII, so it cannot be UTF-16 whatever it says.
    Some(if found == UTF_16LE || found == UTF_16BE { UTF_8 } else { found })
}

fn xml_encoding(head: &str) -> Option<&'static Encoding> {
    let declaration = head.strip_prefix("<?xml")?;
    let declaration = &declaration[..memmem::find(declaration.as_bytes(), b"?>")?];
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    Encoding::for_label(value.split(['"', '\'']).nth(1)?.as_bytes())
}

fn meta_encoding(head: &str) -> Option<&'static Encoding> {
    let mut scanner = Scanner::new(head);
    while let Some(token) = scanner.next() {
        if !matches!(token, Token::Start(Element::Meta)) {
            continue;
        }
        let declared = match scanner.attribute("charset") {
            Some(label) => Encoding::for_label(label.as_bytes()),
            None => scanner
                .attribute("http-equiv")
                .filter(|name| name.trim().eq_ignore_ascii_case("content-type"))
                .and_then(|_| charset_of(scanner.attribute("content")?)),
        };
        if declared.is_some() {
            return declared;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_strongest_word_decides() {
        let html = Some("text/html");
        for (body, content_type, text) in [
            (&b"\xef\xbb\xbfa\xc3\xbc"[..], Some("text/html; charset=iso-8859-1"), "aü"),
            (b"\xff\xfea\0\xfc\0", html, "aü"),
            (b"a\xfc", Some("text/html; charset=ISO-8859-1"), "aü"),
            (b"a\xc3\xbc", Some("text/html;charset=\"utf-8\""), "aü"),
            (b"<meta charset=windows-1251>\xff", html, "<meta charset=windows-1251>я"),
            (
                b"<!-- <meta charset=windows-1251> -->\xc3\xbc",
                html,
                "<!-- <meta charset=windows-1251> -->ü",
            ),
            (
                b"<META http-equiv='Content-Type' content='text/html; charset=koi8-r'>\xd1",
                None,
                "<META http-equiv='Content-Type' content='text/html; charset=koi8-r'>я",
            ),
            (
                b"<?xml version='1.0' encoding='windows-1251'?>\xff",
                None,
                "<?xml version='1.0' encoding='windows-1251'?>я",
            ),
            (b"<meta charset=utf-16>\xc3\xbc", html, "<meta charset=utf-16>ü"),
            (b"<\0a\0>\0\xfc\0", html, "<a>ü"),
            (b"\0<\0a\0>\0\xfc", html, "<a>ü"),
            (b"<p>\xc3\xbc", Some("text/html; charset=utf-16"), "<p>ü"),
            (b"a\xc3\xbc", html, "aü"),
            (b"a\xfc\x80", html, "aü€"),
            (b"a\xfc", Some("text/html; charset=nonsense"), "aü"),
            (b"a\0b", html, "ab"),
            (b"", None, ""),
        ] {
            assert_eq!(decode(body, content_type), text, "{content_type:?} {body:?}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_odd(body: Vec<u8>, content_type: Option<String>) {
            prop_assert!(!decode(&body, content_type.as_deref()).contains('\0'));
        }
    }
}
