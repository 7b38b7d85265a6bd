//! Finds runs of digits that can be phone numbers. The caller decides by labels and by the numbering
//! plan which of them are.
//!
//! A run has digits and group separators. Dates, times, ranges of years, amounts and
//! coordinates are excluded. The time is linear in the length of the text.

use std::ops::Range;

use crate::vocabulary::{TermList, TermSet};
use crate::{phrase_list, word_set};

/// A run of digits that can be a phone number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhoneCandidate {
    /// The number as written, with its extension.
    pub raw: String,
    /// Byte range in the text.
    pub part: Range<usize>,
    pub is_international: bool,
    /// The run has groups, or begins with the trunk prefix 0.
    pub is_grouped: bool,
}

/// Minimum and maximum digits of a number.
const DIGITS: std::ops::RangeInclusive<usize> = 3..=17;

/// Characters after a number that are compared with units.
const MAX_UNIT: usize = 16;

static EXTENSIONS: TermSet = word_set!("phone_extension_words.txt");

/// Whether a character may be between two groups of digits of a number.
pub fn is_separator(c: char) -> bool {
    " \u{a0}\u{202f}\u{2009}-‐‑–—./()\u{2212}·".contains(c)
}

/// The runs of digits in a text.
pub fn candidates(text: &str) -> Vec<PhoneCandidate> {
    let mut runs = Vec::new();
    let mut at = 0;
    while let Some(start) = text.get(at..).and_then(|rest| {
        rest.find(|c: char| c.is_ascii_digit() || c == '+' || c == '(').map(|found| at + found)
    }) {
        let end = run_end(text, start);
        at = end.max(start + text[start..].chars().next().map_or(1, char::len_utf8));
        if !text[start..end].bytes().any(|byte| byte.is_ascii_digit()) {
            continue;
        }
        for part in split(text, start..end) {
            if let Some(run) = run(text, part) {
                at = at.max(run.part.end);
                runs.push(run);
            }
        }
    }
    runs
}

/// End of the digits and separators. A `+` begins another number.
fn run_end(text: &str, start: usize) -> usize {
    let mut end = start;
    let mut signs = 0;
    for (at, c) in text.get(start..).unwrap_or_default().char_indices() {
        if c.is_ascii_digit() {
            end = start + at + 1;
            signs = 0;
        } else if c == '+' && at == 0 || (c == '+' && at == 1 && text[start..].starts_with('(')) {
        } else if is_separator(c) && signs < 5 {
            signs += 1;
        } else {
            break;
        }
        if at > 60 {
            break;
        }
    }
    if end == start {
        return start;
    }
    // Closes an open bracket: "(030)".
    if text[start..end].matches('(').count() > text[start..end].matches(')').count()
        && text[end..].starts_with(')')
    {
        end += 1;
    }
    end
}

fn digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}

/// Splits a run that contains several numbers at wide separators.
fn split(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let run = &text[part.clone()];
    let mut parts = Vec::new();
    let mut from = part.start;
    for sign in [" · ", " / ", " - ", " – ", "/"] {
        let pieces: Vec<&str> = run.split(sign).collect();
        // A middle dot is never part of a number: "TX 78758 · 1-800-555-0199".
        let is_whole = |piece: &&str| sign == " · " || digits(piece) >= 7;
        if pieces.len() > 1 && pieces.iter().all(is_whole) {
            for piece in pieces {
                parts.push(from..from + piece.len());
                from += piece.len() + sign.len();
            }
            return parts;
        }
    }
    // Two numbers without a separator stay one run: the border is unknown.
    vec![part]
}

