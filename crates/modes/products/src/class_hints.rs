//! Hints from class names, ids and similar attributes: which part of a product page an element
//! probably is. A hint never decides alone; structure and text decide.
//!
//! The words are in `data/class_hints.tsv`. To add a hint, add a constant and words for its
//! name.

use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::vocabulary;

/// How many bytes of an attribute value are read.
const MAX_BYTES: usize = 240;

/// The length of the longest prefix or word of the vocabulary, in bytes.
const MAX_WORD: usize = 18;

bitflags::bitflags! {
    /// A set of hints about an element.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub(super) struct ElementHints: u32 {
        /// Header, footer, menus, dialogs, the small cart.
        const SITE_FRAME = 1;
        /// Previews of other products.
        const TEASER = 1 << 1;
        const REVIEW = 1 << 2;
        const HIDDEN = 1 << 3;
        /// A price that is struck through or named as a former one.
        const FORMER_PRICE = 1 << 4;
        /// The regular price, which is a former price if there is a lower one.
        const REGULAR_PRICE = 1 << 5;
        const PRICE = 1 << 6;
        const STOCK = 1 << 7;
        const DESCRIPTION = 1 << 8;
        const GALLERY = 1 << 9;
        const BREADCRUMBS = 1 << 10;
        const SPECIFICATION = 1 << 11;
        const FEATURES = 1 << 12;
        const RATING = 1 << 13;
        const BRAND = 1 << 14;
        /// A SKU or another article number.
        const NUMBER = 1 << 15;
        const TITLE = 1 << 16;
        const BUY = 1 << 17;
        /// A unit price, shipping costs, or an instalment.
        const SIDE_COST = 1 << 18;
        const OPTIONS = 1 << 19;
        const LOGO = 1 << 20;
        const DELIVERY = 1 << 21;
        const SELLER = 1 << 22;
        /// A short description or summary.
        const SHORT = 1 << 23;
        /// Pagination, sorting and filters.
        const LISTING = 1 << 24;
        /// An option such as colour or size. Many class names contain such a word for other reasons.
        const AXIS = 1 << 25;
        /// Text for screen readers only.
        const SCREEN_READER = 1 << 26;

        /// Parts of the page that are not about its product.
        const OTHER_CONTENT =
            Self::SITE_FRAME.bits() | Self::TEASER.bits() | Self::REVIEW.bits();
        /// Parts that are not about the product or not visible.
        const NOT_MAIN = Self::OTHER_CONTENT.bits() | Self::HIDDEN.bits();
    }
}

impl ElementHints {
    /// The hint that the vocabulary file calls by this name.
    fn named(name: &str) -> Self {
        Self::from_name(&name.to_ascii_uppercase()).unwrap_or_default()
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
    for (kind, entry) in vocabulary::keyed(term_file!("class_hints.tsv")) {
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
            return ElementHints::empty();
        }
        *self.known.entry(value).or_insert_with(|| hints(value))
    }
}

/// The hints of one attribute value.
pub(super) fn hints(value: &str) -> ElementHints {
    let mut squeezed = String::with_capacity(value.len().min(MAX_BYTES));
    // The positions in `squeezed` at which words begin.
    let mut starts = Vec::new();
    let mut was_small = false;
    let mut in_word = false;
    let mut was_underscore = false;
    for letter in value[..value.floor_char_boundary(MAX_BYTES)].chars() {
        if !letter.is_alphanumeric() {
            in_word = false;
            was_small = false;
            // Two classes never form a compound, nor do a block and its element (`list__item`).
            if letter.is_ascii_whitespace() || (letter == '_' && was_underscore) {
                squeezed.push(' ');
            }
            was_underscore = letter == '_';
            continue;
        }
        if !in_word || (was_small && letter.is_uppercase()) {
            starts.push(squeezed.len());
        }
        in_word = true;
        was_underscore = false;
        was_small = letter.is_lowercase();
        squeezed.extend(letter.to_lowercase());
    }
    let mut found = ElementHints::empty();
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
            ("product-grid", ElementHints::TEASER),
            ("visually-hidden", ElementHints::SCREEN_READER),
            ("single_add_to_cart_button", ElementHints::BUY),
            ("breadcrumbs uppercase", ElementHints::BREADCRUMBS),
            ("was", ElementHints::FORMER_PRICE),
        ] {
            assert!(hints(value).intersects(hint), "{value}");
        }
        for (value, hint) in [
            ("golden holder", ElementHints::FORMER_PRICE),
            ("washing", ElementHints::FORMER_PRICE),
            ("discard", ElementHints::TEASER),
            ("cross sell-by", ElementHints::TEASER),
            ("product__grid-gap", ElementHints::TEASER),
        ] {
            assert!(!hints(value).intersects(hint), "{value}");
        }
    }

    #[test]
    fn every_line_of_the_vocabulary_names_a_known_match_and_hint() {
        for (kind, entry) in vocabulary::keyed(term_file!("class_hints.tsv")) {
            assert!(matches!(kind, "prefix" | "word" | "infix"), "{kind}");
            let (name, word) = entry.split_once('\t').expect("three columns");
            assert_ne!(ElementHints::named(name), ElementHints::empty(), "{name}");
            assert!(kind == "infix" || word.len() <= MAX_WORD, "{word}");
        }
    }
}
