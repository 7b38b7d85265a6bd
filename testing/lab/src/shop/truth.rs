//! The truth of a shop: the kind of every URL, and every product as a buyer sees it.

use std::collections::BTreeMap;

use contract::{Availability, Condition, PriceType};
use serde::Deserialize;

/// The expected pages and products of a shop.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ShopTruth {
    pub host: String,
    /// Every reachable page by path and query.
    pub pages: BTreeMap<String, PageKind>,
    /// One product per canonical product page. A shop in several languages has one per language.
    pub products: Vec<ProductTruth>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
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

/// A product. Fields that the page does not show are `None` or empty.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ProductTruth {
    /// Path and query of its page: the key into [`ShopTruth::pages`].
    pub path: String,
    /// Other paths of the same page, which declare this one as canonical.
    pub also_at: Vec<String>,
    pub url: String,
    pub name: String,
    pub brand: Option<String>,
    /// The most specific category of the page.
    pub category: Option<String>,
    /// Plain text, a blank line between paragraphs, without the seller's contact details.
    pub description: Option<String>,
    pub description_with_contacts: Option<String>,
    /// The contact details in the description as spelled there; all must be redacted.
    pub contacts: Vec<String>,
    /// Codes, dimensions and order numbers in the description; none may be redacted.
    pub codes: Vec<String>,
    /// The breadcrumbs as shown, including the home page and the product if they are shown.
    pub breadcrumbs: Vec<CrumbTruth>,
    pub features: Vec<String>,
    /// Every row of the specification table.
    pub attributes: Vec<(String, String)>,
    pub sku: Option<String>,
    pub mpn: Option<String>,
    /// GTINs with a valid check digit.
    pub gtin: Vec<GtinTruth>,
    /// The price if hidden prices are not collected.
    pub price: PriceTruth,
    /// The price if hidden prices are collected.
    pub price_with_hidden: PriceTruth,
    pub tax_included: Option<bool>,
    pub availability: Availability,
    pub availability_raw: Option<String>,
    pub condition: Option<Condition>,
    pub seller: Option<SellerTruth>,
    /// In the largest size on the page, the main image first.
    pub images: Vec<ImageTruth>,
    pub rating: Option<RatingTruth>,
    pub variants: Vec<VariantTruth>,
    pub language: Option<String>,
    /// The declared translations of the product for other languages and regions.
    pub alternates: Vec<AlternateTruth>,
    /// Whether the structured data of this page was removed.
    pub stripped: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PriceTruth {
    /// With a decimal point, without grouping; the lower end of a range.
    pub price: Option<String>,
    pub regular_price: Option<String>,
    pub currency: Option<String>,
    /// As shown, white space collapsed.
    pub price_raw: Option<String>,
    pub price_type: PriceType,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct CrumbTruth {
    pub name: String,
    pub url: Option<String>,
}

/// A global trade item number.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct GtinTruth {
    /// `gtin8`, `gtin12`, `gtin13` or `gtin14`.
    pub kind: String,
    pub value: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SellerTruth {
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ImageTruth {
    pub url: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RatingTruth {
    pub value: String,
    pub count: u32,
}

/// A variant of the product. Data that only an opened list shows is absent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct VariantTruth {
    pub options: Vec<(String, String)>,
    pub sku: Option<String>,
    pub gtin: Vec<GtinTruth>,
    pub price: Option<String>,
    pub regular_price: Option<String>,
    pub currency: Option<String>,
    pub availability: Availability,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AlternateTruth {
    pub lang: String,
    pub url: String,
}
