//! Detects postal addresses: a street with a house number, and a town with its postal code.
//!
//! Neither is sufficient alone: a line is an address if it has both, or if other details are near
//! it. The words for streets are in `data/address_words.tsv`.

use std::ops::Range;

use text::vocabulary::{TermList, TermSet};

use super::line::ScannedLine;

/// Endings of street names that are one word.
static ENDINGS: TermList = term_group!("address_words.tsv", "ending");
/// Separate words for a street, before or after its name.
static STREETS: TermSet = term_group!("address_words.tsv", "street");
/// Units after a number that is not a house number.
static UNITS: TermSet = term_group!("address_words.tsv", "unit");

pub(super) fn street_and_town(line: &ScannedLine) -> (Option<Range<usize>>, Option<Range<usize>>) {
    let words = address_words(line);
    let mark = line.chars.iter().position(|c| *c == '〒');
    if let Some(at) = mark {
        let whole = at..line.chars.len();
        return (Some(whole.clone()), Some(whole));
    }
    let street = (0..words.len()).find_map(|at| street(&words, at));
    let town = (0..words.len()).find_map(|at| town(line, &words, at));
    (street, town)
}

/// A word of a line and its position, in lower case.
struct AddressWord {
    range: Range<usize>,
    text: String,
    is_capital: bool,
}

fn address_words(line: &ScannedLine) -> Vec<AddressWord> {
    let mut words = Vec::new();
    let mut at = 0;
    while at < line.lower.len() {
        let rest = line.lower.get(at..).unwrap_or_default();
        let length = rest.iter().take_while(|c| c.is_alphanumeric()).count();
        if length > 0 {
            let range = at..at + length;
            let text = rest.iter().take(length.min(32)).collect();
            let is_capital = line.chars.get(at).is_some_and(|c| c.is_uppercase());
            words.push(AddressWord { range, text, is_capital });
        }
        at += length.max(1);
    }
    words
}

impl AddressWord {
    /// Whether it is a house number: few digits, perhaps a letter.
    fn is_house(&self) -> bool {
        let digits = self.text.bytes().take_while(u8::is_ascii_digit).count();
        (1..=4).contains(&digits) && self.text.len() - digits <= 1
    }

    fn is_digits(&self, count: usize) -> bool {
        self.text.len() == count && self.text.bytes().all(|byte| byte.is_ascii_digit())
    }
}

fn street(words: &[AddressWord], at: usize) -> Option<Range<usize>> {
    let word = words.get(at)?;
    let is_measured = |at: usize| words.get(at).is_some_and(|p| UNITS.contains(p.text.as_str()));
    let house = |at: usize| words.get(at).filter(|p| p.is_house()).filter(|_| !is_measured(at + 1));
    let is_compound = word.is_capital
        && ENDINGS.iter().any(|end| word.text.len() > end.len() + 2 && word.text.ends_with(end));
    if is_compound && let Some(number) = house(at + 1) {
        return Some(word.range.start..number.range.end);
    }
    if !STREETS.contains(word.text.as_str()) {
        return None;
    }
    // Rua do Moinho, 12: the number follows within a few words.
    let behind =
        (at + 2..at + 7).find_map(house).filter(|_| word.is_capital || word.text.len() <= 5);
    let first_named = words.get(at + 1).is_some_and(|p| p.is_capital || p.text.len() <= 3);
    if let Some(number) = behind.filter(|_| first_named) {
        return Some(word.range.start..number.range.end);
    }
    // 12 Mill Lane, 12 rue du Moulin: the number precedes.
    let before = (at.saturating_sub(4)..at).rev().find_map(house);
    let number = before.filter(|_| first_named || word.is_capital)?;
    let end = words.get(at + 3).or_else(|| words.last()).map_or(word.range.end, |p| p.range.end);
    Some(number.range.start..if word.is_capital { word.range.end } else { end })
}

fn town(line: &ScannedLine, words: &[AddressWord], at: usize) -> Option<Range<usize>> {
    let word = words.get(at)?;
    let next = words.get(at + 1);
    let named = |at: usize| words.get(at).filter(|p| p.is_capital && p.text.chars().count() >= 3);
    let tied = |mark: char| line.chars.get(word.range.end) == Some(&mark);
    // 10115 Berlin, 3011 Bern.
    if (word.is_digits(5) || word.is_digits(4))
        && let Some(town) = named(at + 1)
        && town.range.start == word.range.end + 1
    {
        return Some(word.range.start..town.range.end);
    }
    // 00-950 Warszawa, 01310-100, 1234 AB Amsterdam, 111 22 Stockholm.
    let pair = next.filter(|next| next.range.start == word.range.end + 1)?;
    let town = named(at + 2);
    let is_pair = (word.is_digits(2) && pair.is_digits(3) && tied('-'))
        || (word.is_digits(3) && pair.is_digits(2))
        || (word.is_digits(4) && pair.text.len() == 2 && pair.is_capital);
    if is_pair && let Some(town) = town {
        return Some(word.range.start..town.range.end);
    }
    if word.is_digits(5) && pair.is_digits(3) && tied('-') {
        return Some(word.range.start..pair.range.end);
    }
    // OR 97204, Bengaluru 560001, LS1 4AP.
    let is_state = word.is_capital && word.text.len() == 2 && pair.is_digits(5);
    let is_indian = word.is_capital && pair.is_digits(6) && word.text.len() >= 4;
    (is_state || is_indian || is_british_postcode(&word.text, &pair.text))
        .then_some(word.range.start..pair.range.end)
}

/// Whether two words are a British postcode: `LS1 4AP`, `EC1A 1BB`.
fn is_british_postcode(outer: &str, inner: &str) -> bool {
    let kinds = |text: &str| -> String {
        let kind = |c: char| match c {
            '0'..='9' => '9',
            'a'..='z' => 'a',
            _ => '?',
        };
        text.chars().map(kind).collect()
    };
    let outers = ["a9", "a99", "aa9", "aa99", "a9a", "aa9a"];
    kinds(inner) == "9aa" && outers.contains(&kinds(outer).as_str())
}
