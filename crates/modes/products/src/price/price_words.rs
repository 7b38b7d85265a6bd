//! The meaning of words around an amount. The words are in `data/price_words.tsv`.
//!
//! A word may have several senses; it is looked up once, when the text is split into tokens.

use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::vocabulary;

/// What a word may mean beside an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PriceWordSense {
    /// "From", right before the lowest price.
    From,
    /// "From" in languages that write it after the amount.
    FromAfter,
    /// Between the ends of a range.
    To,
    /// Between the ends of a range that begins with "between".
    And,
    Between,
    /// Before a unit: the amount is the price of that quantity.
    Per,
    /// A unit of weight, volume, length or area. A piece is not a unit: its price is the price.
    Unit,
    /// The name of a unit price.
    UnitPriceLabel,
    /// A period for which a part of the price is due.
    Period,
    /// Payment in instalments.
    Instalment,
    /// Before a former price, a list price, or the lowest price of the last days.
    FormerPrice,
    /// Before or after the amount that is saved.
    Discount,
    /// Before or after shipping costs or a deposit.
    Shipping,
    /// Names a price and has no other meaning.
    Label,
    /// Occurs around a price without changing the meaning of the amount.
    Neutral,
}

const SENSES: &[(&str, PriceWordSense)] = &[
    ("from", PriceWordSense::From),
    ("from_after", PriceWordSense::FromAfter),
    ("to", PriceWordSense::To),
    ("and", PriceWordSense::And),
    ("between", PriceWordSense::Between),
    ("per", PriceWordSense::Per),
    ("unit", PriceWordSense::Unit),
    ("unit_price_label", PriceWordSense::UnitPriceLabel),
    ("period", PriceWordSense::Period),
    ("instalment", PriceWordSense::Instalment),
    ("former_price", PriceWordSense::FormerPrice),
    ("discount", PriceWordSense::Discount),
    ("shipping", PriceWordSense::Shipping),
    ("label", PriceWordSense::Label),
    ("neutral", PriceWordSense::Neutral),
];

/// The senses of a word, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct PriceWordSenses(u16);

impl PriceWordSenses {
    /// The senses of a word in lower case.
    pub fn of(word: &str) -> Self {
        WORDS.get(word).copied().unwrap_or_default()
    }

    pub fn has(self, sense: PriceWordSense) -> bool {
        self.0 & (1 << sense as u16) != 0
    }
}

static WORDS: LazyLock<HashMap<&str, PriceWordSenses>> = LazyLock::new(|| {
    let mut words: HashMap<&str, PriceWordSenses> = HashMap::new();
    for (name, sense) in SENSES {
        for word in vocabulary::group(include_str!("../../data/price_words.tsv"), name) {
            words.entry(word).or_default().0 |= 1 << *sense as u16;
        }
    }
    words
});

/// Phrases of several words that mean "from", right before the amount.
pub(super) static FROM_PHRASES: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
    let phrases = vocabulary::entries(include_str!("../../data/from_phrases.txt"));
    phrases.map(|phrase| phrase.split(' ').collect()).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sense_of_the_vocabulary_is_known() {
        for (name, word) in vocabulary::keyed(include_str!("../../data/price_words.tsv")) {
            assert!(SENSES.iter().any(|(known, _)| *known == name), "{name} {word}");
        }
    }
}
