//! The `hreflang` alternates of a page.

use hashbrown::HashTable;
use urls::{CanonicalUrl, LanguageTag};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Maximum number of alternates, more than there are written languages.
const MAX_KEPT: usize = 1_000;

/// The alternate for all other languages; not a language tag itself.
const X_DEFAULT: &str = "x-default";

/// Collects alternates; one URL may serve several languages. Allocates nothing while there are
/// none, as on most pages.
#[derive(Debug, Default)]
pub(super) struct AlternateCollector {
    list: Vec<(String, CanonicalUrl)>,
    /// Indices of `list` by the hash of language and URL.
    index_by_hash: HashTable<(u64, usize)>,
}

impl AlternateCollector {
    /// Adds an alternate, unless its language tag is invalid or it is a duplicate.
    pub(super) fn add(&mut self, hreflang: &str, url: &CanonicalUrl) {
        if self.list.len() >= MAX_KEPT {
            return;
        }
        let hreflang = hreflang.trim();
        let tag = if hreflang.eq_ignore_ascii_case(X_DEFAULT) {
            X_DEFAULT.to_owned()
        } else {
            let Ok(tag) = LanguageTag::parse(hreflang) else { return };
            String::from(tag)
        };
        // A hash, because a linear search would be quadratic on hostile pages.
        let hash = xxh3_64_with_seed(url.as_str().as_bytes(), xxh3_64_with_seed(tag.as_bytes(), 0));
        let list = &self.list;
        let known = self.index_by_hash.find(hash, |(known, index)| {
            *known == hash && list.get(*index).is_some_and(|(t, u)| *t == tag && u == url)
        });
        if known.is_none() {
            let index = self.list.len();
            self.index_by_hash.insert_unique(hash, (hash, index), |(hash, _)| *hash);
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
    fn alternates_are_normalised_and_deduplicated() {
        let (one, two) = (url("https://example.com/1"), url("https://example.com/2"));
        let mut alternates = AlternateCollector::default();
        for (hreflang, target) in [
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
            alternates.add(hreflang, target);
        }
        let list = alternates.into_list();
        let seen: Vec<_> = list.iter().map(|(tag, url)| (tag.as_str(), url)).collect();
        let expected =
            [("de", &one), ("de-AT", &one), ("x-default", &one), ("de", &two), ("zh-Hant", &two)];
        assert_eq!(seen, expected);
    }

    #[test]
    fn alternates_are_limited() {
        let mut alternates = AlternateCollector::default();
        for n in 0..1_010 {
            alternates.add("de", &url(&format!("https://example.com/{n}")));
        }
        assert_eq!(alternates.into_list().len(), 1_000);
    }
}
