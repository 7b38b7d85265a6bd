//! Normalised mailboxes, and their positions in a text.

use std::ops::Range;

use super::{OptOutKind, digest};
use urls::CanonicalUrl;

/// Maximum length of a mailbox in bytes (RFC 5321).
const MAX_BYTES: usize = 254;

/// Replaces a redacted mailbox. It is valid within a URL.
pub(super) const REMOVED: &str = "(removed)";

/// A mailbox in lower case, without sub-address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mailbox {
    local: String,
    pub host: String,
}

impl Mailbox {
    /// Parses a text that consists of a mailbox.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches('<').trim_end_matches('>').trim();
        let text = match text.get(..7) {
            Some(scheme) if scheme.eq_ignore_ascii_case("mailto:") => text.get(7..)?,
            _ => text,
        };
        if text.contains(|c: char| c.is_whitespace() || c.is_control() || "<>\"(),;:/".contains(c))
        {
            return None;
        }
        Self::of(text)
    }

    /// Normalises a spelling of a mailbox.
    pub fn of(text: &str) -> Option<Self> {
        let (local, host) = text.split_once('@')?;
        if local.is_empty() || text.len() > MAX_BYTES || host.contains('@') {
            return None;
        }
        let base = local.split('+').next().filter(|base| !base.is_empty()).unwrap_or(local);
        let host = host.trim_end_matches('.');
        let host = if host.is_ascii() {
            host.to_ascii_lowercase()
        } else {
            CanonicalUrl::parse(&format!("http://{host}/")).ok()?.host().to_owned()
        };
        let named = host.contains('.') && host.split('.').all(|label| !label.is_empty());
        named.then(|| Self { local: base.to_lowercase(), host })
    }

    /// The key under which the mailbox is stored.
    pub fn mark(&self) -> String {
        digest(OptOutKind::Email, &format!("{}@{}", self.local, self.host))
    }

    /// The shortened form for the operator.
    pub fn hint(&self) -> String {
        let first = self.local.chars().next().unwrap_or('…');
        format!("{first}…@{}", self.host)
    }

    /// The local part, without sub-address.
    pub fn local(&self) -> &str {
        &self.local
    }

    /// Overwrites all spellings of the mailbox in place. The byte before a mailbox is not
    /// checked: it may be the length of the text.
    pub fn redact_bytes(&self, bytes: &mut [u8]) -> bool {
        let (local, host) = (self.local.as_bytes(), self.host.as_bytes());
        let mut found = false;
        let mut from = 0;
        while let Some(at) = bytes.get(from..).and_then(|rest| memchr::memchr(b'@', rest)) {
            let sign = from + at;
            from = sign + 1;
            let Some(end) = after(bytes, from, host) else { continue };
            let begin = before(bytes, sign, local).or_else(|| {
                let tag = bytes.get(..sign)?.iter().rposition(|byte| !is_tag(*byte))?;
                (bytes.get(tag) == Some(&b'+')).then(|| before(bytes, tag, local)).flatten()
            });
            let Some(spelling) = begin.and_then(|begin| bytes.get_mut(begin..end)) else {
                continue;
            };
            spelling.fill(b'x');
            found = true;
        }
        found
    }
}

fn is_tag(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')
}

/// End of `word` if it begins at `from`.
fn after(bytes: &[u8], from: usize, word: &[u8]) -> Option<usize> {
    let end = from.checked_add(word.len())?;
    bytes.get(from..end)?.eq_ignore_ascii_case(word).then_some(end)
}

/// Start of `word` if it ends at `end`.
fn before(bytes: &[u8], end: usize, word: &[u8]) -> Option<usize> {
    let begin = end.checked_sub(word.len())?;
    bytes.get(begin..end)?.eq_ignore_ascii_case(word).then_some(begin)
}

/// The mailboxes of a text with their byte ranges. URLs may write "@" as `%40`.
pub(super) fn mailboxes(text: &str) -> impl Iterator<Item = (Range<usize>, Mailbox)> {
    let signs = text.match_indices(['@', '%']).filter_map(move |(at, sign)| {
        if sign == "@" {
            return Some(at..at + 1);
        }
        text.get(at..at + 3).is_some_and(|escape| escape == "%40").then(|| at..at + 3)
    });
    signs.filter_map(move |sign| {
        let before = text.get(..sign.start)?;
        let start = before
            .char_indices()
            .rev()
            .take(MAX_BYTES)
            .take_while(|(_, c)| c.is_alphanumeric() || "._+-'".contains(*c))
            .last()
            .map(|(at, _)| at)?;
        let mut local = text.get(start..sign.start)?;
        // The end of a percent escape is not part of the mailbox.
        if before.get(..start)?.ends_with('%') {
            local = local.get(2..)?;
        }
        let local = local.trim_start_matches(|c: char| !c.is_alphanumeric());
        let after = text.get(sign.end..)?;
        let stop = |c: char| !(c.is_alphanumeric() || c == '-' || c == '.');
        let host = after.get(..after.find(stop).unwrap_or(after.len()))?;
        let host = host.trim_end_matches(['.', '-']);
        let mailbox = Mailbox::of(&format!("{local}@{host}"))?;
        Some((sign.start - local.len()..sign.end + host.len(), mailbox))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn mailboxes_are_found_in_texts_and_urls() {
        let text = "Write to 'Ada+x@Example.org', <bob@b.example>. \
                    https://x.test/?to=eve%40e.example&a=%20kim@k.example twitter @ada a@b";
        let found: Vec<_> = mailboxes(text)
            .map(|(place, mailbox)| (&text[place], format!("{}@{}", mailbox.local, mailbox.host)))
            .collect();
        let expected = [
            ("Ada+x@Example.org", "ada@example.org"),
            ("bob@b.example", "bob@b.example"),
            ("eve%40e.example", "eve@e.example"),
            ("kim@k.example", "kim@k.example"),
        ];
        assert_eq!(found, expected.map(|(spelling, mailbox)| (spelling, mailbox.to_owned())));
    }

    #[test]
    fn redacting_bytes_keeps_their_length() {
        let ada = Mailbox::parse("ada@x.org").expect("a mailbox");
        let mut bytes = b"\x09ADA@x.org\x0fada+news@x.ORG\x00bob@x.org@ada@".to_vec();
        assert!(ada.redact_bytes(&mut bytes));
        assert_eq!(bytes, b"\x09xxxxxxxxx\x0fxxxxxxxxxxxxxx\x00bob@x.org@ada@");
        assert!(!ada.redact_bytes(&mut bytes));
    }

    proptest! {
        #[test]
        fn arbitrary_text_yields_valid_ranges(text in "[a@%40+.'é -]{0,40}", bytes in "[a@+x.org]{0,40}") {
            for (place, _) in mailboxes(&text) {
                prop_assert!(text.get(place).is_some());
            }
            let mailbox = Mailbox::parse("a@x.org").expect("a mailbox");
            let mut bytes = bytes.into_bytes();
            let length = bytes.len();
            mailbox.redact_bytes(&mut bytes);
            prop_assert_eq!(bytes.len(), length);
            prop_assert!(!mailbox.redact_bytes(&mut bytes));
        }
    }
}
