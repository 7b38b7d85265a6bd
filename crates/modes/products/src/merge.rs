//! Merges the records of all sources into one product.
//!
//! Each field comes from the most trusted source that states it. For price and availability the
//! visible page wins over contradicting data. The confidence is the agreement of the sources.

use std::collections::BTreeMap;

use contract::{Availability, ProductSource};
use xxhash_rust::xxh3::xxh3_64;

use crate::field::ProductField;
use crate::page_context::PageContext;
use crate::phrases;
use crate::source_record::SourceRecord;
use crate::visible_dom::VisibleProduct;
use crate::{Product, ProductOptions, redaction};

mod breadcrumbs;
mod confidence;
mod images;
mod price;
mod text;
mod variants;

/// The records of all sources of a page.
#[derive(Debug)]
pub(super) struct MergeInput {
    /// Records of structured data, the most trusted source first.
    pub records: Vec<SourceRecord>,
    pub visible: VisibleProduct,
    /// All that the template reads, to compare the other sources with.
    pub template: Option<SourceRecord>,
    /// The breadcrumbs of the schema.org data.
    pub breadcrumbs: Option<(ProductSource, Vec<contract::Breadcrumb>)>,
}

impl MergeInput {
    /// The records of all sources, the most trusted first.
    fn all(&self) -> impl DoubleEndedIterator<Item = &SourceRecord> {
        self.records.iter().chain([&self.visible.record])
    }

    /// The value of the most trusted source that states it.
    fn first<T>(
        &self,
        field: ProductField,
        provenance: &mut Provenance,
        get: impl Fn(&SourceRecord) -> Option<T>,
    ) -> Option<T> {
        let (value, source) = self.all().find_map(|record| Some((get(record)?, record.source)))?;
        provenance.note(field, source);
        Some(value)
    }
}

/// The source of each field.
#[derive(Debug, Default)]
struct Provenance(BTreeMap<String, ProductSource>);

impl Provenance {
    fn note(&mut self, field: ProductField, source: ProductSource) {
        self.0.insert(field.as_str().to_owned(), source);
    }
}

/// The product of a page; `None` without a name.
pub(super) fn merge(
    input: &MergeInput,
    context: &PageContext<'_>,
    options: ProductOptions,
) -> Option<Product> {
    let confidence = confidence::confidence(input);
    let mut provenance = Provenance::default();
    let noted = &mut provenance;
    let name = name(input, noted)?;
    let brand = brand(input, noted);
    let has_variants = input.records.iter().any(|record| record.variants.len() > 1);
    // The SKU of a variant is not that of the product.
    let is_of_variant = |sku: &String| {
        let mut variants = input.records.iter().flat_map(|record| &record.variants);
        has_variants && variants.any(|variant| variant.sku.as_ref() == Some(sku))
    };
    let sku = input.first(ProductField::Sku, noted, |record| {
        record.sku.clone().filter(|sku| !is_of_variant(sku) && !phrases::is_placeholder(sku))
    });
    let mpn = input.first(ProductField::Mpn, noted, |record| {
        record.mpn.clone().filter(|mpn| !phrases::is_placeholder(mpn))
    });
    let stated_category =
        input.first(ProductField::Category, noted, |record| record.category.clone());
    let gtin = input.first(ProductField::Gtin, noted, |record| {
        Some(record.gtin.clone()).filter(|gtin| !gtin.is_empty())
    });
    let gtin = gtin.unwrap_or_default();
    let condition = input.first(ProductField::Condition, noted, |record| record.condition);
    let seller = input.first(ProductField::Seller, noted, |record| record.seller.clone());
    let rating = input.first(ProductField::Rating, noted, |record| record.rating.clone());
    let description = text::description(input, noted).map(|text| match options.suppress_contact {
        true => redaction::redact_contacts(&text),
        false => text,
    });
    let attributes = text::attributes(input, noted);
    let features = text::features(input, noted);
    let breadcrumbs = breadcrumbs::breadcrumbs(input, noted);
    let category = breadcrumbs::category(&breadcrumbs, &name, context).or(stated_category);
    let images = images::images(input, noted);
    let price = price::price(input, options, noted);
    let (availability, availability_raw) = availability(input, noted);
    let variants = variants::variants(input, &price, noted);
    let by_template = input.template.as_ref().is_some_and(SourceRecord::has_values);
    let mut product = Product {
        product_id: sku.clone().or_else(|| gtin.first().map(|number| number.value.clone())),
        name,
        brand,
        category,
        description: description.filter(|text| !text.is_empty()),
        breadcrumbs,
        features,
        attributes,
        sku,
        mpn,
        gtin,
        price: price.price,
        regular_price: price.regular_price,
        currency: price.currency,
        price_raw: price.price_raw,
        price_type: price.price_type,
        tax_included: price.tax_included,
        availability,
        availability_raw,
        condition,
        seller,
        images,
        rating,
        variants,
        provenance: provenance.0,
        by_template,
        confidence,
        content_hash: String::new(),
    };
    product.content_hash = hash(&product);
    Some(product)
}

