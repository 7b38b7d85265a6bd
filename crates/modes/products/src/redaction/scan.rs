//! Finds the contact details of a line.

use std::ops::Range;

use super::line::ScannedLine;
use super::{email, messenger, phone, postal_address};

/// Scans a line for e-mail addresses, messengers, telephone numbers and postal addresses.
pub(super) fn scan(text: &str) -> ScannedLine {
    let mut line = ScannedLine::new(text);
    let lower: String = line.lower.iter().collect();
    let has_digit = line.chars.iter().any(|c| c.is_numeric());
    let mut details = Vec::new();
    // Most lines have no details; one pass of a matcher excludes them.
    if email::may_occur_in(&lower) {
        details.extend(email::addresses(text.trim()));
    }
    if messenger::may_occur_in(&lower) {
        details.extend(messenger::handles(&line));
    }
    details.extend(phone::numbers(&line, has_digit));
    if has_digit {
        (line.street, line.town) = postal_address::street_and_town(&line);
    }
    if let (Some(street), Some(town)) = (&line.street, &line.town) {
        // Both together are an address, in either order.
        details.push(street.start.min(town.start)..street.end.max(town.end));
    }
    line.details = merged(details);
    line
}

/// The ranges sorted, with those that touch merged into one.
fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => merged.push(range),
        }
    }
    merged
}
