//! The breadcrumbs of a page from its schema.org data.

use contract::Breadcrumb;
use serde_json::{Map, Value};

use super::SchemaThings;
use super::value::{number, text};
use crate::page_context::PageContext;
use crate::source_record::MAX_CRUMBS;
use html::structured::each;

/// The longest breadcrumb list of a page.
pub(super) fn longest(things: &SchemaThings<'_>, context: &PageContext<'_>) -> Vec<Breadcrumb> {
    let mut best = Vec::new();
    for list in things.breadcrumb_lists.iter().take(8) {
        let read = steps(list, context);
        if read.len() > best.len() {
            best = read;
        }
    }
    best
}

fn steps(list: &Map<String, Value>, context: &PageContext<'_>) -> Vec<Breadcrumb> {
    let mut steps: Vec<(f64, Breadcrumb)> = Vec::new();
    for (position, value) in each(list.get("itemListElement")).iter().take(MAX_CRUMBS).enumerate() {
        let Some(step) = value.as_object() else { continue };
        let item = step.get("item");
        let name = text(step.get("name")).or_else(|| {
            let item = item?.as_object()?;
            text(item.get("name"))
        });
        let Some(name) = name else { continue };
        let url = item.and_then(item_url).or_else(|| text(step.get("url")));
        let url = url.and_then(|url| context.absolute(&url));
        let position = number(step.get("position")).unwrap_or(position as f64);
        steps.push((position, Breadcrumb { name, url }));
    }
    steps.sort_by(|one, other| one.0.total_cmp(&other.0));
    steps.into_iter().map(|(_, step)| step).collect()
}

fn item_url(item: &Value) -> Option<String> {
    match item {
        Value::String(url) => Some(url.clone()),
        Value::Object(thing) => ["@id", "url", "item"]
            .iter()
            .find_map(|key| thing.get(*key)?.as_str().map(str::to_owned)),
        _ => None,
    }
}
