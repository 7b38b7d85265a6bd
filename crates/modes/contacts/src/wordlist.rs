//! Lists of words, written as running text and asked in one step.

use std::sync::LazyLock;

use hashbrown::HashSet;

/// The words of a list.
pub(crate) type Wordlist = LazyLock<HashSet<&'static str>>;

/// The words of a text that spaces part.
pub(crate) fn words(text: &'static str) -> HashSet<&'static str> {
    text.split_ascii_whitespace().collect()
}

/// Phrases of a text, one a line.
pub(crate) fn phrases(text: &'static str) -> Vec<&'static str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}
