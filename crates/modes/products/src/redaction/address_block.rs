//! Blocks of lines that form an address: name, street, town, telephone numbers.

use super::contact_phrases;
use super::line::ScannedLine;

/// The maximum number of words of the name above an address.
const MAX_NAME_WORDS: usize = 6;

/// By line of a paragraph, whether it is part of an address.
pub(super) fn lines_in_blocks(lines: &[ScannedLine]) -> Vec<bool> {
    let mut in_block = vec![false; lines.len()];
    if lines.len() < 2 {
        return in_block;
    }
    let is_detail =
        |line: &ScannedLine| line.is_short() && !line.details.is_empty() && is_mostly_detail(line);
    let is_place =
        |line: &ScannedLine| line.is_short() && (line.street.is_some() || line.town.is_some());
    let near = |at: usize, what: &dyn Fn(&ScannedLine) -> bool| {
        let before = at.checked_sub(1).and_then(|at| lines.get(at));
        before.is_some_and(what) || lines.get(at + 1).is_some_and(what)
    };
    for (at, line) in lines.iter().enumerate() {
        let other_half = |other: &ScannedLine| {
            (line.street.is_some() && other.town.is_some())
                || (line.town.is_some() && other.street.is_some())
        };
        in_block[at] = is_detail(line)
            || (is_place(line)
                && (near(at, &is_detail)
                    || near(at, &|other| is_place(other) && other_half(other))));
    }
    let Some(first) = in_block.iter().position(|in_block| *in_block) else { return in_block };
    let last = in_block.iter().rposition(|in_block| *in_block).unwrap_or(first);
    let inside = || lines.get(first..=last).unwrap_or_default();
    let has_place = inside().iter().any(is_place);
    // A short line between two lines of an address belongs to it.
    let is_between = |line: &ScannedLine| line.is_short() && words(line) <= MAX_NAME_WORDS;
    if has_place && inside().iter().zip(first..).all(|(line, at)| in_block[at] || is_between(line))
    {
        in_block[first..=last].fill(true);
    }
    let all_others = last + 1 == lines.len() && in_block[first..].iter().all(|in_block| *in_block);
    let is_name = |line: &ScannedLine| {
        let has_digit = line.chars.iter().any(char::is_ascii_digit);
        words(line) <= MAX_NAME_WORDS && !has_digit && !line.chars.ends_with(&['.'])
    };
    // A name as the first line of the paragraph, right above the address, belongs to it.
    if first == 1 && lines.len() > 2 && all_others && lines.first().is_some_and(is_name) {
        in_block[0] = true;
    }
    in_block
}

fn words(line: &ScannedLine) -> usize {
    line.words(0..line.chars.len()).len()
}

/// Whether a line has little text besides its details.
fn is_mostly_detail(line: &ScannedLine) -> bool {
    let detail: usize = line.details.iter().map(ExactSizeIterator::len).sum();
    let letters = line.chars.iter().filter(|c| c.is_alphanumeric()).count();
    letters <= detail + 24
        && (words(line) <= 12
            || contact_phrases::asks_for_contact(&line.normalized(0..line.chars.len())))
        && !line.chars.ends_with(&['.'])
}
