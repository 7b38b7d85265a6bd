//! Merges the images: one list, each image once, in its largest size.

use contract::{ProductImage, ProductSource};
use hashbrown::HashMap;

use super::{MergeInput, Provenance};
use crate::field::ProductField;
use crate::source_record::MAX_IMAGES;
use html::image::{key, size_in};

pub(super) fn images(input: &MergeInput, provenance: &mut Provenance) -> Vec<ProductImage> {
    let shown = distinct(&input.visible.record.images);
    let lists = input.records.iter().map(|record| (record.source, distinct(&record.images)));
    let lists: Vec<(ProductSource, Vec<ProductImage>)> =
        lists.filter(|(_, images)| !images.is_empty()).collect();
    // Meta tags have one preview image; they are the last resort.
    let stated = lists.iter().filter(|(source, _)| *source != ProductSource::Meta);
    let stated = stated.max_by_key(|(_, images)| images.len());
    let meta = lists.iter().find(|(source, _)| *source == ProductSource::Meta);
    let shares = |one: &[ProductImage], other: &[ProductImage]| {
        let same =
            one.iter().filter(|image| other.iter().any(|known| key(&known.url) == key(&image.url)));
        same.count() * 2 >= one.len().min(other.len())
    };
    let (source, base) = match stated {
        Some((_, stated)) if shown.len() > stated.len() && shares(stated, &shown) => {
            (ProductSource::Dom, shown.clone())
        }
        Some((source, stated)) => (*source, stated.clone()),
        None => match meta {
            Some((source, meta)) if meta.len() > shown.len() => (*source, meta.clone()),
            _ if !shown.is_empty() => (ProductSource::Dom, shown.clone()),
            Some((source, meta)) => (*source, meta.clone()),
            None => return Vec::new(),
        },
    };
    let mut base = base;
    if let (ProductSource::Dom, Some((_, preview))) = (source, meta) {
        // The preview image of the page is the main image of its gallery. It may have another host.
        let first = preview.first().map(|image| file_name(&image.url));
        base.sort_by_key(|image| Some(file_name(&image.url)) != first);
    }
    provenance.note(ProductField::Image, source);
    enlarged(base, lists.iter().map(|(_, images)| images).chain([&shown]))
}

/// The last segment of the path of a URL.
fn file_name(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    path.rsplit('/').next().unwrap_or_default()
}

/// Each image once, at the position of its first occurrence, with its largest URL.
fn distinct(images: &[ProductImage]) -> Vec<ProductImage> {
    let mut positions: HashMap<String, usize> = HashMap::new();
    let mut kept: Vec<ProductImage> = Vec::new();
    for image in images.iter().take(MAX_IMAGES) {
        match positions.get(&key(&image.url)) {
            None => {
                positions.insert(key(&image.url), kept.len());
                kept.push(image.clone());
            }
            Some(&at) if size_in(&image.url) > size_in(&kept[at].url) => {
                kept[at].url.clone_from(&image.url);
            }
            Some(_) => {}
        }
    }
    kept
}

/// The images with the largest URL and the alternative text of all sources.
fn enlarged<'i>(
    mut base: Vec<ProductImage>,
    lists: impl Iterator<Item = &'i Vec<ProductImage>>,
) -> Vec<ProductImage> {
    let mut best: HashMap<String, (String, Option<String>)> = HashMap::new();
    for image in lists.flatten() {
        let known_image = best.entry(key(&image.url)).or_insert_with(|| (image.url.clone(), None));
        if size_in(&image.url) > size_in(&known_image.0) {
            known_image.0.clone_from(&image.url);
        }
        if known_image.1.is_none() {
            known_image.1.clone_from(&image.alt);
        }
    }
    for image in &mut base {
        if let Some((url, alt)) = best.get(&key(&image.url)) {
            if size_in(url) > size_in(&image.url) {
                image.url.clone_from(url);
            }
            if image.alt.is_none() {
                image.alt.clone_from(alt);
            }
        }
    }
    base
}
