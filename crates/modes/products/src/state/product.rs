//! An object of a page's data as a product.

use contract::{Availability, Breadcrumb, ProductAttribute, ProductImage, ProductSource};
use serde_json::{Map, Value};

use super::super::context::Context;
use super::super::draft::{Draft, MAX_ATTRIBUTES, MAX_CRUMBS, MAX_IMAGES, Offer};
use super::super::gtin::gtin;
use super::super::linked::{
    availability, checked_rating, complete, condition, currency, decimal, description, text,
};
use super::super::price::{Decimal, PriceForm};
use super::form;
use super::keys::{Key, key};

pub(super) fn draft(object: &Map<String, Value>, context: &Context<'_>) -> Draft {
    let mut draft = Draft::new(ProductSource::State);
    let in_cents = counts_in_cents(object);
    draft.offer = offer(object, context, in_cents);
    let mut short = None;
    let mut options: &[Value] = &[];
    for (name, value) in object.iter().take(200) {
        if value.is_null() {
            continue;
        }
        match key(name) {
            Some(Key::Name) => set(&mut draft.name, || text(Some(value))),
            Some(Key::Url) => set(&mut draft.url, || value.as_str().map(str::to_owned)),
            Some(Key::Sku) => set(&mut draft.sku, || text(Some(value))),
            Some(Key::Mpn) => set(&mut draft.mpn, || text(Some(value))),
            Some(Key::Gtin) => {
                let number = text(Some(value)).and_then(|text| gtin(&text));
                draft.gtin.extend(number.filter(|number| !draft.gtin.contains(number)));
            }
            // A number is a key of the shop's own.
            Some(Key::Brand) => {
                set(&mut draft.brand, || text(Some(value)).filter(|_| !value.is_number()))
            }
            Some(Key::Category) => {
                set(&mut draft.category, || text(Some(value)).filter(|_| !value.is_number()))
            }
            Some(Key::Description) => set(&mut draft.description, || description(Some(value))),
            Some(Key::ShortDescription) => set(&mut short, || description(Some(value))),
            Some(Key::Images) => {
                let read = images(value, context);
                if read.len() > draft.images.len() {
                    draft.images = read;
                }
            }
            Some(Key::Breadcrumbs) => draft.breadcrumbs = crumbs(value, context),
            Some(Key::Attributes) if draft.attributes.is_empty() => {
                draft.attributes = attributes(value)
            }
            Some(Key::Features) => {
                let points = list(value).iter().take(50);
                draft.features = points.filter_map(|point| text(Some(point))).collect();
            }
            Some(Key::Rating) => draft.rating = draft.rating.take().or_else(|| rating(value)),
            Some(Key::Condition) => {
                draft.condition = text(Some(value)).and_then(|term| condition(&term))
            }
            Some(Key::Options) => options = list(value),
            _ => {}
        }
    }
    draft.description = draft.description.or(short);
    let variants = object.iter().find(|(name, _)| key(name) == Some(Key::Variants));
    if let Some((_, variants)) = variants {
        draft.variants = form::forms(list(variants), options, context, in_cents);
    }
    complete(&mut draft);
    draft
}

fn set(field: &mut Option<String>, value: impl FnOnce() -> Option<String>) {
    if field.is_none() {
        *field = value().filter(|value| !value.is_empty());
    }
}

/// The values of a list, however it is wrapped: GraphQL has nodes and edges.
pub(super) fn list(value: &Value) -> &[Value] {
    match value {
        Value::Array(values) => values,
        Value::Object(object) => {
            let inner = ["nodes", "edges", "items", "elements", "data"]
                .iter()
                .find_map(|key| object.get(*key));
            inner.and_then(Value::as_array).map_or(&[], Vec::as_slice)
        }
        _ => &[],
    }
}

/// The thing in a list's place: that of an edge is its node.
pub(super) fn node(value: &Value) -> Option<&Map<String, Value>> {
    let object = value.as_object()?;
    object.get("node").and_then(Value::as_object).or(Some(object))
}

