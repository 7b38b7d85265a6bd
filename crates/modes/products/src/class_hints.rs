//! Hints from class names, ids and similar attributes: which part of a product page an element
//! probably is. A hint never decides alone; structure and text decide.
//!
//! The words are in `data/class_hints.tsv`. To add a hint, add a constant, its name in `NAMES`, and
//! words for it.

use std::ops::{BitOr, BitOrAssign};
use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::vocabulary;

/// How many bytes of an attribute value are read.
const MAX_BYTES: usize = 240;

/// The length of the longest prefix or word of the vocabulary, in bytes.
const MAX_WORD: usize = 18;

/// A set of hints about an element, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct ElementHints(u32);

impl ElementHints {
    pub const NONE: Self = Self(0);
    /// Header, footer, menus, dialogs, the small cart.
    pub const SITE_FRAME: Self = Self(1);
    /// Previews of other products.
    pub const TEASER: Self = Self(1 << 1);
    pub const REVIEW: Self = Self(1 << 2);
    pub const HIDDEN: Self = Self(1 << 3);
    /// A price that is struck through or named as a former one.
    pub const FORMER_PRICE: Self = Self(1 << 4);
    /// The regular price, which is a former price if there is a lower one.
    pub const REGULAR_PRICE: Self = Self(1 << 5);
    pub const PRICE: Self = Self(1 << 6);
    pub const STOCK: Self = Self(1 << 7);
    pub const DESCRIPTION: Self = Self(1 << 8);
    pub const GALLERY: Self = Self(1 << 9);
    pub const BREADCRUMBS: Self = Self(1 << 10);
    pub const SPECIFICATION: Self = Self(1 << 11);
    pub const FEATURES: Self = Self(1 << 12);
    pub const RATING: Self = Self(1 << 13);
    pub const BRAND: Self = Self(1 << 14);
    /// A SKU or another article number.
    pub const NUMBER: Self = Self(1 << 15);
    pub const TITLE: Self = Self(1 << 16);
    pub const BUY: Self = Self(1 << 17);
    /// A unit price, shipping costs, or an instalment.
    pub const SIDE_COST: Self = Self(1 << 18);
    pub const OPTIONS: Self = Self(1 << 19);
    pub const LOGO: Self = Self(1 << 20);
    pub const DELIVERY: Self = Self(1 << 21);
    pub const SELLER: Self = Self(1 << 22);
    /// A short description or summary.
    pub const SHORT: Self = Self(1 << 23);
    /// Pagination, sorting and filters.
    pub const LISTING: Self = Self(1 << 24);

    /// Parts of the page that are not about its product.
    pub const OTHER_CONTENT: Self = Self(Self::SITE_FRAME.0 | Self::TEASER.0 | Self::REVIEW.0);
    /// Parts that are not about the product or not visible.
    pub const NOT_MAIN: Self = Self(Self::OTHER_CONTENT.0 | Self::HIDDEN.0);

    /// Whether the sets have a hint in common.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The hint that the vocabulary file calls by this name.
    fn named(name: &str) -> Self {
        let known = NAMES.iter().find(|(known, _)| *known == name);
        known.map_or(Self::NONE, |(_, hint)| *hint)
    }
}

const NAMES: &[(&str, ElementHints)] = &[
    ("site_frame", ElementHints::SITE_FRAME),
    ("teaser", ElementHints::TEASER),
    ("review", ElementHints::REVIEW),
    ("hidden", ElementHints::HIDDEN),
    ("former_price", ElementHints::FORMER_PRICE),
    ("regular_price", ElementHints::REGULAR_PRICE),
    ("price", ElementHints::PRICE),
    ("stock", ElementHints::STOCK),
    ("description", ElementHints::DESCRIPTION),
    ("gallery", ElementHints::GALLERY),
    ("breadcrumbs", ElementHints::BREADCRUMBS),
    ("specification", ElementHints::SPECIFICATION),
    ("features", ElementHints::FEATURES),
    ("rating", ElementHints::RATING),
    ("brand", ElementHints::BRAND),
    ("number", ElementHints::NUMBER),
    ("title", ElementHints::TITLE),
    ("buy", ElementHints::BUY),
    ("side_cost", ElementHints::SIDE_COST),
    ("options", ElementHints::OPTIONS),
    ("logo", ElementHints::LOGO),
    ("delivery", ElementHints::DELIVERY),
    ("seller", ElementHints::SELLER),
    ("short", ElementHints::SHORT),
    ("listing", ElementHints::LISTING),
];

