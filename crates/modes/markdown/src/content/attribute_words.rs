//! Words of classes, ids and roles, interned per page.
//!
//! Pages repeat the same few hundred attribute values on thousands of elements, so that each
//! distinct value is tokenized once.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use hashbrown::HashMap;
use text::vocabulary;

use super::word_hash::WordHash;

/// Maximum bytes and words that are read of a value.
const MAX_BYTES: usize = 300;
const MAX_WORDS: usize = 24;

named_enum! {
    /// Groups of words in the attributes of boilerplate and content.
    #[derive(Debug, Clone, Copy)]
    pub(crate) enum AttributeFamily {
        Navigation = "navigation",
        Footer = "footer",
        Comment = "comment",
        Related = "related",
        Consent = "consent",
        Share = "share",
        Card = "card",
        Review = "review",
        Tab = "tab",
        Noise = "noise",
        Post = "post",
        Author = "author",
    }
}

pub(crate) const FAMILIES: usize = AttributeFamily::ALL.len();

struct FamilyMatcher {
    needles: AhoCorasick,
    family: Vec<u8>,
}

static FINDER: LazyLock<Option<FamilyMatcher>> = LazyLock::new(|| {
    let words_of = |(family, number): (AttributeFamily, u8)| {
        let words = vocabulary::group(term_file!("attribute_families.tsv"), family.as_str());
        words.flat_map(str::split_ascii_whitespace).map(move |word| (number, word))
    };
    let (family, words): (Vec<_>, Vec<_>) =
        AttributeFamily::ALL.into_iter().zip(0..).flat_map(words_of).unzip();
    let needles = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words)
        .ok()?;
    Some(FamilyMatcher { needles, family })
});

/// Index of an interned attribute value. The first one is empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct AttributeValue(u32);

impl AttributeValue {
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// The tokens of a value.
#[derive(Debug, Clone, Copy, Default)]
struct ValueWords {
    from: u32,
    to: u32,
    families: u32,
    signature: u32,
}

/// The interned attribute values of a page.
#[derive(Debug)]
pub(crate) struct AttributeWords<'a> {
    known: HashMap<&'a str, AttributeValue>,
    parts: Vec<ValueWords>,
    hashes: Vec<u32>,
}

impl Default for AttributeWords<'_> {
    fn default() -> Self {
        Self { known: HashMap::new(), parts: vec![ValueWords::default()], hashes: Vec::new() }
    }
}

impl<'a> AttributeWords<'a> {
    /// Tokenizes and interns a value.
    pub fn read(&mut self, value: &'a str) -> AttributeValue {
        let value = value.get(..value.floor_char_boundary(MAX_BYTES)).unwrap_or(value);
        if value.is_empty() {
            return AttributeValue::default();
        }
        if let Some(known) = self.known.get(value) {
            return *known;
        }
        let from = self.hashes.len();
        split(value, &mut self.hashes);
        let hashes = self.hashes.get(from..).unwrap_or_default();
        let signature =
            hashes.iter().fold(0_u32, |sum, hash| sum.wrapping_add(hash.wrapping_mul(*hash | 1)));
        let families = FINDER.as_ref().map_or(0, |finder| {
            let found = finder.needles.find_overlapping_iter(value);
            found.fold(0, |mask, found| mask | 1 << finder.family[found.pattern().as_usize()])
        });
        let index = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let read = AttributeValue(index(self.parts.len()));
        let to = index(self.hashes.len());
        self.parts.push(ValueWords { from: index(from), to, families, signature });
        self.known.insert(value, read);
        read
    }

    /// The hashes of the words of a value.
    #[inline]
    pub fn words(&self, value: AttributeValue) -> &[u32] {
        let parts = &self.parts[value.0 as usize];
        self.hashes.get(parts.from as usize..parts.to as usize).unwrap_or_default()
    }

    /// Bit set of the families that occur in a value.
    #[inline]
    pub fn families(&self, value: AttributeValue) -> u32 {
        self.parts[value.0 as usize].families
    }

    /// A signature that is equal for two values with the same words in any order.
    #[inline]
    pub fn signature(&self, value: AttributeValue) -> u32 {
        self.parts[value.0 as usize].signature
    }
}

/// Splits a value into words: runs of letters, split at camel case, with two to nineteen letters.
fn split(value: &str, hashes: &mut Vec<u32>) {
    let limit = hashes.len() + MAX_WORDS;
    let (mut hash, mut length, mut was_small) = (WordHash::new(), 0_usize, false);
    for byte in value.bytes().chain([b' ']) {
        let is_letter = byte.is_ascii_alphabetic();
        if !is_letter || (was_small && byte.is_ascii_uppercase()) {
            if (2..20).contains(&length) && hashes.len() < limit {
                hashes.push(hash.finish());
            }
            (hash, length) = (WordHash::new(), 0);
        }
        was_small = byte.is_ascii_lowercase();
        if is_letter {
            hash.push(u32::from(byte.to_ascii_lowercase()));
            length += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attribute_words_split_at_punctuation_digits_and_camel_case() {
        let mut words = AttributeWords::default();
        let value = words.read("main-navBar2 x col_12");
        let expected: Vec<_> = ["main", "nav", "bar", "col"].map(WordHash::of).into();
        assert_eq!(words.words(value), expected);
    }

    #[test]
    fn families_are_matched_within_words() {
        let mut words = AttributeWords::default();
        let mut families = |value| {
            let value = words.read(value);
            words.families(value)
        };
        assert_eq!(families("SiteNavigation"), 1 << AttributeFamily::Navigation as u32);
        assert_eq!(families("grid"), 1 << AttributeFamily::Card as u32);
        assert_eq!(families(""), 0);
    }

    #[test]
    fn signature_ignores_word_order() {
        let mut words = AttributeWords::default();
        let mut signature = |value| {
            let value = words.read(value);
            words.signature(value)
        };
        assert_eq!(signature("card big"), signature("big card"));
        assert_ne!(signature("card"), signature("big"));
    }

    #[test]
    fn long_attribute_values_are_truncated() {
        let value = "ü-word ".repeat(5_000);
        let mut words = AttributeWords::default();
        let read = words.read(&value);
        assert!(words.words(read).len() <= MAX_WORDS);
    }
}
