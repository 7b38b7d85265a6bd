//! Character references: `&amp;`, `&#8364;`, `&#x20ac;`.
//!
//! The named ones are those of the HTML standard; one that is not known stays as it is.

use std::borrow::Cow;

use memchr::memchr;

mod names;

use names::{Named, lookup};

/// The longest name that is looked up.
const MAX_NAME: usize = 32;

/// What the numbers 0x80 to 0x9F mean: pages that use them think in windows-1252.
const WINDOWS_1252: [u32; 32] = [
    0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x8d, 0x017d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d, 0x017e, 0x0178,
];

/// Where a reference stands: in an attribute, `&copy=` is part of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Text,
    Attribute,
}

/// The text with its references resolved.
#[inline]
pub fn resolve(text: &str, place: Place) -> Cow<'_, str> {
    match memchr(b'&', text.as_bytes()) {
        Some(first) => Cow::Owned(resolve_from(first, text, place)),
        None => Cow::Borrowed(text),
    }
}

/// The same of a text whose first `&` stands at `first`.
fn resolve_from(first: usize, text: &str, place: Place) -> String {
    let mut resolved = String::with_capacity(text.len());
    resolved.push_str(&text[..first]);
    let mut rest = &text[first..];
    loop {
        // `rest` begins with `&`.
        let length = match reference(rest.as_bytes(), place) {
            Some((Named { first, second, .. }, length)) => {
                resolved.push(first);
                resolved.extend(second);
                length
            }
            None => {
                resolved.push('&');
                1
            }
        };
        rest = rest.get(length..).unwrap_or_default();
        let Some(next) = memchr(b'&', rest.as_bytes()) else { break };
        resolved.push_str(&rest[..next]);
        rest = &rest[next..];
    }
    resolved.push_str(rest);
    resolved
}

/// What a reference at the beginning of `text` stands for, and its length.
fn reference(text: &[u8], place: Place) -> Option<(Named, usize)> {
    match text {
        [b'&', b'#', b'x' | b'X', ..] => numeric(text, 3, 16),
        [b'&', b'#', ..] => numeric(text, 2, 10),
        _ => named(text, place),
    }
}

fn numeric(text: &[u8], from: usize, radix: u32) -> Option<(Named, usize)> {
    let digits = text[from..].iter().map_while(|byte| char::from(*byte).to_digit(radix));
    let (mut value, mut length) = (0_u32, from);
    for digit in digits {
        value = value.saturating_mul(radix).saturating_add(digit);
        length += 1;
    }
    if length == from {
        return None;
    }
    if text.get(length) == Some(&b';') {
        length += 1;
    }
    let value = match value {
        0x80..=0x9f => WINDOWS_1252[(value - 0x80) as usize],
        // A NUL may not come back in through a reference.
        0 => 0xfffd,
        other => other,
    };
    let first = char::from_u32(value).unwrap_or('\u{fffd}');
    Some((Named { first, second: None, is_old: false }, length))
}

fn named(text: &[u8], place: Place) -> Option<(Named, usize)> {
    let name = &text[1..];
    let length = name.iter().take(MAX_NAME).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    if name.get(length) == Some(&b';')
        && let Some(named) = lookup(&name[..length])
    {
        return Some((named, length + 2));
    }
    // The oldest names are known without a semicolon; none is longer than six letters.
    let (named, length) = (2..=length.min(6)).rev().find_map(|length| {
        lookup(&name[..length]).filter(|named| named.is_old).map(|named| (named, length))
    })?;
    let goes_on =
        name.get(length).is_some_and(|byte| *byte == b'=' || byte.is_ascii_alphanumeric());
    if place == Place::Attribute && goes_on {
        return None;
    }
    let semicolon = usize::from(name.get(length) == Some(&b';'));
    Some((named, length + 1 + semicolon))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn references_are_resolved() {
        for (text, resolved) in [
            ("a", "a"),
            ("a &amp; b &lt;&gt;&quot;&apos;", "a & b <>\"'"),
            ("&auml;&Auml;&szlig;&euro;&hellip;&alpha;", "äÄß€…α"),
            ("&#228;&#xE4;&#Xe4&#228", "ääää"),
            (
                "&#128;&#150;&#0;&#xD800;&#x110000;&#99999999999;",
                "€–\u{fffd}\u{fffd}\u{fffd}\u{fffd}",
            ),
            ("&amp &copy2024 &notit;", "& ©2024 ¬it;"),
            ("&unknown; &;&#;&#x; & &", "&unknown; &;&#;&#x; & &"),
            ("&alpha", "&alpha"),
            ("&ApplyFunction;&CounterClockwiseContourIntegral;", "\u{2061}∳"),
            ("&NotEqualTilde;&fjlig;", "≂\u{338}fj"),
            ("&Dotted &centerdot;", "&Dotted ·"),
            ("&notin; &notinE &notanumber", "∉ ¬inE ¬anumber"),
            ("&amp;amp;", "&amp;"),
        ] {
            assert_eq!(resolve(text, Place::Text), resolved, "{text}");
        }
    }

    #[test]
    fn addresses_keep_their_parameters() {
        for (text, resolved) in [
            ("?a=1&amp;b=2", "?a=1&b=2"),
            ("?a=1&copy=2&lt=3&regx", "?a=1&copy=2&lt=3&regx"),
            ("?a&copy;&reg", "?a©®"),
        ] {
            assert_eq!(resolve(text, Place::Attribute), resolved, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in "(&|#|x|[0-9a-z]|amp|;|ü){0,20}") {
            prop_assert!(resolve(&text, Place::Text).len() <= text.len() * 3);
            let _ = resolve(&text, Place::Attribute);
        }
    }
}
