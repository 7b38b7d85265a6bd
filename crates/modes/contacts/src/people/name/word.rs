//! Words of names: particles, initials, capitals, and words that no name contains.

use super::fold;
use text::vocabulary::TermSet;

static PARTICLES: TermSet = word_set!("people/name_particles.txt");

static CAPITAL_PREFIXES: TermSet = word_set!("people/capital_prefixes.txt");

static NEVER_IN_NAMES: TermSet = word_set!("people/never_in_names.txt");

/// Whether a word never occurs in names.
pub(in crate::people) fn never_in_names(word: &str) -> bool {
    NEVER_IN_NAMES.contains(fold(word.trim_matches(|c: char| !c.is_alphanumeric())).as_str())
}

pub(super) fn is_particle(word: &str) -> bool {
    PARTICLES.contains(fold(word).as_str())
}

/// Whether a word is an initial: "J." or "J", "H.-P.", "J.R.".
pub(super) fn is_initial(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    let upper = word.chars().filter(|c| c.is_alphabetic()).all(char::is_uppercase);
    upper && (letters == 1 || (letters <= 3 && word.matches('.').count() == letters))
}

/// Whether a word has several letters, all of them capitals.
pub(super) fn is_capitals(word: &str) -> bool {
    word.chars().filter(|c| c.is_alphabetic()).count() > 1 && !word.chars().any(char::is_lowercase)
}

/// Whether a word may be a given name or a surname.
pub(super) fn is_word(word: &str) -> bool {
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

/// Accepts "McDonald" and "Müller-Lüdenscheidt", rejects "TeamViewer" and "eBayPlus".
fn has_few_humps(word: &str) -> bool {
    if is_capitals(word) {
        return true;
    }
    word.split(['-', '‐', '‑', '\'', '’', '‘', '`', '´']).all(|part| {
        let capitals = part.chars().filter(|c| c.is_uppercase()).count();
        let start: String = fold(part).chars().take(4).collect();
        let is_prefixed = || CAPITAL_PREFIXES.iter().any(|known| start.starts_with(known));
        capitals <= 1 || (capitals == 2 && is_prefixed())
    })
}
