//! Finds phrases of several groups in a text, in one pass over it.

use aho_corasick::{AhoCorasick, MatchKind};
use hashbrown::HashMap;

use crate::vocabulary;

/// Phrases in groups. If a text has phrases of several groups, the first group wins.
#[derive(Debug)]
pub(crate) struct PhraseMatcher<T> {
    automaton: Option<AhoCorasick>,
    /// The group of each pattern of the automaton.
    group_of_pattern: Vec<usize>,
    group_of_phrase: HashMap<&'static str, usize>,
    /// What each group means.
    meanings: Vec<T>,
}

impl<T: Copy> PhraseMatcher<T> {
    /// Builds a matcher of a vocabulary file whose first column names a group. `groups` gives the
    /// order of the groups and what each of them means.
    pub fn of_groups(file: &'static str, groups: &[(&str, T)]) -> Self {
        let phrases = groups.iter().enumerate().flat_map(|(at, (name, _))| {
            vocabulary::group(file, name).map(move |phrase| (at, phrase))
        });
        Self::build(phrases, groups.iter().map(|(_, meaning)| *meaning).collect())
    }

    fn build(phrases: impl Iterator<Item = (usize, &'static str)>, meanings: Vec<T>) -> Self {
        let (mut group_of_pattern, mut patterns) = (Vec::new(), Vec::new());
        let mut group_of_phrase = HashMap::new();
        for (group, phrase) in phrases {
            group_of_pattern.push(group);
            patterns.push(phrase);
            group_of_phrase.entry(phrase).or_insert(group);
        }
        let automaton =
            AhoCorasick::builder().match_kind(MatchKind::Standard).build(&patterns).ok();
        Self { automaton, group_of_pattern, group_of_phrase, meanings }
    }

    /// The meaning of the first group that has a phrase in the text, at word boundaries.
    pub fn find_in(&self, text: &str) -> Option<T> {
        let found = self.automaton.as_ref()?.find_overlapping_iter(text);
        let whole = found.filter(|found| is_at_word_boundaries(text, found.start(), found.end()));
        let group = whole.map(|found| self.group_of_pattern[found.pattern().as_usize()]).min()?;
        self.meanings.get(group).copied()
    }

    /// The meaning of the group that has exactly this phrase.
    pub fn of_phrase(&self, text: &str) -> Option<T> {
        self.group_of_phrase.get(text).and_then(|group| self.meanings.get(*group).copied())
    }
}

impl PhraseMatcher<()> {
    /// Builds a matcher of a vocabulary file with one column.
    pub fn of_words(file: &'static str) -> Self {
        Self::build(vocabulary::entries(file).map(|phrase| (0, phrase)), vec![()])
    }
}

/// Whether no letter continues the match before or after it. Letters from U+3000 on belong to
/// scripts that are written without spaces.
fn is_at_word_boundaries(text: &str, start: usize, end: usize) -> bool {
    let is_letter = |letter: Option<char>| {
        letter.is_some_and(|letter| letter.is_alphanumeric() && letter < '\u{3000}')
    };
    let (before, rest) = text.split_at_checked(start).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
    let begins = !is_letter(before.chars().next_back()) || !is_letter(rest.chars().next());
    let last = text.get(..end).and_then(|text| text.chars().next_back());
    begins && (!is_letter(last) || !is_letter(after.chars().next()))
}

/// The text in lower case with single spaces, without punctuation at its ends.
pub(crate) fn normalized(text: &str) -> String {
    let mut normalized = String::with_capacity(text.len());
    let mut gap = false;
    for letter in text.chars() {
        if letter.is_whitespace() {
            gap = !normalized.is_empty();
            continue;
        }
        if gap {
            normalized.push(' ');
            gap = false;
        }
        normalized.extend(letter.to_lowercase());
    }
    let is_edge = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '°' | '%' | '#');
    normalized.trim_matches(is_edge).to_owned()
}
