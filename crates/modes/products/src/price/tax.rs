//! Whether a price includes sales tax, as far as a text says so. The words are in
//! `data/tax_words.tsv`.

use std::sync::LazyLock;

use hashbrown::HashSet;

use crate::vocabulary;

/// How many words before a tax decide: "inkl. 19 % der MwSt".
const REACH: usize = 4;
/// How many bytes of a text are read.
const MAX_BYTES: usize = 2_000;

/// Words in lower case, by their position and what they say.
struct TaxWords {
    /// Words that name a sales tax.
    taxes: HashSet<&'static str>,
    included_before: HashSet<&'static str>,
    excluded_before: HashSet<&'static str>,
    included_after: HashSet<&'static str>,
    excluded_after: HashSet<&'static str>,
    /// Sufficient without naming a tax.
    included_alone: HashSet<&'static str>,
    excluded_alone: HashSet<&'static str>,
    /// East Asian words, which are written without spaces.
    included_unspaced: Vec<&'static str>,
    excluded_unspaced: Vec<&'static str>,
}

static WORDS: LazyLock<TaxWords> = LazyLock::new(|| {
    let file = include_str!("../../data/tax_words.tsv");
    TaxWords {
        taxes: vocabulary::group_set(file, "tax"),
        included_before: vocabulary::group_set(file, "included_before"),
        excluded_before: vocabulary::group_set(file, "excluded_before"),
        included_after: vocabulary::group_set(file, "included_after"),
        excluded_after: vocabulary::group_set(file, "excluded_after"),
        included_alone: vocabulary::group_set(file, "included_alone"),
        excluded_alone: vocabulary::group_set(file, "excluded_alone"),
        included_unspaced: vocabulary::group_list(file, "included_unspaced"),
        excluded_unspaced: vocabulary::group_list(file, "excluded_unspaced"),
    }
});

/// Whether the price includes tax; `None` if the text does not say so or says both.
pub(crate) fn tax_hint(text: &str) -> Option<bool> {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    let has = |list: &[&str]| list.iter().any(|part| text.contains(part));
    // "Not included" contains the word for "included".
    if has(&WORDS.excluded_unspaced) {
        return Some(false);
    }
    if has(&WORDS.included_unspaced) {
        return Some(true);
    }
    let words = words(text);
    let (mut with, mut without) = (false, false);
    for (at, word) in words.iter().enumerate() {
        match of_word(&words, at, word) {
            Some(true) => with = true,
            Some(false) => without = true,
            None => {}
        }
    }
    (with != without).then_some(with)
}

/// What one word says together with its neighbours.
fn of_word(words: &[String], at: usize, word: &str) -> Option<bool> {
    if WORDS.included_alone.contains(word) {
        return Some(true);
    }
    if WORDS.excluded_alone.contains(word) {
        // "Netto 500 g" is a net weight.
        let is_weight = words.get(at + 1).is_some_and(|next| is_number(next));
        return (!is_weight || at > 0 && words.get(at - 1).is_some_and(|last| is_number(last)))
            .then_some(false);
    }
    if word == "HT" || word == "H.T" {
        return Some(false);
    }
    if !WORDS.taxes.contains(word) {
        return None;
    }
    let has =
        |set: &HashSet<&str>, at: usize| words.get(at).is_some_and(|w| set.contains(w.as_str()));
    // "VAT not included", "IVA no incluido".
    let denied = has(&WORDS.excluded_after, at + 1) || has(&WORDS.excluded_after, at + 2);
    for near in (at.saturating_sub(REACH)..at).rev() {
        if has(&WORDS.taxes, near) {
            break;
        }
        if has(&WORDS.excluded_before, near) {
            return Some(false);
        }
        if has(&WORDS.included_before, near) {
            return Some(!(denied && has(&WORDS.included_after, at + 2)));
        }
    }
    if denied && (has(&WORDS.included_after, at + 2) || has(&WORDS.excluded_after, at + 1)) {
        return Some(false);
    }
    (has(&WORDS.included_after, at + 1) || has(&WORDS.included_after, at + 2)).then_some(true)
}

fn is_number(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit())
}

/// The words of a text in lower case; a plus is a word, and `HT` keeps its case.
fn words(text: &str) -> Vec<String> {
    let spread = text.replace('+', " + ");
    let parts = spread.split(|c: char| !(c.is_alphanumeric() || matches!(c, '+' | '.' | ',')));
    let bare = parts.map(|word| word.trim_matches(['.', ',']));
    let word = |word: &str| match word {
        "HT" | "H.T" => word.to_owned(),
        _ => word.to_lowercase().replace("t.t.c", "ttc"),
    };
    bare.filter(|word| !word.is_empty()).map(word).collect()
}

#[cfg(test)]
mod tests;
