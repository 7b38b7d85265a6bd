//! A line of text by its characters, with the positions of the contact details in it.

use std::ops::Range;

/// A line and the contact details in it. All ranges count characters.
#[derive(Debug)]
pub(super) struct ScannedLine {
    pub chars: Vec<char>,
    /// The characters in lower case, one for one.
    pub lower: Vec<char>,
    /// Contact details, sorted and disjoint.
    pub details: Vec<Range<usize>>,
    /// A street with a house number.
    pub street: Option<Range<usize>>,
    /// A town with its postal code.
    pub town: Option<Range<usize>>,
}

impl ScannedLine {
    /// A line in which nothing has been looked for.
    pub fn new(text: &str) -> Self {
        let chars: Vec<char> = text.trim().chars().collect();
        let lower = chars.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
        Self { chars, lower, details: Vec::new(), street: None, town: None }
    }

    /// The words of a part of the line, in lower case.
    pub fn words(&self, part: Range<usize>) -> Vec<String> {
        let part = self.lower.get(part).unwrap_or_default();
        let words = part.split(|c| !c.is_alphanumeric());
        words.filter(|word| !word.is_empty()).map(|word| word.iter().collect()).collect()
    }

    /// A part of the line in lower case, with single spaces and straight apostrophes.
    pub fn normalized(&self, part: Range<usize>) -> String {
        let part = self.lower.get(part).unwrap_or_default();
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

    /// The details that overlap a part of the line.
    pub fn details_in(&self, part: &Range<usize>) -> &[Range<usize>] {
        let first = self.details.partition_point(|detail| detail.end <= part.start);
        let rest = self.details.get(first..).unwrap_or_default();
        let count = rest.partition_point(|detail| detail.start < part.end);
        rest.get(..count).unwrap_or_default()
    }

    pub fn has_detail_in(&self, part: &Range<usize>) -> bool {
        !self.details_in(part).is_empty()
    }

    /// Whether the character at this position belongs to a detail.
    pub fn is_detail(&self, at: usize) -> bool {
        self.has_detail_in(&(at..at + 1))
    }

    /// Whether the line is short enough for a line of an address or a name above one.
    pub fn is_short(&self) -> bool {
        self.chars.len() <= 80
    }
}
