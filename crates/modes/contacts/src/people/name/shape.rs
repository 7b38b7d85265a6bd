//! The shape of a name: which words may stand in one, and which never do.

use super::given::{Acquaintance, acquaintance};
use super::{PersonName, fold, honorific, split};
use crate::vocabulary::TermSet;

/// Words between given name and surname that are written small.
static PARTICLES: TermSet = word_set!("people/name_particles.txt");

/// Words that no name has: of companies, pages, places, things, days.
static NEVER_IN_NAMES: TermSet = word_set!("people/never_in_names.txt");

/// Whether a word never stands in a name.
pub(in crate::people) fn never_in_names(word: &str) -> bool {
    NEVER_IN_NAMES.contains(fold(word.trim_matches(|c: char| !c.is_alphanumeric())).as_str())
}

pub(super) fn is_particle(word: &str) -> bool {
    PARTICLES.contains(fold(word).as_str())
}

/// "J." or "J", "H.-P.", "J.R.".
pub(super) fn is_initial(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let upper = word.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase);
    upper && (letters == 1 || (letters <= 3 && word.matches('.').count() == letters))
}

/// All letters are capitals, and there is more than one.
pub(super) fn is_capitals(word: &str) -> bool {
    word.chars().filter(|c| c.is_alphabetic()).count() > 1 && !word.chars().any(char::is_lowercase)
}

/// A word that may be a given name or a surname.
fn is_word(word: &str) -> bool {
    let mut letters = word.chars();
    let starts = letters.next().is_some_and(char::is_uppercase);
    let elided = ["d'", "d’", "l'", "l’", "'t", "’t", "dell'", "dell’"].iter().any(|start| {
        word.strip_prefix(start).is_some_and(|rest| rest.starts_with(char::is_uppercase))
    });
    let count = word.chars().filter(|c| c.is_alphabetic()).count();
    let inner = word
        .chars()
        .all(|c| c.is_alphabetic() || matches!(c, '-' | '‐' | '‑' | '\'' | '’' | '‘' | '`' | '´'));
    (starts || elided)
        && inner
        && (2..=30).contains(&count)
        && !word.ends_with('-')
        && has_few_humps(word)
}

/// "McDonald" and "Müller-Lüdenscheidt" are names, "TeamViewer" and "eBayPlus" hardly.
fn has_few_humps(word: &str) -> bool {
    if is_capitals(word) {
        return true;
    }
    word.split(['-', '‐', '‑', '\'', '’', '‘', '`', '´']).all(|part| {
        let capitals = part.chars().filter(|c| c.is_uppercase()).count();
        let start: String = fold(part).chars().take(4).collect();
        let prefixed =
            ["mc", "mac", "de", "di", "da", "du", "la", "le", "van", "von", "lo", "fitz"];
        capitals <= 1 || (capitals == 2 && prefixed.iter().any(|known| start.starts_with(known)))
    })
}

/// The honorifics before, the words of the name, the honorifics behind.
pub(super) fn stripped(text: &str) -> (Vec<&str>, Vec<&str>, Vec<&str>) {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let mut before = 0;
    while before < words.len()
        && (honorific::is_before(words[before])
            || (before > 0 && honorific::continues(words[before])))
    {
        before += 1;
    }
    let mut end = words.len();
    while end > before + 1 && honorific::is_behind(words[end - 1]) {
        end -= 1;
    }
    let behind = words.split_off(end);
    let name = words.split_off(before);
    // A nickname between the names is none of them.
    let is_nick = |word: &&str| {
        let edge = |c: char| matches!(c, '"' | '“' | '”' | '„' | '(' | ')');
        word.starts_with(edge) && word.ends_with(edge)
    };
    let name: Vec<&str> = match name.len() {
        0..=2 => name,
        _ => name.into_iter().filter(|word| !is_nick(word)).collect(),
    };
    (words, name, behind)
}

/// The name that these words are, if they have the shape of one.
pub(super) fn checked(words: &[&str]) -> Option<PersonName> {
    let generation =
        words.last().is_some_and(|word| words.len() > 2 && honorific::is_generation(word));
    let core = if generation { &words[..words.len() - 1] } else { words };
    if !(2..=7).contains(&core.len()) {
        return None;
    }
    let mut count = 0;
    for (at, word) in core.iter().enumerate() {
        let inner = at > 0 && at + 1 < core.len();
        let small = !word.starts_with(char::is_uppercase);
        if is_initial(word) && at + 1 < core.len() {
            count += 1;
            continue;
        }
        if is_particle(word) && (inner || (small && at > 0)) && at + 1 < core.len() {
            continue;
        }
        if !is_word(word) {
            return None;
        }
        let known = acquaintance(word) == Acquaintance::Known;
        // "Sá" is a surname, "SA" is a company.
        let is_short_name =
            word.chars().count() <= 2 && word.chars().skip(1).any(char::is_lowercase);
        // "Femke van der Laan" does not live in a lane.
        let is_noble =
            at > 1 && is_particle(core[at - 1]) && acquaintance(core[0]) == Acquaintance::Known;
        if !known && !is_short_name && !is_noble && never_in_names(word) {
            return None;
        }
        count += 1;
    }
    if !(2..=5).contains(&count) {
        return None;
    }
    // Somewhere there is more than initials.
    let spelled = core.iter().filter(|word| is_word(word) && !is_initial(word)).count();
    if spelled == 0 || (is_particle(core[0]) && acquaintance(core[0]) == Acquaintance::Unknown) {
        return None;
    }
    Some(split::parted(core, generation.then(|| words[words.len() - 1])))
}
