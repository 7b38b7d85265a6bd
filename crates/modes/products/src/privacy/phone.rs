//! Telephone numbers, and what looks like one and is a code, a size or a date.
//!
//! A number is a telephone number by what stands before it or by its shape; a word that names
//! a code before it outweighs the shape.

use std::ops::Range;

use super::line::Line;

mod label;
mod shape;
mod spelled;

use label::Label;
use shape::Shape;

/// The telephone numbers of a line.
pub(super) fn phones(line: &Line, has_digit: bool) -> Vec<Range<usize>> {
    let mut found = spelled::phones(line);
    if !has_digit {
        return found;
    }
    let invites = super::phrases::invites(&line.spoken(0..line.chars.len().min(INVITING)));
    let mut at = 0;
    while let Some(shape) = Shape::next(line, at) {
        at = shape.part.end;
        if is_phone(line, &shape, invites) {
            found.push(shape.part);
        }
    }
    found
}

/// How much of a line is asked whether it invites to call.
const INVITING: usize = 600;

fn is_phone(line: &Line, shape: &Shape, invites: bool) -> bool {
    if shape.is_date() || shape.is_measured(line) {
        return false;
    }
    let count = shape.digits.len();
    match Label::before(line, shape.part.start) {
        Label::Phone => (5..=16).contains(&count),
        Label::Code => shape.has_plus && (10..=16).contains(&count),
        Label::Call => {
            let is_area = shape.digits.starts_with('0') && count >= 8;
            (6..=16).contains(&count) && (invites && count >= 7 || is_area || shape.looks_dialled())
        }
        Label::None if invites && !shape.is_article_number() && count >= 7 => true,
        Label::None => shape.looks_dialled(),
    }
}

/// Whether the words name a code.
pub(super) fn names_code(words: &[String]) -> bool {
    words.iter().any(|word| label::is_code(word))
}

/// Whether a word names a telephone.
pub(super) fn is_label(word: &str) -> bool {
    label::is_phone(word)
}

/// A text without the words at its end that lead to a number: "Tel.:", "call us at".
pub(super) fn without_label(text: &str) -> &str {
    let mut rest = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let mut kept = text;
    loop {
        let start = rest.rfind(|c: char| !c.is_alphanumeric()).map_or(0, |at| at + 1);
        let start = rest.ceil_char_boundary(start);
        let word = rest.get(start..).unwrap_or_default().to_lowercase();
        if word.is_empty() || !label::leads(&word) {
            return kept;
        }
        rest =
            rest.get(..start).unwrap_or_default().trim_end_matches(|c: char| !c.is_alphanumeric());
        kept = rest;
    }
}
