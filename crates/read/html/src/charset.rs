//! Character encoding detection and decoding.
//!
//! In order of precedence: a byte order mark, the `charset` of `Content-Type`, the declaration in
//! the page, valid UTF-8, a statistical guess. A page that declares a legacy encoding and is valid
//! UTF-8 with several multi-byte characters is UTF-8: no text of a legacy encoding looks like that.
//! NUL characters are removed: no page needs them, and
//! databases reject them.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};
use memchr::{memchr, memmem};

use crate::tokenizer::{Element, HtmlToken, Tokenizer};

/// How far into a page its encoding declaration is searched.
const PRESCAN_BYTES: usize = 1_024;

/// How much of a page without a declaration is given to the statistical detector.
const DETECTED_BYTES: usize = 256 * 1_024;

/// Number of valid multi-byte characters that outweigh one invalid sequence.
const VALID_PER_INVALID: usize = 8;

/// Number of multi-byte characters from which valid UTF-8 outweighs the declaration of the page.
const MIN_MULTI_BYTE: usize = 4;

/// Decodes the body of a page.
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
        // A body that begins with ASCII markup contradicts a UTF-16 header.
        if !(wide && matches!(body, [b'<', 1..=0x7f, ..])) {
            return encoding;
        }
    }
    // UTF-16 markup is recognised by its first character.
    match body {
        [b'<', 0, ..] => return UTF_16LE,
        [0, b'<', ..] => return UTF_16BE,
        _ => {}
    }
    if let Some(encoding) = prescan(body) {
        return if encoding != UTF_8 && is_clearly_utf8(body) { UTF_8 } else { encoding };
    }
    if !is_mostly_utf8(body) {
        return detect(body);
    }
    // ISO-2022-JP is ASCII with escape sequences.
    let escapes = memmem::find(body, b"\x1b$").is_some();
    if escapes && detect(body) == ISO_2022_JP { ISO_2022_JP } else { UTF_8 }
}

