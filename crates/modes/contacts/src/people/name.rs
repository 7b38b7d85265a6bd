//! Recognises the names of people and splits them into parts.
//!
//! A name has two to six words: given names, initials, particles and surnames, with degrees and
//! forms of address around them. A known given name makes it certain. Without one only the
//! shape counts, and the caller needs a context that presents people.

use text::fold::fold_letter;

pub(super) mod given;
mod honorific;
mod list;
mod shape;
mod split;
mod word;

pub(super) use given::{GivenNameMatch, given_name_match};
pub(super) use list::{is_legal_form, names_in_row};
pub(super) use word::never_in_names;

/// Maximum length of a text in bytes.
const MAX_BYTES: usize = 110;

/// A name and its parts, with normal capitalisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PersonName {
    /// Complete name without honorifics.
    pub name: String,
    pub first: Option<String>,
    pub last: Option<String>,
    pub honorific: Option<String>,
    /// How well its given names are known.
    pub given_name_match: GivenNameMatch,
}

/// Lower case without accents, with plain apostrophes and hyphens, as in the vocabularies.
pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '’' | '‘' | '`' | '´' => folded.push('\''),
            '‐' | '‑' | '–' => folded.push('-'),
            letter => fold_letter(letter, |plain| folded.push(plain)),
        }
    }
    folded
}

/// Parses a whole text as a name.
pub(super) fn parse(text: &str) -> Option<PersonName> {
    let text =
        text.trim().trim_end_matches([',', ';', ':']).trim_start_matches(['-', '–', '•', '·', '>']);
    let text = text.trim();
    if text.len() > MAX_BYTES || text.len() < 4 {
        return None;
    }
    let fits =
        |c: char| c.is_alphabetic() || c.is_whitespace() || ".,-‐‑'’‘`´()ºª°\"“”„/".contains(c);
    if !text.chars().all(fits) {
        return None;
    }
    let mut honorifics_after = Vec::new();
    let mut parts: Vec<&str> = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        if !parts.is_empty() && honorific::is_only(part) {
            honorifics_after.push(part);
        } else {
            parts.push(part);
        }
    }
    match parts[..] {
        [alone] => in_order(alone, &honorifics_after),
        [last, first] => by_surname(last, first, &honorifics_after),
        _ => None,
    }
}

/// Parses "Surname, First name". The first name must be known or an initial.
fn by_surname(last: &str, first: &str, honorifics_after: &[&str]) -> Option<PersonName> {
    let (first_before, first_words, _) = shape::strip_honorifics(first);
    let (last_before, last_words, _) = shape::strip_honorifics(last);
    if first_words.is_empty()
        || first_words.len() > 3
        || last_words.is_empty()
        || last_words.len() > 4
    {
        return None;
    }
    let knows = given_name_match(first_words[0]) > GivenNameMatch::Unknown;
    let is_initial = word::is_initial(first_words[0]);
    // Accepts "Berg, Anna", rejects "Anna Berg, Karl" and "Köln, Bonn".
    let whole = last_words.len() > 1 && given_name_match(last_words[0]) > GivenNameMatch::Unknown;
    let all_first = first_words.iter().all(|word| {
        given_name_match(word) > GivenNameMatch::Unknown
            || word::is_initial(word)
            || word::is_particle(word)
    });
    if !(knows || is_initial) || whole || !all_first {
        return None;
    }
    let joined = [&first_words[..], &last_words[..]].concat();
    let mut name = shape::parse_words(&joined)?;
    name.first = Some(split::fix_capitals(&first_words));
    name.last = Some(split::fix_capitals(&last_words));
    name.name = [name.first.clone()?, name.last.clone()?].join(" ");
    name.given_name_match = given_name_match(first_words[0]);
    let honorifics: Vec<&str> = [&last_before[..], &first_before[..], honorifics_after].concat();
    name.honorific = joined_honorifics(&honorifics, &[]);
    Some(name)
}

fn in_order(text: &str, honorifics_after: &[&str]) -> Option<PersonName> {
    let (before, words, after) = shape::strip_honorifics(text);
    let mut name = shape::parse_words(&words)?;
    let after: Vec<&str> = [&after[..], honorifics_after].concat();
    name.honorific = joined_honorifics(&before, &after);
    Some(name)
}

/// Honorifics before the name, then those after it, separated by a comma.
fn joined_honorifics(before: &[&str], honorifics_after: &[&str]) -> Option<String> {
    let mut all = before.join(" ");
    if !honorifics_after.is_empty() {
        if !all.is_empty() {
            all.push_str(", ");
        }
        all.push_str(&honorifics_after.join(", "));
    }
    (!all.is_empty()).then_some(all)
}

#[cfg(test)]
mod tests;
