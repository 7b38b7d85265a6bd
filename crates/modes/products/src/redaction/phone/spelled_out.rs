//! Detects telephone numbers spelled out in words: "null eins sieben eins …".

use std::ops::Range;

use text::vocabulary::TermSet;

use crate::redaction::line::ScannedLine;

static DIGITS: TermSet = phrase_set!("digit_words.txt");

/// The minimum number of digits; shorter sequences are counts.
const MIN_DIGITS: usize = 6;

/// The positions of spelled-out numbers in a line. A few figures may occur among the words.
pub(super) fn numbers(line: &ScannedLine) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut run: Option<(Range<usize>, usize, usize)> = None;
    let mut finish = |run: Option<(Range<usize>, usize, usize)>| {
        let long =
            run.filter(|(_, count, spelled)| *count >= MIN_DIGITS && *spelled >= MIN_DIGITS - 2);
        found.extend(long.map(|(part, ..)| part));
    };
    let mut at = 0;
    while at < line.lower.len() {
        let is_word = |c: &char| c.is_alphanumeric();
        let rest = line.lower.get(at..).unwrap_or_default();
        let length = rest.iter().take_while(|c| is_word(c)).count();
        if length == 0 {
            // The end of a sentence also ends a number.
            if rest.first().is_some_and(|c| !matches!(c, ' ' | '-' | ',' | '.' | '/' | '\u{a0}')) {
                finish(run.take());
            }
            at += 1;
            continue;
        }
        let word: String = rest.iter().take(length.min(12)).collect();
        let is_spelled = DIGITS.contains(word.as_str());
        let is_figure = length <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
        if is_spelled || is_figure {
            let (part, count, spelled) = run.unwrap_or((at..at, 0, 0));
            run = Some((part.start..at + length, count + 1, spelled + usize::from(is_spelled)));
        } else {
            finish(run.take());
        }
        at += length;
    }
    finish(run);
    found
}
