//! A run of digits with separators, and what its format says.
//!
//! Contacts accept only runs that `text::phone` is sure about. Redaction must miss none: it
//! reads every run, and the label before it decides first.

use std::ops::Range;

use text::fold::ascii_digit;
use text::phone::is_separator;
use text::vocabulary::TermSet;

use crate::letters::is_east_asian;
use crate::redaction::line::ScannedLine;

/// Reading stops after more digits than any telephone number has.
const MAX_DIGITS: usize = 24;
/// The maximum number of separator characters between two digits.
const MAX_GAP: usize = 3;

/// Units after a number that measures something.
static UNITS: TermSet = phrase_set!("measure_units.txt");

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

/// Whether a character may be between two digits. Only obfuscation uses some of them.
fn is_gap(c: char) -> bool {
    is_separator(c)
        || matches!(c, '[' | ']' | '_' | '*' | '~' | '•' | '|')
        // Parts of keycap emoji.
        || matches!(c, '\u{fe0f}' | '\u{20e3}')
}

/// The digit at a position, in any script. The letter O before digits counts as a zero.
fn digit(chars: &[char], at: usize) -> Option<char> {
    match *chars.get(at)? {
        'o' | 'O' => {
            let before = at.checked_sub(1).and_then(|at| chars.get(at));
            let behind = chars.get(at + 1..at + 3);
            let is_zero = !before.is_some_and(|c| c.is_alphabetic())
                && behind.is_some_and(|two| two.iter().all(char::is_ascii_digit));
            is_zero.then_some('0')
        }
        c => ascii_digit(c),
    }
}

impl DigitRun {
    /// The next number from a position on. Digits that continue a word or a decimal are skipped.
    pub fn next(line: &ScannedLine, from: usize) -> Option<Self> {
        let chars = &line.chars;
        let mut at = from;
        loop {
            at += chars
                .get(at..)?
                .iter()
                .enumerate()
                .position(|(ahead, _)| digit(chars, at + ahead).is_some())?;
            if !continues(chars, at) {
                return Some(Self::at(line, at));
            }
            while digit(chars, at).is_some() {
                at += 1;
            }
        }
    }

    fn at(line: &ScannedLine, first: usize) -> Self {
        let chars = &line.chars;
        let mut run = Self {
            range: first..first,
            digits: String::new(),
            groups: Vec::new(),
            gaps: Vec::new(),
            has_plus: false,
            has_bracket: false,
        };
        let mut at = first;
        loop {
            let before = run.digits.len();
            while let Some(digit) = digit(chars, at) {
                run.digits.push(digit);
                at += 1;
            }
            run.groups.push(run.digits.len() - before);
            run.range.end = at;
            let gap = chars.get(at..).unwrap_or_default().iter().take(MAX_GAP + 1);
            let gap = gap.take_while(|c| is_gap(**c)).count();
            let goes_on = (1..=MAX_GAP).contains(&gap) && digit(chars, at + gap).is_some();
            if !goes_on || run.digits.len() > MAX_DIGITS {
                break;
            }
            let marks = || chars.get(at..at + gap).unwrap_or_default().iter();
            run.has_bracket |= marks().any(|c| matches!(c, ')' | '('));
            run.gaps.push(marks().copied().find(|c| !c.is_whitespace()).unwrap_or(' '));
            at += gap;
        }
        let mut start = first;
        while let Some(&c) = start.checked_sub(1).and_then(|at| chars.get(at)) {
            match c {
                '+' | '＋' => run.has_plus = true,
                '(' | '[' => run.has_bracket = true,
                _ => break,
            }
            start -= 1;
        }
        run.range.start = start;
        if chars.get(run.range.end) == Some(&')') && run.has_bracket {
            run.range.end += 1;
        }
        run
    }

    pub fn is_international(&self) -> bool {
        let is_trunk = self.digits.starts_with("00") && !self.digits.starts_with("000");
        let count = self.digits.len();
        (self.has_plus && (8..=16).contains(&count))
            || (is_trunk && !self.gaps.is_empty() && (11..=17).contains(&count))
    }

    /// Whether it is a date or a range of years.
    pub fn is_date(&self) -> bool {
        let year = |text: &str| text.starts_with("19") || text.starts_with("20");
        let same_gap = self.gaps.windows(2).all(|pair| pair[0] == pair[1])
            && self.gaps.iter().all(|gap| matches!(gap, '.' | '-' | '/' | '–'));
        match *self.groups.as_slice() {
            [1 | 2, 1 | 2, 4] => {
                same_gap && year(self.digits.get(self.digits.len() - 4..).unwrap_or_default())
            }
            [1 | 2, 1 | 2, 2] => same_gap,
            [4, 1 | 2, 1 | 2] => same_gap && year(&self.digits),
            [4, 4] => year(&self.digits) && year(self.digits.get(4..).unwrap_or_default()),
            _ => false,
        }
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

/// Whether the digit at this position continues a word, a code or a decimal.
fn continues(chars: &[char], at: usize) -> bool {
    let char_at = |at: Option<usize>| at.and_then(|at| chars.get(at)).copied();
    let (last, before) = (char_at(at.checked_sub(1)), char_at(at.checked_sub(2)));
    match last {
        Some(c) if c.is_alphanumeric() && !is_east_asian(c) => true,
        Some('-' | '.' | ',' | '/' | '_' | '#' | '–') => {
            before.is_some_and(|c| c.is_alphanumeric() && !is_east_asian(c))
        }
        _ => false,
    }
}