/// Whether amounts are whole numbers of the smallest coin: the product object of one
/// platform, known by members that no other has.
pub(super) fn counts_in_cents(object: &Map<String, Value>) -> bool {
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

fn amount(value: Option<&Value>, in_cents: bool, context: &Context<'_>) -> Option<Decimal> {
    let value = value?;
    let read = match value {
        Value::Number(number) if in_cents => {
            let digits = number.to_string();
            let cut = digits.len().saturating_sub(2);
            let (whole, rest) = digits.split_at(cut);
            Decimal::from_machine(&format!(
                "{}.{rest:0>2}",
                if whole.is_empty() { "0" } else { whole }
            ))
        }
        Value::Object(object) => {
            // The wrappings of one amount, the plainest first.
            let keys = [
                "value",
                "amount",
                "price",
                "current",
                "now",
                "sale",
                "final",
                "unitPrice",
                "without_tax",
                "with_tax",
                "regular",
                "centAmount",
                "gross",
                "min",
                "raw",
            ];
            let inner = keys
                .iter()
                .find_map(|key| Some((*key, object.get(*key).filter(|inner| !inner.is_null())?)));
            return inner
                .and_then(|(key, inner)| amount(Some(inner), key == "centAmount", context));
        }
        Value::String(text) => {
            decimal(Some(value)).or_else(|| context.price(text).map(|price| price.low))
        }
        other => decimal(Some(other)),
    };
    read.filter(|amount| !amount.is_zero())
}

/// What an object says of money and stock.
pub(super) fn offer(object: &Map<String, Value>, context: &Context<'_>, in_cents: bool) -> Offer {
    let mut offer = Offer::default();
    let mut quantity = None;
    for (name, value) in object.iter().take(200) {
        match key(name) {
            Some(Key::Price) if offer.low.is_none() => {
                offer.low = amount(Some(value), in_cents, context);
                offer.currency = offer.currency.or_else(|| currency_in(value));
            }
            Some(Key::RegularPrice) if offer.regular.is_none() => {
                offer.regular = amount(Some(value), in_cents, context);
            }
            Some(Key::Currency) => {
                offer.currency = offer.currency.or_else(|| currency(Some(value)))
            }
            Some(Key::Availability) if offer.availability.is_none() => {
                offer.availability = match value {
                    Value::Bool(true) => Some(Availability::InStock),
                    Value::Bool(false) => Some(Availability::OutOfStock),
                    other => text(Some(other)).and_then(|term| availability(&term)),
                };
            }
            Some(Key::Quantity) => quantity = value.as_f64(),
            _ => {}
        }
    }
    if offer.availability.is_none()
        && let Some(quantity) = quantity
    {
        // None left may still mean that it can be ordered.
        offer.availability = (quantity > 0.0).then_some(Availability::InStock);
    }
    offer.form = offer.low.map(|_| PriceForm::Exact);
    offer
}

fn currency_in(value: &Value) -> Option<super::super::price::Currency> {
    let object = value.as_object()?;
    let own = object.iter().find(|(name, _)| key(name) == Some(Key::Currency));
    let own = own.and_then(|(_, value)| currency(Some(value)));
    own.or_else(|| {
        object.values().take(8).find_map(|inner| {
            let inner = inner.as_object()?;
            let own = inner.iter().find(|(name, _)| key(name) == Some(Key::Currency));
            own.and_then(|(_, value)| currency(Some(value)))
        })
    })
}

pub(super) fn images(value: &Value, context: &Context<'_>) -> Vec<ProductImage> {
    let one = std::slice::from_ref(value);
    let values = if list(value).is_empty() { one } else { list(value) };
    let mut images: Vec<ProductImage> = Vec::new();
    for value in values.iter().take(MAX_IMAGES) {
        let (address, alt) = match value {
            Value::String(address) => (Some(address.as_str()), None),
            Value::Object(_) => {
                let Some(object) = node(value) else { continue };
                let object = object.get("image").and_then(Value::as_object).unwrap_or(object);
                let keys = [
                    "full",
                    "large",
                    "zoom",
                    "original",
                    "url",
                    "src",
                    "contentUrl",
                    "href",
                    "path",
                    "medium",
                ];
                let address = keys.iter().find_map(|key| match object.get(*key)? {
                    Value::String(address) => Some(address.as_str()),
                    Value::Object(inner) => inner.get("url").and_then(Value::as_str),
                    _ => None,
                });
                let alt = ["alt", "altText", "caption", "legend"]
                    .iter()
                    .find_map(|key| text(object.get(*key)));
                (address, alt)
            }
            _ => continue,
        };
        let Some(url) = address
            .filter(|address| address.contains(['/', '.']))
            .and_then(|address| context.image(address))
        else {
            continue;
        };
        if !images.iter().any(|known| known.url == url) {
            images.push(ProductImage { url, alt });
        }
    }
    images
}

fn crumbs(value: &Value, context: &Context<'_>) -> Vec<Breadcrumb> {
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
