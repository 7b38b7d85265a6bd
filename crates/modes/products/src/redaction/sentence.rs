//! Splits a line into sentences.

use std::ops::Range;

use text::vocabulary::TermSet;

use super::line::ScannedLine;
use super::phone;

/// Abbreviations whose dot ends no sentence.
static ABBREVIATIONS: TermSet = phrase_set!("abbreviations.txt");

/// The consecutive sentences of a line, each with the white space after it.
pub(super) fn sentences(line: &ScannedLine) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for at in 0..line.chars.len() {
        if ends(line, start, at) {
            let mut end = at + 1;
            while line.chars.get(end).is_some_and(|c| c.is_whitespace() || is_closing(*c)) {
                end += 1;
            }
            sentences.push(start..end);
            start = end;
        }
    }
    if start < line.chars.len() {
        sentences.push(start..line.chars.len());
    }
    sentences
}

fn is_closing(c: char) -> bool {
    matches!(c, '"' | '”' | '“' | '»' | '’' | ')' | '」')
}

/// Whether the character at `at` ends the sentence that began at `start`.
fn ends(line: &ScannedLine, start: usize, at: usize) -> bool {
    if at < start {
        return false;
    }
    let c = line.chars.get(at).copied().unwrap_or(' ');
    if matches!(c, '。' | '！' | '？') {
        return true;
    }
    if !matches!(c, '.' | '!' | '?' | '…') {
        return false;
    }
    // Punctuation within a contact detail ends no sentence.
    if line.is_detail(at) {
        return false;
    }
    let before = at.checked_sub(1).and_then(|at| line.chars.get(at)).copied().unwrap_or(' ');
    let rest = line.chars.get(at + 1..).unwrap_or_default();
    let ends_word = rest.first().is_none_or(|c| c.is_whitespace() || is_closing(*c));
    if !ends_word {
        return false;
    }
    if c != '.' {
        return true;
    }
    let gap = rest.iter().position(|c| !c.is_whitespace() && !is_closing(*c));
    let next = gap.and_then(|gap| rest.get(gap));
    let leads_to_detail = gap.is_some_and(|gap| line.is_detail(at + 1 + gap));
    let is_labelled = gap.is_some_and(|gap| {
        let next = line.lower.get(at + 1 + gap..).unwrap_or_default();
        let next: String = next.iter().take(16).take_while(|c| c.is_alphabetic()).collect();
        phone::is_label(&next)
    });
    let begins = leads_to_detail || is_labelled || next.is_none_or(|c| !c.is_lowercase());
    // The last letters of a contact detail are no abbreviation.
    if begins && at > start && line.is_detail(at - 1) {
        return true;
    }
    let word = line.lower.get(start..at).unwrap_or_default();
    let word: String = word.iter().rev().take(10).take_while(|c| c.is_alphanumeric()).collect();
    let word: String = word.chars().rev().collect();
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    let is_abbreviation = ABBREVIATIONS.contains(word.as_str())
        || is_initial
        || (leads_to_detail && phone::is_label(&word));
    next.is_none() || (!before.is_whitespace() && begins && !is_abbreviation)
}
