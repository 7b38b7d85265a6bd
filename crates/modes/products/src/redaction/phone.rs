//! Detects telephone numbers and excludes codes, sizes and dates that look like one.
//!
//! The label before a number or its format makes it a telephone number. A label that names a code
//! outweighs the format.

use std::ops::Range;

use super::contact_phrases::invites_to_call;
use super::line::ScannedLine;

mod digit_run;
mod number_label;
mod spelled_out;

use digit_run::DigitRun;
use number_label::NumberLabel;

/// The positions of the telephone numbers in a line.
pub(super) fn numbers(line: &ScannedLine, has_digit: bool) -> Vec<Range<usize>> {
    let mut found = spelled_out::numbers(line);
    if !has_digit {
        return found;
    }
    let invites = invites_to_call(&line.normalized(0..line.chars.len().min(MAX_INVITATION)));
    let mut at = 0;
    while let Some(run) = DigitRun::next(line, at) {
        at = run.range.end;
        if is_phone(line, &run, invites) {
            found.push(run.range);
        }
    }
    found
}

/// How many characters of a line are searched for an invitation to call.
const MAX_INVITATION: usize = 600;

fn is_phone(line: &ScannedLine, run: &DigitRun, invites: bool) -> bool {
    if run.is_date() || run.is_measured(line) {
        return false;
    }
    let count = run.digits.len();
    match NumberLabel::before(line, run.range.start) {
        NumberLabel::Phone => (5..=16).contains(&count),
        NumberLabel::Code => run.has_plus && (10..=16).contains(&count),
        NumberLabel::Call => {
            let is_area = run.digits.starts_with('0') && count >= 8;
            (6..=16).contains(&count)
                && (invites && count >= 7 || is_area || run.has_phone_format())
        }
        NumberLabel::None if invites && !run.is_article_number() && count >= 7 => true,
        NumberLabel::None => run.has_phone_format(),
    }
}

/// Whether one of the words names a code.
pub(super) fn names_code(words: &[String]) -> bool {
    words.iter().any(|word| number_label::names_code(word))
}

/// Whether a word is a label of a telephone number.
pub(super) fn is_label(word: &str) -> bool {
    number_label::names_phone(word)
}

/// A text without the words at its end that lead to a number: "Tel.:", "call us at".
pub(super) fn without_label(text: &str) -> &str {
    let mut rest = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let mut kept = text;
    loop {
        let start = rest.rfind(|c: char| !c.is_alphanumeric()).map_or(0, |at| at + 1);
        let start = rest.ceil_char_boundary(start);
        let word = rest.get(start..).unwrap_or_default().to_lowercase();
        if word.is_empty() || !number_label::leads_to_number(&word) {
            return kept;
        }
        rest =
            rest.get(..start).unwrap_or_default().trim_end_matches(|c: char| !c.is_alphanumeric());
        kept = rest;
    }
}
