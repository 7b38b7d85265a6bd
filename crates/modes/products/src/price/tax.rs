//! Whether a price includes sales tax, as far as a text says so. The words are in
//! `data/tax_words.tsv`.

use text::vocabulary::{TermList, TermSet};

/// How many words before a tax decide: "inkl. 19 % der MwSt".
const REACH: usize = 4;
/// How many bytes of a text are read.
const MAX_BYTES: usize = 2_000;

// Words in lower case, by their position and what they say.
/// Words that name a sales tax.
static TAXES: TermSet = term_group!("tax_words.tsv", "tax");
static INCLUDED_BEFORE: TermSet = term_group!("tax_words.tsv", "included_before");
static EXCLUDED_BEFORE: TermSet = term_group!("tax_words.tsv", "excluded_before");
static INCLUDED_AFTER: TermSet = term_group!("tax_words.tsv", "included_after");
static EXCLUDED_AFTER: TermSet = term_group!("tax_words.tsv", "excluded_after");
// Sufficient without naming a tax.
static INCLUDED_ALONE: TermSet = term_group!("tax_words.tsv", "included_alone");
static EXCLUDED_ALONE: TermSet = term_group!("tax_words.tsv", "excluded_alone");
// East Asian words, which are written without spaces.
static INCLUDED_UNSPACED: TermList = term_group!("tax_words.tsv", "included_unspaced");
static EXCLUDED_UNSPACED: TermList = term_group!("tax_words.tsv", "excluded_unspaced");

/// Whether the price includes tax; `None` if the text does not say so or says both.
pub(crate) fn tax_hint(text: &str) -> Option<bool> {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    let has = |list: &TermList| list.iter().any(|part| text.contains(part));
    // "Not included" contains the word for "included".
    if has(&EXCLUDED_UNSPACED) {
        return Some(false);
    }
    if has(&INCLUDED_UNSPACED) {
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
    if INCLUDED_ALONE.contains(word) {
        return Some(true);
    }
    if EXCLUDED_ALONE.contains(word) {
        // "Netto 500 g" is a net weight.
        let is_weight = words.get(at + 1).is_some_and(|next| is_number(next));
        return (!is_weight || at > 0 && words.get(at - 1).is_some_and(|last| is_number(last)))
            .then_some(false);
    }
    if word == "HT" || word == "H.T" {
        return Some(false);
    }
    if !TAXES.contains(word) {
        return None;
    }
    let has = |set: &TermSet, at: usize| words.get(at).is_some_and(|w| set.contains(w.as_str()));
    // "VAT not included", "IVA no incluido".
    let denied = has(&EXCLUDED_AFTER, at + 1) || has(&EXCLUDED_AFTER, at + 2);
    for near in (at.saturating_sub(REACH)..at).rev() {
        if has(&TAXES, near) {
            break;
        }
        if has(&EXCLUDED_BEFORE, near) {
            return Some(false);
        }
        if has(&INCLUDED_BEFORE, near) {
            return Some(!(denied && has(&INCLUDED_AFTER, at + 2)));
        }
    }
    if denied && (has(&INCLUDED_AFTER, at + 2) || has(&EXCLUDED_AFTER, at + 1)) {
        return Some(false);
    }
    (has(&INCLUDED_AFTER, at + 1) || has(&INCLUDED_AFTER, at + 2)).then_some(true)
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
