//! Recognises streets, post office boxes, floors and units.

use crate::words::placed_words;
use text::vocabulary::{TermList, TermSet};

static STREET_WORDS: TermSet = word_set!("address/street_words.txt");
static SURE_ENDINGS: TermList = phrase_list!("address/street_endings_sure.txt");
static MORE_ENDINGS: TermList = phrase_list!("address/street_endings.txt");
static UNIT_WORDS: TermSet = word_set!("address/unit_words.txt");
static UNIT_LAST_WORDS: TermSet = word_set!("address/unit_last_words.txt");
static NUMBER_LABELS: TermSet = word_set!("address/number_labels.txt");
static HOUSE_NUMBER_SUFFIXES: TermSet = word_set!("address/house_number_suffixes.txt");
static BOX_WORDS: TermList = phrase_list!("address/post_office_boxes.txt");
static NEVER_IN_STREETS: TermSet = word_set!("address/never_in_streets.txt");

static MONTHS: TermSet = word_set!("address/months.txt");
static ORDINAL_SUFFIXES: TermSet = word_set!("address/ordinal_suffixes.txt");
static UNIT_FIRST_WORDS: TermSet = word_set!("address/unit_first_words.txt");
static SITE_FIRST_WORDS: TermSet = word_set!("address/site_first_words.txt");
static SITE_LAST_WORDS: TermSet = word_set!("address/site_last_words.txt");

/// Removes a label before an address: "Address: 5 Main Road".
pub(super) fn without_label(text: &str) -> &str {
    let text = match text.rsplit_once(": ") {
        Some((_, rest)) => rest.trim(),
        _ => text.strip_suffix(':').map_or(text, |_| ""),
    }
    .trim();
    // The end of a company name may precede the street: "Lumen Optics, Inc. 9800 Metric Blvd".
    static FORM_ENDS: TermList = phrase_list!("address/company_form_ends.txt");
    let rest = FORM_ENDS.iter().find_map(|form| text.strip_prefix(form)?.strip_prefix(' '));
    rest.filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())).unwrap_or(text)
}

fn lower_words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split_whitespace().map(|word| word.trim_matches([',', '(', ')']).to_lowercase())
}

/// Whether a text has the form of a street, with or without a house number.
pub(super) fn is_street(text: &str) -> bool {
    let text = text.trim();
    let count = text.split_whitespace().count();
    if !(3..=80).contains(&text.len())
        || count > 10
        || text.contains(['@', '?', '!', '"', '€', '%', '='])
    {
        return false;
    }
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    if letters < 3 || digits > 8 {
        return false;
    }
    if lower_words(text).any(|word| {
        NEVER_IN_STREETS.contains(word.as_str()) && !STREET_WORDS.contains(word.as_str())
    }) && !starts_as_street(text)
    {
        return false;
    }
    let has_word = has_street_word(text);
    let has_number = text.split_whitespace().any(is_number);
    let begins = text.chars().next().is_some_and(|c| c.is_uppercase() || c.is_ascii_digit())
        || starts_as_street(text);
    // A name with a number and no street word: "Molenwerf 31", "Rynek 3".
    let is_plain = has_number && count <= 6 && {
        let first = text.split_whitespace().next().is_some_and(is_number);
        let last =
            text.split_whitespace().last().is_some_and(|word| is_number(word) || word.len() <= 2);
        (first != last || last)
            && !lower_words(text).any(|word| MONTHS.contains(word.trim_end_matches('.')))
            && text.split_whitespace().filter(|word| !is_number(word)).all(|word| {
                word.chars().next().is_some_and(char::is_uppercase)
                    || word.len() <= 4
                    || UNIT_WORDS.contains(word)
            })
    };
    begins
        && ((has_word && (has_number || starts_as_street(text) || ends_as_street(text)))
            || is_plain)
}

fn starts_as_street(text: &str) -> bool {
    let Some(first) = lower_words(text).next() else { return false };
    static FIRST_WORDS: TermSet = word_set!("address/street_first_words.txt");
    FIRST_WORDS.contains(first.as_str()) || first.starts_with("c/")
}

