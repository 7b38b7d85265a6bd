//! What one source of a page says of one product, before it is held against the others.

use contract::{
    Availability, Breadcrumb, Condition, Gtin, ProductAttribute, ProductImage, ProductSource,
    Rating, Seller,
};

use super::price::{Currency, Decimal, PriceForm};

/// How much of a list is kept, whatever a page repeats.
pub(super) const MAX_IMAGES: usize = 100;
pub(super) const MAX_ATTRIBUTES: usize = 300;
pub(super) const MAX_CRUMBS: usize = 20;

/// How many forms of a product are kept. The largest real configurators stay below; what
/// is beyond is the same again in one more shade.
pub(super) const MAX_VARIANTS: usize = 10_000;

/// The longest description, and the longest of any other text.
pub(super) const MAX_DESCRIPTION: usize = 64 * 1024;
pub(super) const MAX_TEXT: usize = 1_024;

/// What one source says.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub source: ProductSource,
    pub name: Option<String>,
    /// The page that the source says it speaks of.
    pub url: Option<String>,
    pub brand: Option<String>,
    pub category: Option<String>,
    /// Plain text.
    pub description: Option<String>,
    pub breadcrumbs: Vec<Breadcrumb>,
    pub features: Vec<String>,
    pub attributes: Vec<ProductAttribute>,
    pub sku: Option<String>,
    pub mpn: Option<String>,
    pub gtin: Vec<Gtin>,
    pub offer: Offer,
    pub condition: Option<Condition>,
    pub seller: Option<Seller>,
    pub images: Vec<ProductImage>,
    pub rating: Option<Rating>,
    pub variants: Vec<Form>,
}

/// What a product costs, and whether it can be had.
#[derive(Debug, Clone, Default)]
pub(super) struct Offer {
    pub low: Option<Decimal>,
    pub high: Option<Decimal>,
    pub regular: Option<Decimal>,
    pub currency: Option<Currency>,
    pub form: Option<PriceForm>,
    pub availability: Option<Availability>,
    /// The price as it is written there.
    pub raw: Option<String>,
    pub availability_raw: Option<String>,
    pub tax_included: Option<bool>,
}

/// One form of the product.
#[derive(Debug, Clone, Default)]
pub(super) struct Form {
    pub id: Option<String>,
    pub options: Vec<(String, String)>,
    pub sku: Option<String>,
    pub gtin: Vec<Gtin>,
    pub offer: Offer,
    pub url: Option<String>,
    pub images: Vec<ProductImage>,
}

impl Draft {
    pub fn new(source: ProductSource) -> Self {
        Self {
            source,
            name: None,
            url: None,
            brand: None,
            category: None,
            description: None,
            breadcrumbs: Vec::new(),
            features: Vec::new(),
            attributes: Vec::new(),
            sku: None,
            mpn: None,
            gtin: Vec::new(),
            offer: Offer::default(),
            condition: None,
            seller: None,
            images: Vec::new(),
            rating: None,
            variants: Vec::new(),
        }
    }

    /// Takes from another of the same source what this one lacks.
    pub fn fill_from(&mut self, other: Self) {
        let Self { brand, category, description, sku, mpn, condition, seller, rating, .. } = other;
        self.name = self.name.take().or(other.name);
        self.url = self.url.take().or(other.url);
        self.brand = self.brand.take().or(brand);
        self.category = self.category.take().or(category);
        self.description = self.description.take().or(description);
        self.sku = self.sku.take().or(sku);
        self.mpn = self.mpn.take().or(mpn);
        self.condition = self.condition.take().or(condition);
        self.seller = self.seller.take().or(seller);
        self.rating = self.rating.take().or(rating);
        fill(&mut self.breadcrumbs, other.breadcrumbs);
        fill(&mut self.features, other.features);
        fill(&mut self.attributes, other.attributes);
        fill(&mut self.gtin, other.gtin);
        fill(&mut self.images, other.images);
        fill(&mut self.variants, other.variants);
        self.offer.fill_from(other.offer);
    }
}

impl Offer {
    /// Takes from another what this one lacks. A price is taken as a whole.
    pub fn fill_from(&mut self, other: Self) {
        if self.low.is_none() {
            (self.low, self.high, self.form) = (other.low, other.high, other.form);
            self.raw = self.raw.take().or(other.raw);
        }
        self.regular = self.regular.or(other.regular);
        self.currency = self.currency.or(other.currency);
        self.availability = self.availability.or(other.availability);
        self.availability_raw = self.availability_raw.take().or(other.availability_raw);
        self.tax_included = self.tax_included.or(other.tax_included);
    }
}

fn fill<T>(list: &mut Vec<T>, other: Vec<T>) {
    if list.is_empty() {
        *list = other;
    }
}
