//! Vocabularies: word lists and tables under `data/`, compiled into the crate and parsed once.
//!
//! A line that begins with `#` is a comment. A word list has several words per line, a phrase
//! list one phrase per line, a table columns with tabs between them.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use hashbrown::HashSet;

pub(crate) type TermSet = LazyLock<HashSet<&'static str>>;
pub(crate) type TermList = LazyLock<Vec<&'static str>>;
pub(crate) type TermTable<const COLUMNS: usize> = LazyLock<Vec<[&'static str; COLUMNS]>>;

/// The text of a file under `data/`.
macro_rules! data {
    ($file:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/", $file))
    };
}

/// A [`TermSet`] of the words of one or several files.
macro_rules! word_set {
    ($($file:literal),+ $(,)?) => {
        std::sync::LazyLock::new(|| {
            [$(data!($file)),+].into_iter().flat_map($crate::vocabulary::words).collect()
        })
    };
}

/// A [`TermSet`] of the phrases of one or several files.
macro_rules! phrase_set {
    ($($file:literal),+ $(,)?) => {
        std::sync::LazyLock::new(|| {
            [$(data!($file)),+].into_iter().flat_map($crate::vocabulary::entries).collect()
        })
    };
}

/// A [`TermList`] of the phrases of a file, in their order.
macro_rules! phrase_list {
    ($file:literal) => {
        std::sync::LazyLock::new(|| $crate::vocabulary::entries(data!($file)).collect())
    };
}

/// A [`TermTable`] of the rows of a file, in their order.
macro_rules! table {
    ($file:literal) => {
        std::sync::LazyLock::new(|| $crate::vocabulary::rows(data!($file)))
    };
}

/// The entries of a file: lines without comments and blank lines.
pub(crate) fn entries(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The words of a file, separated by white space.
pub(crate) fn words(text: &'static str) -> impl Iterator<Item = &'static str> {
    entries(text).flat_map(str::split_ascii_whitespace)
}

/// The rows of a table. Missing columns are empty.
pub(crate) fn rows<const COLUMNS: usize>(text: &'static str) -> Vec<[&'static str; COLUMNS]> {
    let row = |line: &'static str| {
        let mut cells = line.split('\t');
        std::array::from_fn(|_| cells.next().unwrap_or_default())
    };
    entries(text).map(row).collect()
}

/// Finds the longest phrase at each place. `None` if the automaton exceeds its size limits.
pub(crate) fn longest_matcher<P: AsRef<[u8]>>(
    phrases: impl IntoIterator<Item = P>,
) -> Option<AhoCorasick> {
    AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(phrases).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_are_skipped() {
        let text = "# A comment.\none two\n\n three\n";
        assert_eq!(entries(text).collect::<Vec<_>>(), ["one two", "three"]);
        assert_eq!(words(text).collect::<Vec<_>>(), ["one", "two", "three"]);
    }

    #[test]
    fn missing_columns_of_a_table_are_empty() {
        assert_eq!(rows::<2>("# Code, name.\nDE\tgermany\nAT\n"), [["DE", "germany"], ["AT", ""]]);
    }
}
