//! Canonical percent-encoding (RFC 3986, section 6.2.2).
//!
//! Unreserved characters are decoded, all others are encoded with upper-case digits unless they are
//! permitted. The normalisation is idempotent.

/// Table of the bytes that need no encoding.
pub(crate) type Plain = [bool; 256];

const fn plain(others: &[u8]) -> Plain {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = is_unreserved(byte as u8);
        byte += 1;
    }
    let mut i = 0;
    while i < others.len() {
        table[others[i] as usize] = true;
        i += 1;
    }
    table
}

/// Bytes permitted in a path.
pub(crate) const PATH: &Plain = &plain(b"/!$&'()*+,;=:@");

/// Bytes permitted in a query. Browsers encode the apostrophe there.
pub(crate) const QUERY: &Plain = &plain(b"/?!$&()*+,;=:@");

const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

fn push_encoded(out: &mut String, byte: u8) {
    out.push('%');
    out.push(char::from(HEX[usize::from(byte >> 4)]));
    out.push(char::from(HEX[usize::from(byte & 15)]));
}

fn hex_value(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

fn encoded_byte(bytes: &[u8], at: usize) -> Option<u8> {
    Some((hex_value(*bytes.get(at + 1)?)? << 4) | hex_value(*bytes.get(at + 2)?)?)
}

/// Appends `bytes` to `out` in canonical encoding.
pub(crate) fn push_normalised(out: &mut String, bytes: &[u8], plain: &Plain) {
    let mut at = 0;
    while at < bytes.len() {
        let run = bytes[at..].iter().take_while(|byte| plain[usize::from(**byte)]).count();
        if run > 0 {
            // Plain bytes are ASCII, so this never fails.
            out.push_str(std::str::from_utf8(&bytes[at..at + run]).unwrap_or_default());
            at += run;
            continue;
        }
        let byte = bytes[at];
        at += 1;
        if byte != b'%' {
            push_encoded(out, byte);
            continue;
        }
        match encoded_byte(bytes, at - 1) {
            Some(value) => {
                if is_unreserved(value) {
                    out.push(char::from(value));
                } else {
                    push_encoded(out, value);
                }
                at += 2;
            }
            // A stray `%` is encoded: otherwise it could combine with decoded characters after it,
            // and a second pass would change the result.
            None => push_encoded(out, b'%'),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn normalised(text: &[u8]) -> String {
        let mut out = String::new();
        push_normalised(&mut out, text, PATH);
        out
    }

    #[test]
    fn encoding_is_normalised() {
        assert_eq!(normalised(b"/a%7eb%2fc d"), "/a~b%2Fc%20d");
        assert_eq!(normalised("/ü|".as_bytes()), "/%C3%BC%7C");
        assert_eq!(normalised(b"/100%"), "/100%25");
        assert_eq!(normalised(b"/%%34%31"), "/%2541");
        assert_eq!(normalised(&[b'/', 0xff]), "/%FF");
    }

    proptest! {
        #[test]
        fn normalisation_is_idempotent(text: Vec<u8>) {
            let once = normalised(&text);
            prop_assert_eq!(normalised(once.as_bytes()), once);
        }
    }
}
