//! Decodes the ciphers that plug-ins apply to addresses.

/// Decodes Cloudflare e-mail protection: the first byte is the XOR key of the others.
pub(super) fn cloudflare(code: &str) -> Option<String> {
    let code = code.trim();
    if !(6..=600).contains(&code.len()) || !code.len().is_multiple_of(2) {
        return None;
    }
    let bytes: Option<Vec<u8>> = (0..code.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(code.get(at..at + 2)?, 16).ok())
        .collect();
    let bytes = bytes?;
    let (key, rest) = bytes.split_first()?;
    let plain: Vec<u8> = rest.iter().map(|byte| byte ^ key).collect();
    String::from_utf8(plain).ok().filter(|text| text.contains('@'))
}

/// ROT13 of ASCII letters.
pub(super) fn rot13(text: &str) -> String {
    let turn = |letter: char| match letter {
        'a'..='m' | 'A'..='M' => char::from(letter as u8 + 13),
        'n'..='z' | 'N'..='Z' => char::from(letter as u8 - 13),
        other => other,
    };
    text.chars().map(turn).collect()
}

/// Decodes Base64 as `atob` does; URL-safe letters are accepted.
pub(super) fn base64(text: &str) -> Option<String> {
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0_u32);
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        held = (held << 6) | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(((held >> bits) & 0xff) as u8);
        }
    }
    String::from_utf8(bytes).ok().filter(|text| !text.is_empty())
}

/// Decodes the TYPO3 link cipher: letters are shifted within three ranges. The shift is found
/// by trial; the result must begin with `mailto:`.
pub(super) fn shifted_link(code: &str) -> Option<String> {
    if !(10..=400).contains(&code.len()) {
        return None;
    }
    (1..26).flat_map(|by| [by, -by]).find_map(|by| {
        let plain: String = code.chars().map(|c| shifted(c, by)).collect();
        plain.starts_with("mailto:").then_some(plain)
    })
}

fn shifted(c: char, by: i32) -> char {
    let rows = [(0x2b, 0x3a), (0x40, 0x5a), (0x61, 0x7a)];
    let code = c as i32;
    let Some((first, last)) =
        rows.into_iter().find(|(first, last)| (*first..=*last).contains(&code))
    else {
        return c;
    };
    let size = last - first + 1;
    let moved = first + (code - first + by).rem_euclid(size);
    u32::try_from(moved).ok().and_then(char::from_u32).unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ciphers_are_decoded() {
        let coded = "4d24232b220d3563223f2a";
        assert_eq!(cloudflare(coded).as_deref(), Some("info@x.org"));
        assert_eq!(cloudflare("4d2"), None);
        assert_eq!(cloudflare("zz11ff"), None);
        assert_eq!(rot13("vasb@k.bet"), "info@x.org");
        assert_eq!(base64("aW5mb0B4Lm9yZw==").as_deref(), Some("info@x.org"));
        assert_eq!(base64("!"), None);
    }

    #[test]
    fn shifted_link_is_decoded_without_known_shift() {
        let coded: String = "mailto:info@firm.example".chars().map(|c| shifted(c, 3)).collect();
        assert_eq!(shifted_link(&coded).as_deref(), Some("mailto:info@firm.example"));
        assert_eq!(shifted_link("nothing of the kind"), None);
    }
}
