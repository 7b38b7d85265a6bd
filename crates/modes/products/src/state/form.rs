//! The forms of a product in a page's data.

use serde_json::{Map, Value};

use super::super::context::Context;
use super::super::draft::{Form, MAX_VARIANTS};
use super::super::gtin::gtin;
use super::super::linked::text;
use super::keys::{Key, key};
use super::product::{images, list, node, offer};

/// How many options one form has at most.
const MAX_OPTIONS: usize = 12;

/// Whether a list is one of forms.
pub(super) fn is_form_list(values: &[Value]) -> bool {
    let is_form = |value: &Value| {
        value.as_object().is_some_and(|object| {
            object.contains_key("variation_id")
                || (object.contains_key("attributes") && object.contains_key("sku"))
        })
    };
    !values.is_empty() && values.iter().take(3).all(is_form)
}

/// The forms of a list. `names` are those of the options, where forms only number them.
pub(super) fn forms(
    values: &[Value],
    names: &[Value],
    context: &Context<'_>,
    in_cents: bool,
) -> Vec<Form> {
    let names: Vec<String> =
        names.iter().take(MAX_OPTIONS).filter_map(|name| text(Some(name))).collect();
    let objects = values.iter().take(MAX_VARIANTS).filter_map(node);
    let forms: Vec<Form> = objects.map(|object| form(object, &names, context, in_cents)).collect();
    // One form without a choice is the product itself.
    let is_default = |form: &Form| {
        form.options.iter().all(|(_, value)| value == "Default Title") || form.options.is_empty()
    };
    if forms.len() == 1 && forms.iter().all(is_default) { Vec::new() } else { forms }
}

fn form(
    object: &Map<String, Value>,
    names: &[String],
    context: &Context<'_>,
    in_cents: bool,
) -> Form {
    let mut form = Form { offer: offer(object, context, in_cents), ..Form::default() };
    for name in
        ["id", "variation_id", "variantId", "id_product_attribute", "variant_id", "productId"]
    {
        form.id = form.id.or_else(|| text(object.get(name)));
    }
    for (name, value) in object.iter().take(100) {
        match key(name) {
            Some(Key::Sku) => form.sku = form.sku.or_else(|| text(Some(value))),
            Some(Key::Gtin) => {
                let number = text(Some(value)).and_then(|text| gtin(&text));
                form.gtin.extend(number.filter(|number| !form.gtin.contains(number)));
            }
            Some(Key::Url) if value.as_str().is_some_and(|url| url.contains('/')) => {
                form.url = value.as_str().and_then(|url| context.absolute(url));
            }
            Some(Key::Images) if form.images.is_empty() => form.images = images(value, context),
            _ => {}
        }
    }
    form.options = options(object, names);
    form
}

/// What a form differs in, in the many ways of saying it.
fn options(object: &Map<String, Value>, names: &[String]) -> Vec<(String, String)> {
    let numbered =
        |at: usize| names.get(at).cloned().unwrap_or_else(|| format!("option{}", at + 1));
    let mut options = Vec::new();
    for key in [
        "selectedOptions",
        "options",
        "attributes",
        "optionValues",
        "attribute_values",
        "option_values",
    ] {
        match object.get(key) {
            Some(Value::Object(pairs)) if list(&object[key]).is_empty() => {
                for (name, value) in pairs.iter().take(MAX_OPTIONS) {
                    if let Some(value) = text(Some(value)) {
                        let name = name.trim_start_matches("attribute_").trim_start_matches("pa_");
                        options.push((name.to_owned(), value));
                    }
                }
            }
            Some(value) => {
                for (at, one) in list(value).iter().take(MAX_OPTIONS).enumerate() {
                    match one {
                        Value::String(value) => options.push((numbered(at), value.clone())),
                        Value::Object(_) => options.extend(node(one).and_then(pair)),
                        _ => {}
                    }
                }
            }
            None => {}
        }
        if !options.is_empty() {
            return options;
        }
    }
    for (at, key) in ["option1", "option2", "option3"].iter().enumerate() {
        if let Some(value) = text(object.get(*key)) {
            options.push((numbered(at), value));
        }
    }
    if options.is_empty() {
        for key in ["color", "colour", "size", "material"] {
            options.extend(text(object.get(key)).map(|value| (key.to_owned(), value)));
        }
    }
    options
}

fn pair(object: &Map<String, Value>) -> Option<(String, String)> {
    let first = |keys: &[&str]| keys.iter().find_map(|key| text(object.get(*key)));
    let name = first(&[
        "name",
        "label",
        "option_display_name",
        "attribute",
        "group",
        "code",
        "optionName",
    ])?;
    let value = first(&["value", "label", "option", "displayValue", "valueLabel", "optionValue"])?;
    Some((name, value))
}
