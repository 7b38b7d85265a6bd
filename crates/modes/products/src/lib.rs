//! A page as `products` mode reads it: whether it sells one product, and what it says of it.
//!
//! The bytes are gone through once, for the links of the page and for its tree. Every source
//! of the page is asked for every field; they are merged by trust and agreement.

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

mod class_words;
mod context;
mod draft;
mod field;
mod gtin;
mod head;
mod item;
mod learned;
mod lexicon;
mod linked;
mod merge;
mod phrases;
mod price;
mod privacy;
mod reading;
mod sight;
mod state;
mod subject;
mod survey;
mod template;
mod verdict;

pub use template::{Template, TemplateLearner, TemplateLesson};

/// What the owner of a run wishes of its products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProductWishes {
    /// Strip the seller's contact details from descriptions.
    pub suppress_contact: bool,
    /// Keep a price that the data carries where the page sells on request.
    pub collect_hidden_prices: bool,
    /// Tell what the page teaches about its site. That takes longer than all the rest.
    pub lessons: bool,
}

/// A product: its record, apart from what only the run knows.
#[derive(Debug, Clone, PartialEq)]
pub struct Product {
    pub name: String,
    /// Its sku or its article number, if it has one.
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
    /// Whether the template had a say: it found something, be it what others say as well.
    pub by_template: bool,
    pub confidence: f64,
    /// Its values in 16 hexadecimal digits.
    pub content_hash: String,
}

/// What a page is to a run that looks for products.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProductPage {
    /// The product that it sells; none on a list, a cart, a story, a home page.
    pub product: Option<Box<Product>>,
    /// What can be learned from it about the pages of its site.
    pub lesson: Option<Box<TemplateLesson>>,
}

impl ProductPage {
    /// Reads the page that was found at `url`: what a `links` run would know of it, and its
    /// product.
    #[must_use]
    pub fn read(
        body: &[u8],
        head: &PageHead<'_>,
        url: &CanonicalUrl,
        limits: &PageLimits,
        wishes: ProductWishes,
        template: Option<&Template>,
    ) -> (Page, Self) {
        budget::ensure(body.len(), || {
            let html = charset::decode(body, head.content_type);
            let mut builder = Builder::new(&html);
            let page = Page::read_text(&html, head, url, limits, &mut builder);
            let dom = builder.finish();
            let product = reading::product(&dom, &page, url, wishes, template).map(Box::new);
            let taught = product.as_ref().filter(|_| wishes.lessons);
            let lesson = taught.map(|product| Box::new(learned::lesson(&dom, product)));
            (page, Self { product, lesson })
        })
    }
}
