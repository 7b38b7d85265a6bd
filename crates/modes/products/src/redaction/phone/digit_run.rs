//! A number that can be a telephone number, and what its format says.

use std::ops::Range;
use std::sync::LazyLock;

use hashbrown::HashSet;
use recognize::fold::ascii_digit;
use recognize::phone;

use crate::letters::is_east_asian;
use crate::redaction::line::ScannedLine;
use crate::vocabulary;

/// Units after a number that measures something.
static UNITS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    vocabulary::entries(include_str!("../../../data/measure_units.txt")).collect()
});

/// A number as it is written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DigitRun {
    pub range: Range<usize>,
    pub digits: String,
    /// The lengths of the groups of digits.
    groups: Vec<usize>,
    /// One separator character per gap.
    gaps: Vec<char>,
    pub has_plus: bool,
    has_bracket: bool,
}

/// A character as the scanner of numbers reads it: digits of any script, the letter O before digits
/// as a zero, and marks that only obfuscation puts between digits as separators.
fn plain(chars: &[char], at: usize) -> char {
    let c = chars.get(at).copied().unwrap_or(' ');
    match c {
        '＋' => '+',
        '[' => '(',
        ']' => ')',
        '_' | '*' | '~' | '•' | '|' => '-',
        // Parts of keycap emoji.
        '\u{fe0f}' | '\u{20e3}' => ' ',
        'o' | 'O' => {
            let before = at.checked_sub(1).and_then(|at| chars.get(at));
            let behind = chars.get(at + 1..at + 3);
            let is_zero = !before.is_some_and(|c| c.is_alphabetic())
                && behind.is_some_and(|two| two.iter().all(char::is_ascii_digit));
            if is_zero { '0' } else { c }
        }
        // East Asian scripts have no spaces: a letter beside a number does not belong to it.
        c if is_east_asian(c) => '。',
        c => ascii_digit(c).unwrap_or(c),
    }
}

impl DigitRun {
    /// The numbers of a line that can be telephone numbers.
    pub fn all(line: &ScannedLine) -> Vec<Self> {
        let text: String = (0..line.chars.len()).map(|at| plain(&line.chars, at)).collect();
        let starts: Vec<usize> = text.char_indices().map(|(start, _)| start).collect();
        let character = |byte: usize| starts.partition_point(|start| *start < byte);
        let runs = phone::candidates(&text).into_iter().map(|candidate| {
            let range = character(candidate.part.start)..character(candidate.part.end);
            Self::new(candidate.number(), range)
        });
        runs.collect()
    }

    fn new(number: &str, range: Range<usize>) -> Self {
        let is_digit = |c: char| c.is_ascii_digit();
        let groups = number.split(|c| !is_digit(c)).map(str::len).filter(|length| *length > 0);
        let inner = number.trim_matches(|c| !is_digit(c));
        let gaps = inner.split(is_digit).filter(|gap| !gap.is_empty());
        Self {
            range,
            digits: number.chars().filter(|c| is_digit(*c)).collect(),
            groups: groups.collect(),
            gaps: gaps.map(|gap| gap.trim().chars().next().unwrap_or(' ')).collect(),
            has_plus: number.contains('+'),
            has_bracket: number.contains(['(', ')']),
        }
    }

    pub fn is_international(&self) -> bool {
        let is_trunk = self.digits.starts_with("00") && !self.digits.starts_with("000");
        let count = self.digits.len();
        (self.has_plus && (8..=16).contains(&count))
            || (is_trunk && !self.gaps.is_empty() && (11..=17).contains(&count))
    }

    /// Whether a unit, a currency, a percent sign or another dimension follows, or a currency
    /// precedes.
    pub fn is_measured(&self, line: &ScannedLine) -> bool {
        let behind = line.lower.get(self.range.end..).unwrap_or_default();
        let tight = behind.first().is_some_and(|c| c.is_alphanumeric());
        let next: String = behind
            .iter()
            .skip_while(|c| c.is_whitespace())
            .take(12)
            .take_while(|c| c.is_alphanumeric())
            .collect();
        let sign = behind.iter().find(|c| !c.is_whitespace());
        let signs = |c: Option<&char>| {
            c.is_some_and(|c| {
                matches!(c, '€' | '$' | '£' | '¥' | '₹' | '%' | '°' | '×' | '"' | '″' | '²')
            })
        };
        let before = line.lower.get(..self.range.start).unwrap_or_default();
        let last = before.iter().rev().find(|c| !c.is_whitespace());
        let unit = UNITS.contains(next.as_str()) || next == "x";
        (!self.has_plus && (tight || unit)) || signs(sign) || signs(last)
    }

    /// Whether it continues a word or a code: `AB-1234567`.
    pub fn continues_word(&self, line: &ScannedLine) -> bool {
        let is_part = |c: &char| c.is_alphanumeric() && !is_east_asian(*c);
        match line.chars.get(..self.range.start) {
            Some([.., before, '-' | '.' | ',' | '/' | '_' | '#' | '–']) => is_part(before),
            Some([.., last]) => is_part(last),
            Some([]) | None => false,
        }
    }

    /// Whether it has the length of an article number and no separators.
    pub fn is_article_number(&self) -> bool {
        let is_book = self.digits.starts_with("978") || self.digits.starts_with("979");
        (self.groups.len() == 1 && matches!(self.digits.len(), 8 | 12 | 13 | 14))
            || (is_book && self.digits.len() == 13)
    }

    /// Whether its format alone makes it a telephone number.
    pub fn has_phone_format(&self) -> bool {
        let count = self.digits.len();
        if self.is_international() {
            return true;
        }
        let parted_by = |mark: char| self.gaps.contains(&mark);
        if self.has_bracket && (7..=13).contains(&count) && self.groups.len() >= 2 {
            return true;
        }
        match self.groups.as_slice() {
            // North America, with and without the country code.
            [3, 3, 4] => !self.digits.starts_with(['0', '1']) && !parted_by('/'),
            [1, 3, 3, 4] => self.digits.starts_with('1'),
            // Written digit by digit.
            groups if count >= 9 && groups.iter().all(|group| *group == 1) => {
                self.digits.starts_with('0')
            }
            groups if self.digits.starts_with('0') && !self.digits.starts_with("00") => {
                let first = groups.first().copied().unwrap_or_default();
                let is_area = (2..=5).contains(&first) && (9..=12).contains(&count);
                let is_spread = parted_by(' ') || parted_by('/') || groups.len() >= 3;
                (is_area && is_spread) || self.is_mobile()
            }
            _ => false,
        }
    }

    /// Whether it has a mobile prefix of Germany, Britain or France.
    fn is_mobile(&self) -> bool {
        let begins = |list: &[&str]| list.iter().any(|begin| self.digits.starts_with(begin));
        match self.digits.len() {
            10 => begins(&["06", "07"]),
            11 | 12 => begins(&["015", "016", "017", "07"]),
            _ => false,
        }
    }
}
