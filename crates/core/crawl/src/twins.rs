//! Products that are one: the same under several addresses, or in several languages.
//!
//! The first that is delivered stands for its twins. Translations that are met later, or were
//! met before it, are kept beside it, and join its record when that is read.

use std::collections::HashMap;

use contract::SkipReason;
use journal::ProductMark;
use serde::{Deserialize, Serialize};
use urls::LanguageTag;

/// Translations that are kept of one product.
const TRANSLATIONS: usize = 64;

/// Products in other languages that wait for the one they are a translation of.
const STRAYS: usize = 100_000;

/// What is known of products.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Twins {
    /// Pages that sell a product, delivered or not.
    pages: u64,
    /// Delivered products by what no other product shares.
    same: HashMap<u64, u32>,
    /// Delivered products by their numbers.
    numbers: HashMap<u64, Holder>,
    /// The languages of delivered products.
    languages: HashMap<u32, LanguageTag>,
    /// Translations by the product that was delivered.
    folded: HashMap<u32, Vec<Translation>>,
    /// Pages in other languages by their numbers, as long as nobody was delivered who has that
    /// number.
    strays: HashMap<u64, Vec<Translation>>,
}

/// A page, and the language that it is in.
pub(crate) type Translation = (u32, LanguageTag);

/// Who has a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    first: u32,
    /// Several products of one language have it: it tells nothing.
    shared: bool,
}

impl Twins {
    /// Takes note of a page that sells a product.
    pub fn learn(
        &mut self,
        ordinal: u32,
        mark: &ProductMark,
        delivered: bool,
        duplicate_of: Option<u32>,
    ) {
        self.pages += 1;
        if delivered {
            return self.deliver(ordinal, mark);
        }
        let Some(language) = &mark.language else { return };
        let stray = (ordinal, language.clone());
        if let Some(kept) = duplicate_of.or_else(|| self.holder(mark)) {
            return self.fold(kept, stray);
        }
        let Some(number) = mark.number else { return };
        if self.strays.len() < STRAYS || self.strays.contains_key(&number) {
            let strays = self.strays.entry(number).or_default();
            if strays.len() < TRANSLATIONS {
                strays.push(stray);
            }
        }
    }

    fn deliver(&mut self, ordinal: u32, mark: &ProductMark) {
        for key in &mark.same {
            self.same.entry(*key).or_insert(ordinal);
        }
        if let Some(language) = &mark.language {
            self.languages.insert(ordinal, language.clone());
        }
        let Some(number) = mark.number else { return };
        match self.numbers.get_mut(&number) {
            // A translation would have been folded into it.
            Some(holder) => holder.shared = true,
            None => {
                self.numbers.insert(number, Holder { first: ordinal, shared: false });
                for stray in self.strays.remove(&number).unwrap_or_default() {
                    self.fold(ordinal, stray);
                }
            }
        }
    }

    fn fold(&mut self, kept: u32, stray: Translation) {
        if self.languages.get(&kept) == Some(&stray.1) {
            return;
        }
        let folded = self.folded.entry(kept).or_default();
        if folded.len() < TRANSLATIONS {
            folded.push(stray);
        }
    }

    /// The one delivered product with this number.
    fn holder(&self, mark: &ProductMark) -> Option<u32> {
        let holder = self.numbers.get(&mark.number?)?;
        (!holder.shared).then_some(holder.first)
    }

    /// The product that was delivered and stands for another, and why that one is left out.
    pub fn standing_for(&self, mark: &ProductMark) -> Option<(u32, SkipReason)> {
        let is_translation = |kept: &u32| match (&mark.language, self.languages.get(kept)) {
            (Some(own), Some(of_kept)) => own != of_kept,
            _ => false,
        };
        if let Some(kept) = mark.same.iter().find_map(|key| self.same.get(key)) {
            let reason =
                if is_translation(kept) { SkipReason::Language } else { SkipReason::Duplicate };
            return Some((*kept, reason));
        }
        // Another name in the same language is another product, whatever its number.
        let kept = self.holder(mark).filter(is_translation)?;
        Some((kept, SkipReason::Language))
    }

    /// Pages that sell a product, delivered or not.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Whether a delivered page is a product whose language is known.
    pub fn is_product(&self, ordinal: u32) -> bool {
        self.languages.contains_key(&ordinal)
    }

    /// The translations that were folded into a delivered product.
    pub fn folded(&self, ordinal: u32) -> &[Translation] {
        self.folded.get(&ordinal).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(number: u64, name: u64, language: &str) -> ProductMark {
        ProductMark {
            number: Some(number),
            same: vec![number * 1_000 + name],
            language: LanguageTag::parse(language).ok(),
        }
    }

    fn pages(twins: &Twins, of: u32) -> Vec<u32> {
        twins.folded(of).iter().map(|(page, _)| *page).collect()
    }

    #[test]
    fn translations_find_their_product_in_any_order() {
        let mut twins = Twins::default();
        twins.learn(5, &mark(1, 2, "en"), false, None);
        twins.learn(6, &mark(1, 1, "de"), true, None);
        twins.learn(7, &mark(1, 3, "fr"), false, None);
        assert_eq!(pages(&twins, 6), [5, 7]);
        assert_eq!(twins.pages(), 3);
    }

    #[test]
    fn one_name_and_number_is_one_product() {
        let mut twins = Twins::default();
        twins.learn(1, &mark(1, 1, "de"), true, None);
        assert_eq!(twins.standing_for(&mark(1, 1, "de")), Some((1, SkipReason::Duplicate)));
        assert_eq!(twins.standing_for(&mark(1, 2, "de")), None, "another name is another product");
        assert_eq!(twins.standing_for(&mark(1, 2, "de-CH")), Some((1, SkipReason::Language)));
        assert_eq!(twins.standing_for(&mark(2, 1, "de")), None);
    }

    #[test]
    fn a_number_that_many_have_tells_nothing() {
        let mut twins = Twins::default();
        twins.learn(1, &mark(1, 1, "de"), true, None);
        twins.learn(2, &mark(1, 2, "de"), true, None);
        assert_eq!(twins.standing_for(&mark(1, 3, "de-CH")), None);
        twins.learn(3, &mark(1, 3, "en"), false, None);
        assert!(twins.folded(1).is_empty() && twins.folded(2).is_empty());
    }
}
