//! The images of the product: those of its gallery, in the largest available size.

use contract::ProductImage;
use hashbrown::HashMap;
use text::vocabulary::TermList;

use crate::class_hints::ElementHints;
use crate::dom_index::DomIndex;
use crate::page_context::PageContext;
use crate::page_subject::SubjectMatch;
use crate::source_record::MAX_IMAGES;
use html::dom::{Element, NodeId};
use html::image;

/// How many images are considered.
const MAX_CANDIDATES: usize = 600;

/// Smaller images, in pixels, are icons.
const MIN_SIZE: u32 = 48;

/// Smaller images, in pixels, are thumbnails.
const MAX_THUMBNAIL: u64 = 100;

/// The minimum score of an image of the product.
const MIN_SCORE: i32 = 3;

/// The minimum score of a single image. An image beside the heading reaches it.
const MIN_SINGLE_SCORE: i32 = 2;

/// An image that may show the product.
struct ImageCandidate {
    node: NodeId,
    url: String,
    alt: Option<String>,
    score: i32,
}

pub(super) fn images(
    index: &DomIndex<'_, '_>,
    context: &PageContext<'_>,
    described: Option<NodeId>,
) -> Vec<ProductImage> {
    let mut found: Vec<ImageCandidate> = Vec::new();
    for &id in index.images.iter().take(MAX_CANDIDATES) {
        found.extend(candidate(index, context, id, described));
    }
    let Some(best) = found.iter().map(|one| one.score).max() else { return Vec::new() };
    let is_single = found.iter().filter(|one| one.score == best).count() == 1;
    if best < if is_single { MIN_SINGLE_SCORE } else { MIN_SCORE } {
        return Vec::new();
    }
    // The first of the best images is in the gallery; images with a similar score belong to it.
    let Some(first) = found.iter().find(|one| one.score == best).map(|one| one.node) else {
        return Vec::new();
    };
    // Thumbnails may precede the main image.
    found.sort_by_key(|one| one.node != first);
    let gallery = gallery(index, first);
    let inside = |id: NodeId| index.dom.contains(gallery, id);
    let mut images: Vec<ProductImage> = Vec::new();
    let mut positions: HashMap<String, usize> = HashMap::new();
    for one in found {
        let belongs = inside(one.node) || (one.score >= best - 1 && one.score >= 5);
        if !belongs || images.len() >= MAX_IMAGES {
            continue;
        }
        match positions.get(&image::key(&one.url)) {
            None => {
                positions.insert(image::key(&one.url), images.len());
                images.push(ProductImage { url: one.url, alt: one.alt });
            }
            Some(&at) => {
                // The same image in another size.
                let known = &mut images[at];
                if image::size_in(&one.url) > image::size_in(&known.url) {
                    known.url = one.url;
                }
                known.alt = known.alt.take().or(one.alt);
            }
        }
    }
    images
}

fn candidate(
    index: &DomIndex<'_, '_>,
    context: &PageContext<'_>,
    id: NodeId,
    described: Option<NodeId>,
) -> Option<ImageCandidate> {
    let dom = index.dom;
    let hints = index.all(id);
    let in_text = described.is_some_and(|container| container < id && id < dom.end(container));
    if hints.intersects(ElementHints::OTHER_CONTENT | ElementHints::LOGO) || in_text {
        return None;
    }
    let measure =
        |name| dom.raw_attribute(id, name).and_then(|text| text.trim().parse::<u32>().ok());
    let is_small = measure("width").is_some_and(|width| width < MIN_SIZE)
        || measure("height").is_some_and(|height| height < MIN_SIZE);
    if is_small || index.is_teaser(id) {
        return None;
    }
    let address = image::largest(dom, id)?;
    if is_icon(&address) {
        return None;
    }
    let url = context.image(&address)?;
    let alt = dom.attribute(id, "alt").map(|alt| html::text::Collapsed::of(&alt, 300));
    let alt = alt.filter(|alt| !alt.is_empty());
    let mut score = 0;
    if hints.intersects(ElementHints::GALLERY) {
        score += 3;
    }
    if alt.as_deref().is_some_and(|alt| context.subject.match_name(alt) == SubjectMatch::Same) {
        score += 2;
    }
    let link = dom.ancestors(id).take(3).find(|above| dom.is(*above, Element::A));
    match link.and_then(|link| dom.raw_attribute(link, "href")) {
        Some(href) if image::is_image(href.trim()) => score += 2,
        Some(href)
            if !href.trim_start().starts_with('#')
                && context.subject.match_url(href) == SubjectMatch::Different =>
        {
            score -= 3;
        }
        _ => {}
    }
    if Some(address.as_str()) != dom.attribute(id, "src").as_deref() {
        score += 1;
    }
    let width = measure("width").or_else(|| measure("height"));
    let width = width.map_or_else(|| size_marked_in(&address), u64::from);
    if (1..=MAX_THUMBNAIL).contains(&width) {
        score -= 2;
    }
    // Spacers and spinners are GIF images; a swatch shows one value of an option.
    let path = address.split(['?', '#']).next().unwrap_or_default();
    if path.ends_with(".gif") || hints.intersects(ElementHints::OPTIONS) {
        score -= 3;
    }
    if is_main_image(index, id) {
        score += 1;
    }
    let heading = index.heading.map_or(id.0, |heading| heading.0);
    match id.0.abs_diff(heading) {
        0..=150 => score += 2,
        151..=500 => score += 1,
        _ => {}
    }
    Some(ImageCandidate { node: id, url, alt, score })
}

/// The size that a URL states in its query or after `._`; 0 if it states none.
fn size_marked_in(url: &str) -> u64 {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let suffix = path.rsplit_once("._").map_or("", |(_, suffix)| suffix);
    image::size_in(if suffix.is_empty() { query } else { suffix })
}

/// Whether the image or its parent is named as the main image.
fn is_main_image(index: &DomIndex<'_, '_>, image: NodeId) -> bool {
    let dom = index.dom;
    let names = |id: NodeId| {
        ["id", "class"].iter().filter_map(move |key| dom.raw_attribute(id, key)).any(|value| {
            let value = value[..value.floor_char_boundary(200)].to_ascii_lowercase();
            ["main", "landing", "primary", "hero"].iter().any(|word| value.contains(word))
        })
    };
    dom.self_and_ancestors(image).take(2).any(names)
}

static ICON_URLS: TermList = word_list!("icon_urls.txt");

/// Whether a URL is that of an icon: payment, stars, flags.
fn is_icon(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    path.ends_with(".svg") || ICON_URLS.iter().any(|word| path.contains(word))
}

/// The element of the gallery: the highest ancestor of an image with almost no text.
fn gallery(index: &DomIndex<'_, '_>, image: NodeId) -> NodeId {
    let dom = index.dom;
    let mut gallery = image;
    for above in dom.ancestors(image) {
        let too_far = index.has_heading(above)
            || index.links_to_others(above) > 1
            || matches!(dom.element(above), Some(Element::Body | Element::Main | Element::Form))
            || text_length(index, above) > 200;
        if too_far {
            break;
        }
        gallery = above;
    }
    gallery
}

/// The length of the visible text of a subtree, in bytes.
fn text_length(index: &DomIndex<'_, '_>, id: NodeId) -> usize {
    let texts = index
        .dom
        .descendants(id)
        .take(800)
        .filter(|below| !index.all(*below).intersects(ElementHints::HIDDEN));
    texts.map(|below| index.dom.raw_text(below).trim().len()).sum()
}
