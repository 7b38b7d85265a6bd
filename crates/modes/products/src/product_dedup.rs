//! Product de-duplication: the same product under several URLs, or in several languages.
//!
//! The first delivered page of a product replaces its duplicates. Translations found before or
//! after it are merged into its record when that is read.

use std::collections::HashMap;

use contract::SkipReason;
use journal::{ItemIdentity, UrlId};
use serde::{Deserialize, Serialize};
use urls::LanguageTag;

/// Maximum number of translations that are kept for one product.
const TRANSLATIONS: usize = 64;

/// Maximum number of product numbers with translations that wait for their product.
const UNMATCHED: usize = 100_000;

/// Known products of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct ProductDedup {
    /// Delivered products by the hashes that identify them.
    same: HashMap<u64, UrlId>,
    /// Delivered products by product number.
    numbers: HashMap<u64, NumberOwner>,
    /// The languages of delivered products.
    languages: HashMap<UrlId, LanguageTag>,
    /// Translations, by the delivered product that they were merged into.
    merged: HashMap<UrlId, Vec<Translation>>,
    /// Pages in other languages by product number, until a product with that number is delivered.
    unmatched_translations: HashMap<u64, Vec<Translation>>,
}

/// A page and its language.
pub(crate) type Translation = (UrlId, LanguageTag);

/// The delivered product with a product number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct NumberOwner {
    first: UrlId,
    /// Several products of one language have the number, so that it identifies none.
    shared: bool,
}

impl ProductDedup {
    /// Records a product page.
    pub fn learn(
        &mut self,
        id: UrlId,
        identity: &ItemIdentity,
        delivered: bool,
        duplicate_of: Option<UrlId>,
    ) {
        if delivered {
            return self.deliver(id, identity);
        }
        let Some(language) = &identity.language else { return };
        let translation = (id, language.clone());
        if let Some(kept) = duplicate_of.or_else(|| self.owner(identity)) {
            return self.merge(kept, translation);
        }
        let Some(number) = identity.number else { return };
        if self.unmatched_translations.len() < UNMATCHED
            || self.unmatched_translations.contains_key(&number)
        {
            let unmatched_translations = self.unmatched_translations.entry(number).or_default();
            if unmatched_translations.len() < TRANSLATIONS {
                unmatched_translations.push(translation);
            }
        }
    }

    fn deliver(&mut self, id: UrlId, identity: &ItemIdentity) {
        for key in &identity.same {
            self.same.entry(*key).or_insert(id);
        }
        if let Some(language) = &identity.language {
            self.languages.insert(id, language.clone());
        }
        let Some(number) = identity.number else { return };
        match self.numbers.get_mut(&number) {
            // A translation would have been merged, so this is another product.
            Some(owner) => owner.shared = true,
            None => {
                self.numbers.insert(number, NumberOwner { first: id, shared: false });
                for translation in self.unmatched_translations.remove(&number).unwrap_or_default() {
                    self.merge(id, translation);
                }
            }
        }
    }

    fn merge(&mut self, kept: UrlId, translation: Translation) {
        if self.languages.get(&kept) == Some(&translation.1) {
            return;
        }
        let merged = self.merged.entry(kept).or_default();
        if merged.len() < TRANSLATIONS {
            merged.push(translation);
        }
    }

    /// The only delivered product with this number.
    fn owner(&self, identity: &ItemIdentity) -> Option<UrlId> {
        let owner = self.numbers.get(&identity.number?)?;
        (!owner.shared).then_some(owner.first)
    }

    /// The delivered product that a page duplicates, with the skip reason.
    pub fn duplicate_of(&self, identity: &ItemIdentity) -> Option<(UrlId, SkipReason)> {
        let is_translation = |kept: &UrlId| match (&identity.language, self.languages.get(kept)) {
            (Some(own), Some(of_kept)) => own != of_kept,
            _ => false,
        };
        if let Some(kept) = identity.same.iter().find_map(|key| self.same.get(key)) {
            let reason =
                if is_translation(kept) { SkipReason::Language } else { SkipReason::Duplicate };
            return Some((*kept, reason));
        }
        // Another name in the same language is another product, whatever its number.
        let kept = self.owner(identity).filter(is_translation)?;
        Some((kept, SkipReason::Language))
    }

    /// Whether a delivered page is a product whose language is known.
    pub fn is_product(&self, id: UrlId) -> bool {
        self.languages.contains_key(&id)
    }

    /// The translations that were merged into a delivered product.
    pub fn merged(&self, id: UrlId) -> &[Translation] {
        self.merged.get(&id).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(number: u64, name: u64, language: &str) -> ItemIdentity {
        ItemIdentity {
            number: Some(number),
            same: vec![number * 1_000 + name],
            language: LanguageTag::parse(language).ok(),
        }
    }

    fn pages(product_dedup: &ProductDedup, of: u32) -> Vec<u32> {
        product_dedup.merged(UrlId(of)).iter().map(|(page, _)| page.0).collect()
    }

    #[test]
    fn translations_are_merged_in_any_order() {
        let mut product_dedup = ProductDedup::default();
        product_dedup.learn(UrlId(5), &identity(1, 2, "en"), false, None);
        product_dedup.learn(UrlId(6), &identity(1, 1, "de"), true, None);
        product_dedup.learn(UrlId(7), &identity(1, 3, "fr"), false, None);
        assert_eq!(pages(&product_dedup, 6), [5, 7]);
    }

    #[test]
    fn same_name_and_number_is_one_product() {
        let mut product_dedup = ProductDedup::default();
        product_dedup.learn(UrlId(1), &identity(1, 1, "de"), true, None);
        assert_eq!(
            product_dedup.duplicate_of(&identity(1, 1, "de")),
            Some((UrlId(1), SkipReason::Duplicate))
        );
        assert_eq!(
            product_dedup.duplicate_of(&identity(1, 2, "de")),
            None,
            "another name is another product"
        );
        assert_eq!(
            product_dedup.duplicate_of(&identity(1, 2, "de-CH")),
            Some((UrlId(1), SkipReason::Language))
        );
        assert_eq!(product_dedup.duplicate_of(&identity(2, 1, "de")), None);
    }

    #[test]
    fn shared_product_number_merges_nothing() {
        let mut product_dedup = ProductDedup::default();
        product_dedup.learn(UrlId(1), &identity(1, 1, "de"), true, None);
        product_dedup.learn(UrlId(2), &identity(1, 2, "de"), true, None);
        assert_eq!(product_dedup.duplicate_of(&identity(1, 3, "de-CH")), None);
        product_dedup.learn(UrlId(3), &identity(1, 3, "en"), false, None);
        assert!(
            product_dedup.merged(UrlId(1)).is_empty() && product_dedup.merged(UrlId(2)).is_empty()
        );
    }
}
