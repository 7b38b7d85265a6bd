//! Taking the seller's contact details out of a description.
//!
//! Telephone numbers, addresses of mail, messengers, postal addresses and the sentences that
//! only lead to them go; codes, sizes, dates and prices stay. Paragraphs keep their order, and
//! no empty line is left where something was. Time is linear in the text.

use std::ops::Range;

mod block;
mod handle;
mod line;
mod mail;
mod phone;
mod phrases;
mod place;
mod sentence;

use line::Line;

/// A sentence that is longer was not meant as one: only what must go is cut out of it.
const LONG_SENTENCE: usize = 320;
/// Where a sentence leads to a contact, a part of it is worth keeping from so many words on.
const WORTHY: usize = 5;
/// A question before an invitation to call has at most so many words.
const QUESTION: usize = 5;

/// The text without the seller's contact details.
pub(crate) fn without_contacts(text: &str) -> String {
    let mut kept: Vec<String> = Vec::new();
    let mut paragraph: Vec<Line> = Vec::new();
    for line in text.lines().chain([""]) {
        if !line.trim().is_empty() {
            paragraph.push(Line::read(line));
            continue;
        }
        let lines = block::without_blocks(&std::mem::take(&mut paragraph));
        if !lines.is_empty() {
            kept.push(lines.join("\n"));
        }
    }
    kept.join("\n\n")
}

/// What is left of a line that is no part of an address.
fn cleaned(line: &Line) -> String {
    let sentences = sentence::sentences(line);
    let mut kept: Vec<(Range<usize>, String)> = Vec::new();
    for part in sentences {
        let text: String = line.chars.get(part.clone()).unwrap_or_default().iter().collect();
        match without_contact(line, &part) {
            None => kept.push((part, text)),
            Some(rest) => {
                // "Questions?" alone asks for nothing.
                let is_question = |(last, text): &(Range<usize>, String)| {
                    text.trim_end().ends_with(['?', '？'])
                        && line.words(last.clone()).len() <= QUESTION
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

/// What is left of a sentence that leads to a contact; none of another one.
fn without_contact(line: &Line, sentence: &Range<usize>) -> Option<String> {
    let has_detail = line.has_detail_in(sentence);
    let is_long = sentence.len() > LONG_SENTENCE;
    if is_long {
        return has_detail.then(|| cut(line, sentence));
    }
    let asks = phrases::asks(&line.spoken(sentence.clone()));
    if !has_detail && !asks {
        return None;
    }
    let worth = |part: &Range<usize>| {
        let words = line.words(part.clone());
        let says_code = names_code(line, part, &words);
        let is_free = !line.has_detail_in(part) && !phrases::asks(&line.spoken(part.clone()));
        is_free && (says_code || (!asks && words.len() >= WORTHY))
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

/// The parts of a sentence between commas and their like. A detail is never parted.
fn clauses(line: &Line, sentence: &Range<usize>) -> Vec<Range<usize>> {
    let mut clauses = Vec::new();
    let mut start = sentence.start;
    for at in sentence.clone() {
        let c = line.chars.get(at).copied().unwrap_or(' ');
        let next = line.chars.get(at + 1).is_none_or(|c| c.is_whitespace());
        let last =
            at.checked_sub(1).and_then(|at| line.chars.get(at)).is_some_and(|c| c.is_whitespace());
        let parts = match c {
            ',' => next,
            ';' | '|' | '•' | '、' => true,
            '–' | '—' | '-' => next && last,
            '(' | ')' => true,
            _ => false,
        };
        if parts && !line.is_detail(at) {
            clauses.push(start..at);
            start = at + 1;
        }
    }
    clauses.push(start..sentence.end);
    clauses
}

/// Whether a part names the code or the size of something.
fn names_code(line: &Line, part: &Range<usize>, words: &[String]) -> bool {
    let has_digit =
        line.chars.get(part.clone()).unwrap_or_default().iter().any(|c| c.is_ascii_digit());
    let is_size = words.windows(3).any(|three| {
        let number = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
        number(&three[0]) && (three[1] == "x") && number(&three[2])
    });
    has_digit && (is_size || phone::names_code(words))
}

/// A long sentence without the details in it and the words that lead right to them.
fn cut(line: &Line, sentence: &Range<usize>) -> String {
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