impl BitOr for ElementHints {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for ElementHints {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// The vocabulary of class names.
struct HintWords {
    /// By word: the hints of a word that begins with it, and those of exactly this word.
    words: HashMap<&'static str, (ElementHints, ElementHints)>,
    /// Found anywhere in a value: German compounds, and English words written together.
    infixes: Vec<(&'static str, ElementHints)>,
}

static VOCABULARY: LazyLock<HintWords> = LazyLock::new(|| {
    let mut vocabulary = HintWords { words: HashMap::new(), infixes: Vec::new() };
    for (kind, entry) in vocabulary::keyed(include_str!("../data/class_hints.tsv")) {
        let Some((name, word)) = entry.split_once('\t') else { continue };
        let hint = ElementHints::named(name);
        match kind {
            "prefix" => vocabulary.words.entry(word).or_default().0 |= hint,
            "word" => vocabulary.words.entry(word).or_default().1 |= hint,
            _ => vocabulary.infixes.push((word, hint)),
        }
    }
    vocabulary
});

/// Caches the hints of attribute values: pages repeat a few hundred values on thousands of
/// elements.
#[derive(Debug, Default)]
pub(super) struct ClassHintCache<'a> {
    known: HashMap<&'a str, ElementHints>,
}

impl<'a> ClassHintCache<'a> {
    pub fn read(&mut self, value: &'a str) -> ElementHints {
        if value.is_empty() {
            return ElementHints::NONE;
        }
        *self.known.entry(value).or_insert_with(|| hints(value))
    }
}

fn hints(value: &str) -> ElementHints {
    let mut squeezed = String::with_capacity(value.len().min(MAX_BYTES));
    // The positions in `squeezed` at which words begin.
    let mut starts = Vec::new();
    let mut was_small = false;
    let mut in_word = false;
    for letter in value[..value.floor_char_boundary(MAX_BYTES)].chars() {
        if !letter.is_alphanumeric() {
            in_word = false;
            was_small = false;
            // Two classes never form a compound.
            if letter.is_ascii_whitespace() {
                squeezed.push(' ');
            }
            continue;
        }
        if !in_word || (was_small && letter.is_uppercase()) {
            starts.push(squeezed.len());
        }
        in_word = true;
        was_small = letter.is_lowercase();
        squeezed.extend(letter.to_lowercase());
    }
    let mut found = ElementHints::NONE;
    for (number, &start) in starts.iter().enumerate() {
        let rest = &squeezed[start..];
        let word = starts.get(number + 1).map_or(rest.len(), |next| next - start);
        let word = rest[..word].trim_end().len();
        for length in 2..=rest.len().min(MAX_WORD) {
            let Some(stem) = rest.get(..length) else { continue };
            if let Some((prefix, whole)) = VOCABULARY.words.get(stem) {
                found |= *prefix;
                if length == word {
                    found |= *whole;
                }
            }
        }
    }
    if squeezed.len() > 5 {
        for (infix, hint) in &VOCABULARY.infixes {
            if squeezed.contains(infix) {
                found |= *hint;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_names_map_to_hints() {
        for (value, hint) in [
            ("product-price", ElementHints::PRICE),
            ("ProductPrice__old", ElementHints::FORMER_PRICE),
            ("priceOld", ElementHints::FORMER_PRICE),
            ("artikel-preis", ElementHints::PRICE),
            ("cross-sell", ElementHints::TEASER),
            ("single_add_to_cart_button", ElementHints::BUY),
            ("breadcrumbs uppercase", ElementHints::BREADCRUMBS),
            ("was", ElementHints::FORMER_PRICE),
        ] {
            assert!(hints(value).has(hint), "{value}");
        }
        for (value, hint) in [
            ("golden holder", ElementHints::FORMER_PRICE),
            ("washing", ElementHints::FORMER_PRICE),
            ("discard", ElementHints::TEASER),
            ("cross sell-by", ElementHints::TEASER),
        ] {
            assert!(!hints(value).has(hint), "{value}");
        }
    }

    #[test]
    fn every_line_of_the_vocabulary_names_a_known_match_and_hint() {
        for (kind, entry) in vocabulary::keyed(include_str!("../data/class_hints.tsv")) {
            assert!(matches!(kind, "prefix" | "word" | "infix"), "{kind}");
            let (name, word) = entry.split_once('\t').expect("three columns");
            assert_ne!(ElementHints::named(name), ElementHints::NONE, "{name}");
            assert!(kind == "infix" || word.len() <= MAX_WORD, "{word}");
        }
    }
}
