//! One thing that a shop sells, with all that is known about it, and where its page says so.

mod forms;
mod making;
mod money;
mod prose;
mod trouble;

pub(super) use forms::check_digit;
pub(super) use making::{make, slug};
pub(super) use money::Money;
pub(super) use prose::{Block, Form};
pub(super) use trouble::Trouble;

use super::locale::{Cents, Locale};
use super::plan::{Facet, Facets, Plan};
use super::truth::{Availability, Condition};

/// A product. An optional fact that is `Some` stands on its page, in the places that
/// `seen` and `data` name.
#[derive(Debug, Clone)]
pub(super) struct Good {
    /// Its place in the shop, over all markets.
    pub(super) number: usize,
    pub(super) market: usize,
    pub(super) locale: &'static Locale,
    /// The shop's own number for it.
    pub(super) id: String,
    pub(super) path: String,
    pub(super) also_at: Vec<String>,
    /// The page names its canonical address.
    pub(super) canonical: bool,
    pub(super) name: String,
    /// What the data calls it, which may be longer.
    pub(super) data_name: String,
    pub(super) brand: Option<&'static str>,
    pub(super) sku: Option<String>,
    pub(super) mpn: Option<String>,
    /// As the page spells it; the check digit may be wrong.
    pub(super) gtin: Option<String>,
    pub(super) money: Money,
    pub(super) stock: Option<Availability>,
    pub(super) stock_text: &'static str,
    pub(super) condition: Option<Condition>,
    pub(super) seller: Option<String>,
    pub(super) tax: Option<bool>,
    pub(super) pictures: Vec<Picture>,
    pub(super) rating: Option<Rating>,
    pub(super) axes: Vec<(&'static str, Vec<&'static str>)>,
    pub(super) variants: Vec<Variant>,
    /// Category and the one below it.
    pub(super) shelf: (usize, usize),
    pub(super) attributes: Vec<(String, String)>,
    pub(super) features: Vec<&'static str>,
    pub(super) blocks: Vec<Block>,
    pub(super) contacts: Vec<String>,
    pub(super) codes: Vec<String>,
    pub(super) seen: Facets,
    pub(super) data: Facets,
    /// Which of the shop's two templates shows it.
    pub(super) layout: usize,
    pub(super) trouble: Trouble,
    /// For whatever else its page draws by lot.
    pub(super) seed: u64,
}

#[derive(Debug, Clone)]
pub(super) struct Picture {
    /// Path, or address without scheme, of the full size.
    pub(super) full: String,
    pub(super) medium: String,
    pub(super) thumb: String,
    pub(super) alt: String,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Rating {
    pub(super) tenths: u32,
    pub(super) count: u32,
}

#[derive(Debug, Clone)]
pub(super) struct Variant {
    pub(super) id: String,
    pub(super) options: Vec<(&'static str, String)>,
    pub(super) sku: String,
    pub(super) gtin: String,
    pub(super) price: Cents,
    pub(super) regular: Option<Cents>,
    pub(super) stock: Availability,
}

impl Good {
    /// The fact stands for the eye.
    pub(super) fn shows(&self, facet: Facet) -> bool {
        self.seen.has(facet)
    }

    /// The fact stands in the data.
    pub(super) fn tells(&self, facet: Facet) -> bool {
        self.data.has(facet)
    }

    /// The brand, where the eye finds it.
    pub(super) fn shown_brand(&self) -> Option<&'static str> {
        self.brand.filter(|_| self.shows(Facet::Brand))
    }

    pub(super) fn shown_sku(&self) -> Option<&str> {
        self.sku.as_deref().filter(|_| self.shows(Facet::Sku))
    }

    pub(super) fn shown_rating(&self) -> Option<Rating> {
        self.rating.filter(|_| self.shows(Facet::Rating))
    }

    /// What the page says about stock, where the eye finds it.
    pub(super) fn shown_stock(&self) -> Option<&'static str> {
        self.stock.filter(|_| self.shows(Facet::Stock)).map(|_| self.stock_text)
    }

    /// It can be bought.
    pub(super) fn sells(&self) -> bool {
        self.stock.is_none_or(Availability::sells)
    }

    /// What the page calls its article number.
    pub(super) fn gtin_label(&self) -> &'static str {
        match self.gtin.as_ref().map(String::len) {
            Some(12) => "UPC",
            _ => self.locale.words.gtin,
        }
    }

    /// The property of schema.org that its length asks for.
    pub(super) fn gtin_property(&self) -> &'static str {
        match self.gtin.as_ref().map(String::len) {
            Some(8) => "gtin8",
            Some(12) => "gtin12",
            Some(14) => "gtin14",
            _ => "gtin13",
        }
    }

    /// The description as plain text.
    pub(super) fn text(&self, with_contacts: bool) -> String {
        prose::text(&self.blocks, with_contacts)
    }

    /// The first sentences in one line, as shops put them into their data.
    pub(super) fn summary(&self) -> String {
        self.text(true).split('\n').next().unwrap_or_default().to_owned()
    }

    /// A price as the shop spells it.
    pub(super) fn spell(&self, plan: &Plan, cents: Cents) -> String {
        self.locale.money(cents, plan.habit)
    }
}

impl Rating {
    /// With a point.
    pub(super) fn value(self) -> String {
        format!("{}.{}", self.tenths / 10, self.tenths % 10)
    }
}
