//! Vocabularies: word lists and tables under the `data/` folder of a crate, compiled into it and
//! parsed once.
//!
//! A line that begins with `#` is a comment. A word list has several words per line, a phrase
//! list one phrase per line, a table columns with tabs between them.
//!
//! A file has one topic and the words of all languages: a reader does not know the language of a
//! line, and a word counts in each of them. Long lists have a file per language
//! (`departments/german.txt`). Each file names its source.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use hashbrown::HashSet;

pub type TermSet = LazyLock<HashSet<&'static str>>;
pub type TermList = LazyLock<Vec<&'static str>>;
pub type TermTable<const COLUMNS: usize> = LazyLock<Vec<[&'static str; COLUMNS]>>;

/// The text of a file under the `data/` folder of the crate that calls it.
#[macro_export]
macro_rules! term_file {
    ($file:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/", $file))
    };
}

/// A [`TermSet`](crate::vocabulary::TermSet) of the words of one or several files.
#[macro_export]
macro_rules! word_set {
    ($($file:literal),+ $(,)?) => {
        std::sync::LazyLock::new(|| {
            [$($crate::term_file!($file)),+]
                .into_iter()
                .flat_map($crate::vocabulary::words)
                .collect()
        })
    };
}

/// A [`TermSet`](crate::vocabulary::TermSet) of the phrases of one or several files.
#[macro_export]
macro_rules! phrase_set {
    ($($file:literal),+ $(,)?) => {
        std::sync::LazyLock::new(|| {
            [$($crate::term_file!($file)),+]
                .into_iter()
                .flat_map($crate::vocabulary::entries)
                .collect()
        })
    };
}

/// A [`TermList`](crate::vocabulary::TermList) of the phrases of a file, in their order.
#[macro_export]
macro_rules! phrase_list {
    ($file:literal) => {
        std::sync::LazyLock::new(|| {
            $crate::vocabulary::entries($crate::term_file!($file)).collect()
        })
    };
}

/// A [`TermList`](crate::vocabulary::TermList) of the words of a file, in their order.
#[macro_export]
macro_rules! word_list {
    ($file:literal) => {
        std::sync::LazyLock::new(|| $crate::vocabulary::words($crate::term_file!($file)).collect())
    };
}

/// A [`TermTable`](crate::vocabulary::TermTable) of the rows of a file, in their order.
#[macro_export]
macro_rules! term_table {
    ($file:literal) => {
        std::sync::LazyLock::new(|| $crate::vocabulary::rows($crate::term_file!($file)))
    };
}

/// The entries of a table whose first column is `$group`, as a
/// [`TermSet`](crate::vocabulary::TermSet) or a [`TermList`](crate::vocabulary::TermList).
#[macro_export]
macro_rules! term_group {
    ($file:literal, $group:literal) => {
        std::sync::LazyLock::new(|| {
            $crate::vocabulary::group($crate::term_file!($file), $group).collect()
        })
    };
}

/// The entries of a file: lines without comments and blank lines.
pub fn entries(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The words of a file, separated by white space.
pub fn words(file: &'static str) -> impl Iterator<Item = &'static str> {
    entries(file).flat_map(str::split_ascii_whitespace)
}

/// The rows of a table. Missing columns are empty.
pub fn rows<const COLUMNS: usize>(file: &'static str) -> Vec<[&'static str; COLUMNS]> {
    let row = |line: &'static str| {
        let mut cells = line.split('\t');
        std::array::from_fn(|_| cells.next().unwrap_or_default())
    };
    entries(file).map(row).collect()
}

/// The first column of each row of a table, and the rest of its line.
pub fn keyed(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    entries(file).filter_map(|line| line.split_once('\t'))
}

/// The rows of a table whose first column is `name`, without that column.
pub fn group(file: &'static str, name: &str) -> impl Iterator<Item = &'static str> {
    keyed(file).filter(move |(group, _)| *group == name).map(|(_, entry)| entry)
}

/// Finds the longest phrase at each place. `None` if the automaton exceeds its size limits.
pub fn longest_matcher<P: AsRef<[u8]>>(
    phrases: impl IntoIterator<Item = P>,
) -> Option<AhoCorasick> {
    AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(phrases).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_are_skipped() {
        let file = "# A comment.\none two\n\n three\n";
        assert_eq!(entries(file).collect::<Vec<_>>(), ["one two", "three"]);
        assert_eq!(words(file).collect::<Vec<_>>(), ["one", "two", "three"]);
    }

    #[test]
    fn missing_columns_of_a_table_are_empty() {
        assert_eq!(rows::<2>("# Code, name.\nDE\tgermany\nAT\n"), [["DE", "germany"], ["AT", ""]]);
        let file = "DE\tgermany\nAT\nDE\tdeutschland\n";
        assert_eq!(group(file, "DE").collect::<Vec<_>>(), ["germany", "deutschland"]);
    }
}
