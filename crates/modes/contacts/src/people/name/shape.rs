//! Checks the shape of a name.

use super::given::{GivenNameMatch, given_name_match};
use super::word::{is_initial, is_particle, is_word, never_in_names};
use super::{PersonName, honorific, split};

/// Splits a text into honorifics before, words of the name, and honorifics after.
pub(super) fn strip_honorifics(text: &str) -> (Vec<&str>, Vec<&str>, Vec<&str>) {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let mut before = 0;
    while before < words.len()
        && (honorific::is_before(words[before])
            || (before > 0 && honorific::continues(words[before])))
    {
        before += 1;
    }
    let mut end = words.len();
    while end > before + 1 && honorific::is_after(words[end - 1]) {
        end -= 1;
    }
    let after = words.split_off(end);
    let name = words.split_off(before);
    // A nickname between the names is dropped.
    let is_nick = |word: &&str| {
        let edge = |c: char| matches!(c, '"' | '“' | '”' | '„' | '(' | ')');
        word.starts_with(edge) && word.ends_with(edge)
    };
    let name: Vec<&str> = match name.len() {
        0..=2 => name,
        _ => name.into_iter().filter(|word| !is_nick(word)).collect(),
    };
    (words, name, after)
}

/// The name that these words form, if they have the shape of one.
pub(super) fn parse_words(words: &[&str]) -> Option<PersonName> {
    let generation =
        words.last().is_some_and(|word| words.len() > 2 && honorific::is_generation(word));
    let core = if generation { &words[..words.len() - 1] } else { words };
    if !(2..=7).contains(&core.len()) {
        return None;
    }
    let mut count = 0;
    for (at, word) in core.iter().enumerate() {
        let inner = at > 0 && at + 1 < core.len();
        let lower = !word.starts_with(char::is_uppercase);
        if is_initial(word) && at + 1 < core.len() {
            count += 1;
            continue;
        }
        if is_particle(word) && (inner || (lower && at > 0)) && at + 1 < core.len() {
            continue;
        }
        if !is_word(word) {
            return None;
        }
        let known = given_name_match(word) == GivenNameMatch::Known;
        // "Sá" is a surname, "SA" is a legal form.
        let is_short_name =
            word.chars().count() <= 2 && word.chars().skip(1).any(char::is_lowercase);
        // In "Femke van der Laan" the word for a street is a surname.
        let is_noble = at > 1
            && is_particle(core[at - 1])
            && given_name_match(core[0]) == GivenNameMatch::Known;
        let is_allowed = known || is_noble || is_short_name && at > 0;
        if !is_allowed && never_in_names(word) {
            return None;
        }
        count += 1;
    }
    if !(2..=5).contains(&count) {
        return None;
    }
    // A name needs at least one word besides initials.
    let spelled = core.iter().filter(|word| is_word(word) && !is_initial(word)).count();
    if spelled == 0
        || (is_particle(core[0]) && given_name_match(core[0]) == GivenNameMatch::Unknown)
    {
        return None;
    }
    Some(split::split_name(core, generation.then(|| words[words.len() - 1])))
}
