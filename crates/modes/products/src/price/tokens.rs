//! Splits a price text into numbers, currency symbols, words and marks.

use super::currency_symbol::CurrencySymbol;
use super::price_words::{PriceWordSense, PriceWordSenses};
use text::fold::ascii_digit;

use crate::letters::is_east_asian;

/// How many characters of a text are read.
const MAX_CHARS: usize = 400;
/// Longer numbers are no amounts.
const MAX_NUMBER: usize = 28;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PriceToken {
    pub kind: PriceTokenKind,
    /// Whether white space precedes it.
    pub spaced: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PriceTokenKind {
    /// Digits and marks as written, without a dash for missing decimals (12,-).
    Number {
        text: String,
        ends_with_dash: bool,
    },
    Money(CurrencySymbol),
    /// In lower case, with its senses beside an amount.
    Word(String, PriceWordSenses),
    Mark(char),
}

impl PriceToken {
    pub fn is_mark(&self, marks: &[char]) -> bool {
        matches!(self.kind, PriceTokenKind::Mark(mark) if marks.contains(&mark))
    }

    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            PriceTokenKind::Word(word, _) => Some(word),
            _ => None,
        }
    }

    /// Whether it is a word with this sense.
    pub fn says(&self, sense: PriceWordSense) -> bool {
        matches!(self.kind, PriceTokenKind::Word(_, senses) if senses.has(sense))
    }

    pub fn money(&self) -> Option<CurrencySymbol> {
        match self.kind {
            PriceTokenKind::Money(symbol) => Some(symbol),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<&str> {
        match &self.kind {
            PriceTokenKind::Number { text, .. } => Some(text),
            _ => None,
        }
    }
}

pub(super) const DASHES: &[char] = &['-', '–', '—', '‒', '―'];

pub(super) fn tokens(text: &str) -> Vec<PriceToken> {
    let chars: Vec<char> = text.chars().filter_map(to_plain).take(MAX_CHARS).collect();
    let mut tokens = Vec::new();
    let (mut at, mut spaced) = (0, false);
    while let Some(&first) = chars.get(at) {
        if first == ' ' {
            (spaced, at) = (true, at + 1);
            continue;
        }
        let (kind, end) = match first {
            '0'..='9' => number(&chars, at),
            _ if first.is_alphabetic() => word(&chars, at),
            _ => {
                let sign = CurrencySymbol::of_sign(first);
                (sign.map_or(PriceTokenKind::Mark(first), PriceTokenKind::Money), at + 1)
            }
        };
        tokens.push(PriceToken { kind, spaced });
        (spaced, at) = (false, end);
    }
    tokens
}

/// A character in its ASCII form: digits of other scripts, spaces, minus signs, apostrophes.
/// Invisible characters are dropped.
fn to_plain(c: char) -> Option<char> {
    match c {
        '٫' | '．' => Some('.'),
        '٬' | '，' | '、' => Some(','),
        '−' | '－' | '\u{2010}' | '\u{2011}' => Some('-'),
        '’' | '‘' | 'ʼ' | '´' | '`' | '′' | '＇' => Some('\''),
        '～' | '〜' => Some('~'),
        '／' | '⁄' => Some('/'),
        '％' => Some('%'),
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => None,
        '\u{2060}'..='\u{206f}' | '\u{feff}' => None,
        _ if c.is_whitespace() || c.is_control() => Some(' '),
        _ => ascii_digit(c).or(Some(c)),
    }
}

/// The number that begins at `from`, and where it ends.
fn number(chars: &[char], from: usize) -> (PriceTokenKind, usize) {
    let digits = |at: usize| {
        chars.get(at..).unwrap_or_default().iter().take_while(|c| c.is_ascii_digit()).count()
    };
    let first = digits(from);
    let (mut at, mut last, mut marked) = (from + first, first, false);
    while let Some(&mark) = chars.get(at) {
        let next = digits(at + 1);
        let joins = match mark {
            '.' | ',' | '\'' => next > 0,
            // A space only separates groups of three digits, before the decimal mark.
            ' ' => next == 3 && last <= 3 && !marked,
            ':' => next == 2 && !marked,
            _ => false,
        };
        if !joins {
            break;
        }
        marked |= matches!(mark, '.' | ',' | ':');
        (at, last) = (at + 1 + next, next);
    }
    let mut text: String =
        chars.get(from..at).unwrap_or_default().iter().take(MAX_NUMBER + 1).collect();
    if text.len() > MAX_NUMBER {
        text.clear();
    }
    // 12,- and 12.– and 12:- and 12.-- have no decimals.
    let dashes = chars.get(at + 1..).unwrap_or_default().iter().take_while(|c| DASHES.contains(c));
    let dashes = dashes.count();
    let has_mark = matches!(chars.get(at), Some('.' | ',' | ':'));
    let ends_with_dash = has_mark && dashes > 0 && digits(at + 1 + dashes) == 0;
    let end = if ends_with_dash { at + 1 + dashes } else { at };
    (PriceTokenKind::Number { text, ends_with_dash }, end)
}

/// The word or currency symbol that begins at `from`, and where it ends.
fn word(chars: &[char], from: usize) -> (PriceTokenKind, usize) {
    let first = chars.get(from).copied().unwrap_or(' ');
    if is_east_asian(first) {
        let kind = CurrencySymbol::of_sign(first)
            .map_or_else(|| word_token(first.to_string()), PriceTokenKind::Money);
        return (kind, from + 1);
    }
    let is_letter = |at: usize| {
        chars.get(at).is_some_and(|c| c.is_alphabetic() && !is_east_asian(*c) || is_combining(*c))
    };
    let is_inner_dot = |at: usize| {
        chars.get(at) == Some(&'.')
            && chars.get(at - 1).is_some_and(|c| is_arabic(*c))
            && is_letter(at + 1)
    };
    let mut end = from + 1;
    while is_letter(end) || is_inner_dot(end) {
        end += 1;
    }
    let text: String = chars.get(from..end).unwrap_or_default().iter().collect();
    if chars.get(end) == Some(&'$')
        && let Some(symbol) = CurrencySymbol::of_dollar(&text)
    {
        return (PriceTokenKind::Money(symbol), end + 1);
    }
    match CurrencySymbol::of_word(&text) {
        Some(symbol) => {
            // The dot of an abbreviation.
            let has_dot = chars.get(end) == Some(&'.');
            (PriceTokenKind::Money(symbol), if has_dot { end + 1 } else { end })
        }
        None => (word_token(text.to_lowercase()), end),
    }
}

fn word_token(word: String) -> PriceTokenKind {
    let senses = PriceWordSenses::of(&word);
    PriceTokenKind::Word(word, senses)
}

fn is_arabic(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{6ff}')
}

/// Combining marks, and Thai vowels above and below letters.
fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}')
}
