//! Reads values of schema.org properties: texts, numbers, amounts, lists, GTINs.

use contract::Gtin;
use serde_json::{Map, Value};

use crate::gtin::gtin;
use crate::price::Decimal;
use crate::source_record::MAX_TEXT;
use html::prose;
use html::structured::each;

/// Properties that may have a GTIN.
const GTIN_KEYS: &[&str] =
    &["gtin13", "gtin", "gtin14", "gtin12", "gtin8", "ean", "ean13", "upc", "isbn", "barcode"];

/// A value as one line of text: the name of an object, the first entry of a list.
pub(crate) fn text(value: Option<&Value>) -> Option<String> {
    let text = match value? {
        Value::String(text) => prose::plain_line(text, MAX_TEXT),
        Value::Number(number) => number.to_string(),
        Value::Array(values) => return values.iter().find_map(|value| text(Some(value))),
        Value::Object(thing) => {
            return ["name", "@value", "value", "label"]
                .iter()
                .find_map(|key| text(thing.get(*key).filter(|value| !value.is_object())));
        }
        Value::Null | Value::Bool(_) => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}

/// A machine-readable amount.
pub(crate) fn decimal(value: Option<&Value>) -> Option<Decimal> {
    match value? {
        Value::Number(number) => Decimal::from_machine(&number.to_string()),
        Value::String(text) => Decimal::from_machine(text.trim()),
        Value::Array(values) => decimal(values.first()),
        Value::Object(thing) => {
            let keys = ["@value", "value", "amount", "price"];
            keys.iter().find_map(|key| {
                decimal(thing.get(*key).filter(|value| !value.is_object() && !value.is_array()))
            })
        }
        Value::Null | Value::Bool(_) => None,
    }
}

/// A number that is not an amount of money.
pub(super) fn number(value: Option<&Value>) -> Option<f64> {
    let number = match value? {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => {
            let text = text.trim();
            let end = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
            text[..end.unwrap_or(text.len())].replace(',', ".").parse().ok()?
        }
        Value::Array(values) => return number(values.first()),
        Value::Object(_) | Value::Null | Value::Bool(_) => return None,
    };
    Some(number).filter(|number| number.is_finite())
}

/// The valid GTINs of a thing, without duplicates.
pub(super) fn gtins(thing: &Map<String, Value>) -> Vec<Gtin> {
    let mut found: Vec<Gtin> = Vec::new();
    for key in GTIN_KEYS {
        for value in each(thing.get(*key)).iter().take(8) {
            let number = text(Some(value)).and_then(|text| gtin(&text));
            found.extend(number.filter(|number| !found.contains(number)));
        }
    }
    found
}
