//! The variants of a product in a page's state.

use serde_json::{Map, Value};
use text::vocabulary::TermList;

use super::object_keys::{ObjectKey, key};
use super::value::{images, list, node, offer};
use crate::gtin::gtin;
use crate::page_context::PageContext;
use crate::schema_org::text;
use crate::source_record::{MAX_VARIANTS, VariantRecord};

/// Members of a variant with its options.
static OPTION_LISTS: TermList = term_group!("option_members.tsv", "list");
/// Members of an option with its name.
static OPTION_NAMES: TermList = term_group!("option_members.tsv", "name");
/// Members of an option with its value.
static OPTION_VALUES: TermList = term_group!("option_members.tsv", "value");

/// The maximum number of options of a variant.
const MAX_OPTIONS: usize = 12;

/// Whether a list has variants.
pub(super) fn is_variant_list(values: &[Value]) -> bool {
    let is_variant = |value: &Value| {
        value.as_object().is_some_and(|object| {
            object.contains_key("variation_id")
                || (object.contains_key("attributes") && object.contains_key("sku"))
        })
    };
    !values.is_empty() && values.iter().take(3).all(is_variant)
}

/// The variants of a list. `names` are the names of options for variants that only number them.
pub(super) fn variants(
    values: &[Value],
    names: &[Value],
    context: &PageContext<'_>,
    in_cents: bool,
) -> Vec<VariantRecord> {
    let names: Vec<String> =
        names.iter().take(MAX_OPTIONS).filter_map(|name| text(Some(name))).collect();
    let objects = values.iter().take(MAX_VARIANTS).filter_map(node);
    let variants: Vec<VariantRecord> =
        objects.map(|object| variant(object, &names, context, in_cents)).collect();
    // A single variant without options is the product itself.
    let is_default =
        |variant: &VariantRecord| variant.options.iter().all(|(_, value)| value == "Default Title");
    if variants.len() == 1 && variants.iter().all(is_default) { Vec::new() } else { variants }
}

fn variant(
    object: &Map<String, Value>,
    names: &[String],
    context: &PageContext<'_>,
    in_cents: bool,
) -> VariantRecord {
    let mut variant =
        VariantRecord { offer: offer(object, context, in_cents), ..VariantRecord::default() };
    for name in
        ["id", "variation_id", "variantId", "id_product_attribute", "variant_id", "productId"]
    {
        variant.id = variant.id.or_else(|| text(object.get(name)));
    }
    for (name, value) in object.iter().take(100) {
        match key(name) {
            Some(ObjectKey::Sku) => variant.sku = variant.sku.or_else(|| text(Some(value))),
            Some(ObjectKey::Gtin) => {
                let number = text(Some(value)).and_then(|text| gtin(&text));
                variant.gtin.extend(number.filter(|number| !variant.gtin.contains(number)));
            }
            Some(ObjectKey::Url) if value.as_str().is_some_and(|url| url.contains('/')) => {
                variant.url = value.as_str().and_then(|url| context.absolute(url));
            }
            Some(ObjectKey::Images) if variant.images.is_empty() => {
                variant.images = images(value, context)
            }
            _ => {}
        }
    }
    variant.options = options(object, names);
    variant
}

/// The options of a variant, in the notations of several platforms.
fn options(object: &Map<String, Value>, names: &[String]) -> Vec<(String, String)> {
    let numbered =
        |at: usize| names.get(at).cloned().unwrap_or_else(|| format!("option{}", at + 1));
    let mut options = Vec::new();
    for key in OPTION_LISTS.iter() {
        match object.get(*key) {
            Some(Value::Object(pairs)) if list(&object[*key]).is_empty() => {
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
                        Value::Object(_) => options.extend(node(one).and_then(option_pair)),
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
            let value = object.get(key).and_then(option_value);
            options.extend(value.map(|value| (key.to_owned(), value)));
        }
    }
    options
}

/// The value of an option: a text, or an object with the text for the market of the page.
fn option_value(value: &Value) -> Option<String> {
    const NAMES: &[&str] = &[
        "local",
        "display",
        "displayValue",
        "displayName",
        "label",
        "name",
        "value",
        "manufacturer",
    ];
    match value.as_object() {
        Some(object) => NAMES.iter().find_map(|name| text(object.get(*name))),
        None => text(Some(value)),
    }
}

/// The name and value of an option object.
fn option_pair(object: &Map<String, Value>) -> Option<(String, String)> {
    let first = |keys: &TermList| keys.iter().find_map(|key| text(object.get(*key)));
    Some((first(&OPTION_NAMES)?, first(&OPTION_VALUES)?))
}
