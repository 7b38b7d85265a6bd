//! A part of a text that can be an e-mail address, and what its spelling says.

use std::ops::Range;

use crate::vocabulary::TermSet;
use crate::word_set;

static COMMON_ENDINGS: TermSet = word_set!("common_endings.txt");
static WORDS_BEFORE_POINTS: TermSet = word_set!("words_before_points.txt");

/// How a text writes "@".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtSign {
    /// The character `@`, not a word for it.
    Plain,
    /// A word within brackets: `[at]`.
    Bracketed,
    /// A word with another meaning between marks, or within brackets apart from the local part:
    /// "_affe_".
    Marked,
    /// A word without another meaning.
    Unambiguous,
    /// A common noun, such as the Russian word for a dog.
    Noun,
    /// The word "at" with an upper-case letter: "AT", "At".
    UpperCase,
    /// An everyday word such as "at".
    Everyday,
}

/// A part of a text that can be an e-mail address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailboxCandidate {
    /// The address in lower case.
    pub value: String,
    /// Its position in characters.
    pub span: Range<usize>,
    pub at_sign: AtSign,
    /// A dot of the domain is a word.
    pub has_word_dot: bool,
    /// A dot of the domain is a word without brackets that also occurs in sentences.
    pub has_everyday_dot: bool,
    /// There is white space before a dot of the domain.
    pub has_spaced_dot: bool,
    /// Two dots precede the local part, which may be cut off: "uns...max@firma.de".
    pub follows_dots: bool,
    /// The "@" or a dot is not the character itself, or spaces part the letters.
    pub is_obfuscated: bool,
    /// There are spaces beside a plain "@" or before a dot: the text may be a sentence.
    pub is_loose: bool,
}

impl MailboxCandidate {
    /// The local part and the domain.
    pub fn parts(&self) -> (&str, &str) {
        self.value.split_once('@').unwrap_or_default()
    }

    /// The last label of the domain.
    pub fn ending(&self) -> &str {
        self.value.rsplit('.').next().unwrap_or_default()
    }

    /// Whether the domain ends with a top-level domain.
    pub fn has_known_ending(&self) -> bool {
        is_top_level_domain(self.ending())
    }

    /// Whether the domain ends with a top-level domain that companies commonly use.
    pub fn has_common_ending(&self) -> bool {
        COMMON_ENDINGS.contains(self.ending()) || self.ending().starts_with("xn--")
    }

    /// Whether it is a part of a sentence: "look at this point in time".
    pub fn is_sentence(&self) -> bool {
        let first = self.parts().1.split('.').next().unwrap_or_default();
        self.has_everyday_dot && WORDS_BEFORE_POINTS.contains(first)
    }
}

/// Top-level domains of which the public suffix list has only the second level.
const SECOND_LEVEL_ONLY: [&str; 8] = ["ck", "er", "fk", "jm", "mm", "np", "pg", "za"];

/// Whether a label in lower case is a top-level domain, or one that is reserved (RFC 2606).
pub fn is_top_level_domain(label: &str) -> bool {
    matches!(label, "example" | "invalid" | "localhost" | "test")
        || label.starts_with("xn--")
        || SECOND_LEVEL_ONLY.contains(&label)
        || psl::suffix(label.as_bytes()).is_some_and(|suffix| suffix.typ().is_some())
}
