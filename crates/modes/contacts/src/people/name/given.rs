//! Given names of the eight supported languages, of their neighbours and of Asia, folded.

use super::fold;
use text::vocabulary::TermSet;

static AMBIGUOUS: TermSet = word_set!("given_names/ambiguous.txt", "given_names/registers.txt");

static GIVEN_NAMES: TermSet = word_set!(
    "given_names/asian.txt",
    "given_names/dutch.txt",
    "given_names/english.txt",
    "given_names/french.txt",
    "given_names/german.txt",
    "given_names/italian.txt",
    "given_names/neighbours.txt",
    "given_names/polish.txt",
    "given_names/registers.txt",
    "given_names/portuguese.txt",
    "given_names/spanish.txt",
);

/// How well a word is known as a given name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GivenNameMatch {
    Unknown,
    /// A given name that is also a common word.
    Ambiguous,
    Known,
}

/// How well a word is known. For a double name, its best known part counts.
pub(in crate::people) fn given_name_match(word: &str) -> GivenNameMatch {
    let folded = fold(word);
    let one = |part: &str| match part {
        part if !GIVEN_NAMES.contains(part) => GivenNameMatch::Unknown,
        part if AMBIGUOUS.contains(part) => GivenNameMatch::Ambiguous,
        _ => GivenNameMatch::Known,
    };
    match one(&folded) {
        GivenNameMatch::Unknown => {
            folded.split('-').map(one).max().unwrap_or(GivenNameMatch::Unknown)
        }
        found => found,
    }
}

pub(super) fn is_given(word: &str) -> bool {
    given_name_match(word) > GivenNameMatch::Unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_name_lists_are_folded_and_bounded() {
        assert!((5_000..25_000).contains(&GIVEN_NAMES.len()), "{}", GIVEN_NAMES.len());
        for name in GIVEN_NAMES.iter() {
            assert!(name.bytes().all(|byte| byte.is_ascii_lowercase()), "{name}");
            assert!((2..=18).contains(&name.len()), "{name}");
        }
    }

    #[test]
    fn given_names_match_without_accents_and_case() {
        for name in ["Jürgen", "JÜRGEN", "Łukasz", "Conceição", "Hans-Peter", "Ayşe", "Søren"]
        {
            assert!(is_given(name), "{name}");
        }
        for word in ["Telefon", "Kontakt", "Strasse", "Mehr", "Unser", "Komfort"] {
            assert!(!is_given(word), "{word}");
        }
        assert_eq!(given_name_match("April"), GivenNameMatch::Ambiguous);
    }
}
