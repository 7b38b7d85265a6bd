//! Text as files bear it.

use std::borrow::Cow;

/// Without characters that no XML file may hold, which a page may well hold.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_printable) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|c| is_printable(*c)).collect())
}

fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

/// Whether a spreadsheet would take the text for a formula. A plain number is none, whatever
/// it begins with.
pub(crate) fn looks_like_formula(text: &str) -> bool {
    match text.chars().next() {
        Some('=' | '@' | '\t' | '\r' | '＝' | '＋' | '－' | '＠') => true,
        Some('+' | '-') => !is_number(&text.as_bytes()[1..]),
        _ => false,
    }
}

/// The text as a CSV file may hold it: a `'` stands before whatever a spreadsheet would take for
/// a formula, at the beginning and behind each sign that some program splits cells at, because
/// not every program heeds the quotes around a text.
pub(crate) fn guarded(text: &str) -> Cow<'_, str> {
    let mut guarded = String::new();
    let mut copied = 0;
    for (at, piece) in cells(text) {
        if looks_like_formula(piece) {
            guarded.push_str(&text[copied..at]);
            guarded.push('\'');
            copied = at;
        }
    }
    if copied == 0 && guarded.is_empty() {
        return Cow::Borrowed(text);
    }
    guarded.push_str(&text[copied..]);
    Cow::Owned(guarded)
}

/// The cells that a program may make of a text, each with its place; spaces before the first
/// sign of a further cell are not part of it.
fn cells(text: &str) -> impl Iterator<Item = (usize, &str)> {
    const BETWEEN: [char; 6] = [';', ',', '\t', '|', '\n', '\r'];
    let behind = text.match_indices(BETWEEN).map(|(at, sign)| at + sign.len());
    let starts = std::iter::once(0).chain(behind);
    starts.map(|start| {
        let rest = &text[start..];
        let rest = if start == 0 { rest } else { rest.trim_start_matches(' ') };
        let at = text.len() - rest.len();
        // Where the text itself begins, a separator is what makes it a formula.
        let end = rest.char_indices().skip(1).find(|(_, c)| BETWEEN.contains(c));
        (at, &rest[..end.map_or(rest.len(), |(end, _)| end)])
    })
}

fn is_number(text: &[u8]) -> bool {
    let mut parts = text.splitn(2, |byte| *byte == b'.');
    let digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    parts.next().is_some_and(digits) && parts.next().is_none_or(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_told_from_numbers() {
        for formula in [
            "=1+1", "@SUM(A1)", "\tx", "\rx", "+1+1", "-a", "-", "+", "-1.", "-.5", "+1 2", "＋1",
            "－1",
        ] {
            assert!(looks_like_formula(formula), "{formula:?}");
        }
        for harmless in ["", "a=b", "-1", "+49", "-12.50", " =1", "1-2"] {
            assert!(!looks_like_formula(harmless), "{harmless:?}");
        }
    }

    #[test]
    fn formulas_are_guarded_behind_every_separator() {
        for (text, expected) in [
            ("=1", "'=1"),
            ("a;=1", "a;'=1"),
            ("a; =1", "a; '=1"),
            ("a,@x|-y\n+z\t=q", "a,'@x|'-y\n'+z\t'=q"),
            ("＝1", "'＝1"),
            ("a;＠x", "a;'＠x"),
            ("a\r\n=1", "a\r\n'=1"),
            ("-5; -7, 3", "-5; -7, 3"),
            ("plain, text; here|there", "plain, text; here|there"),
            ("", ""),
        ] {
            assert_eq!(guarded(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_xml_cannot_hold_is_left_out() {
        assert_eq!(printable("a\u{0}b\u{1b}c\u{ffff}d\n\té😀"), "abcd\n\té😀");
        assert!(matches!(printable("plain\r\n"), Cow::Borrowed(_)));
    }
}
