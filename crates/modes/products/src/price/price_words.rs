//! The meaning of words around an amount. The words are in `data/price_words.tsv`.
//!
//! A word may have several senses; it is looked up once, when the text is split into tokens.

use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::vocabulary;

named_enum! {
    /// What a word may mean beside an amount.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(super) enum PriceWordSense {
        /// "From", right before the lowest price.
        From = "from",
        /// "From" in languages that write it after the amount.
        FromAfter = "from_after",
        /// Between the ends of a range.
        To = "to",
        /// Between the ends of a range that begins with "between".
        And = "and",
        Between = "between",
        /// Before a unit: the amount is the price of that quantity.
        Per = "per",
        /// A unit of weight, volume, length or area. A piece is not a unit: its price is the price.
        Unit = "unit",
        /// The name of a unit price.
        UnitPriceLabel = "unit_price_label",
        /// A period for which a part of the price is due.
        Period = "period",
        /// Payment in instalments.
        Instalment = "instalment",
        /// Before a former price, a list price, or the lowest price of the last days.
        FormerPrice = "former_price",
        /// Before or after the amount that is saved.
        Discount = "discount",
        /// Before or after shipping costs or a deposit.
        Shipping = "shipping",
        /// Names a price and has no other meaning.
        Label = "label",
        /// Occurs around a price without changing the meaning of the amount.
        Neutral = "neutral",
    }
}

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
    for (name, word) in vocabulary::keyed(term_file!("price_words.tsv")) {
        let sense = PriceWordSense::ALL.into_iter().find(|sense| sense.as_str() == name);
        words.entry(word).or_default().0 |= sense.map_or(0, |sense| 1 << sense as u16);
    }
    words
});

/// Phrases of several words that mean "from", right before the amount.
pub(super) static FROM_PHRASES: LazyLock<Vec<Vec<&str>>> = LazyLock::new(|| {
    let phrases = vocabulary::entries(term_file!("from_phrases.txt"));
    phrases.map(|phrase| phrase.split(' ').collect()).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sense_of_the_vocabulary_is_known() {
        for (name, word) in vocabulary::keyed(term_file!("price_words.tsv")) {
            let is_known = PriceWordSense::ALL.map(PriceWordSense::as_str).contains(&name);
            assert!(is_known, "{name} {word}");
        }
    }
}