fn run(text: &str, part: Range<usize>) -> Option<PhoneCandidate> {
    let raw = text.get(part.clone())?;
    let trimmed = raw.trim_matches(|c: char| is_separator(c) && c != '(' && c != ')');
    let lead = raw.len() - raw.trim_start_matches(|c: char| is_separator(c) && c != '(').len();
    let mut start = part.start + lead;
    let mut trimmed = trimmed;
    // A bracket around something else: "(2 x 30)".
    if trimmed.starts_with('(') && !trimmed.contains(')') {
        trimmed = trimmed.trim_start_matches('(');
        start += 1;
    }
    let trimmed = trimmed.trim_end_matches('(').trim_end();
    let mut end = start + trimmed.len();
    let count = digits(trimmed);
    if !DIGITS.contains(&count) {
        return None;
    }
    let before = text.get(..start)?.chars().next_back();
    let after = text.get(end..)?;
    let next = after.chars().next();
    // The run is part of a word, a code or an amount.
    if !trimmed.starts_with('+')
        && before.is_some_and(|c| {
            c.is_alphanumeric()
                || matches!(c, '_' | '=' | '@' | '&' | '%' | '#' | ',' | '€' | '$' | '£' | ':')
        })
        && !before.is_some_and(|c| {
            c == ':'
                || (c == ','
                    && !text
                        .get(..start.saturating_sub(1))
                        .is_some_and(|head| head.ends_with(|c: char| c.is_ascii_digit())))
        })
    {
        return None;
    }
    let is_letters = next.is_some_and(|c| c.is_alphabetic());
    if next.is_some_and(|c| matches!(c, '%' | '€' | '°' | '_' | '@' | '=' | '²' | '$' | '£'))
        || (next == Some(',')
            && after.get(1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())))
        || (next == Some(':')
            && after.get(1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())))
    {
        return None;
    }
    let is_international = trimmed.starts_with('+')
        || trimmed.starts_with("(+")
        || (trimmed.starts_with("00") && count >= 10 && !trimmed.starts_with("000"));
    let mut raw = trimmed.to_owned();
    if let Some(word) = vanity(trimmed, after) {
        raw.push_str(&word);
        end += word.len();
    } else if is_letters {
        return None;
    }
    if !is_international && is_date_or_amount(trimmed, after) {
        return None;
    }
    if let Some(more) = extension(text.get(end..)?) {
        raw.push_str(more);
        end += more.len();
    }
    let groups =
        trimmed.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).count();
    let is_grouped = groups > 1 || trimmed.starts_with('0');
    Some(PhoneCandidate { raw, part: start..end, is_international, is_grouped })
}

/// Letters in place of digits: "1-800-555-FIRM".
fn vanity(number: &str, after: &str) -> Option<String> {
    let is_begun = number.starts_with(['1', '8', '0', '+', '(']) || number.len() >= 7;
    let sign = after.chars().next()?;
    let from = if matches!(sign, '-' | ' ' | '.') { 1 } else { 0 };
    let word = after.get(from..)?;
    let length =
        word.bytes().take_while(|byte| byte.is_ascii_uppercase() || (*byte == b'-')).count();
    let word = word.get(..length)?.trim_end_matches('-');
    let letters = word.bytes().filter(u8::is_ascii_uppercase).count();
    let is_end =
        after.get(from + word.len()..)?.chars().next().is_none_or(|c| !c.is_alphanumeric());
    let fits =
        from > 0 && sign == '-' && (3..=9).contains(&letters) && digits(number) + letters >= 10;
    (is_begun && is_end && fits)
        .then(|| after.get(..from + word.len()).map(str::to_owned))
        .flatten()
}

/// The extension after a number: " ext. 12".
fn extension(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches([' ', '\u{a0}', ',', '-', '(', '–']);
    let gap = text.len() - rest.len();
    if gap > 4 {
        return None;
    }
    let length = rest.find(|c: char| !(c.is_alphabetic() || c == '.')).unwrap_or(0);
    let word = rest.get(..length)?;
    if !EXTENSIONS.contains(word.to_lowercase().as_str()) {
        return None;
    }
    let after = rest.get(length..)?;
    let number = after.trim_start_matches([' ', '\u{a0}', ':', '.', '-']);
    let count = number.bytes().take_while(u8::is_ascii_digit).count();
    let end = gap + length + (after.len() - number.len()) + count;
    (1..=6).contains(&count).then(|| text.get(..end)).flatten()
}

