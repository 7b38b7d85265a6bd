//! A product as linked data describes it.

use contract::{Gtin, ProductAttribute, ProductImage, ProductSource, Rating};
use serde_json::{Map, Value};

use super::super::context::Context;
use super::super::draft::{Draft, MAX_ATTRIBUTES, MAX_DESCRIPTION, MAX_IMAGES};
use super::super::gtin::gtin;
use super::offer::{Offers, condition};
use super::value::{each, number, text};
use super::{Things, variant};
use html::json;
use html::prose;

/// Where a number that everybody uses may stand.
pub(super) const GTINS: &[&str] =
    &["gtin13", "gtin", "gtin14", "gtin12", "gtin8", "ean", "ean13", "upc", "isbn", "barcode"];

pub(super) fn draft<'v>(
    thing: &'v Map<String, Value>,
    things: &Things<'v>,
    source: ProductSource,
    context: &Context<'_>,
) -> Draft {
    let mut draft = Draft::new(source);
    let offers = Offers::of(thing, things);
    draft.name = text(thing.get("name"));
    draft.url = text(thing.get("url")).or_else(|| {
        // An offer's address is that of its form of the product.
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
    draft.brand = named("brand").or_else(|| named("manufacturer"));
    draft.category = category(thing.get("category"));
    draft.description = description(thing.get("description"));
    draft.sku = text(thing.get("sku"));
    draft.mpn = text(thing.get("mpn"));
    draft.gtin = gtins(thing);
    if draft.gtin.is_empty() {
        // Some shops write it into the only offer.
        let [offer] = offers.single[..] else {
            return filled(draft, thing, things, &offers, context);
        };
        draft.gtin = gtins(offer);
        draft.sku = draft.sku.take().or_else(|| text(offer.get("sku")));
        draft.mpn = draft.mpn.take().or_else(|| text(offer.get("mpn")));
    }
    filled(draft, thing, things, &offers, context)
}

/// The rest of it.
fn filled<'v>(
    mut draft: Draft,
    thing: &'v Map<String, Value>,
    things: &Things<'v>,
    offers: &Offers<'v>,
    context: &Context<'_>,
) -> Draft {
    draft.offer = offers.summary(context);
    draft.condition =
        text(thing.get("itemCondition")).and_then(|term| condition(&term)).or(offers.condition());
    draft.seller = offers.seller(things, context);
    draft.images = images(thing.get("image"), things, context);
    draft.rating = thing.get("aggregateRating").and_then(|value| rating(things.resolve(value)?));
    draft.attributes = attributes(thing);
    draft.features = features(thing);
    draft.variants = variant::forms(thing, things, offers, context);
    variant::complete(&mut draft);
    // A member of a group lacks what the group says once for all.
    if let Some(group) = thing.get("isVariantOf").and_then(|value| things.resolve(value)) {
        let shared = |key: &str| text(group.get(key));
        draft.brand = draft.brand.or_else(|| shared("brand"));
        draft.description = draft.description.or_else(|| {
            let stated = group.get("description")?;
            things.may_copy(json::length(stated)).then(|| description(Some(stated)))?
        });
    }
    draft
}

/// The nearest category of a path of them.
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

/// The numbers with a right check digit, each once.
pub(super) fn gtins(thing: &Map<String, Value>) -> Vec<Gtin> {
    let mut found: Vec<Gtin> = Vec::new();
    for key in GTINS {
        for value in each(thing.get(*key)).iter().take(8) {
            let number = text(Some(value)).and_then(|text| gtin(&text));
            found.extend(number.filter(|number| !found.contains(number)));
        }
    }
    found
}

pub(super) fn images(
    value: Option<&Value>,
    things: &Things<'_>,
    context: &Context<'_>,
) -> Vec<ProductImage> {
    let mut images: Vec<ProductImage> = Vec::new();
    for value in each(value).iter().take(MAX_IMAGES) {
        let (address, alt) = match value {
            Value::String(address) => (Some(address.clone()), None),
            Value::Object(_) => {
                let Some(thing) = things.resolve_whole(value) else { continue };
                let keys = ["contentUrl", "url", "@id", "image", "src"];
                let address =
                    keys.iter().find_map(|key| Some(thing.get(*key)?.as_str()?.to_owned()));
                (address, text(thing.get("caption")).or_else(|| text(thing.get("name"))))
            }
            _ => continue,
        };
        let Some(url) = address.and_then(|address| context.image(&address)) else { continue };
        if !images.iter().any(|known| known.url == url) {
            images.push(ProductImage { url, alt });
        }
    }
    images
}

fn rating(thing: &Map<String, Value>) -> Option<Rating> {
    let value = number(thing.get("ratingValue"))?;
    let best = number(thing.get("bestRating")).unwrap_or(5.0);
    let count = ["ratingCount", "reviewCount"].iter().find_map(|key| number(thing.get(*key)));
    checked_rating(value, best, count.unwrap_or_default())
}

/// A rating that can be: nobody rates above the best.
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
