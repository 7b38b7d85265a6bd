//! Phrases by what they mean, found in a text by one pass over it.

use aho_corasick::{AhoCorasick, MatchKind};
use hashbrown::HashMap;

/// Phrases in groups; the first group that a text has a phrase of is what it says.
#[derive(Debug)]
pub(super) struct Lexicon {
    automaton: Option<AhoCorasick>,
    groups: Vec<usize>,
    whole: HashMap<&'static str, usize>,
}

impl Lexicon {
    /// Groups of phrases that are parted by bars.
    pub fn of(phrases: impl IntoIterator<Item = &'static str>) -> Self {
        let mut groups = Vec::new();
        let mut patterns = Vec::new();
        let mut whole = HashMap::new();
        for (group, list) in phrases.into_iter().enumerate() {
            for phrase in list.split('|').map(str::trim).filter(|phrase| !phrase.is_empty()) {
                groups.push(group);
                patterns.push(phrase);
                whole.entry(phrase).or_insert(group);
            }
        }
        let automaton =
            AhoCorasick::builder().match_kind(MatchKind::Standard).build(&patterns).ok();
        Self { automaton, groups, whole }
    }

    /// The first group of which the text has a phrase, as words of its own.
    pub fn said(&self, text: &str) -> Option<usize> {
        let found = self.automaton.as_ref()?.find_overlapping_iter(text);
        let stands = found.filter(|found| stands_alone(text, found.start(), found.end()));
        stands.map(|found| self.groups[found.pattern().as_usize()]).min()
    }

    /// The group whose phrase the text is.
    pub fn is(&self, text: &str) -> Option<usize> {
        self.whole.get(text).copied()
    }
}

/// Whether no letter goes on before or behind. Scripts without spaces have no such ends.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let is_letter = |letter: Option<char>| {
        letter.is_some_and(|letter| letter.is_alphanumeric() && letter < '\u{3000}')
    };
    let (before, rest) = text.split_at_checked(start).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
    let begins = !is_letter(before.chars().next_back()) || !is_letter(rest.chars().next());
    let last = text.get(..end).and_then(|text| text.chars().next_back());
    begins && (!is_letter(last) || !is_letter(after.chars().next()))
}

/// A text in small letters with single spaces, without the signs around it.
pub(super) fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut gap = false;
    for letter in text.chars() {
        if letter.is_whitespace() {
            gap = !folded.is_empty();
            continue;
        }
        if gap {
            folded.push(' ');
            gap = false;
        }
        folded.extend(letter.to_lowercase());
    }
    let is_edge = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '°' | '%' | '#');
    folded.trim_matches(is_edge).to_owned()
}
