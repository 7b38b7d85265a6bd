//! Values of linked data, whatever they are wrapped in.

use serde_json::Value;

use super::super::draft::MAX_TEXT;
use super::super::price::Decimal;
use html::prose;

/// A value as one line of text: of an object its name, of a list its first.
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

/// A number that a machine wrote.
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

/// A list, or the one thing that stands in its place.
pub(super) fn each(value: Option<&Value>) -> &[Value] {
    match value {
        None | Some(Value::Null) => &[],
        Some(Value::Array(values)) => values,
        Some(one) => std::slice::from_ref(one),
    }
}

/// A number that is no amount of money.
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
