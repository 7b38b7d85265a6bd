//! Redaction: removes covered data from items before they are stored, and from stored results
//! after an erasure request. The item itself stays, so that numbers and counts remain valid.

use std::borrow::Cow;

use contract::{ContactItem, Item, LinkItem, MarkdownItem, Mode, ProductItem};
use serde_json::{Error, Value};

use crate::OptOuts;

/// The stored line of a result without what `opt_outs` cover; `None` when nothing changes.
///
/// # Errors
/// When the line is not JSON.
pub fn redact_line(opt_outs: &OptOuts, mode: Mode, line: &str) -> Result<Option<String>, Error> {
    let item = if mode.visits_domains() {
        serde_json::from_str::<ContactItem>(line).map(|item| Item::Contact(Box::new(item)))
    } else {
        serde_json::from_str(line)
    };
    // A line of another release that this one cannot read is redacted as plain text.
    let Ok(item) = item else { return redact_json(opt_outs, line) };
    let mut item = Cow::Owned(item);
    if !redact_item(opt_outs, &mut item) {
        return redact_json(opt_outs, line);
    }
    let line = serde_json::to_string(item.as_ref())?;
    Ok(Some(redact_json(opt_outs, &line)?.unwrap_or(line)))
}

/// JSON without the e-mail addresses that `opt_outs` cover; `None` when there are none.
///
/// # Errors
/// When the text is not JSON.
pub fn redact_json(opt_outs: &OptOuts, json: &str) -> Result<Option<String>, Error> {
    let bytes = json.as_bytes();
    let may_contain_one =
        memchr::memchr(b'@', bytes).is_some() || memchr::memmem::find(bytes, b"%40").is_some();
    if !may_contain_one {
        return Ok(None);
    }
    let mut value: Value = serde_json::from_str(json)?;
    if !redact_value(opt_outs, &mut value) {
        return Ok(None);
    }
    serde_json::to_string(&value).map(Some)
}

fn redact_value(opt_outs: &OptOuts, value: &mut Value) -> bool {
    match value {
        Value::String(text) => match opt_outs.redact(text) {
            Some(kept) => {
                *text = kept;
                true
            }
            None => false,
        },
        Value::Array(values) => {
            values.iter_mut().fold(false, |changed, value| redact_value(opt_outs, value) | changed)
        }
        Value::Object(members) => members
            .values_mut()
            .fold(false, |changed, value| redact_value(opt_outs, value) | changed),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Redacts an item by its fields. Returns whether anything changed.
pub fn redact_item(opt_outs: &OptOuts, item: &mut Cow<'_, Item>) -> bool {
    if opt_outs.is_empty() {
        return false;
    }
    match item.as_ref() {
        Item::Contact(record) => {
            let mut record = record.clone();
            let changed = opt_outs.apply(&mut record);
            if changed {
                *item = Cow::Owned(Item::Contact(record));
            }
            changed
        }
        Item::Link(_) | Item::Sitemap(_) | Item::Markdown(_) | Item::Product(_) => {
            if !opt_outs.cover_url(item.url()) {
                return false;
            }
            let mut redacted = item.as_ref().clone();
            redact_page_item(&mut redacted);
            let changed = redacted != *item.as_ref();
            if changed {
                *item = Cow::Owned(redacted);
            }
            changed
        }
    }
}

/// Keeps the URL and the response of a page item and removes its content.
fn redact_page_item(item: &mut Item) {
    match item {
        Item::Link(link) => redact_link(link),
        Item::Sitemap(item) => {
            redact_link(&mut item.link);
            item.images.clear();
            item.alternates.clear();
        }
        Item::Markdown(page) => redact_page(page),
        Item::Product(product) => redact_product(product),
        // The record of a domain is redacted field by field (`OptOuts::apply`).
        Item::Contact(_) => {}
    }
}

fn redact_link(link: &mut LinkItem) {
    for text in [
        &mut link.title,
        &mut link.anchor,
        &mut link.language,
        &mut link.description,
        &mut link.h1,
        &mut link.content_hash,
    ] {
        *text = None;
    }
    link.word_count = None;
}

fn redact_page(page: &mut MarkdownItem) {
    for text in [
        &mut page.title,
        &mut page.description,
        &mut page.language,
        &mut page.author,
        &mut page.published_at,
        &mut page.modified_at,
    ] {
        *text = None;
    }
    page.markdown.clear();
    page.content_hash.clear();
    page.headings.clear();
    page.links.clear();
    page.images.clear();
    (page.word_count, page.token_estimate) = (0, 0);
}

fn redact_product(product: &mut ProductItem) {
    for text in [
        &mut product.brand,
        &mut product.category,
        &mut product.description,
        &mut product.sku,
        &mut product.mpn,
        &mut product.price,
        &mut product.regular_price,
        &mut product.currency,
        &mut product.price_raw,
        &mut product.availability_raw,
        &mut product.language,
    ] {
        *text = None;
    }
    product.name.clear();
    product.content_hash.clear();
    product.breadcrumbs.clear();
    product.features.clear();
    product.attributes.clear();
    product.gtin.clear();
    product.images.clear();
    product.variants.clear();
    product.provenance.clear();
    (product.seller, product.rating) = (None, None);
}
