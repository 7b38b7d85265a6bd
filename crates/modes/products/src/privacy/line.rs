//! A line of text by its characters, with the contact details in it.

use std::ops::Range;

use super::{handle, mail, phone, place};

/// A line that was looked through.
#[derive(Debug)]
pub(super) struct Line {
    pub chars: Vec<char>,
    /// The same in small letters, character by character.
    pub small: Vec<char>,
    /// Where contact details stand, in their order, none within another.
    pub details: Vec<Range<usize>>,
    /// It holds a street with its number, or a town with its code.
    pub street: Option<Range<usize>>,
    pub town: Option<Range<usize>>,
}

impl Line {
    pub fn read(text: &str) -> Self {
        let chars: Vec<char> = text.trim().chars().collect();
        let small = chars.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
        let mut line = Self { chars, small, details: Vec::new(), street: None, town: None };
        let text: String = line.small.iter().collect();
        let has_digit = line.chars.iter().any(|c| c.is_numeric());
        // Most lines have none, and say so at the first look.
        let mut details = Vec::new();
        if mail::may_hold(&text) {
            details.extend(mail::mails(&line));
        }
        if handle::may_hold(&text) {
            details.extend(handle::handles(&line));
        }
        details.extend(phone::phones(&line, has_digit));
        if has_digit {
            (line.street, line.town) = place::place(&line);
        }
        if let (Some(street), Some(town)) = (&line.street, &line.town) {
            // Both together are an address, in whatever order.
            details.push(street.start.min(town.start)..street.end.max(town.end));
        }
        line.details = joined(details);
        line
    }

    /// The words of a part of the line, in small letters.
    pub fn words(&self, part: Range<usize>) -> Vec<String> {
        let part = self.small.get(part).unwrap_or_default();
        let words = part.split(|c| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty()).map(|word| word.iter().collect()).collect()
    }

    /// A part of the line in small letters, every gap one space, apostrophes straight.
    pub fn spoken(&self, part: Range<usize>) -> String {
        let part = self.small.get(part).unwrap_or_default();
        let mut text = String::with_capacity(part.len());
        for &c in part {
            let c = if matches!(c, '’' | '‘' | '´') { '\'' } else { c };
            if !c.is_whitespace() {
                text.push(c);
            } else if !text.ends_with(' ') {
                text.push(' ');
            }
        }
        text
    }

    /// The details that touch a part of the line.
    pub fn details_in(&self, part: &Range<usize>) -> &[Range<usize>] {
        let first = self.details.partition_point(|detail| detail.end <= part.start);
        let rest = self.details.get(first..).unwrap_or_default();
        let count = rest.partition_point(|detail| detail.start < part.end);
        rest.get(..count).unwrap_or_default()
    }

    pub fn has_detail_in(&self, part: &Range<usize>) -> bool {
        !self.details_in(part).is_empty()
    }

    /// Whether the character at a place belongs to a detail.
    pub fn is_detail(&self, at: usize) -> bool {
        self.has_detail_in(&(at..at + 1))
    }

    /// Whether it could be a line of an address or a name over one.
    pub fn is_short(&self) -> bool {
        self.chars.len() <= 80
    }
}

/// Ranges in their order, those that touch made one.
fn joined(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => joined.push(range),
        }
    }
    joined
}
