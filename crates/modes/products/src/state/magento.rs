//! Forms that are kept as tables of attributes, with lists of the articles that have each
//! value, and galleries of images with three sizes each.

use contract::{Availability, ProductImage};
use hashbrown::HashMap;
use serde_json::{Map, Value};

use super::super::context::Context;
use super::super::draft::{Form, MAX_IMAGES, MAX_VARIANTS};
use super::super::linked::{decimal, text};
use super::super::price::PriceForm;

/// How many values are looked at.
const MAX_LOOKED: usize = 5_000;

/// Looks for both in a value.
pub(super) fn read(
    value: &Value,
    forms: &mut Vec<Form>,
    images: &mut Vec<ProductImage>,
    context: &Context<'_>,
) {
    let mut left = vec![(value, 0_usize)];
    let mut looked = 0;
    while let Some((value, depth)) = left.pop() {
        looked += 1;
        if looked > MAX_LOOKED || depth > 12 {
            continue;
        }
        match value {
            Value::Object(object) => {
                if let Some(read) = configured(object, context)
                    && read.len() > forms.len()
                {
                    *forms = read;
                }
                left.extend(object.values().map(|value| (value, depth + 1)));
            }
            Value::Array(values) => {
                let read = gallery(values, context);
                if read.len() > images.len() {
                    *images = read;
                }
                left.extend(values.iter().map(|value| (value, depth + 1)));
            }
            _ => {}
        }
    }
}

/// The forms of a table of attributes.
fn configured(object: &Map<String, Value>, context: &Context<'_>) -> Option<Vec<Form>> {
    let attributes = object.get("attributes")?.as_object()?;
    let prices = object.get("optionPrices").and_then(Value::as_object);
    let mut forms: Vec<(String, Form)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for attribute in attributes.values().take(16) {
        let label = text(attribute.get("label"))?;
        for option in attribute.get("options")?.as_array()?.iter().take(MAX_VARIANTS) {
            let Some(value) = text(option.get("label")) else { continue };
            let articles = option.get("products").and_then(Value::as_array);
            for article in articles.into_iter().flatten() {
                let Some(id) = text(Some(article)) else { continue };
                let at = *places.entry(id.clone()).or_insert_with(|| {
                    forms.push((id.clone(), Form::default()));
                    forms.len() - 1
                });
                if forms.len() > MAX_VARIANTS {
                    return None;
                }
                // What can be chosen can be had.
                forms[at].1.offer.availability = Some(Availability::InStock);
                forms[at].1.options.push((label.clone(), value.clone()));
            }
        }
    }
    add_index(object, attributes, &mut forms, &mut places);
    let table = |name: &str, id: &str| object.get(name).and_then(|table| table.get(id));
    for (id, form) in &mut forms {
        let price = prices.and_then(|prices| prices.get(id.as_str()));
        let amount = |name: &str| {
            decimal(price.and_then(|price| price.get(name)).and_then(|price| price.get("amount")))
        };
        form.offer.low = amount("finalPrice").or_else(|| amount("basePrice"));
        form.offer.regular = amount("oldPrice");
        form.offer.form = form.offer.low.map(|_| PriceForm::Exact);
        let stated = table("salable", id).or_else(|| table("stock", id)).and_then(truth);
        form.offer.availability = stated.or(form.offer.availability);
        form.sku = ["sku", "skus", "simple_sku"].iter().find_map(|name| text(table(name, id)));
        form.id = Some(id.clone());
        if let Some(pictures) = table("images", id).and_then(Value::as_array) {
            form.images = gallery(pictures, context);
        }
    }
    (!forms.is_empty()).then(|| forms.into_iter().map(|(_, form)| form).collect())
}

/// Forms that cannot be chosen stand in the index of all forms only.
fn add_index(
    object: &Map<String, Value>,
    attributes: &Map<String, Value>,
    forms: &mut Vec<(String, Form)>,
    places: &mut HashMap<String, usize>,
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
        match places.get(id) {
            Some(&at) if forms[at].1.options.len() < options.len() => {
                forms[at].1.options = options;
                forms[at].1.offer.availability = Some(Availability::OutOfStock);
            }
            Some(_) => {}
            None => {
                let mut form = Form { options, ..Form::default() };
                form.offer.availability = Some(Availability::OutOfStock);
                places.insert(id.clone(), forms.len());
                forms.push((id.clone(), form));
            }
        }
    }
}

fn truth(value: &Value) -> Option<Availability> {
    let is = match value {
        Value::Bool(is) => *is,
        Value::Number(number) => number.as_f64()? > 0.0,
        Value::Object(object) => {
            return truth(object.get("is_in_stock").or_else(|| object.get("is_salable"))?);
        }
        _ => return None,
    };
    Some(if is { Availability::InStock } else { Availability::OutOfStock })
}

fn gallery(values: &[Value], context: &Context<'_>) -> Vec<ProductImage> {
    let pictures = values.iter().take(MAX_IMAGES).filter_map(|picture| {
        let picture = picture.as_object()?;
        // Of a film there is only what it begins with.
        if picture.get("type").and_then(Value::as_str).is_some_and(|kind| kind == "video")
            || !picture.contains_key("thumb")
        {
            return None;
        }
        let address = ["full", "img"].iter().find_map(|key| picture.get(*key)?.as_str())?;
        Some(ProductImage { url: context.image(address)?, alt: text(picture.get("caption")) })
    });
    pictures.collect()
}
