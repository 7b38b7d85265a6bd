//! Mode `products`: decides whether a page sells one product and extracts its record.
//!
//! [`ProductPage::read`] parses the page once, for its links and its DOM. Every source then gives
//! its own record: schema.org data (`schema_org`), script state (`script_state`), meta tags
//! (`meta_tags`), the visible page (`visible_dom`) and the template learned for the site
//! (`template`). `classifier` decides by a learned model whether it is a product page; `merge` combines the records by
//! trust and agreement. `redaction` removes the seller's contact details from descriptions. In a site
//! crawl [`ProductsMode`] delivers each product once and learns the template.
//!
//! Wording in all languages is in `data/`: to support another phrase, label or currency sign, add a
//! line there. To support another source, fill a `SourceRecord` and add it in `extraction`.
//!
//! ```
//! use page::{PageHead, PageLimits};
//! use products::{ProductOptions, ProductPage};
//! use urls::CanonicalUrl;
//!
//! let html = b"<title>Blue Kettle</title><h1>Blue Kettle</h1>
//!     <p class=price>\xc2\xa349.00</p><button>Add to cart</button>";
//! let url = CanonicalUrl::parse("https://shop.example/p/blue-kettle").unwrap();
//! let options = ProductOptions {
//!     suppress_contact: true,
//!     collect_hidden_prices: false,
//!     template_examples: false,
//! };
//! let head = PageHead { content_type: Some("text/html; charset=utf-8"), ..PageHead::default() };
//! let (_, page) =
//!     ProductPage::read(html, &head, &url, &PageLimits::default(), options, None);
//! let product = page.product.unwrap();
//! assert_eq!(product.name, "Blue Kettle");
//! assert_eq!(product.price.as_deref(), Some("49.00"));
//! assert_eq!(product.currency.as_deref(), Some("GBP"));
//! ```

#[macro_use]
extern crate text;

use std::collections::BTreeMap;

use contract::{
    Availability, Breadcrumb, Condition, Gtin, PriceType, ProductAttribute, ProductImage,
    ProductSource, ProductVariant, Rating, Seller,
};
use serde::{Deserialize, Serialize};
use urls::CanonicalUrl;

use html::dom::Builder;
use html::{budget, charset};
use page::{Page, PageHead, PageLimits};

mod class_hints;
mod classifier;
mod dom_index;
mod extraction;
mod extractor;
mod field;
mod gtin;
mod heading;
mod item;
mod item_schema;
mod letters;
mod merge;
mod meta_tags;
mod page_context;
mod page_subject;
mod phrase_matcher;
mod phrases;
mod price;
mod product_dedup;
mod products_mode;
mod redaction;
mod schema_org;
mod script_state;
mod source_record;
mod template;
mod template_record;
#[cfg(feature = "training")]
pub mod training;
mod visible_dom;
mod vocabulary;

pub use extractor::ProductExtractor;
pub use item_schema::PRODUCTS_SCHEMA;
pub use products_mode::ProductsMode;
pub use template::{ExtractionTemplate, TemplateExample, TemplateLearner};

/// The options of a run for its products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProductOptions {
    /// Redact the seller's contact details in descriptions.
    pub suppress_contact: bool,
    /// Keep a price of the data if the page says that it is available on request.
    pub collect_hidden_prices: bool,
    /// Make training examples for the template of the site. This takes longer than all the rest.
    pub template_examples: bool,
}

/// The record of a product, without the fields that only the run knows.
#[derive(Debug, Clone, PartialEq)]
pub struct Product {
    pub name: String,
    /// The SKU, or the first GTIN.
    pub product_id: Option<String>,
    pub brand: Option<String>,
    pub category: Option<String>,
    pub description: Option<String>,
    pub breadcrumbs: Vec<Breadcrumb>,
    pub features: Vec<String>,
    pub attributes: Vec<ProductAttribute>,
    pub sku: Option<String>,
    pub mpn: Option<String>,
    pub gtin: Vec<Gtin>,
    pub price: Option<String>,
    pub regular_price: Option<String>,
    pub currency: Option<String>,
    pub price_raw: Option<String>,
    pub price_type: PriceType,
    pub tax_included: Option<bool>,
    pub availability: Availability,
    pub availability_raw: Option<String>,
    pub condition: Option<Condition>,
    pub seller: Option<Seller>,
    pub images: Vec<ProductImage>,
    pub rating: Option<Rating>,
    pub variants: Vec<ProductVariant>,
    pub provenance: BTreeMap<String, ProductSource>,
    /// Whether the template read at least one value.
    pub by_template: bool,
    pub confidence: f64,
    /// The hash of the values, 16 hexadecimal digits.
    pub content_hash: String,
}

/// What mode `products` extracts from a page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProductPage {
    /// The product that the page sells; `None` for lists, carts, articles and home pages.
    pub product: Option<Box<Product>>,
    /// The training example for the template of the site, if the options ask for it.
    pub template_example: Option<Box<TemplateExample>>,
}

impl ProductPage {
    /// Reads the page at `url`: its links and head, and its product.
    #[must_use]
    pub fn read(
        body: &[u8],
        head: &PageHead<'_>,
        url: &CanonicalUrl,
        limits: &PageLimits,
        options: ProductOptions,
        template: Option<&ExtractionTemplate>,
    ) -> (Page, Self) {
        budget::ensure(body.len(), || {
            let html = charset::decode(body, head.content_type);
            let mut builder = Builder::new(&html);
            let page = page::read_page_text(&html, head, url, limits, &mut builder);
            let dom = builder.finish();
            let product =
                extraction::extract_product(&dom, &page, url, options, template).map(Box::new);
            let template_example = product
                .as_ref()
                .filter(|_| options.template_examples)
                .map(|product| Box::new(template_record::example(&dom, product)));
            (page, Self { product, template_example })
        })
    }
}