/// The visible name, else that of the data.
fn name(input: &MergeInput, provenance: &mut Provenance) -> Option<String> {
    let shown = input.visible.record.name.as_ref();
    let stated =
        input.records.iter().find_map(|record| Some((record.name.as_ref()?, record.source)));
    let (name, source) = match (shown, stated) {
        (Some(shown), _) => {
            // If structured data states the same name, it is the source.
            let same = input.records.iter().find(|record| record.name.as_ref() == Some(shown));
            (shown, same.map_or(ProductSource::Dom, |record| record.source))
        }
        (None, Some((stated, source))) => (stated, source),
        (None, None) => return None,
    };
    provenance.note(ProductField::Name, source);
    Some(name.clone())
}

/// The brand of the most trusted source. A short code in small letters gives way to a name.
fn brand(input: &MergeInput, provenance: &mut Provenance) -> Option<String> {
    let named = |record: &SourceRecord| {
        let brand = phrases::brand_name(record.brand.as_deref()?);
        (!phrases::is_placeholder(brand)).then(|| brand.to_owned())
    };
    let is_code =
        |brand: &String| brand.len() <= 3 && brand.chars().all(|c| c.is_ascii_lowercase());
    let name = input
        .first(ProductField::Brand, provenance, |record| named(record).filter(|it| !is_code(it)));
    name.or_else(|| input.first(ProductField::Brand, provenance, named))
}

/// The visible availability wins if it is surely about the product.
fn availability(input: &MergeInput, provenance: &mut Provenance) -> (Availability, Option<String>) {
    let shown = &input.visible.record.offer;
    let stated =
        input.records.iter().find_map(|record| Some((record.offer.availability?, record.source)));
    let found = match (shown.availability, stated) {
        (Some(shown), Some((stated, source))) if shown == stated => Some((shown, source)),
        (Some(shown), _) if input.visible.stock_is_sure => Some((shown, ProductSource::Dom)),
        (_, Some(stated)) => Some(stated),
        (Some(shown), None) => Some((shown, ProductSource::Dom)),
        // What can be put into the cart is in stock.
        (None, None) if input.visible.can_be_ordered => {
            Some((Availability::InStock, ProductSource::Dom))
        }
        (None, None) => None,
    };
    let raw = shown.availability_raw.clone();
    match found {
        Some((availability, source)) => {
            provenance.note(ProductField::Availability, source);
            (availability, raw)
        }
        None => (Availability::Unknown, raw),
    }
}

/// The hash of the values of a product, without provenance and confidence.
fn hash(product: &Product) -> String {
    let values = Product {
        provenance: BTreeMap::new(),
        confidence: 0.0,
        by_template: false,
        content_hash: String::new(),
        ..product.clone()
    };
    format!("{:016x}", xxh3_64(format!("{values:?}").as_bytes()))
}
