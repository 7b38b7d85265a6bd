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
/// not every program heeds the quotes around a text. Behind such a sign, Markdown that cannot act
/// as a formula stays as it is.
pub(crate) fn guarded(text: &str) -> Cow<'_, str> {
    let mut guarded = String::new();
    let mut copied = 0;
    let mut line = Line::default();
    for (at, piece) in cells(text) {
        if !looks_like_formula(piece) {
            continue;
        }
        if at >= line.end {
            line = Line::of(text, at);
        }
        if at == 0 || !line.is_markdown(text, at) {
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
        let piece = &rest[..end.map_or(rest.len(), |(end, _)| end)];
        (at, if start == 0 { piece } else { piece.trim_end_matches(' ') })
    })
}

/// What a spreadsheet could evaluate in the rest of a line. Kept per line, so that a line with
/// many separators is read once.
#[derive(Default)]
struct Line {
    end: usize,
    /// Behind the last function call, reference to another sheet or DDE link.
    acts_until: usize,
    /// From here on nothing but the signs of rules and table heads.
    rule_from: usize,
}

impl Line {
    fn of(text: &str, from: usize) -> Self {
        let line = text[from..].split(['\n', '\r']).next().unwrap_or_default();
        let mut known = Self { end: from + line.len(), acts_until: from, rule_from: from };
        // Programs differ in whether spaces may stand between a function and its arguments.
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

    /// Whether Markdown begins at `at` that a spreadsheet cannot make anything of: a rule, the
    /// line below the head of a table, or a list item in which nothing acts.
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
    fn markdown_behind_a_separator_stays_unless_it_can_act() {
        for markdown in [
            "List:\n- one\n- two\n  - three\n+ four",
            "x\n- [a](https://a.test/)",
            "x\n- ![logo](l.png) and **bold**",
            "Title\n=====\ntext\n\n---\n",
            "| a | b |\n| --- | ---: |\n| -5 | +7.5 |",
            "a, - b; - c",
        ] {
            assert_eq!(guarded(markdown), markdown, "{markdown:?}");
        }
        for (text, expected) in [
            // A cell that begins so is evaluated whatever the program splits at.
            ("- one\n- two", "'- one\n- two"),
            ("x\n- WEBSERVICE(\"http://a.test\")", "x\n'- WEBSERVICE(\"http://a.test\")"),
            ("x\n- SUM (A1)", "x\n'- SUM (A1)"),
            ("x\n- 2+cmd|' /C calc'!A0", "x\n'- 2+cmd|' /C calc'!A0"),
            ("x\n- 'http://a.test/[b]c'!A1", "x\n'- 'http://a.test/[b]c'!A1"),
            ("x\n-cmd", "x\n'-cmd"),
            ("x\n=1", "x\n'=1"),
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
