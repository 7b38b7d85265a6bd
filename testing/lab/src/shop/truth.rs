//! The truth about a shop: what kind every URL is, and every product as a careful
//! person would write it down from what the buyer sees.

use std::collections::BTreeMap;

use contract::{Availability, Condition, PriceType};
use serde::{Deserialize, Serialize};

/// The truth about a shop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShopTruth {
    pub host: String,
    /// Every page that can be reached, by path and query.
    pub pages: BTreeMap<String, PageKind>,
    /// One for each product page under its own address. A shop in several languages has
    /// one for each language.
    pub products: Vec<ProductTruth>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
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

/// A product. What the page does not give is `None` or an empty list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceTruth {
    /// With a point, without grouping; the lower end of a range.
    pub price: Option<String>,
    pub regular_price: Option<String>,
    pub currency: Option<String>,
    /// As shown, white space collapsed.
    pub price_raw: Option<String>,
    pub price_type: PriceType,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrumbTruth {
    pub name: String,
    pub url: Option<String>,
}

/// A number of an article that everybody uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GtinTruth {
    /// `gtin8`, `gtin12`, `gtin13` or `gtin14`.
    pub kind: String,
    pub value: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SellerTruth {
    pub name: String,
    pub url: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageTruth {
    pub url: String,
    pub alt: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RatingTruth {
    pub value: String,
    pub best: u32,
    pub count: u32,
}

/// One form of the product. What only an opened list would tell is not given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlternateTruth {
    pub lang: String,
    pub url: String,
}
