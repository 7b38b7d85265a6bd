//! The truth about a shop: what kind every URL is, and every product as a careful
//! person would write it down from what the buyer sees.

use std::collections::BTreeMap;

/// The truth about a shop.
#[derive(Debug, Clone, PartialEq)]
pub struct ShopTruth {
    pub host: String,
    /// Every page that can be reached, by path and query.
    pub pages: BTreeMap<String, PageKind>,
    /// One for each product page under its own address. A shop in several languages has
    /// one for each language.
    pub products: Vec<ProductTruth>,
}

/// What a page is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PageKind {
    Product,
    /// A list of products, with all its pages and facets.
    Category,
    Search,
    Cart,
    Blog,
    Home,
    Other,
}

/// A product. What the page does not give is `None` or an empty list.
#[derive(Debug, Clone, PartialEq)]
pub struct ProductTruth {
    /// Path and query of its page: the key into [`ShopTruth::pages`].
    pub path: String,
    /// Other paths that show the same page and name this one as canonical.
    pub also_at: Vec<String>,
    pub url: String,
    /// As the page names it, absolute.
    pub canonical_url: Option<String>,
    pub name: String,
    pub brand: Option<String>,
    /// The nearest category that the page names.
    pub category: Option<String>,
    /// Plain text, a blank line between paragraphs, without the seller's contact details.
    pub description: Option<String>,
    /// The same with them.
    pub description_with_contacts: Option<String>,
    /// The contact details in it, each as it is spelled there: none may survive.
    pub contacts: Vec<String>,
    /// Codes, dimensions and order numbers in it: each must survive.
    pub codes: Vec<String>,
    /// The trail as it is shown, the home page and the product itself included when it
    /// shows them.
    pub breadcrumbs: Vec<CrumbTruth>,
    pub features: Vec<String>,
    /// Every row of the specification table.
    pub attributes: Vec<(String, String)>,
    pub sku: Option<String>,
    pub mpn: Option<String>,
    /// Those with a right check digit.
    pub gtin: Vec<GtinTruth>,
    /// The price when hidden prices stay hidden.
    pub price: PriceTruth,
    /// The price when hidden ones are collected.
    pub price_with_hidden: PriceTruth,
    pub tax_included: Option<bool>,
    pub availability: Availability,
    pub availability_raw: Option<String>,
    pub condition: Option<Condition>,
    pub seller: Option<SellerTruth>,
    /// In the largest size that the page names, the main one first.
    pub images: Vec<ImageTruth>,
    pub rating: Option<RatingTruth>,
    pub variants: Vec<VariantTruth>,
    pub language: Option<String>,
    /// The same product in other languages and regions, as the page names them.
    pub alternates: Vec<AlternateTruth>,
    /// Every kind of structured data was taken off this page.
    pub stripped: bool,
}

/// What it costs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PriceTruth {
    /// With a point, without grouping; the lower end of a range.
    pub price: Option<String>,
    pub regular_price: Option<String>,
    pub currency: Option<String>,
    /// As shown, white space collapsed.
    pub price_raw: Option<String>,
    pub price_type: PriceType,
}

/// What kind of price it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PriceType {
    Exact,
    From,
    Range,
    OnRequest,
    Hidden,
    #[default]
    None,
}

/// Whether it can be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Availability {
    InStock,
    OutOfStock,
    Preorder,
    Backorder,
    Discontinued,
    #[default]
    Unknown,
}

/// What state it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Condition {
    New,
    Used,
    Refurbished,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrumbTruth {
    pub name: String,
    /// Absolute.
    pub url: Option<String>,
}

/// A number of an article that everybody uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GtinTruth {
    /// `gtin8`, `gtin12`, `gtin13` or `gtin14`.
    pub kind: &'static str,
    pub value: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SellerTruth {
    pub name: String,
    pub url: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageTruth {
    /// Absolute.
    pub url: String,
    pub alt: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatingTruth {
    pub value: String,
    pub best: u32,
    pub count: u32,
}

/// One form of the product. What only an opened list would tell is not given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariantTruth {
    pub variant_id: Option<String>,
    pub options: Vec<(String, String)>,
    pub sku: Option<String>,
    pub gtin: Vec<GtinTruth>,
    pub price: Option<String>,
    pub regular_price: Option<String>,
    pub currency: Option<String>,
    pub availability: Availability,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlternateTruth {
    pub lang: String,
    /// Absolute.
    pub url: String,
}

impl PriceType {
    /// As the record spells it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::From => "from",
            Self::Range => "range",
            Self::OnRequest => "on_request",
            Self::Hidden => "hidden",
            Self::None => "none",
        }
    }
}

impl Availability {
    /// As the record spells it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InStock => "in_stock",
            Self::OutOfStock => "out_of_stock",
            Self::Preorder => "preorder",
            Self::Backorder => "backorder",
            Self::Discontinued => "discontinued",
            Self::Unknown => "unknown",
        }
    }

    /// As schema.org names it.
    pub(super) fn term(self) -> &'static str {
        match self {
            Self::InStock => "InStock",
            Self::OutOfStock => "OutOfStock",
            Self::Preorder => "PreOrder",
            Self::Backorder => "BackOrder",
            Self::Discontinued => "Discontinued",
            Self::Unknown => "",
        }
    }

    /// It can be put into the cart.
    pub(super) fn sells(self) -> bool {
        match self {
            Self::InStock | Self::Preorder | Self::Backorder | Self::Unknown => true,
            Self::OutOfStock | Self::Discontinued => false,
        }
    }
}

impl Condition {
    /// As the record spells it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Used => "used",
            Self::Refurbished => "refurbished",
        }
    }

    /// As schema.org names it.
    pub(super) fn term(self) -> &'static str {
        match self {
            Self::New => "NewCondition",
            Self::Used => "UsedCondition",
            Self::Refurbished => "RefurbishedCondition",
        }
    }
}