fn ends_as_street(text: &str) -> bool {
    let Some(last) = lower_words(text).last() else { return false };
    static LAST_WORDS: TermSet = word_set!("address/street_last_words.txt");
    LAST_WORDS.contains(last.as_str())
        || SURE_ENDINGS.iter().any(|end| last.ends_with(end) && last.len() > end.len() + 2)
}

fn endings() -> impl Iterator<Item = &'static str> {
    SURE_ENDINGS.iter().chain(MORE_ENDINGS.iter()).copied()
}

fn has_street_word(text: &str) -> bool {
    lower_words(text).any(|word| {
        STREET_WORDS.contains(word.as_str())
            || word.starts_with("c/")
            || endings()
                .any(|end| word.ends_with(end) && word.chars().count() > end.chars().count() + 1)
            || word.split('-').next_back().is_some_and(|last| {
                endings().any(|end| last == end.trim_end_matches('.') || last == end)
            })
    })
}

/// A house number: "12", "7-9", "3a", "12/14", "104b", "5bis".
fn is_number(word: &str) -> bool {
    let word = word.trim_matches([',', '.', '(', ')', '#']);
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    // "114-2035": unit and number.
    let limit = if word.contains(['-', '/']) { 8 } else { 6 };
    let starts = word.starts_with(|c: char| c.is_ascii_digit());
    let rest = word.chars().filter(|c| !c.is_ascii_digit()).count();
    starts
        && (1..=limit).contains(&digits)
        && rest <= 4
        && !word.contains([':', '€', '%', '='])
        && word.matches('.').count() == 0
}

pub(super) fn is_box(text: &str) -> bool {
    let lower = text.to_lowercase();
    text.len() < 60
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && (lower.starts_with("bp ") || BOX_WORDS.iter().any(|known| lower.starts_with(known)))
}

/// Whether a text is a floor, a door, a unit, a number alone or "s/n".
pub(super) fn is_detail(text: &str) -> bool {
    let text = text.trim();
    if text.len() > 40 || text.is_empty() {
        return false;
    }
    let count = text.split_whitespace().count();
    if count == 1 && (is_number(text) || is_ordinal(text)) {
        return text.len() <= 7;
    }
    if is_unit_code(text) {
        return true;
    }
    let first = lower_words(text).next().unwrap_or_default();
    // "14 bis, rue des Tanneurs"
    if let [number, word] = text.split_whitespace().collect::<Vec<_>>()[..]
        && is_number(number)
        && HOUSE_NUMBER_SUFFIXES.contains(word)
    {
        return true;
    }
    let is_ordinal_first = text.split_whitespace().next().is_some_and(is_ordinal) && count <= 3;
    let is_known = UNIT_WORDS.contains(first.as_str())
        || lower_words(text)
            .nth(1)
            .is_some_and(|word| UNIT_WORDS.contains(word.as_str()) && is_number(&first))
        || NUMBER_LABELS.contains(first.as_str());
    // "1st & 2nd Floors", "Ground Floor"
    let ends_as_unit = count <= 4
        && lower_words(text).last().is_some_and(|last| UNIT_LAST_WORDS.contains(last.as_str()));
    let is_known = is_known || ends_as_unit;
    let is_named_block = UNIT_FIRST_WORDS.contains(first.as_str());
    (is_known || is_ordinal_first || is_named_block) && count <= 5
}

/// Whether a text is a unit of letters and digits: "D-14", "GF-12", "410 C".
fn is_unit_code(text: &str) -> bool {
    let letters = text.bytes().filter(u8::is_ascii_uppercase).count();
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let others = text.bytes().filter(|byte| matches!(byte, b'-' | b'/' | b' ' | b'#')).count();
    (1..=2).contains(&letters)
        && (1..=4).contains(&digits)
        && letters + digits + others == text.len()
}

fn is_ordinal(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',']);
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let rest = word.get(digits..).unwrap_or_default();
    (1..=2).contains(&digits) && ORDINAL_SUFFIXES.contains(rest)
}

