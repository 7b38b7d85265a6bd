//! The record of a schema.org product.

use contract::{ProductAttribute, ProductSource, Rating};
use serde_json::{Map, Value};

use super::images::images;
use super::offer::{Offers, condition};
use super::value::{gtins, number, text};
use super::{SchemaThings, variant};
use crate::page_context::PageContext;
use crate::source_record::{MAX_ATTRIBUTES, MAX_DESCRIPTION, SourceRecord};
use html::structured::each;
use html::{json, prose};

pub(super) fn record<'v>(
    thing: &'v Map<String, Value>,
    things: &SchemaThings<'v>,
    source: ProductSource,
    context: &PageContext<'_>,
) -> SourceRecord {
    let mut record = SourceRecord::new(source);
    let offers = Offers::of(thing, things);
    record.name = text(thing.get("name"));
    record.url = text(thing.get("url")).or_else(|| {
        // The URL of an offer is that of its variant.
        let own = offers.single.first().filter(|_| offers.single.len() == 1);
        own.and_then(|offer| text(offer.get("url")))
    });
    let named = |key: &str| {
        let value = each(thing.get(key)).first()?;
        match things.resolve(value) {
            Some(thing) => text(thing.get("name")),
            None => text(Some(value)),
        }
    };
    record.brand = named("brand").or_else(|| named("manufacturer"));
    record.category = category(thing.get("category"));
    record.description = description(thing.get("description"));
    record.sku = text(thing.get("sku"));
    record.mpn = text(thing.get("mpn"));
    record.gtin = gtins(thing);
    if record.gtin.is_empty() {
        // Some shops put the numbers into the only offer.
        let [offer] = offers.single[..] else {
            return filled(record, thing, things, &offers, context);
        };
        record.gtin = gtins(offer);
        record.sku = record.sku.take().or_else(|| text(offer.get("sku")));
        record.mpn = record.mpn.take().or_else(|| text(offer.get("mpn")));
    }
    filled(record, thing, things, &offers, context)
}

/// Adds the remaining fields.
fn filled<'v>(
    mut record: SourceRecord,
    thing: &'v Map<String, Value>,
    things: &SchemaThings<'v>,
    offers: &Offers<'v>,
    context: &PageContext<'_>,
) -> SourceRecord {
    record.offer = offers.summary(context);
    record.condition =
        text(thing.get("itemCondition")).and_then(|term| condition(&term)).or(offers.condition());
    record.seller = offers.seller(things, context);
    record.images = images(thing.get("image"), things, context);
    record.rating = thing.get("aggregateRating").and_then(|value| rating(things.resolve(value)?));
    record.attributes = attributes(thing);
    record.features = features(thing);
    record.variants = variant::variants(thing, things, offers, context);
    variant::complete_from_variants(&mut record);
    // A variant inherits what its group states once for all variants.
    if let Some(group) = thing.get("isVariantOf").and_then(|value| things.resolve(value)) {
        let shared = |key: &str| text(group.get(key));
        record.brand = record.brand.or_else(|| shared("brand"));
        record.description = record.description.or_else(|| {
            let stated = group.get("description")?;
            things.may_copy(json::length(stated)).then(|| description(Some(stated)))?
        });
    }
    record
}

/// The last category of a path of categories.
fn category(value: Option<&Value>) -> Option<String> {
    let text = match value? {
        Value::Array(values) => text(values.last()),
        other => text(Some(other)),
    }?;
    let last = text.rsplit(['>', '›', '»']).next().unwrap_or_default();
    let last = last.rsplit(" / ").next().unwrap_or_default().trim();
    let is_name = !last.is_empty() && !last.starts_with("http");
    is_name.then(|| last.to_owned())
}

pub(crate) fn description(value: Option<&Value>) -> Option<String> {
    let text = match value? {
        Value::String(text) => prose::plain(text, MAX_DESCRIPTION),
        Value::Array(values) => {
            let parts = values.iter().take(16).filter_map(|part| description(Some(part)));
            parts.collect::<Vec<_>>().join("\n\n")
        }
        Value::Object(thing) => return description(thing.get("@value").or(thing.get("text"))),
        Value::Null | Value::Bool(_) | Value::Number(_) => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}

fn rating(thing: &Map<String, Value>) -> Option<Rating> {
    let value = number(thing.get("ratingValue"))?;
    let best = number(thing.get("bestRating")).unwrap_or(5.0);
    let count = ["ratingCount", "reviewCount"].iter().find_map(|key| number(thing.get(*key)));
    checked_rating(value, best, count.unwrap_or_default())
}

/// A rating, if its values are plausible.
pub(crate) fn checked_rating(value: f64, best: f64, count: f64) -> Option<Rating> {
    let fits = value > 0.0 && value <= best && best <= 1_000.0 && (1.0..1e12).contains(&count);
    fits.then_some(Rating { value, best, count: count as u64 })
}

fn attributes(thing: &Map<String, Value>) -> Vec<ProductAttribute> {
    let properties = each(thing.get("additionalProperty")).iter().take(MAX_ATTRIBUTES);
    let read = properties.filter_map(|property| {
        let property = property.as_object()?;
        let name = text(property.get("name"))?;
        let value = text(property.get("value"))?;
        let unit = text(property.get("unitText"));
        let value = unit
            .filter(|unit| !value.ends_with(unit.as_str()))
            .map_or(value.clone(), |unit| format!("{value} {unit}"));
        Some(ProductAttribute { name, value })
    });
    read.collect()
}

fn features(thing: &Map<String, Value>) -> Vec<String> {
    let notes = thing.get("positiveNotes").and_then(|notes| notes.get("itemListElement"));
    each(notes).iter().take(50).filter_map(|note| text(Some(note))).collect()
}
