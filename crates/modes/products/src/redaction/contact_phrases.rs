//! Phrases that ask the reader to call, write or visit. They are in `data/contact_phrases.tsv`.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::vocabulary;

/// Finds any of many strings in one pass.
pub(super) type ContactMatcher = LazyLock<Option<AhoCorasick>>;

const PHRASES: &str = term_file!("contact_phrases.tsv");

/// Phrases that name the seller or have no other meaning. A sentence with one of them is redacted.
static ASKING: ContactMatcher = LazyLock::new(|| {
    let phrases = vocabulary::keyed(PHRASES).filter(|(language, _)| *language != "verb");
    matcher(&phrases.map(|(_, phrase)| phrase).collect::<Vec<_>>())
});

/// The same phrases, and verbs that only say that a number in the sentence is for calling.
static INVITING: ContactMatcher = LazyLock::new(|| {
    matcher(&vocabulary::keyed(PHRASES).map(|(_, phrase)| phrase).collect::<Vec<_>>())
});

pub(super) fn matcher(strings: &[impl AsRef<[u8]>]) -> Option<AhoCorasick> {
    AhoCorasick::builder().match_kind(MatchKind::Standard).build(strings).ok()
}

/// Whether the text contains any of the strings.
pub(super) fn matches(matcher: &ContactMatcher, text: &str) -> bool {
    matcher.as_ref().is_some_and(|matcher| matcher.is_match(text))
}

/// Whether a text in lower case asks for contact. The phrase must begin at a word boundary.
pub(super) fn asks_for_contact(text: &str) -> bool {
    let begins = |at: usize| !text[..at].ends_with(|c: char| c.is_alphabetic() && c < '\u{3000}');
    ASKING.as_ref().is_some_and(|matcher| {
        matcher.find_overlapping_iter(text).any(|found| begins(found.start()))
    })
}

/// Whether a number in a text in lower case is likely to be a telephone number.
pub(super) fn invites_to_call(text: &str) -> bool {
    matches(&INVITING, text)
}
