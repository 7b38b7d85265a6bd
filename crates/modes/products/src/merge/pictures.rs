//! The images of the product: one list, each image once, in its largest size.

use contract::{ProductImage, ProductSource};
use hashbrown::HashMap;

use super::super::draft::MAX_IMAGES;
use super::super::field::Field;
use super::Said;
use html::image::{key, size_in};

pub(super) fn images(
    said: &Said,
    note: &mut impl FnMut(Field, ProductSource),
) -> Vec<ProductImage> {
    let shown = distinct(&said.sight.draft.images);
    let lists = said.drafts.iter().map(|draft| (draft.source, distinct(&draft.images)));
    let lists: Vec<(ProductSource, Vec<ProductImage>)> =
        lists.filter(|(_, images)| !images.is_empty()).collect();
    // The head names one for a preview; it is the last resort.
    let told = lists.iter().filter(|(source, _)| *source != ProductSource::Meta);
    let told = told.max_by_key(|(_, images)| images.len());
    let meta = lists.iter().find(|(source, _)| *source == ProductSource::Meta);
    let shares = |one: &[ProductImage], other: &[ProductImage]| {
        let same =
            one.iter().filter(|image| other.iter().any(|known| key(&known.url) == key(&image.url)));
        same.count() * 2 >= one.len().min(other.len())
    };
    let (source, base) = match told {
        Some((_, told)) if shown.len() > told.len() && shares(told, &shown) => {
            (ProductSource::Dom, shown.clone())
        }
        Some((source, told)) => (*source, told.clone()),
        None => match meta {
            Some((source, meta)) if meta.len() > shown.len() => (*source, meta.clone()),
            _ if !shown.is_empty() => (ProductSource::Dom, shown.clone()),
            Some((source, meta)) => (*source, meta.clone()),
            None => return Vec::new(),
        },
    };
    note(Field::Image, source);
    enlarged(base, lists.iter().map(|(_, images)| images).chain([&shown]))
}

/// Each image once, the first spelling of it.
fn distinct(images: &[ProductImage]) -> Vec<ProductImage> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut kept: Vec<ProductImage> = Vec::new();
    for image in images.iter().take(MAX_IMAGES) {
        match places.get(&key(&image.url)) {
            None => {
                places.insert(key(&image.url), kept.len());
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

/// The images with what other sources know of them: a larger size, a text.
fn enlarged<'i>(
    mut base: Vec<ProductImage>,
    lists: impl Iterator<Item = &'i Vec<ProductImage>>,
) -> Vec<ProductImage> {
    let mut known: HashMap<String, (String, Option<String>)> = HashMap::new();
    for image in lists.flatten() {
        let place = known.entry(key(&image.url)).or_insert_with(|| (image.url.clone(), None));
        if size_in(&image.url) > size_in(&place.0) {
            place.0.clone_from(&image.url);
        }
        if place.1.is_none() {
            place.1.clone_from(&image.alt);
        }
    }
    for image in &mut base {
        if let Some((url, alt)) = known.get(&key(&image.url)) {
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
