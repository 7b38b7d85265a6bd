//! What shops sell: names, categories, properties and sentences, one table a trade.

mod clothing;
mod food;
mod home;
mod making;
mod play;

pub(super) use clothing::{CLOTHING, OUTDOOR};
pub(super) use food::{COFFEE, COSMETICS, KITCHEN};
pub(super) use home::{FURNITURE, GARDEN, LAMPS, STATIONERY};
pub(super) use making::{BICYCLES, FASTENERS, KNIVES, TOOLS};
pub(super) use play::{BAZAAR, CAMERAS, ELECTRONICS, PENS, TOYS_DE, TOYS_EN};

/// The goods of one trade, in the words of one language.
#[derive(Debug)]
pub(super) struct Trade {
    pub(super) brands: &'static [&'static str],
    pub(super) series: &'static [&'static str],
    pub(super) nouns: &'static [&'static str],
    /// What may follow the noun.
    pub(super) tails: &'static [&'static str],
    pub(super) categories: &'static [(&'static str, &'static [&'static str])],
    /// What a buyer chooses between.
    pub(super) axes: &'static [(&'static str, &'static [&'static str])],
    pub(super) attributes: &'static [(&'static str, &'static [&'static str])],
    pub(super) features: &'static [&'static str],
    /// Sentences of a description; `{}` is the name.
    pub(super) sentences: &'static [&'static str],
    /// From and to, in whole units of the currency.
    pub(super) prices: (usize, usize),
    /// What base prices are told for.
    pub(super) unit: &'static str,
}
