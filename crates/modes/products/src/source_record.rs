//! The product as one source of a page states it (JSON-LD, meta tags, visible DOM, …), before the
//! sources are merged.

use contract::{
    Availability, Breadcrumb, Condition, Gtin, ProductAttribute, ProductImage, ProductSource,
    Rating, Seller,
};

use crate::price::{Currency, Decimal, PriceForm};

/// The maximum lengths of lists.
pub(super) const MAX_IMAGES: usize = 100;
pub(super) const MAX_ATTRIBUTES: usize = 300;
pub(super) const MAX_CRUMBS: usize = 20;

/// The maximum number of variants. The largest real configurators have fewer.
pub(super) const MAX_VARIANTS: usize = 10_000;

/// The maximum length of a description and of any other text, in bytes.
pub(super) const MAX_DESCRIPTION: usize = 64 * 1024;
pub(super) const MAX_TEXT: usize = 1_024;

/// The fields that one source states.
#[derive(Debug, Clone)]
pub(super) struct SourceRecord {
    pub source: ProductSource,
    pub name: Option<String>,
    /// The URL that the source gives for the product.
    pub url: Option<String>,
    pub brand: Option<String>,
    pub category: Option<String>,
    /// Plain text without markup.
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
    pub variants: Vec<VariantRecord>,
}

/// Price and availability of a product or variant.
#[derive(Debug, Clone, Default)]
pub(super) struct Offer {
    pub low: Option<Decimal>,
    pub high: Option<Decimal>,
    pub regular: Option<Decimal>,
    pub currency: Option<Currency>,
    pub form: Option<PriceForm>,
    pub availability: Option<Availability>,
    /// The price text as written on the page.
    pub raw: Option<String>,
    pub availability_raw: Option<String>,
    pub tax_included: Option<bool>,
}

/// One variant of the product.
#[derive(Debug, Clone, Default)]
pub(super) struct VariantRecord {
    pub id: Option<String>,
    pub options: Vec<(String, String)>,
    pub sku: Option<String>,
    pub gtin: Vec<Gtin>,
    pub offer: Offer,
    pub url: Option<String>,
    pub images: Vec<ProductImage>,
}

impl SourceRecord {
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

    /// Fills empty fields from another record of the same source.
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

    /// Whether both records can describe the same product: SKU and name do not contradict.
    pub fn agrees_with(&self, other: &Self) -> bool {
        let differ = |one: &Option<String>, other: &Option<String>| {
            one.as_ref().zip(other.as_ref()).is_some_and(|(one, other)| one != other)
        };
        !differ(&self.sku, &other.sku) && !differ(&self.name, &other.name)
    }

    /// Whether the source states anything.
    pub fn has_values(&self) -> bool {
        let texts =
            [&self.name, &self.brand, &self.category, &self.description, &self.sku, &self.mpn];
        texts.iter().any(|text| text.is_some())
            || self.offer.low.is_some()
            || self.offer.availability.is_some()
            || self.seller.is_some()
            || self.condition.is_some()
            || !self.gtin.is_empty()
            || !self.breadcrumbs.is_empty()
            || !self.attributes.is_empty()
            || !self.features.is_empty()
            || !self.images.is_empty()
    }
}

impl Offer {
    /// Fills empty fields from another offer. Low, high and form of a price are taken together.
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
