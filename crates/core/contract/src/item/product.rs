//! The items of a `products` run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Alternate;
use crate::Millis;
use crate::job::words;

words! {
    /// What kind of price it is.
    pub enum PriceType {
        /// What the product costs.
        Exact = "exact",
        /// The lowest of several; the page says "from".
        From = "from",
        /// The lower end of a range that the page shows.
        Range = "range",
        /// The shop tells it when asked.
        OnRequest = "on_request",
        /// The shop tells it when asked; it was found in the data of the page.
        Hidden = "hidden",
        /// The page gives none.
        None = "none",
    }
}

words! {
    /// Whether the product can be had.
    pub enum Availability {
        /// It can be had now.
        InStock = "in_stock",
        /// It cannot be had now.
        OutOfStock = "out_of_stock",
        /// It can be ordered before it appears.
        Preorder = "preorder",
        /// It can be ordered and comes later.
        Backorder = "backorder",
        /// It will not come back.
        Discontinued = "discontinued",
        /// The page does not say.
        Unknown = "unknown",
    }
}

words! {
    /// What state the product is in.
    pub enum Condition {
        /// Never used.
        New = "new",
        /// It had an owner.
        Used = "used",
        /// It had an owner and was restored.
        Refurbished = "refurbished",
    }
}

words! {
    /// Which kind of article number it is.
    pub enum GtinType {
        /// Eight digits.
        Gtin8 = "gtin8",
        /// Twelve digits: a UPC.
        Gtin12 = "gtin12",
        /// Thirteen digits: an EAN.
        Gtin13 = "gtin13",
        /// Fourteen digits: a trade unit.
        Gtin14 = "gtin14",
    }
}

words! {
    /// Where a value was found.
    pub enum ProductSource {
        /// JSON-LD.
        JsonLd = "jsonld",
        /// Microdata.
        Microdata = "microdata",
        /// RDFa.
        Rdfa = "rdfa",
        /// The data that the page's own scripts work on.
        State = "state",
        /// Meta elements of the head.
        Meta = "meta",
        /// Where the pages of this site show it, as was learned from others of them.
        Template = "template",
        /// The visible page.
        Dom = "dom",
    }
}

/// A step of the trail that leads to a product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Breadcrumb {
    pub name: String,
    #[schema(required = true)]
    pub url: Option<String>,
}

/// A row of a specification table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProductAttribute {
    pub name: String,
    pub value: String,
}

/// A number of an article that everybody uses; its check digit is right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Gtin {
    #[serde(rename = "type")]
    pub kind: GtinType,
    pub value: String,
}

/// Who sells the product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Seller {
    pub name: String,
    #[schema(required = true)]
    pub url: Option<String>,
}

/// An image of the product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProductImage {
    pub url: String,
    #[schema(required = true)]
    pub alt: Option<String>,
}

/// What buyers think of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Rating {
    pub value: f64,
    /// The best that can be had.
    pub best: f64,
    pub count: u64,
}

/// One form of the product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProductVariant {
    /// Stable within the product.
    pub variant_id: String,
    /// Its options by name, such as size and colour.
    pub options: BTreeMap<String, String>,
    #[schema(required = true)]
    pub sku: Option<String>,
    pub gtin: Vec<Gtin>,
    /// A decimal number.
    #[schema(required = true)]
    pub price: Option<String>,
    /// A decimal number; null unless higher than `price`.
    #[schema(required = true)]
    pub regular_price: Option<String>,
    #[schema(required = true)]
    pub currency: Option<String>,
    pub availability: Availability,
    #[schema(required = true)]
    pub url: Option<String>,
    pub images: Vec<ProductImage>,
}

/// A product of a `products` run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProductItem {
    /// Its page.
    pub url: String,
    /// Its title as shown.
    pub name: String,
    /// Stable within the site: its sku, its article number, or a hash of its address.
    pub product_id: String,
    #[schema(required = true)]
    pub canonical_url: Option<String>,
    #[schema(required = true)]
    pub brand: Option<String>,
    #[schema(required = true)]
    pub category: Option<String>,
    /// Plain text with paragraphs.
    #[schema(required = true)]
    pub description: Option<String>,
    pub breadcrumbs: Vec<Breadcrumb>,
    pub features: Vec<String>,
    /// The rows of its specification tables.
    pub attributes: Vec<ProductAttribute>,
    #[schema(required = true)]
    pub sku: Option<String>,
    #[schema(required = true)]
    pub mpn: Option<String>,
    pub gtin: Vec<Gtin>,
    /// A decimal number.
    #[schema(required = true)]
    pub price: Option<String>,
    /// A decimal number; null unless higher than `price`.
    #[schema(required = true)]
    pub regular_price: Option<String>,
    /// ISO 4217.
    #[schema(required = true)]
    pub currency: Option<String>,
    /// The price as shown.
    #[schema(required = true)]
    pub price_raw: Option<String>,
    pub price_type: PriceType,
    /// Null when the page does not say.
    #[schema(required = true)]
    pub tax_included: Option<bool>,
    pub availability: Availability,
    /// The same as shown.
    #[schema(required = true)]
    pub availability_raw: Option<String>,
    #[schema(required = true)]
    pub condition: Option<Condition>,
    #[schema(required = true)]
    pub seller: Option<Seller>,
    /// The main one first.
    pub images: Vec<ProductImage>,
    #[schema(required = true)]
    pub rating: Option<Rating>,
    pub variants: Vec<ProductVariant>,
    #[schema(required = true)]
    pub language: Option<String>,
    /// The language variants that were folded into this record.
    pub alternates: Vec<Alternate>,
    /// Where each field was found.
    pub provenance: BTreeMap<String, ProductSource>,
    /// The template that had a say.
    #[schema(required = true)]
    pub template_id: Option<String>,
    /// How far the sources agree, from 0 to 1.
    pub confidence: f64,
    pub fetched_at: Millis,
    /// The record in 16 hexadecimal digits.
    pub content_hash: String,
}
