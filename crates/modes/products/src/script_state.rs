//! The product in the JSON state of a page's scripts and data attributes.
//!
//! Platforms differ in where they put the product object and agree in the names of its members, so
//! one reader serves most of them. Magento keeps variants in tables (`magento`).

use contract::{ProductImage, ProductSource};
use hashbrown::HashMap;
use serde_json::Value;

use crate::dom_index::DomIndex;
use crate::page_context::PageContext;
use crate::source_record::{SourceRecord, VariantRecord};
use crate::visible_dom::label_of;
use html::dom::{Element, NodeId};
use html::entity::{EntityContext, resolve};
use html::{json, prose};

mod magento;
mod object_keys;
mod product;
mod product_finder;
mod scripts;
mod value;
mod variant;

/// How many JSON values of a page are searched.
const MAX_VALUES: usize = 120;

pub(super) fn read(index: &DomIndex<'_, '_>, context: &PageContext<'_>) -> Option<SourceRecord> {
    let mut finder = product_finder::ProductFinder::new(context);
    let mut variants: Vec<VariantRecord> = Vec::new();
    let mut images: Vec<ProductImage> = Vec::new();
    let mut left = MAX_VALUES;
    for &script in &index.scripts {
        scripts::each_value(index.dom, script, &mut left, |value| {
            search_value(&value, &mut finder, &mut variants, &mut images, context);
        });
    }
    for (name, value) in &index.data {
        if left == 0 {
            break;
        }
        let text = resolve(value, EntityContext::Attribute);
        if !scripts::may_have_product(&text) {
            continue;
        }
        left -= 1;
        let Some(value) = json::value(&text) else { continue };
        finder.is_named_product = name.contains("product");
        search_value(&value, &mut finder, &mut variants, &mut images, context);
        finder.is_named_product = false;
    }
    let mut record = finder.finish();
    if !variants.is_empty() || !images.is_empty() {
        let known = record.get_or_insert_with(|| SourceRecord::new(ProductSource::State));
        if known.variants.len() < variants.len() {
            known.variants = variants;
        }
        if known.images.len() < images.len() {
            known.images = images;
        }
    }
    if let Some(record) = &mut record {
        label_options(index, record);
    }
    record
}

fn search_value(
    value: &Value,
    finder: &mut product_finder::ProductFinder<'_, '_>,
    variants: &mut Vec<VariantRecord>,
    images: &mut Vec<ProductImage>,
    context: &PageContext<'_>,
) {
    let revived = json::revive(value);
    let value = revived.as_ref().unwrap_or(value);
    if let Some(list) = value.as_array().filter(|list| variant::is_variant_list(list)) {
        let read = variant::variants(list, &[], context, false);
        if read.len() > variants.len() {
            *variants = read;
        }
        return;
    }
    finder.search(value);
    magento::read(value, variants, images, context);
}

/// Replaces the technical names and values of options by the labels that the page shows.
fn label_options(index: &DomIndex<'_, '_>, record: &mut SourceRecord) {
    let Some(first) = record.variants.first() else { return };
    let choices: Vec<(String, VisibleChoice)> = first
        .options
        .iter()
        .filter_map(|(name, _)| Some((name.clone(), VisibleChoice::of(index, name)?)))
        .collect();
    if choices.is_empty() {
        return;
    }
    for variant in &mut record.variants {
        for (name, value) in &mut variant.options {
            let Some((_, choice)) = choices.iter().find(|(known, _)| known == name) else {
                continue;
            };
            if let Some(text) = choice.values.get(value) {
                value.clone_from(text);
            }
            name.clone_from(&choice.label);
        }
    }
}

/// A form field for one option: its label, and the visible text by value.
struct VisibleChoice {
    label: String,
    values: HashMap<String, String>,
}

impl VisibleChoice {
    fn of(index: &DomIndex<'_, '_>, name: &str) -> Option<Self> {
        let dom = index.dom;
        let is_named = |id: &&NodeId| {
            ["name", "data-attribute_name", "id"].iter().any(|key| {
                dom.raw_attribute(**id, key).is_some_and(|value| {
                    let bare = value.trim_start_matches("attribute_").trim_start_matches("pa_");
                    value.eq_ignore_ascii_case(name) || bare.eq_ignore_ascii_case(name)
                })
            })
        };
        let field = index.selects.iter().chain(&index.buttons).find(is_named)?;
        let options = dom.descendants(*field).filter(|id| dom.is(*id, Element::Option));
        let values = options.take(1_000).filter_map(|id| {
            let value = dom.attribute(id, "value").filter(|value| !value.is_empty())?;
            let text = prose::line(dom, id, 120);
            (!text.is_empty()).then(|| (value.into_owned(), text))
        });
        Some(Self { label: label_of(index, *field)?, values: values.collect() })
    }
}
