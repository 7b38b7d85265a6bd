//! The images of a thing.

use contract::ProductImage;
use serde_json::Value;

use super::SchemaThings;
use super::value::text;
use crate::page_context::PageContext;
use crate::source_record::MAX_IMAGES;
use html::structured::each;

pub(super) fn images(
    value: Option<&Value>,
    things: &SchemaThings<'_>,
    context: &PageContext<'_>,
) -> Vec<ProductImage> {
    let mut images: Vec<ProductImage> = Vec::new();
    for value in each(value).iter().take(MAX_IMAGES) {
        let (url, alt) = match value {
            Value::String(url) => (Some(url.clone()), None),
            Value::Object(_) => {
                let Some(thing) = things.resolve_whole(value) else { continue };
                let keys = ["contentUrl", "url", "@id", "image", "src"];
                let url = keys.iter().find_map(|key| Some(thing.get(*key)?.as_str()?.to_owned()));
                (url, text(thing.get("caption")).or_else(|| text(thing.get("name"))))
            }
            _ => continue,
        };
        let Some(url) = url.and_then(|url| context.image(&url)) else { continue };
        if !images.iter().any(|known| known.url == url) {
            images.push(ProductImage { url, alt });
        }
    }
    images
}