/// Whether a second street-like part may precede the street: a building, a zone, a unit.
pub(super) fn may_precede(text: &str, after: &str) -> bool {
    let last = lower_words(text).last().unwrap_or_default();
    let ends_as_site = SITE_LAST_WORDS.contains(last.as_str());
    let has_number = text.split_whitespace().any(is_number);
    is_detail(text)
        || is_detail(after)
        || (ends_as_site && !has_number)
        || starts_as_street(text) && !has_number
        || is_site(text)
}

/// Whether a text begins as the name of a site: "Parc des Tanneries".
pub(super) fn is_site(text: &str) -> bool {
    let first = lower_words(text).next().unwrap_or_default();
    SITE_FIRST_WORDS.contains(first.as_str()) && text.split_whitespace().count() <= 6
}

/// Whether a text is a district between street and town: "Col. Centro", "Bela Vista".
pub(super) fn is_district(text: &str, begins_line: bool) -> bool {
    let lower = text.to_lowercase();
    static DISTRICT_PREFIXES: TermList = phrase_list!("address/district_prefixes.txt");
    let is_named = DISTRICT_PREFIXES.iter().any(|prefix| lower.starts_with(prefix));
    is_named
        || (!begins_line
            && text.split_whitespace().count() <= 4
            && text.len() < 40
            && !text.bytes().any(|byte| byte.is_ascii_digit())
            && !text.contains([':', '@'])
            && text.chars().next().is_some_and(char::is_uppercase))
}

/// Splits "95 Old Mill Rd Portland" and "Floor 4 Riverton" into street and town.
pub(super) fn split_town(text: &str) -> Option<(String, String)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_numbered = words.first().is_some_and(|word| is_number(word));
    if words.len() < 3 || words.len() > 14 {
        return None;
    }
    static ENDS_BEFORE_TOWN: TermSet = word_set!("address/street_ends_before_town.txt");
    let ends = |at: usize| {
        let word = words[at];
        let lower = word.to_lowercase();
        let is_end = ENDS_BEFORE_TOWN.contains(lower.trim_end_matches([',', '.']));
        // "Suite 310", "Sector 9", "#210"
        let is_unit = is_number(word)
            && (word.starts_with('#')
                || at > 0 && UNIT_WORDS.contains(words[at - 1].to_lowercase().as_str()));
        (is_end && at > usize::from(is_numbered)) || is_unit
    };
    let at = (0..words.len()).rev().find(|at| ends(*at))?;
    let town = words.get(at + 1..)?.join(" ");
    let is_more = is_detail(&town) || DIRECTIONS.contains(&town.to_lowercase().as_str());
    (!is_more && super::town::is_town(&town)).then(|| (words[..=at].join(" "), town))
}

/// Directions after the name of a street.
const DIRECTIONS: [&str; 12] =
    ["n", "s", "e", "w", "nw", "ne", "sw", "se", "north", "south", "east", "west"];

/// Whether a street is certain: it has a street word and a number.
pub(super) fn is_certain(text: &str) -> bool {
    // "Spring Update 2026" has a year, not a house number.
    let is_year = |word: &str| word.len() == 4 && matches!(word.get(..2), Some("19" | "20"));
    let mut words = text.split_whitespace();
    is_box(text) || has_street_word(text) && words.any(|word| is_number(word) && !is_year(word))
}

/// Whether a detail names a floor or a unit with its number: "12th Floor", "Suite 310".
pub(super) fn names_unit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
        && lower_words(text).any(|word| UNIT_WORDS.contains(word.as_str()))
}

/// The street at the end of a sentence: "whose office is at 14 Mill Lane".
pub(super) fn trailing_street(text: &str) -> Option<&str> {
    let words: Vec<(usize, &str)> = placed_words(text).collect();
    let first = words.len().saturating_sub(8);
    words.get(first..)?.iter().skip(1).find_map(|(at, word)| {
        let rest = text.get(*at..)?;
        ((is_number(word) || starts_as_street(rest)) && is_street(rest)).then_some(rest)
    })
}
