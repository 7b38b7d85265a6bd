//! The items of a `products` run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Alternate;
use crate::string_enum::string_enum;
use crate::{ItemFiles, Millis};

string_enum! {
    /// How the price is to be read.
    pub enum PriceType {
        /// The price of the product.
        Exact = "exact",
        /// The lowest of several prices ("from").
        From = "from",
        /// The lower end of a price range.
        Range = "range",
        /// The price is given on request.
        OnRequest = "on_request",
        /// Price on request, but the price was found in the data of the page.
        Hidden = "hidden",
        /// The page shows no price.
        None = "none",
    }
}

string_enum! {
    /// The availability of a product.
    pub enum Availability {
        /// Available immediately.
        InStock = "in_stock",
        /// Currently not available.
        OutOfStock = "out_of_stock",
        /// Can be ordered before its release.
        Preorder = "preorder",
        /// Can be ordered and is delivered later.
        Backorder = "backorder",
        /// No longer produced or sold.
        Discontinued = "discontinued",
        /// The page does not show it.
        Unknown = "unknown",
    }
}

string_enum! {
    /// The condition of a product.
    pub enum Condition {
        /// A new and unused product.
        New = "new",
        /// Used by a previous owner.
        Used = "used",
        /// A used and restored product.
        Refurbished = "refurbished",
    }
}

string_enum! {
    /// The kind of a GTIN by its length.
    pub enum GtinType {
        /// Eight digits: an EAN-8.
        Gtin8 = "gtin8",
        /// Twelve digits: a UPC-A.
        Gtin12 = "gtin12",
        /// Thirteen digits: an EAN.
        Gtin13 = "gtin13",
        /// Fourteen digits: a trade unit.
        Gtin14 = "gtin14",
    }
}

string_enum! {
    /// The source of a value.
    pub enum ProductSource {
        /// Structured data in JSON-LD.
        JsonLd = "jsonld",
        /// Structured data in Microdata.
        Microdata = "microdata",
        /// Structured data in RDFa.
        Rdfa = "rdfa",
        /// The embedded data of the page's scripts.
        State = "state",
        /// Meta elements of the head.
        Meta = "meta",
        /// The learned extraction template of the site.
        Template = "template",
        /// The visible text of the page.
        Dom = "dom",
    }
}

/// A level of the breadcrumb navigation.
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

/// A global trade item number with a valid check digit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Gtin {
    #[serde(rename = "type")]
    pub kind: GtinType,
    pub value: String,
}

/// The seller of a product.
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

/// The average rating by customers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Rating {
    pub value: f64,
    /// The best possible rating.
    pub best: f64,
    pub count: u64,
}

/// A variant of a product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProductVariant {
    /// Identifier of the variant, stable within the product.
    pub variant_id: String,
    /// Option values by name, such as size and colour.
    pub options: BTreeMap<String, String>,
    #[schema(required = true)]
    pub sku: Option<String>,
    pub gtin: Vec<Gtin>,
    /// The price as a decimal number.
    #[schema(required = true)]
    pub price: Option<String>,
    /// The regular price as a decimal number; null unless higher than `price`.
    #[schema(required = true)]
    pub regular_price: Option<String>,
    #[schema(required = true)]
    pub currency: Option<String>,
    pub availability: Availability,
    #[schema(required = true)]
    pub url: Option<String>,
    pub images: Vec<ProductImage>,
}

/// An item of a `products` run: one product.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProductItem {
    /// The URL of the product page.
    pub url: String,
    /// The product name as shown.
    pub name: String,
    /// Stable within the site: the SKU, a GTIN, or a hash of the URL.
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
    /// The rows of the specification tables.
    pub attributes: Vec<ProductAttribute>,
    #[schema(required = true)]
    pub sku: Option<String>,
    #[schema(required = true)]
    pub mpn: Option<String>,
    pub gtin: Vec<Gtin>,
    /// The price as a decimal number.
    #[schema(required = true)]
    pub price: Option<String>,
    /// The regular price as a decimal number; null unless higher than `price`.
    #[schema(required = true)]
    pub regular_price: Option<String>,
    /// Currency code of ISO 4217.
    #[schema(required = true)]
    pub currency: Option<String>,
    /// The price as shown on the page.
    #[schema(required = true)]
    pub price_raw: Option<String>,
    pub price_type: PriceType,
    /// Whether the price includes tax; null if the page does not say.
    #[schema(required = true)]
    pub tax_included: Option<bool>,
    pub availability: Availability,
    /// The availability as shown.
    #[schema(required = true)]
    pub availability_raw: Option<String>,
    #[schema(required = true)]
    pub condition: Option<Condition>,
    #[schema(required = true)]
    pub seller: Option<Seller>,
    /// The images, the main one first.
    pub images: Vec<ProductImage>,
    #[schema(required = true)]
    pub rating: Option<Rating>,
    pub variants: Vec<ProductVariant>,
    #[schema(required = true)]
    pub language: Option<String>,
    /// The language variants that were merged into this record.
    pub alternates: Vec<Alternate>,
    /// The source of each field.
    pub provenance: BTreeMap<String, ProductSource>,
    /// The extraction template that was used.
    #[schema(required = true)]
    pub template_id: Option<String>,
    /// Agreement of the sources, from 0 to 1.
    pub confidence: f64,
    pub fetched_at: Millis,
    /// Hash of the record, 16 hexadecimal digits.
    pub content_hash: String,
    /// The files that are kept of the page; only in results of a job with `formats`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Box<ItemFiles>>,
}