/// Whether the bytes are UTF-8 except for a few invalid sequences, such as a truncated text or a
/// comment pasted in another encoding.
fn is_mostly_utf8(body: &[u8]) -> bool {
    let Err(error) = std::str::from_utf8(body) else { return true };
    if error.error_len().is_none() {
        // Truncated within the last character.
        return true;
    }
    let (mut valid, mut invalid) = (0_usize, 0_usize);
    for chunk in body.get(..DETECTED_BYTES).unwrap_or(body).utf8_chunks() {
        // Counts the lead bytes of multi-byte characters.
        valid += chunk.valid().bytes().filter(|byte| *byte >= 0xc0).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    invalid == 0 || valid / invalid >= VALID_PER_INVALID
}

/// Whether the bytes are valid UTF-8 with enough multi-byte characters to exclude a coincidence.
fn is_clearly_utf8(body: &[u8]) -> bool {
    let valid = match std::str::from_utf8(body) {
        Ok(_) => body,
        // Truncated within the last character.
        Err(error) if error.error_len().is_none() => &body[..error.valid_up_to()],
        Err(_) => return false,
    };
    let leads = valid.iter().filter(|byte| **byte >= 0xc0);
    leads.take(MIN_MULTI_BYTE).count() == MIN_MULTI_BYTE
}

/// The encoding that a statistical detector guesses.
fn detect(body: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(body.get(..DETECTED_BYTES).unwrap_or(body), body.len() <= DETECTED_BYTES);
    detector.guess(None, Utf8Detection::Deny)
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

/// The encoding that the page declares near its beginning.
fn prescan(body: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(body.get(..PRESCAN_BYTES).unwrap_or(body));
    let found = xml_encoding(&head).or_else(|| meta_encoding(&head))?;
    // The declaration was readable as ASCII, so that the page cannot be UTF-16.
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
    let mut tokenizer = Tokenizer::new(head);
    while let Some(token) = tokenizer.next_token() {
        if !matches!(token, HtmlToken::Start(Element::Meta)) {
            continue;
        }
        let declared = match tokenizer.attribute("charset") {
            Some(label) => Encoding::for_label(label.as_bytes()),
            None => tokenizer
                .attribute("http-equiv")
                .filter(|name| name.trim().eq_ignore_ascii_case("content-type"))
                .and_then(|_| charset_of(tokenizer.attribute("content")?)),
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
    fn encoding_declarations_follow_their_precedence() {
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
            (b"a\xc3\xbc\xc3", html, "a\u{fc}\u{fffd}"),
        ] {
            assert_eq!(decode(body, content_type), text, "{content_type:?} {body:?}");
        }
    }

    /// Sentences that are long enough for the statistical detector.
    const SENTENCES: &[(&str, &str)] = &[
        ("windows-1251", "Съешь же ещё этих мягких французских булок да выпей чаю, сказал он."),
        ("koi8-r", "Съешь же ещё этих мягких французских булок да выпей чаю, сказал он."),
        ("shift_jis", "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。"),
        ("euc-jp", "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。"),
        ("iso-2022-jp", "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。"),
        ("gb18030", "我们的网站提供关于产品和服务的详细信息,欢迎您随时与我们联系。"),
        ("big5", "我們的網站提供關於產品和服務的詳細資訊,歡迎您隨時與我們聯繫。"),
        ("euc-kr", "저희 웹사이트는 제품과 서비스에 대한 자세한 정보를 제공합니다."),
        ("windows-1253", "Η ιστοσελίδα μας παρέχει πληροφορίες για τα προϊόντα και τις υπηρεσίες."),
        ("windows-1255", "האתר שלנו מספק מידע מפורט על המוצרים והשירותים שאנו מציעים ללקוחות."),
        ("windows-1256", "يوفر موقعنا معلومات مفصلة عن المنتجات والخدمات التي نقدمها لعملائنا."),
        ("windows-1250", "Příliš žluťoučký kůň úpěl ďábelské ódy, řekl náš zákazník včera."),
        (
            "windows-1252",
            "Größere Änderungen müssen wir zunächst prüfen, schrieb François über Köln.",
        ),
        ("windows-874", "เว็บไซต์ของเราให้ข้อมูลโดยละเอียดเกี่ยวกับผลิตภัณฑ์และบริการ"),
    ];

    #[test]
    fn undeclared_encoding_is_detected_from_the_bytes() {
        for (label, sentence) in SENTENCES {
            let page = format!("<html><body><p>{sentence} {sentence}</p></body></html>");
            let encoding = Encoding::for_label(label.as_bytes()).expect("a known label");
            let (bytes, _, lossy) = encoding.encode(&page);
            assert!(!lossy, "{label} can write it");
            assert_eq!(decode(&bytes, Some("text/html")), page, "{label}");
        }
    }

    #[test]
    fn every_standard_encoding_is_decoded_from_header_and_meta() {
        for (label, sentence) in SENTENCES {
            let encoding = Encoding::for_label(label.as_bytes()).expect("a known label");
            let declared = format!("<meta charset={label}><p>{sentence}");
            for (page, header) in [
                (declared.as_str(), "text/html".to_owned()),
                (*sentence, format!("text/html; charset={label}")),
            ] {
                let (bytes, ..) = encoding.encode(page);
                assert_eq!(decode(&bytes, Some(&header)), page, "{label} by {header}");
            }
        }
    }

    #[test]
    fn few_invalid_bytes_do_not_change_utf8_detection() {
        let mut page = "Größe, Übung, Äpfel, Öl und früher. ".repeat(9).into_bytes();
        page.extend_from_slice(b"caf\xe9");
        let text = decode(&page, Some("text/html"));
        assert!(text.starts_with("Größe") && text.ends_with("caf\u{fffd}"), "{text}");
    }

    #[test]
    fn valid_utf8_wins_over_a_declared_legacy_encoding() {
        for (label, sentence) in SENTENCES {
            let page = format!("<meta charset={label}><p>{sentence} {sentence}");
            assert_eq!(decode(page.as_bytes(), Some("text/html")), page, "{label}");
        }
        // A single sequence may be a coincidence, and the header is not overruled.
        let page = "<meta charset=windows-1252><p>\u{c3}\u{bc}";
        assert_eq!(decode(b"<meta charset=windows-1252><p>\xc3\xbc", None), page);
        let header = Some("text/html; charset=windows-1252");
        assert_eq!(decode("üüüü".as_bytes(), header), "\u{c3}\u{bc}".repeat(4));
    }

    proptest! {
        #[test]
        fn decode_never_panics(body: Vec<u8>, content_type: Option<String>) {
            prop_assert!(!decode(&body, content_type.as_deref()).contains('\0'));
        }
    }
}
