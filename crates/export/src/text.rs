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
    match text.as_bytes() {
        [b'=' | b'@' | b'\t' | b'\r', ..] => true,
        [b'+' | b'-', rest @ ..] => !is_number(rest),
        _ => false,
    }
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
        for formula in
            ["=1+1", "@SUM(A1)", "\tx", "\rx", "+1+1", "-a", "-", "+", "-1.", "-.5", "+1 2"]
        {
            assert!(looks_like_formula(formula), "{formula:?}");
        }
        for harmless in ["", "a=b", "-1", "+49", "-12.50", " =1", "1-2"] {
            assert!(!looks_like_formula(harmless), "{harmless:?}");
        }
    }

    #[test]
    fn what_xml_cannot_hold_is_left_out() {
        assert_eq!(printable("a\u{0}b\u{1b}c\u{ffff}d\n\té😀"), "abcd\n\té😀");
        assert!(matches!(printable("plain\r\n"), Cow::Borrowed(_)));
    }
}
