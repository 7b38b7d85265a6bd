//! The record of a product object in a page's state.

use contract::{Breadcrumb, ProductAttribute, ProductSource};
use serde_json::{Map, Value};

use super::object_keys::{ObjectKey, key};
use super::value::{images, list, node, offer};
use super::variant;
use crate::gtin::gtin;
use crate::page_context::PageContext;
use crate::schema_org::{checked_rating, complete_from_variants, condition, description, text};
use crate::source_record::{MAX_ATTRIBUTES, MAX_CRUMBS, SourceRecord};

pub(super) fn record(object: &Map<String, Value>, context: &PageContext<'_>) -> SourceRecord {
    let mut record = SourceRecord::new(ProductSource::State);
    let in_cents = counts_in_cents(object);
    record.offer = offer(object, context, in_cents);
    let mut short = None;
    let mut options: &[Value] = &[];
    for (name, value) in object.iter().take(200) {
        if value.is_null() {
            continue;
        }
        match key(name) {
            Some(ObjectKey::Name) => set(&mut record.name, || text(Some(value))),
            Some(ObjectKey::Url) => set(&mut record.url, || value.as_str().map(str::to_owned)),
            Some(ObjectKey::Sku) => set(&mut record.sku, || text(Some(value))),
            Some(ObjectKey::Mpn) => set(&mut record.mpn, || text(Some(value))),
            Some(ObjectKey::Gtin) => {
                let number = text(Some(value)).and_then(|text| gtin(&text));
                record.gtin.extend(number.filter(|number| !record.gtin.contains(number)));
            }
            // A number is an id of the shop.
            Some(ObjectKey::Brand) => {
                set(&mut record.brand, || text(Some(value)).filter(|_| !value.is_number()))
            }
            Some(ObjectKey::Category) => {
                set(&mut record.category, || text(Some(value)).filter(|_| !value.is_number()))
            }
            Some(ObjectKey::Description) => {
                set(&mut record.description, || description(Some(value)))
            }
            Some(ObjectKey::ShortDescription) => set(&mut short, || description(Some(value))),
            Some(ObjectKey::Images) => {
                let read = images(value, context);
                if read.len() > record.images.len() {
                    record.images = read;
                }
            }
            Some(ObjectKey::Breadcrumbs) => record.breadcrumbs = crumbs(value, context),
            Some(ObjectKey::Attributes) if record.attributes.is_empty() => {
                record.attributes = attributes(value)
            }
            Some(ObjectKey::Features) => {
                let points = list(value).iter().take(50);
                record.features = points.filter_map(|point| text(Some(point))).collect();
            }
            Some(ObjectKey::Rating) => {
                record.rating = record.rating.take().or_else(|| rating(value))
            }
            Some(ObjectKey::Condition) => {
                record.condition = text(Some(value)).and_then(|term| condition(&term))
            }
            Some(ObjectKey::Options) => options = list(value),
            _ => {}
        }
    }
    record.description = record.description.or(short);
    let variants = object.iter().find(|(name, _)| key(name) == Some(ObjectKey::Variants));
    if let Some((_, variants)) = variants {
        record.variants = variant::variants(list(variants), options, context, in_cents);
    }
    complete_from_variants(&mut record);
    record
}

fn set(field: &mut Option<String>, value: impl FnOnce() -> Option<String>) {
    if field.is_none() {
        *field = value().filter(|value| !value.is_empty());
    }
}

/// Whether amounts are whole numbers of cents: Shopify product objects, recognised by their member
/// names.
fn counts_in_cents(object: &Map<String, Value>) -> bool {
    let has = |object: &Map<String, Value>| {
        ["compare_at_price", "price_varies", "price_min", "public_title", "requires_shipping"]
            .iter()
            .any(|key| object.contains_key(*key))
    };
    let whole = |object: &Map<String, Value>| {
        object.get("price").is_none_or(|price| price.is_i64() || price.is_u64())
    };
    let first = object.get("variants").and_then(|list| list.get(0)).and_then(Value::as_object);
    whole(object) && (has(object) || first.is_some_and(has)) && first.is_none_or(whole)
}

fn crumbs(value: &Value, context: &PageContext<'_>) -> Vec<Breadcrumb> {
    let steps = list(value).iter().take(MAX_CRUMBS).filter_map(|step| {
        let step = node(step)?;
        let name =
            ["name", "title", "label", "text"].iter().find_map(|key| text(step.get(*key)))?;
        let url = ["url", "path", "href", "link"].iter().find_map(|key| step.get(*key)?.as_str());
        Some(Breadcrumb { name, url: url.and_then(|url| context.absolute(url)) })
    });
    steps.collect()
}

fn attributes(value: &Value) -> Vec<ProductAttribute> {
    let mut attributes = Vec::new();
    if let Value::Object(object) = value
        && list(value).is_empty()
    {
        for (name, value) in object.iter().take(MAX_ATTRIBUTES) {
            if let Some(value) = value.as_str().filter(|value| !value.is_empty()) {
                attributes.push(ProductAttribute { name: name.clone(), value: value.to_owned() });
            }
        }
        return attributes;
    }
    for row in list(value).iter().take(MAX_ATTRIBUTES) {
        let Some(row) = node(row) else { continue };
        let name = ["name", "label", "key", "title"].iter().find_map(|key| text(row.get(*key)));
        let value = ["value", "values", "text"].iter().find_map(|key| text(row.get(*key)));
        if let (Some(name), Some(value)) = (name, value) {
            attributes.push(ProductAttribute { name, value });
        }
    }
    attributes
}

fn rating(value: &Value) -> Option<contract::Rating> {
    let object = value.as_object()?;
    let number = |keys: &[&str]| {
        keys.iter().find_map(|key| match object.get(*key)? {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        })
    };
    let value = number(&["average", "value", "ratingValue", "averageRating", "score", "rating"])?;
    let count = number(&[
        "count",
        "ratingCount",
        "reviewCount",
        "total",
        "totalReviews",
        "numberOfReviews",
    ])?;
    checked_rating(value, number(&["best", "bestRating", "max"]).unwrap_or(5.0), count)
}
