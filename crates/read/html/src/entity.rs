//! Character references: `&amp;`, `&#8364;`, `&#x20ac;`.
//!
//! Named references are those of the HTML standard; an unknown one is kept as text.

use std::borrow::Cow;

use memchr::memchr;

mod names;

use crate::byte_block::contains;
use names::{NamedReference, lookup};

/// The longest name that is looked up.
const MAX_NAME: usize = 32;

/// The characters of 0x80 to 0x9F, which the standard maps as windows-1252.
const WINDOWS_1252: [u32; 32] = [
    0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x8d, 0x017d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
    0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d, 0x017e, 0x0178,
];

/// Where a reference occurs: in an attribute, `&copy=` is part of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntityContext {
    Text,
    Attribute,
}

/// Resolves all character references of a text.
#[inline]
pub fn resolve(text: &str, context: EntityContext) -> Cow<'_, str> {
    // Most texts are short and have none.
    if !contains(b'&', text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    match memchr(b'&', text.as_bytes()) {
        Some(first) => Cow::Owned(resolve_from(first, text, context)),
        None => Cow::Borrowed(text),
    }
}

/// Resolves a text whose first `&` is at byte `first`.
fn resolve_from(first: usize, text: &str, context: EntityContext) -> String {
    let mut resolved = String::with_capacity(text.len());
    resolved.push_str(&text[..first]);
    let mut rest = &text[first..];
    loop {
        // `rest` begins with `&`.
        let length = match reference(rest.as_bytes(), context) {
            Some((NamedReference { first, second, .. }, length)) => {
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

/// The characters of a reference at the beginning of `text`, and its length in bytes.
fn reference(text: &[u8], context: EntityContext) -> Option<(NamedReference, usize)> {
    match text {
        [b'&', b'#', b'x' | b'X', ..] => numeric(text, 3, 16),
        [b'&', b'#', ..] => numeric(text, 2, 10),
        _ => named(text, context),
    }
}

fn numeric(text: &[u8], from: usize, radix: u32) -> Option<(NamedReference, usize)> {
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
        // References must not reintroduce NUL.
        0 => 0xfffd,
        other => other,
    };
    let first = char::from_u32(value).unwrap_or('\u{fffd}');
    Some((NamedReference { first, second: None, semicolon_optional: false }, length))
}

fn named(text: &[u8], context: EntityContext) -> Option<(NamedReference, usize)> {
    let name = &text[1..];
    let length = name.iter().take(MAX_NAME).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    if name.get(length) == Some(&b';')
        && let Some(named) = lookup(&name[..length])
    {
        return Some((named, length + 2));
    }
    // The oldest names need no semicolon; none is longer than six letters.
    let (named, length) = (2..=length.min(6)).rev().find_map(|length| {
        lookup(&name[..length])
            .filter(|named| named.semicolon_optional)
            .map(|named| (named, length))
    })?;
    let goes_on =
        name.get(length).is_some_and(|byte| *byte == b'=' || byte.is_ascii_alphanumeric());
    if context == EntityContext::Attribute && goes_on {
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
    fn character_references_are_resolved() {
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
            assert_eq!(resolve(text, EntityContext::Text), resolved, "{text}");
        }
    }

    #[test]
    fn query_parameters_in_attributes_are_not_resolved() {
        for (text, resolved) in [
            ("?a=1&amp;b=2", "?a=1&b=2"),
            ("?a=1&copy=2&lt=3&regx", "?a=1&copy=2&lt=3&regx"),
            ("?a&copy;&reg", "?a©®"),
        ] {
            assert_eq!(resolve(text, EntityContext::Attribute), resolved, "{text}");
        }
    }

    proptest! {
        #[test]
        fn resolve_never_panics(text in "(&|#|x|[0-9a-z]|amp|;|ü){0,20}") {
            prop_assert!(resolve(&text, EntityContext::Text).len() <= text.len() * 3);
            let _ = resolve(&text, EntityContext::Attribute);
        }
    }
}
