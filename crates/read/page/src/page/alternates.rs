//! The versions of a page in other languages, as it names them.

use hashbrown::HashTable;
use urls::{CanonicalUrl, LanguageTag};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// How many are kept: there are not as many languages with readers.
const MAX_KEPT: usize = 1_000;

/// The version for readers of any other language. Not a language tag itself.
const FOR_OTHERS: &str = "x-default";

/// Gathers versions; one address may serve several languages. Takes no memory
/// while there are none, which is most pages.
#[derive(Debug, Default)]
pub(super) struct Alternates {
    list: Vec<(String, CanonicalUrl)>,
    /// Places in the list by the hash of language and address.
    places: HashTable<(u64, usize)>,
}

impl Alternates {
    /// Adds a version, unless its language is none or it is known already.
    pub(super) fn add(&mut self, hreflang: &str, url: &CanonicalUrl) {
        if self.list.len() >= MAX_KEPT {
            return;
        }
        let hreflang = hreflang.trim();
        let tag = if hreflang.eq_ignore_ascii_case(FOR_OTHERS) {
            FOR_OTHERS.to_owned()
        } else {
            let Ok(tag) = LanguageTag::parse(hreflang) else { return };
            String::from(tag)
        };
        // Hostile pages repeat themselves: finding out must not take a walk each time.
        let hash = xxh3_64_with_seed(url.as_str().as_bytes(), xxh3_64_with_seed(tag.as_bytes(), 0));
        let list = &self.list;
        let known = self.places.find(hash, |(known, place)| {
            *known == hash && list.get(*place).is_some_and(|(t, u)| *t == tag && u == url)
        });
        if known.is_none() {
            let place = self.list.len();
            self.places.insert_unique(hash, (hash, place), |(hash, _)| *hash);
            self.list.push((tag, url.clone()));
        }
    }

    pub(super) fn into_list(self) -> Vec<(String, CanonicalUrl)> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).unwrap()
    }

    #[test]
    fn each_version_is_kept_once_in_one_spelling() {
        let (one, two) = (url("https://example.com/1"), url("https://example.com/2"));
        let mut alternates = Alternates::default();
        for (hreflang, place) in [
            ("de", &one),
            ("DE_at", &one),
            ("X-Default", &one),
            (" de ", &one),
            ("de", &two),
            ("", &two),
            ("german", &two),
            ("de,fr", &two),
            ("*", &two),
            ("x-klingon", &two),
            ("zh-hant", &two),
        ] {
            alternates.add(hreflang, place);
        }
        let list = alternates.into_list();
        let seen: Vec<_> = list.iter().map(|(tag, url)| (tag.as_str(), url)).collect();
        let expected =
            [("de", &one), ("de-AT", &one), ("x-default", &one), ("de", &two), ("zh-Hant", &two)];
        assert_eq!(seen, expected);
    }

    #[test]
    fn there_is_an_end_to_versions() {
        let mut alternates = Alternates::default();
        for n in 0..1_010 {
            alternates.add("de", &url(&format!("https://example.com/{n}")));
        }
        assert_eq!(alternates.into_list().len(), 1_000);
    }
}