/// Whether a run is a date, a range of years, a time, an amount or a coordinate.
fn is_date_or_amount(text: &str, after: &str) -> bool {
    let groups: Vec<&str> =
        text.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).collect();
    let value = |group: &&str| group.parse::<u32>().unwrap_or(u32::MAX);
    let is_year = |group: &&str| group.len() == 4 && (1700..=2100).contains(&value(group));
    let is_day = |group: &&str| group.len() <= 2 && (1..=31).contains(&value(group));
    let signs: Vec<char> = text.chars().filter(|c| !c.is_ascii_digit() && *c != ' ').collect();
    let plain = !text.starts_with('0') || signs.iter().all(|c| *c == '.' || *c == '/' || *c == '-');
    match groups.as_slice() {
        [a, b, c]
            if is_day(a)
                && is_day(b)
                && (is_year(c) || (c.len() == 2 && signs.len() >= 2 && text.len() <= 8)) =>
        {
            return true;
        }
        [a, b, c] if is_year(a) && is_day(b) && is_day(c) => return true,
        [a, b] if is_year(a) && is_year(b) => return true,
        // 9.00 - 18.00, 08.30–12.00
        [a, b, c, d]
            if [a, b, c, d].iter().all(|group| group.len() <= 2)
                && value(a) <= 24
                && value(b) < 60
                && value(c) <= 24
                && value(d) < 60
                && plain
                && signs.len() >= 2
                && text.contains(['-', '–']) =>
        {
            return true;
        }
        [a] if is_year(a) => return true,
        // 48.137154, 11.576124
        [a, b]
            if value(a) <= 180
                && b.len() >= 5
                && text.contains('.')
                && !text.contains(' ')
                && !text.starts_with('0') =>
        {
            return true;
        }
        _ => {}
    }
    // 1.250.000 and 12 500 €
    let thousands = groups.len() > 1
        && groups.iter().skip(1).all(|group| group.len() == 3)
        && groups.first().is_some_and(|group| group.len() <= 3 && !group.starts_with('0'));
    let rest = after.trim_start().chars().take(MAX_UNIT).flat_map(char::to_lowercase);
    let rest: String = rest.collect();
    static UNITS: TermList = phrase_list!("units_after_amounts.txt");
    let is_unit = UNITS.iter().copied().chain(["h "]).any(|unit| {
        rest.strip_prefix(unit).is_some_and(|more| !more.starts_with(|c: char| c.is_alphabetic()))
    });
    is_unit || (thousands && text.contains('.') && groups.len() == 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raws(text: &str) -> Vec<String> {
        candidates(text).into_iter().map(|run| run.raw).collect()
    }

    #[test]
    fn phone_numbers_are_found_in_all_spellings() {
        let cases = [
            "+49 (0)30 1234-567",
            "0231 / 12 34 56",
            "(555) 010-1234",
            "01 23 45 67 89",
            "0049 30 1234567",
            "030/1234567-0",
            "1-800-555-FIRM",
            "+44 20 7946 0123 ext. 12",
            "022.123.45.67",
            "+1 (555) 010-9999",
        ];
        for raw in cases {
            assert_eq!(raws(&format!("Tel. {raw}, mo")), [raw], "{raw}");
        }
        assert_eq!(raws("030 1234567 / 030 1234568"), ["030 1234567", "030 1234568"]);
        assert_eq!(raws("TX 78758 · 1-800-555-0199"), ["78758", "1-800-555-0199"]);
        assert_eq!(raws("cell. 347.1234567"), ["347.1234567"]);
        assert_eq!(raws("+49 30 1234567+49 30 1234568"), ["+49 30 1234567", "+49 30 1234568"]);
    }

    #[test]
    fn dates_amounts_and_ids_are_not_phone_numbers() {
        for text in [
            "12.03.2024",
            "2024-03-12",
            "2003–2023",
            "9.00 - 18.00",
            "48.137154",
            "DE123456789",
            "1.250.000 €",
            "12 500 EUR",
            "10:30-11:45",
            "logo@2x.png",
            "A1234567",
            "25 000 zł",
        ] {
            assert_eq!(raws(text), Vec::<String>::new(), "{text}");
        }
    }
}
