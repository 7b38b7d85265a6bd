//! Merges the records of all sources into one product.
//!
//! Each field comes from the most trusted source that states it. For price and availability the
//! visible page wins over contradicting data. The confidence is the agreement of the sources.

use std::collections::BTreeMap;

use contract::{Availability, ProductSource};
use xxhash_rust::xxh3::xxh3_64;

use crate::field::ProductField;
use crate::page_context::PageContext;
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

/// The source of each field.
type Provenance = BTreeMap<String, ProductSource>;

/// The product of a page; `None` without a name.
pub(super) fn merge(
    input: &MergeInput,
    context: &PageContext<'_>,
    options: ProductOptions,
) -> Option<Product> {
    let confidence = confidence::confidence(input);
    let mut provenance = Provenance::new();
    let mut note = |field: ProductField, source: ProductSource| {
        provenance.insert(field.as_str().to_owned(), source);
    };
    let name = name(input, &mut note)?;
    let mut first = |field: ProductField, get: &dyn Fn(&SourceRecord) -> Option<String>| {
        let all = input.records.iter().chain([&input.visible.record]);
        let (value, source) =
            all.filter_map(|record| Some((get(record)?, record.source))).next()?;
        note(field, source);
        Some(value)
    };
    let brand = first(ProductField::Brand, &|record| record.brand.clone());
    let is_of_variant = |sku: &String| {
        let mut variants = input.records.iter().flat_map(|record| &record.variants);
        variants.any(|variant| variant.sku.as_ref() == Some(sku))
    };
    let has_variants = input.records.iter().any(|record| record.variants.len() > 1);
    // The SKU of a variant is not that of the product.
    let sku = match has_variants {
        true => {
            first(ProductField::Sku, &|record| record.sku.clone().filter(|sku| !is_of_variant(sku)))
        }
        false => first(ProductField::Sku, &|record| record.sku.clone()),
    };
    let mpn = first(ProductField::Mpn, &|record| record.mpn.clone());
    let stated_category = first(ProductField::Category, &|record| record.category.clone());
    let all = || input.records.iter().chain([&input.visible.record]);
    let gtin = all().find(|record| !record.gtin.is_empty());
    let gtin = gtin.map_or_else(Vec::new, |record| {
        note(ProductField::Gtin, record.source);
        record.gtin.clone()
    });
    let condition = all().find_map(|record| Some((record.condition?, record.source)));
    let seller = all().find_map(|record| Some((record.seller.clone()?, record.source)));
    let rating = all().find_map(|record| Some((record.rating.clone()?, record.source)));
    for (field, source) in [
        (ProductField::Condition, condition.as_ref().map(|(_, source)| *source)),
        (ProductField::Seller, seller.as_ref().map(|(_, source)| *source)),
        (ProductField::Rating, rating.as_ref().map(|(_, source)| *source)),
    ] {
        if let Some(source) = source {
            note(field, source);
        }
    }
    let description =
        text::description(input, &mut note).map(|text| match options.suppress_contact {
            true => redaction::redact_contacts(&text),
            false => text,
        });
    let attributes = text::attributes(input, &mut note);
    let features = text::features(input, &mut note);
    let breadcrumbs = breadcrumbs::breadcrumbs(input, &mut note);
    let category = breadcrumbs::category(&breadcrumbs, &name, context).or(stated_category);
    let images = images::images(input, &mut note);
    let price = price::price(input, options, &mut note);
    let (availability, availability_raw) = availability(input, &mut note);
    let variants = variants::variants(input, &price, &mut note);
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
        condition: condition.map(|(condition, _)| condition),
        seller: seller.map(|(seller, _)| seller),
        images,
        rating: rating.map(|(rating, _)| rating),
        variants,
        provenance,
        by_template,
        confidence,
        content_hash: String::new(),
    };
    product.content_hash = hash(&product);
    Some(product)
}

/// The visible name, else that of the data.
fn name(input: &MergeInput, note: &mut impl FnMut(ProductField, ProductSource)) -> Option<String> {
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
    note(ProductField::Name, source);
    Some(name.clone())
}

/// The visible availability wins if it is surely about the product.
fn availability(
    input: &MergeInput,
    note: &mut impl FnMut(ProductField, ProductSource),
) -> (Availability, Option<String>) {
    let shown = &input.visible.record.offer;
    let stated =
        input.records.iter().find_map(|record| Some((record.offer.availability?, record.source)));
    let found = match (shown.availability, stated) {
        (Some(shown), Some((stated, source))) if shown == stated => Some((shown, source)),
        (Some(shown), _) if input.visible.stock_is_sure => Some((shown, ProductSource::Dom)),
        (_, Some(stated)) => Some(stated),
        (shown, None) => shown.map(|shown| (shown, ProductSource::Dom)),
    };
    let raw = shown.availability_raw.clone();
    match found {
        Some((availability, source)) => {
            note(ProductField::Availability, source);
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
