//! The trail that leads to a page, as its data tells it.

use contract::Breadcrumb;
use serde_json::{Map, Value};

use super::super::context::Context;
use super::super::draft::MAX_CRUMBS;
use super::Things;
use super::value::{each, number, text};

/// The longest of the trails that a page describes.
pub(super) fn longest(things: &Things<'_>, context: &Context<'_>) -> Vec<Breadcrumb> {
    let mut best = Vec::new();
    for trail in things.trails.iter().take(8) {
        let read = steps(trail, context);
        if read.len() > best.len() {
            best = read;
        }
    }
    best
}

fn steps(trail: &Map<String, Value>, context: &Context<'_>) -> Vec<Breadcrumb> {
    let mut steps: Vec<(f64, Breadcrumb)> = Vec::new();
    for (place, value) in each(trail.get("itemListElement")).iter().take(MAX_CRUMBS).enumerate() {
        let Some(step) = value.as_object() else { continue };
        let item = step.get("item");
        let name = text(step.get("name")).or_else(|| {
            let item = item?.as_object()?;
            text(item.get("name"))
        });
        let Some(name) = name else { continue };
        let url = item.and_then(address).or_else(|| text(step.get("url")));
        let url = url.and_then(|url| context.absolute(&url));
        let place = number(step.get("position")).unwrap_or(place as f64);
        steps.push((place, Breadcrumb { name, url }));
    }
    steps.sort_by(|one, other| one.0.total_cmp(&other.0));
    steps.into_iter().map(|(_, step)| step).collect()
}

fn address(item: &Value) -> Option<String> {
    match item {
        Value::String(address) => Some(address.clone()),
        Value::Object(thing) => ["@id", "url", "item"]
            .iter()
            .find_map(|key| thing.get(*key)?.as_str().map(str::to_owned)),
        _ => None,
    }
}
