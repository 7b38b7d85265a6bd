//! Merges the variants: the most complete list, completed from the other sources.

use std::collections::BTreeMap;

use contract::{Availability, ProductVariant};
use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::price::MergedPrice;
use super::{MergeInput, Provenance};
use crate::field::ProductField;
use crate::source_record::{MAX_VARIANTS, VariantRecord};

pub(super) fn variants(
    input: &MergeInput,
    price: &MergedPrice,
    provenance: &mut Provenance,
) -> Vec<ProductVariant> {
    let all = || input.all().filter(|record| !record.variants.is_empty());
    // Variants with options win, then more variants; of equally many those with more values, and of
    // these the first source.
    let completeness = |variants: &[VariantRecord]| {
        let values: usize = variants.iter().take(50).map(value_count).sum();
        let has_options = variants.iter().any(|variant| !variant.options.is_empty());
        (has_options, variants.len(), values)
    };
    let best = all().rev().max_by_key(|record| completeness(&record.variants));
    let Some(best) = best else { return Vec::new() };
    provenance.note(ProductField::Variant, best.source);
    let mut others: HashMap<&str, &VariantRecord> = HashMap::new();
    for record in all().filter(|record| record.source != best.source) {
        for variant in &record.variants {
            if let Some(sku) = variant.sku.as_deref().or(variant.id.as_deref()) {
                others.entry(sku).or_insert(variant);
            }
        }
    }
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut variants = Vec::new();
    for record in best.variants.iter().take(MAX_VARIANTS) {
        let number = record.sku.as_deref().or(record.id.as_deref());
        let other = number.and_then(|number| others.get(number).copied());
        let mut variant = merged(record, other, price);
        variant.options = with_visible_labels(variant.options, &input.visible.choices);
        // Ids are unique within the product.
        let count = seen.entry(variant.variant_id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            variant.variant_id = format!("{}-{count}", variant.variant_id);
        }
        variants.push(variant);
    }
    variants
}

/// The options under the labels that the page shows.
fn with_visible_labels(
    options: BTreeMap<String, String>,
    labels: &[String],
) -> BTreeMap<String, String> {
    let shown = |name: String| {
        let label = labels.iter().find(|label| label.eq_ignore_ascii_case(&name));
        label.cloned().unwrap_or(name)
    };
    options.into_iter().map(|(name, value)| (shown(name), value)).collect()
}

/// How many values a variant has; options count twice.
fn value_count(variant: &VariantRecord) -> usize {
    variant.options.len() * 2
        + usize::from(variant.sku.is_some())
        + usize::from(variant.offer.low.is_some())
        + usize::from(variant.offer.availability.is_some())
        + variant.gtin.len().min(1)
}

/// A variant, completed from the same variant of another source.
fn merged(
    record: &VariantRecord,
    other: Option<&VariantRecord>,
    price: &MergedPrice,
) -> ProductVariant {
    let offer = &record.offer;
    let other_offer = other.map(|other| &other.offer);
    let low = offer.low.or(other_offer.and_then(|offer| offer.low));
    let currency =
        offer.currency.or(other_offer.and_then(|offer| offer.currency)).or(price.page_currency);
    let regular = offer.regular.or(other_offer.and_then(|offer| offer.regular));
    let regular = regular.filter(|regular| Some(*regular) > low);
    let options = if record.options.is_empty() {
        other.map_or(&record.options, |other| &other.options)
    } else {
        &record.options
    };
    let options: BTreeMap<String, String> = options.iter().cloned().collect();
    let availability = offer.availability.or(other_offer.and_then(|offer| offer.availability));
    let id = record
        .id
        .clone()
        .or_else(|| record.sku.clone())
        .or_else(|| other.and_then(|other| other.id.clone()));
    let hashed = || format!("{:016x}", xxh3_64(format!("{options:?}").as_bytes()));
    ProductVariant {
        variant_id: id.unwrap_or_else(hashed),
        sku: record.sku.clone(),
        gtin: if record.gtin.is_empty() {
            other.map_or_else(Vec::new, |other| other.gtin.clone())
        } else {
            record.gtin.clone()
        },
        price: low.map(|low| low.in_currency(currency)),
        regular_price: regular.map(|regular| regular.in_currency(currency)),
        currency: low.and(currency).map(|currency| currency.as_str().to_owned()),
        availability: availability.unwrap_or(Availability::Unknown),
        url: record.url.clone().or_else(|| other.and_then(|other| other.url.clone())),
        images: record.images.clone(),
        options,
    }
}
