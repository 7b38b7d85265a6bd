//! Redacts the seller's contact details in a description.
//!
//! Telephone numbers, e-mail addresses, messengers, postal addresses and the sentences that only
//! lead to them are removed; codes, sizes, dates and prices stay. Paragraphs keep their order, and
//! removed lines leave no blank line. Time is linear in the length of the text.
//!
//! `scan` finds the details of a line, `sentence` splits it, and this file decides what remains.
//! To recognise another kind of detail, add a detector and call it in `scan`.

use std::ops::Range;

mod address_block;
mod contact_phrases;
mod email;
mod line;
mod messenger;
mod phone;
mod postal_address;
mod scan;
mod sentence;

use line::ScannedLine;

/// From a sentence with more characters only the details themselves are removed.
const LONG_SENTENCE: usize = 320;
/// A clause of a sentence with contact details is kept if it has at least this many words.
const MIN_CLAUSE_WORDS: usize = 5;
/// The maximum number of words of a question that introduces a redacted sentence.
const MAX_QUESTION_WORDS: usize = 5;

/// The text without the seller's contact details.
pub(crate) fn redact_contacts(text: &str) -> String {
    let mut kept: Vec<String> = Vec::new();
    let mut paragraph: Vec<ScannedLine> = Vec::new();
    for line in text.lines().chain([""]) {
        if !line.trim().is_empty() {
            paragraph.push(scan::scan(line));
            continue;
        }
        let lines = std::mem::take(&mut paragraph);
        let in_block = address_block::lines_in_blocks(&lines);
        let outside = lines.iter().zip(in_block).filter(|(_, in_block)| !in_block);
        let rest = outside.map(|(line, _)| redact_line(line)).filter(|line| !line.is_empty());
        let rest: Vec<String> = rest.collect();
        if !rest.is_empty() {
            kept.push(rest.join("\n"));
        }
    }
    kept.join("\n\n")
}

/// What remains of a line that is not part of an address block.
fn redact_line(line: &ScannedLine) -> String {
    let sentences = sentence::sentences(line);
    let mut kept: Vec<(Range<usize>, String)> = Vec::new();
    for part in sentences {
        let text: String = line.chars.get(part.clone()).unwrap_or_default().iter().collect();
        match redact_sentence(line, &part) {
            None => kept.push((part, text)),
            Some(rest) => {
                // A short question before a redacted sentence ("Questions?") is removed with it.
                let is_question = |(last, text): &(Range<usize>, String)| {
                    text.trim_end().ends_with(['?', '？'])
                        && line.words(last.clone()).len() <= MAX_QUESTION_WORDS
                };
                if rest.is_empty() {
                    kept.pop_if(|last| is_question(last));
                } else {
                    kept.push((part, rest));
                }
            }
        }
    }
    let text: String = kept.into_iter().map(|(_, text)| text).collect();
    text.trim().to_owned()
}

/// What remains of a sentence with contact details or a request for contact; `None` if it has
/// neither.
fn redact_sentence(line: &ScannedLine, sentence: &Range<usize>) -> Option<String> {
    let has_detail = line.has_detail_in(sentence);
    let is_long = sentence.len() > LONG_SENTENCE;
    if is_long {
        return has_detail.then(|| cut_details(line, sentence));
    }
    let asks = contact_phrases::asks_for_contact(&line.normalized(sentence.clone()));
    if !has_detail && !asks {
        return None;
    }
    let worth = |part: &Range<usize>| {
        let words = line.words(part.clone());
        let states_code = states_code(line, part, &words);
        let is_free = !line.has_detail_in(part)
            && !contact_phrases::asks_for_contact(&line.normalized(part.clone()));
        is_free && (states_code || (!asks && words.len() >= MIN_CLAUSE_WORDS))
    };
    let clauses: Vec<_> = clauses(line, sentence);
    let kept: Vec<_> = clauses.into_iter().filter(worth).collect();
    let mut text = String::new();
    for part in kept {
        let clause: String = line.chars.get(part).unwrap_or_default().iter().collect();
        text.push_str(if text.is_empty() { "" } else { ", " });
        text.push_str(clause.trim_matches(|c: char| {
            c.is_whitespace() || matches!(c, ',' | ';' | '–' | '(' | ')' | '.')
        }));
    }
    if !text.is_empty() {
        text.push_str(". ");
    }
    Some(text)
}

/// The clauses of a sentence, separated by commas, dashes and brackets. A detail is never split.
fn clauses(line: &ScannedLine, sentence: &Range<usize>) -> Vec<Range<usize>> {
    let mut clauses = Vec::new();
    let mut start = sentence.start;
    for at in sentence.clone() {
        let c = line.chars.get(at).copied().unwrap_or(' ');
        let next = line.chars.get(at + 1).is_none_or(|c| c.is_whitespace());
        let last =
            at.checked_sub(1).and_then(|at| line.chars.get(at)).is_some_and(|c| c.is_whitespace());
        let separates = match c {
            ',' => next,
            ';' | '|' | '•' | '、' => true,
            '–' | '—' | '-' => next && last,
            '(' | ')' => true,
            _ => false,
        };
        if separates && !line.is_detail(at) {
            clauses.push(start..at);
            start = at + 1;
        }
    }
    clauses.push(start..sentence.end);
    clauses
}

/// Whether a clause states a code or dimensions.
fn states_code(line: &ScannedLine, part: &Range<usize>, words: &[String]) -> bool {
    let has_digit =
        line.chars.get(part.clone()).unwrap_or_default().iter().any(|c| c.is_ascii_digit());
    let is_size = words.windows(3).any(|three| {
        let number = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
        number(&three[0]) && (three[1] == "x") && number(&three[2])
    });
    has_digit && (is_size || phone::names_code(words))
}

/// A long sentence without its details and the labels right before them.
fn cut_details(line: &ScannedLine, sentence: &Range<usize>) -> String {
    let mut text = String::new();
    let mut at = sentence.start;
    for detail in line.details_in(sentence) {
        let before = line.chars.get(at..detail.start.max(at)).unwrap_or_default();
        let before: String = before.iter().collect();
        text.push_str(phone::without_label(&before));
        at = detail.end.min(sentence.end);
    }
    text.extend(line.chars.get(at..sentence.end).unwrap_or_default());
    text
}

#[cfg(test)]
mod tests;
