//! A price text, taken apart: numbers, signs of money, words and marks.

use super::symbol::Symbol;
use super::wording::{Sense, Senses};

/// How much of a text is looked at. What comes later is not its price.
const MAX_CHARS: usize = 400;
/// No amount has so many characters.
const MAX_NUMBER: usize = 28;

/// A part of a price text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: Kind,
    /// White space stands before it.
    pub spaced: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// Digits and what parts them, as written; a dash for coins that there are none of is
    /// not part of it.
    Number {
        text: String,
        ends_with_dash: bool,
    },
    Money(Symbol),
    /// In small letters, with what it says beside an amount.
    Word(String, Senses),
    Mark(char),
}

impl Token {
    pub fn is_mark(&self, marks: &[char]) -> bool {
        matches!(self.kind, Kind::Mark(mark) if marks.contains(&mark))
    }

    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word, _) => Some(word),
            Kind::Number { .. } | Kind::Money(_) | Kind::Mark(_) => None,
        }
    }

    /// Whether it is a word that says this.
    pub fn says(&self, sense: Sense) -> bool {
        matches!(self.kind, Kind::Word(_, senses) if senses.has(sense))
    }

    pub fn money(&self) -> Option<Symbol> {
        match self.kind {
            Kind::Money(symbol) => Some(symbol),
            Kind::Number { .. } | Kind::Word(..) | Kind::Mark(_) => None,
        }
    }

    pub fn number(&self) -> Option<&str> {
        match &self.kind {
            Kind::Number { text, .. } => Some(text),
            Kind::Money(_) | Kind::Word(..) | Kind::Mark(_) => None,
        }
    }
}

pub(super) const DASHES: &[char] = &['-', '–', '—', '‒', '―'];

/// The parts of a text.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().filter_map(plain).take(MAX_CHARS).collect();
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
            _ => (Symbol::of_sign(first).map_or(Kind::Mark(first), Kind::Money), at + 1),
        };
        tokens.push(Token { kind, spaced });
        (spaced, at) = (false, end);
    }
    tokens
}

/// A character in its plain form: digits of every script, one kind of space, of minus, of
/// apostrophe. What cannot be seen is left out.
fn plain(c: char) -> Option<char> {
    let digit = |zero: u32| char::from_digit((c as u32).checked_sub(zero)?, 10);
    match c {
        '\u{660}'..='\u{669}' => digit(0x660),
        '\u{6f0}'..='\u{6f9}' => digit(0x6f0),
        '\u{966}'..='\u{96f}' => digit(0x966),
        '\u{9e6}'..='\u{9ef}' => digit(0x9e6),
        '\u{ff10}'..='\u{ff19}' => digit(0xff10),
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
        _ => Some(c),
    }
}

/// A number that begins at `from`, and where it ends.
fn number(chars: &[char], from: usize) -> (Kind, usize) {
    let digits = |at: usize| {
        chars.get(at..).unwrap_or_default().iter().take_while(|c| c.is_ascii_digit()).count()
    };
    let first = digits(from);
    let (mut at, mut last, mut marked) = (from + first, first, false);
    while let Some(&mark) = chars.get(at) {
        let next = digits(at + 1);
        let joins = match mark {
            '.' | ',' | '\'' => next > 0,
            // A space groups by three and nothing else, and not behind a decimal mark.
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
    // 12,- and 12.– and 12:- and 12.-- have no smaller coins.
    let dashes = chars.get(at + 1..).unwrap_or_default().iter().take_while(|c| DASHES.contains(c));
    let dashes = dashes.count();
    let has_mark = matches!(chars.get(at), Some('.' | ',' | ':'));
    let ends_with_dash = has_mark && dashes > 0 && digits(at + 1 + dashes) == 0;
    let end = if ends_with_dash { at + 1 + dashes } else { at };
    (Kind::Number { text, ends_with_dash }, end)
}

/// A word that begins at `from`, or the sign of money that it is.
fn word(chars: &[char], from: usize) -> (Kind, usize) {
    let first = chars.get(from).copied().unwrap_or(' ');
    if is_east_asian(first) {
        let kind = Symbol::of_sign(first).map_or_else(|| spoken(first.to_string()), Kind::Money);
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
        && let Some(symbol) = Symbol::of_dollar(&text)
    {
        return (Kind::Money(symbol), end + 1);
    }
    match Symbol::of_word(&text) {
        Some(symbol) => {
            // The dot of an abbreviation, and not the beginning of a decimal.
            let has_dot = chars.get(end) == Some(&'.');
            (Kind::Money(symbol), if has_dot { end + 1 } else { end })
        }
        None => (spoken(text.to_lowercase()), end),
    }
}

fn spoken(word: String) -> Kind {
    let senses = Senses::of(&word);
    Kind::Word(word, senses)
}

fn is_east_asian(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

fn is_arabic(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{6ff}')
}

/// Marks above and below letters, in the scripts that write vowels so.
fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{e31}' | '\u{e34}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}')
}
