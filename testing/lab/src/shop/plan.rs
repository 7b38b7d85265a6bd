//! The plan of a shop: where it sells, on what platform, and how much of each trouble.

mod places;
mod table;
mod usual;

pub(super) use table::PLANS;

use super::locale::Locale;
use super::platform::Platform;
use super::trade::Trade;

/// Everything that makes one shop differ from another.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) host: &'static str,
    /// The name over the door.
    pub(super) name: &'static str,
    pub(super) seed: u64,
    pub(super) platform: Platform,
    pub(super) markets: &'static [Market],
    /// Products in each market.
    pub(super) count: usize,
    /// Which of a country's spellings of prices the shop keeps to.
    pub(super) habit: usize,
    pub(super) paths: Paths,
    /// Where each fact stands: in how many of a hundred pages for the eye, in how many in
    /// the data. What stands in neither is not given.
    pub(super) places: &'static [(Facet, u8, u8)],
    pub(super) deals: Deals,
    /// On how many of a hundred pages the description gives contact details away.
    pub(super) contacts: u8,
    /// What it says about VAT, where it says something.
    pub(super) tax: Option<bool>,
    pub(super) teasers: Teasers,
    pub(super) paging: Paging,
    /// Which header, footer and banner it has.
    pub(super) shell: usize,
}

/// One language and region of a shop.
#[derive(Debug)]
pub(super) struct Market {
    pub(super) locale: &'static Locale,
    pub(super) trade: &'static Trade,
    /// Before every path; empty in a shop with one market.
    pub(super) prefix: &'static str,
}

/// How its addresses look: `{slug}`, `{id}`, `{cat}`, `{sub}` are filled in.
#[derive(Debug)]
pub(super) struct Paths {
    pub(super) product: &'static str,
    pub(super) category: &'static str,
    pub(super) search: &'static str,
    pub(super) cart: &'static str,
    pub(super) blog: &'static str,
    /// Images, with `{id}`, `{n}` and `{size}`.
    pub(super) image: &'static str,
}

/// How it sells, each in percent of its products.
#[derive(Debug)]
pub(super) struct Deals {
    pub(super) sale: u8,
    pub(super) sold_out: u8,
    /// With forms to choose between.
    pub(super) varied: u8,
    /// How many choices such a product has.
    pub(super) axes: usize,
    pub(super) spread: Spread,
    /// What the page tells about each form.
    pub(super) forms: Forms,
    pub(super) on_request: u8,
}

/// What a page shows when its variants differ in price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spread {
    /// The price of the first.
    First,
    /// "From" the lowest.
    From,
    /// The lowest and the highest.
    Range,
}

/// What a page tells about its variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Forms {
    /// Only what can be chosen.
    Shown,
    /// All of each, in its data.
    Data,
    /// All of each, and its article number.
    DataWithGtin,
}

/// What a category page says about its products in structured data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Teasers {
    None,
    /// An `ItemList` of addresses.
    List,
    /// A whole `Product` for each card.
    Products,
    /// Microdata in the cards.
    Microdata,
}

/// How a list goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paging {
    /// `?page=2` and `rel=next`.
    Query,
    /// `/page/2/`.
    Folder,
    /// A link "load more" with `?p=2`.
    LoadMore,
}

/// A fact that a page may show or hide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Facet {
    Brand = 0,
    Sku,
    Mpn,
    Gtin,
    Rating,
    Condition,
    Seller,
    Description,
    Attributes,
    Features,
    Trail,
    Category,
    Stock,
    Tax,
}

impl Facet {
    pub(super) const ALL: [Self; 14] = [
        Self::Brand,
        Self::Sku,
        Self::Mpn,
        Self::Gtin,
        Self::Rating,
        Self::Condition,
        Self::Seller,
        Self::Description,
        Self::Attributes,
        Self::Features,
        Self::Trail,
        Self::Category,
        Self::Stock,
        Self::Tax,
    ];
}

/// A set of facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Facets(u16);

impl Facets {
    pub(super) fn add(&mut self, facet: Facet) {
        self.0 |= 1 << facet as u16;
    }

    pub(super) fn remove(&mut self, facet: Facet) {
        self.0 &= !(1 << facet as u16);
    }

    pub(super) fn has(self, facet: Facet) -> bool {
        self.0 & (1 << facet as u16) != 0
    }
}

impl Market {
    /// What base prices are told for.
    pub(super) fn unit(&self) -> &'static str {
        self.trade.unit
    }
}
