//! Blocks of lines that are an address: the name, the street, the town, the numbers.

use super::line::Line;
use super::{cleaned, phrases};

/// A name over an address has at most so many words.
const NAME_WORDS: usize = 6;

/// The lines of a paragraph that are left, each cleaned.
pub(super) fn without_blocks(lines: &[Line]) -> Vec<String> {
    let goes = blocks(lines);
    let kept = lines.iter().zip(goes).filter(|(_, goes)| !goes);
    kept.map(|(line, _)| cleaned(line)).filter(|line| !line.is_empty()).collect()
}

/// Which lines are part of an address.
fn blocks(lines: &[Line]) -> Vec<bool> {
    let mut goes = vec![false; lines.len()];
    if lines.len() < 2 {
        return goes;
    }
    let is_detail =
        |line: &Line| line.is_short() && !line.details.is_empty() && is_mostly_detail(line);
    let is_place = |line: &Line| line.is_short() && (line.street.is_some() || line.town.is_some());
    let near = |at: usize, what: &dyn Fn(&Line) -> bool| {
        let before = at.checked_sub(1).and_then(|at| lines.get(at));
        before.is_some_and(what) || lines.get(at + 1).is_some_and(what)
    };
    for (at, line) in lines.iter().enumerate() {
        let other_half = |other: &Line| {
            (line.street.is_some() && other.town.is_some())
                || (line.town.is_some() && other.street.is_some())
        };
        goes[at] = is_detail(line)
            || (is_place(line)
                && (near(at, &is_detail)
                    || near(at, &|other| is_place(other) && other_half(other))));
    }
    let Some(first) = goes.iter().position(|goes| *goes) else { return goes };
    let last = goes.iter().rposition(|goes| *goes).unwrap_or(first);
    let inside = || lines.get(first..=last).unwrap_or_default();
    let has_place = inside().iter().any(is_place);
    // A town or a name between the street and the numbers.
    let is_between = |line: &Line| line.is_short() && words(line) <= NAME_WORDS;
    if has_place && inside().iter().zip(first..).all(|(line, at)| goes[at] || is_between(line)) {
        goes[first..=last].fill(true);
    }
    let all_others = last + 1 == lines.len() && goes[first..].iter().all(|goes| *goes);
    let is_name = |line: &Line| {
        let has_digit = line.chars.iter().any(char::is_ascii_digit);
        words(line) <= NAME_WORDS && !has_digit && !line.chars.ends_with(&['.'])
    };
    // Right above an address, and first in its paragraph, stands whose it is.
    if first == 1 && lines.len() > 2 && all_others && lines.first().is_some_and(is_name) {
        goes[0] = true;
    }
    goes
}

fn words(line: &Line) -> usize {
    line.words(0..line.chars.len()).len()
}

/// Whether a line says little beside its details.
fn is_mostly_detail(line: &Line) -> bool {
    let detail: usize = line.details.iter().map(ExactSizeIterator::len).sum();
    let letters = line.chars.iter().filter(|c| c.is_alphanumeric()).count();
    letters <= detail + 24
        && (words(line) <= 12 || phrases::asks(&line.spoken(0..line.chars.len())))
        && !line.chars.ends_with(&['.'])
}
