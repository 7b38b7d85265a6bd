//! Text for files: printable characters, and protection against spreadsheet formulas.

use std::borrow::Cow;

/// The text without characters that XML forbids.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_printable) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|c| is_printable(*c)).collect())
}

fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

/// Whether a spreadsheet would read the text as a formula. A plain number is not a formula.
pub(crate) fn looks_like_formula(text: &str) -> bool {
    match text.chars().next() {
        Some('=' | '@' | '\t' | '\r' | '＝' | '＋' | '－' | '＠') => true,
        Some('+' | '-') => !is_number(&text.as_bytes()[1..]),
        _ => false,
    }
}

/// The text for a CSV file: `'` precedes each part that a spreadsheet could read as a formula, at
/// the start and after each separator, because some programs ignore quotes. After a separator,
/// Markdown that cannot be a formula is unchanged.
pub(crate) fn escape_formulas(text: &str) -> Cow<'_, str> {
    let mut escaped = String::new();
    let mut copied = 0;
    let mut line = FormulaLine::default();
    for (at, piece) in cells(text) {
        if !looks_like_formula(piece) {
            continue;
        }
        if at >= line.end {
            line = FormulaLine::of(text, at);
        }
        if at == 0 || !line.is_markdown(text, at) {
            escaped.push_str(&text[copied..at]);
            escaped.push('\'');
            copied = at;
        }
    }
    if copied == 0 && escaped.is_empty() {
        return Cow::Borrowed(text);
    }
    escaped.push_str(&text[copied..]);
    Cow::Owned(escaped)
}

/// The cells into which a program may split a text, each with its offset. Leading spaces of
/// further cells are not included.
fn cells(text: &str) -> impl Iterator<Item = (usize, &str)> {
    const BETWEEN: [char; 6] = [';', ',', '\t', '|', '\n', '\r'];
    let behind = text.match_indices(BETWEEN).map(|(at, sign)| at + sign.len());
    let starts = std::iter::once(0).chain(behind);
    starts.map(|start| {
        let rest = &text[start..];
        let rest = if start == 0 { rest } else { rest.trim_start_matches(' ') };
        let at = text.len() - rest.len();
        // At the start of the text, a separator itself can start a formula.
        let end = rest.char_indices().skip(1).find(|(_, c)| BETWEEN.contains(c));
        let piece = &rest[..end.map_or(rest.len(), |(end, _)| end)];
        (at, if start == 0 { piece } else { piece.trim_end_matches(' ') })
    })
}

/// What a spreadsheet could evaluate in the rest of a line. Computed once per line, so that a line
/// with many separators is scanned once.
#[derive(Default)]
struct FormulaLine {
    end: usize,
    /// Offset after the last function call, sheet reference or DDE link.
    acts_until: usize,
    /// Offset from which the line has only characters of rules and table heads.
    rule_from: usize,
}

impl FormulaLine {
    fn of(text: &str, from: usize) -> Self {
        let line = text[from..].split(['\n', '\r']).next().unwrap_or_default();
        let mut known = Self { end: from + line.len(), acts_until: from, rule_from: from };
        // Programs differ in whether they allow spaces between a function and its arguments.
        let (mut before, mut word_before) = (' ', ' ');
        for (at, c) in line.char_indices() {
            let behind = from + at + c.len_utf8();
            let acts = match c {
                '|' | '｜' => true,
                '(' | '（' => word_before.is_alphanumeric() || matches!(word_before, '_' | '.'),
                _ => matches!(before, '!' | '！') && (c.is_alphanumeric() || c == '$'),
            };
            if acts {
                known.acts_until = behind;
            }
            if !matches!(c, '-' | '+' | '=' | ':' | '|' | ' ') {
                known.rule_from = behind;
            }
            before = c;
            if c != ' ' {
                word_before = c;
            }
        }
        known
    }

    /// Whether `at` starts Markdown that is not a formula: a rule, the line below a table head, or
    /// a list item without active content.
    fn is_markdown(&self, text: &str, at: usize) -> bool {
        let is_item = text[at..].starts_with("- ") || text[at..].starts_with("+ ");
        (self.rule_from..self.end).contains(&at) || (is_item && at >= self.acts_until)
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
    fn formulas_are_distinguished_from_numbers() {
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
    fn formulas_are_escaped_after_every_separator() {
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
            assert_eq!(escape_formulas(text), expected, "{text:?}");
        }
    }

    #[test]
    fn markdown_after_a_separator_is_escaped_only_if_active() {
        for markdown in [
            "List:\n- one\n- two\n  - three\n+ four",
            "x\n- [a](https://a.test/)",
            "x\n- ![logo](l.png) and **bold**",
            "Title\n=====\ntext\n\n---\n",
            "| a | b |\n| --- | ---: |\n| -5 | +7.5 |",
            "a, - b; - c",
        ] {
            assert_eq!(escape_formulas(markdown), markdown, "{markdown:?}");
        }
        for (text, expected) in [
            // A leading formula is evaluated whatever the program splits at.
            ("- one\n- two", "'- one\n- two"),
            ("x\n- WEBSERVICE(\"http://a.test\")", "x\n'- WEBSERVICE(\"http://a.test\")"),
            ("x\n- SUM (A1)", "x\n'- SUM (A1)"),
            ("x\n- 2+cmd|' /C calc'!A0", "x\n'- 2+cmd|' /C calc'!A0"),
            ("x\n- 'http://a.test/[b]c'!A1", "x\n'- 'http://a.test/[b]c'!A1"),
            ("x\n-cmd", "x\n'-cmd"),
            ("x\n=1", "x\n'=1"),
        ] {
            assert_eq!(escape_formulas(text), expected, "{text:?}");
        }
    }

    #[test]
    fn characters_forbidden_in_xml_are_removed() {
        assert_eq!(printable("a\u{0}b\u{1b}c\u{ffff}d\n\té😀"), "abcd\n\té😀");
        assert!(matches!(printable("plain\r\n"), Cow::Borrowed(_)));
    }
}
