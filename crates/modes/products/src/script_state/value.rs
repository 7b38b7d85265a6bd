//! Reads values that products and variants have in common: lists, offers, images.

use contract::{Availability, ProductImage};
use serde_json::{Map, Value};
use text::vocabulary::TermList;

use super::object_keys::{ObjectKey, key};
use crate::page_context::PageContext;
use crate::price::{Currency, Decimal, PriceForm};
use crate::schema_org::{availability, currency, decimal, text};
use crate::source_record::{MAX_IMAGES, Offer};

/// Members of price objects that contain the amount, the most direct first.
static AMOUNT_MEMBERS: TermList = word_list!("amount_members.txt");
/// Members of image objects that contain the URL, the largest size first.
static IMAGE_MEMBERS: TermList = word_list!("image_members.txt");

/// The entries of a list, also if it is wrapped in an object as in GraphQL.
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

/// The object of a list entry: the node of a GraphQL edge, else the entry itself.
pub(super) fn node(value: &Value) -> Option<&Map<String, Value>> {
    let object = value.as_object()?;
    object.get("node").and_then(Value::as_object).or(Some(object))
}

fn amount(value: Option<&Value>, in_cents: bool, context: &PageContext<'_>) -> Option<Decimal> {
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
            let inner = AMOUNT_MEMBERS
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

/// Price and availability of an object.
pub(super) fn offer(
    object: &Map<String, Value>,
    context: &PageContext<'_>,
    in_cents: bool,
) -> Offer {
    let mut offer = Offer::default();
    let mut quantity = None;
    for (name, value) in object.iter().take(200) {
        match key(name) {
            Some(ObjectKey::Price) if offer.low.is_none() => {
                offer.low = amount(Some(value), in_cents, context);
                offer.currency = offer.currency.or_else(|| currency_in(value));
            }
            Some(ObjectKey::RegularPrice) if offer.regular.is_none() => {
                offer.regular = amount(Some(value), in_cents, context);
            }
            Some(ObjectKey::Currency) => {
                offer.currency = offer.currency.or_else(|| currency(Some(value)))
            }
            Some(ObjectKey::Availability) if offer.availability.is_none() => {
                offer.availability = match value {
                    Value::Bool(true) => Some(Availability::InStock),
                    Value::Bool(false) => Some(Availability::OutOfStock),
                    other => text(Some(other)).and_then(|term| availability(&term)),
                };
            }
            Some(ObjectKey::Quantity) => quantity = value.as_f64(),
            _ => {}
        }
    }
    if offer.availability.is_none()
        && let Some(quantity) = quantity
    {
        // A quantity of zero may still be orderable.
        offer.availability = (quantity > 0.0).then_some(Availability::InStock);
    }
    offer.form = offer.low.map(|_| PriceForm::Exact);
    offer
}

fn currency_in(value: &Value) -> Option<Currency> {
    let object = value.as_object()?;
    let own = |object: &Map<String, Value>| {
        let named = object.iter().find(|(name, _)| key(name) == Some(ObjectKey::Currency));
        named.and_then(|(_, value)| currency(Some(value)))
    };
    own(object).or_else(|| object.values().take(8).find_map(|inner| own(inner.as_object()?)))
}

pub(super) fn images(value: &Value, context: &PageContext<'_>) -> Vec<ProductImage> {
    let one = std::slice::from_ref(value);
    let values = if list(value).is_empty() { one } else { list(value) };
    let mut images: Vec<ProductImage> = Vec::new();
    for value in values.iter().take(MAX_IMAGES) {
        let (url, alt) = match value {
            Value::String(url) => (Some(url.as_str()), None),
            Value::Object(_) => {
                let Some(object) = node(value) else { continue };
                let object = object.get("image").and_then(Value::as_object).unwrap_or(object);
                let url = IMAGE_MEMBERS.iter().find_map(|key| match object.get(*key)? {
                    Value::String(url) => Some(url.as_str()),
                    Value::Object(inner) => inner.get("url").and_then(Value::as_str),
                    _ => None,
                });
                let alt = ["alt", "altText", "caption", "legend"]
                    .iter()
                    .find_map(|key| text(object.get(*key)));
                (url, alt)
            }
            _ => continue,
        };
        let Some(url) =
            url.filter(|url| url.contains(['/', '.'])).and_then(|url| context.image(url))
        else {
            continue;
        };
        if !images.iter().any(|known| known.url == url) {
            images.push(ProductImage { url, alt });
        }
    }
    images
}
