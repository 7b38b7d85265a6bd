//! The data that a page's own scripts work on: whatever JSON stands in scripts and in
//! attributes, and in it the object that is the product of this page.
//!
//! Platforms differ in where they put it and agree in what they call things, so that one
//! reader serves most of them; a few keep the forms of a product in tables of their own.

use contract::{ProductImage, ProductSource};
use hashbrown::HashMap;
use serde_json::Value;

use super::context::Context;
use super::draft::{Draft, Form};
use super::survey::Survey;
use html::dom::{Element, NodeId};
use html::json;
use html::prose;
use html::structured::resolved;

mod find;
mod form;
mod keys;
mod magento;
mod product;
mod scripts;

/// How many values are looked through.
const MAX_VALUES: usize = 120;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct State {
    pub draft: Option<Draft>,
}

/// Reads the state of a page.
pub(super) fn read(survey: &Survey<'_, '_>, context: &Context<'_>) -> State {
    let mut finder = find::Finder::new(context);
    let mut forms: Vec<Form> = Vec::new();
    let mut images: Vec<ProductImage> = Vec::new();
    let mut left = MAX_VALUES;
    for &script in &survey.scripts {
        scripts::each_value(survey.dom, script, &mut left, |value| {
            look(&value, &mut finder, &mut forms, &mut images, context);
        });
    }
    for (name, value) in &survey.data {
        if left == 0 {
            break;
        }
        let text = resolved(value);
        if !scripts::may_tell(&text) {
            continue;
        }
        left -= 1;
        let Some(value) = json::value(&text) else { continue };
        finder.is_named_product = name.contains("product");
        look(&value, &mut finder, &mut forms, &mut images, context);
        finder.is_named_product = false;
    }
    let mut draft = finder.finish();
    if !forms.is_empty() || !images.is_empty() {
        let known = draft.get_or_insert_with(|| Draft::new(ProductSource::State));
        if known.variants.len() < forms.len() {
            known.variants = forms;
        }
        if known.images.len() < images.len() {
            known.images = images;
        }
    }
    if let Some(draft) = &mut draft {
        label_options(survey, draft);
    }
    State { draft }
}

fn look(
    value: &Value,
    finder: &mut find::Finder<'_, '_>,
    forms: &mut Vec<Form>,
    images: &mut Vec<ProductImage>,
    context: &Context<'_>,
) {
    let revived = json::revive(value);
    let value = revived.as_ref().unwrap_or(value);
    if let Some(list) = value.as_array().filter(|list| form::is_form_list(list)) {
        let read = form::forms(list, &[], context, false);
        if read.len() > forms.len() {
            *forms = read;
        }
        return;
    }
    finder.search(value);
    magento::read(value, forms, images, context);
}

/// Fields have names and values for machines; the page has those for people.
fn label_options(survey: &Survey<'_, '_>, draft: &mut Draft) {
    let Some(first) = draft.variants.first() else { return };
    let shown: Vec<(String, Shown)> = first
        .options
        .iter()
        .filter_map(|(name, _)| Some((name.clone(), Shown::of(survey, name)?)))
        .collect();
    if shown.is_empty() {
        return;
    }
    for form in &mut draft.variants {
        for (name, value) in &mut form.options {
            let Some((_, shown)) = shown.iter().find(|(known, _)| known == name) else { continue };
            if let Some(text) = shown.values.get(value) {
                value.clone_from(text);
            }
            name.clone_from(&shown.label);
        }
    }
}

/// A choice as the page shows it.
struct Shown {
    label: String,
    values: HashMap<String, String>,
}

impl Shown {
    fn of(survey: &Survey<'_, '_>, name: &str) -> Option<Self> {
        let dom = survey.dom;
        let is_named = |id: &&NodeId| {
            ["name", "data-attribute_name", "id"].iter().any(|key| {
                dom.raw_attribute(**id, key).is_some_and(|value| {
                    let bare = value.trim_start_matches("attribute_").trim_start_matches("pa_");
                    value.eq_ignore_ascii_case(name) || bare.eq_ignore_ascii_case(name)
                })
            })
        };
        let field = survey.selects.iter().chain(&survey.buttons).find(is_named)?;
        let options = dom.descendants(*field).filter(|id| dom.is(*id, Element::Option));
        let values = options.take(1_000).filter_map(|id| {
            let value = dom.attribute(id, "value").filter(|value| !value.is_empty())?;
            let text = prose::line(dom, id, 120);
            (!text.is_empty()).then(|| (value.into_owned(), text))
        });
        Some(Self { label: super::sight::label_of(survey, *field)?, values: values.collect() })
    }
}
