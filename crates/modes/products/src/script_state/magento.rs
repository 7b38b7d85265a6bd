//! Magento state: variants as tables of attributes with the articles of each value, and galleries
//! with three sizes per image.

use contract::{Availability, ProductImage};
use hashbrown::HashMap;
use serde_json::{Map, Value};

use crate::page_context::PageContext;
use crate::price::PriceForm;
use crate::schema_org::{decimal, text};
use crate::source_record::{MAX_IMAGES, MAX_VARIANTS, VariantRecord};

/// How many values are visited.
const MAX_VISITED: usize = 5_000;

/// Searches a value for variants and images and keeps the longest lists.
pub(super) fn read(
    value: &Value,
    variants: &mut Vec<VariantRecord>,
    images: &mut Vec<ProductImage>,
    context: &PageContext<'_>,
) {
    let mut pending = vec![(value, 0_usize)];
    let mut visited = 0;
    while let Some((value, depth)) = pending.pop() {
        visited += 1;
        if visited > MAX_VISITED || depth > 12 {
            continue;
        }
        match value {
            Value::Object(object) => {
                if let Some(read) = configured_variants(object, context)
                    && read.len() > variants.len()
                {
                    *variants = read;
                }
                pending.extend(object.values().map(|value| (value, depth + 1)));
            }
            Value::Array(values) => {
                let read = gallery(values, context);
                if read.len() > images.len() {
                    *images = read;
                }
                pending.extend(values.iter().map(|value| (value, depth + 1)));
            }
            _ => {}
        }
    }
}

fn configured_variants(
    object: &Map<String, Value>,
    context: &PageContext<'_>,
) -> Option<Vec<VariantRecord>> {
    let attributes = object.get("attributes")?.as_object()?;
    let prices = object.get("optionPrices").and_then(Value::as_object);
    let mut variants: Vec<(String, VariantRecord)> = Vec::new();
    let mut positions: HashMap<String, usize> = HashMap::new();
    for attribute in attributes.values().take(16) {
        let label = text(attribute.get("label"))?;
        for option in attribute.get("options")?.as_array()?.iter().take(MAX_VARIANTS) {
            let Some(value) = text(option.get("label")) else { continue };
            let articles = option.get("products").and_then(Value::as_array);
            for article in articles.into_iter().flatten() {
                let Some(id) = text(Some(article)) else { continue };
                let at = *positions.entry(id.clone()).or_insert_with(|| {
                    variants.push((id.clone(), VariantRecord::default()));
                    variants.len() - 1
                });
                if variants.len() > MAX_VARIANTS {
                    return None;
                }
                // Articles that can be chosen are in stock.
                variants[at].1.offer.availability = Some(Availability::InStock);
                variants[at].1.options.push((label.clone(), value.clone()));
            }
        }
    }
    add_unavailable(object, attributes, &mut variants, &mut positions);
    let table = |name: &str, id: &str| object.get(name).and_then(|table| table.get(id));
    for (id, variant) in &mut variants {
        let price = prices.and_then(|prices| prices.get(id.as_str()));
        let amount = |name: &str| {
            decimal(price.and_then(|price| price.get(name)).and_then(|price| price.get("amount")))
        };
        variant.offer.low = amount("finalPrice").or_else(|| amount("basePrice"));
        variant.offer.regular = amount("oldPrice");
        variant.offer.form = variant.offer.low.map(|_| PriceForm::Exact);
        let stated = table("salable", id).or_else(|| table("stock", id)).and_then(stock_flag);
        variant.offer.availability = stated.or(variant.offer.availability);
        variant.sku = ["sku", "skus", "simple_sku"].iter().find_map(|name| text(table(name, id)));
        variant.id = Some(id.clone());
        if let Some(entries) = table("images", id).and_then(Value::as_array) {
            variant.images = gallery(entries, context);
        }
    }
    (!variants.is_empty()).then(|| variants.into_iter().map(|(_, variant)| variant).collect())
}

/// Adds variants that cannot be chosen: only the index of all variants has them.
fn add_unavailable(
    object: &Map<String, Value>,
    attributes: &Map<String, Value>,
    variants: &mut Vec<(String, VariantRecord)>,
    positions: &mut HashMap<String, usize>,
) {
    let Some(index) = object.get("index").and_then(Value::as_object) else { return };
    let mut labels: HashMap<(&str, String), (String, String)> = HashMap::new();
    for (id, attribute) in attributes.iter().take(16) {
        let Some(label) = text(attribute.get("label")) else { continue };
        let options = attribute.get("options").and_then(Value::as_array);
        for option in options.into_iter().flatten().take(MAX_VARIANTS) {
            if let (Some(key), Some(value)) = (text(option.get("id")), text(option.get("label"))) {
                labels.insert((id, key), (label.clone(), value));
            }
        }
    }
    for (id, chosen) in index.iter().take(MAX_VARIANTS) {
        let Some(chosen) = chosen.as_object() else { continue };
        let options = chosen.iter().take(16).filter_map(|(attribute, option)| {
            labels.get(&(attribute.as_str(), text(Some(option))?)).cloned()
        });
        let options: Vec<(String, String)> = options.collect();
        match positions.get(id) {
            Some(&at) if variants[at].1.options.len() < options.len() => {
                variants[at].1.options = options;
                variants[at].1.offer.availability = Some(Availability::OutOfStock);
            }
            Some(_) => {}
            None => {
                let mut variant = VariantRecord { options, ..VariantRecord::default() };
                variant.offer.availability = Some(Availability::OutOfStock);
                positions.insert(id.clone(), variants.len());
                variants.push((id.clone(), variant));
            }
        }
    }
}

fn stock_flag(value: &Value) -> Option<Availability> {
    let is = match value {
        Value::Bool(is) => *is,
        Value::Number(number) => number.as_f64()? > 0.0,
        Value::Object(object) => {
            return stock_flag(object.get("is_in_stock").or_else(|| object.get("is_salable"))?);
        }
        _ => return None,
    };
    Some(if is { Availability::InStock } else { Availability::OutOfStock })
}

fn gallery(values: &[Value], context: &PageContext<'_>) -> Vec<ProductImage> {
    let entries = values.iter().take(MAX_IMAGES).filter_map(|entry| {
        let entry = entry.as_object()?;
        // Videos have only a preview image.
        if entry.get("type").and_then(Value::as_str).is_some_and(|kind| kind == "video")
            || !entry.contains_key("thumb")
        {
            return None;
        }
        let url = ["full", "img"].iter().find_map(|key| entry.get(*key)?.as_str())?;
        Some(ProductImage { url: context.image(url)?, alt: text(entry.get("caption")) })
    });
    entries.collect()
}
