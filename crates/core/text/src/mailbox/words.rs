//! The words for "@" and dot, and a check for them before a scan.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::vocabulary::TermSet;
use crate::word_set;

pub(super) static AT_WORDS: TermSet = word_set!("at_words.txt");
pub(super) static SHORT_AT_WORDS: TermSet = word_set!("at_words_short.txt");
pub(super) static MARKED_AT_WORDS: TermSet = word_set!("at_words_between_marks.txt");
pub(super) static UNAMBIGUOUS_AT_WORDS: TermSet = word_set!("at_words_unambiguous.txt");
pub(super) static NOUN_AT_WORDS: TermSet = word_set!("at_words_nouns.txt");
pub(super) static EVERYDAY_AT_WORDS: TermSet = word_set!("at_words_everyday.txt");
pub(super) static DOT_WORDS: TermSet = word_set!("dot_words.txt");
pub(super) static EVERYDAY_DOT_WORDS: TermSet = word_set!("dot_words_everyday.txt");

/// Maximum length of a word for "@" or dot, in characters.
pub(super) const MAX_WORD: usize = 14;

/// Whether a set contains the word with these letters.
pub(super) fn is_in(set: &TermSet, letters: &[char]) -> bool {
    if letters.len() > MAX_WORD {
        return false;
    }
    let mut bytes = [0; 4 * MAX_WORD];
    let mut length = 0;
    for letter in letters {
        length += letter.encode_utf8(&mut bytes[length..]).len();
    }
    std::str::from_utf8(&bytes[..length]).is_ok_and(|word| set.contains(word))
}

/// All spellings of "@" that the scanner reads, in lower case.
static AT_SIGNS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let mut signs: Vec<String> = ["@", "＠"].map(str::to_owned).into();
    signs.extend(
        UNAMBIGUOUS_AT_WORDS.iter().chain(NOUN_AT_WORDS.iter()).copied().map(str::to_owned),
    );
    for open in ["[", "(", "{", "<", "«"] {
        signs.extend(
            AT_WORDS.iter().flat_map(|word| [format!("{open}{word}"), format!("{open} {word}")]),
        );
    }
    for mark in ["|", "_", "*", "-", "="] {
        let words = MARKED_AT_WORDS.iter().copied().chain(["at"]);
        signs.extend(
            words.flat_map(|word| [format!("{mark}{word}{mark}"), format!("{mark} {word} {mark}")]),
        );
    }
    for word in EVERYDAY_AT_WORDS.iter() {
        for before in SPACES {
            signs.extend(SPACES.map(|after| format!("{before}{word}{after}")));
        }
    }
    AhoCorasick::new(signs).ok()
});

const SPACES: [char; 4] = [' ', '\u{a0}', '\n', '\t'];

/// Whether a text in lower case may contain an address: a cheap check before a scan.
pub fn may_occur_in(text: &str) -> bool {
    AT_SIGNS.as_ref().is_none_or(|signs| signs.is_match(text))
}
