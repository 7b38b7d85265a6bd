//! The images of the product: those of its gallery, in the largest size that the page names.

use contract::ProductImage;
use hashbrown::HashMap;

use super::super::class_words::Hints;
use super::super::context::Context;
use super::super::draft::MAX_IMAGES;
use super::super::subject::Likeness;
use super::super::survey::Survey;
use html::dom::{Element, NodeId};
use html::image;

/// How many images are looked at.
const MAX_LOOKED: usize = 600;

/// An image of fewer points across is a sign or a button.
const SMALL: u32 = 48;

/// From here on an image is one of the product, wherever it stands.
const SURE: i32 = 3;

/// What stands beside the heading reaches this much, and is enough for a lone image.
const BESIDE: i32 = 2;

/// An image that may be of the product.
struct Candidate {
    place: NodeId,
    url: String,
    alt: Option<String>,
    score: i32,
}

pub(super) fn images(
    survey: &Survey<'_, '_>,
    context: &Context<'_>,
    described: Option<NodeId>,
) -> Vec<ProductImage> {
    let mut found: Vec<Candidate> = Vec::new();
    for &id in survey.images.iter().take(MAX_LOOKED) {
        found.extend(candidate(survey, context, id, described));
    }
    let Some(best) = found.iter().map(|one| one.score).max() else { return Vec::new() };
    let is_alone = found.iter().filter(|one| one.score == best).count() == 1;
    if best < if is_alone { BESIDE } else { SURE } {
        return Vec::new();
    }
    // The gallery is where the first of the best stands; what is like it belongs to it.
    let Some(first) = found.iter().find(|one| one.score == best).map(|one| one.place) else {
        return Vec::new();
    };
    let gallery = gallery(survey, first);
    let inside = |id: NodeId| gallery <= id && id < survey.dom.end(gallery);
    let mut images: Vec<ProductImage> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for one in found {
        let belongs = inside(one.place) || (one.score >= best - 1 && one.score >= 5);
        if !belongs || images.len() >= MAX_IMAGES {
            continue;
        }
        match places.get(&image::key(&one.url)) {
            None => {
                places.insert(image::key(&one.url), images.len());
                images.push(ProductImage { url: one.url, alt: one.alt });
            }
            Some(&at) => {
                // The same in another size.
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
    survey: &Survey<'_, '_>,
    context: &Context<'_>,
    id: NodeId,
    described: Option<NodeId>,
) -> Option<Candidate> {
    let dom = survey.dom;
    let hints = survey.all(id);
    let in_text = described.is_some_and(|place| place < id && id < dom.end(place));
    if hints.has(Hints::FRAME | Hints::TEASER | Hints::REVIEW | Hints::LOGO) || in_text {
        return None;
    }
    let measure =
        |name| dom.raw_attribute(id, name).and_then(|text| text.trim().parse::<u32>().ok());
    let is_small = measure("width").is_some_and(|width| width < SMALL)
        || measure("height").is_some_and(|height| height < SMALL);
    if is_small || survey.is_teaser(id) {
        return None;
    }
    let address = image::largest(dom, id)?;
    if is_sign(&address) {
        return None;
    }
    let url = context.image(&address)?;
    let alt = dom.attribute(id, "alt").map(|alt| html::text::Collapsed::of(&alt, 300));
    let alt = alt.filter(|alt| !alt.is_empty());
    let mut score = 0;
    if hints.has(Hints::GALLERY) {
        score += 3;
    }
    if alt.as_deref().is_some_and(|alt| context.subject.names_it(alt) == Likeness::Same) {
        score += 2;
    }
    let link = dom.ancestors(id).take(3).find(|above| dom.is(*above, Element::A));
    match link.and_then(|link| dom.raw_attribute(link, "href")) {
        Some(href) if image::is_image(href.trim()) => score += 2,
        Some(href)
            if !href.trim_start().starts_with('#')
                && context.subject.is_at(href) == Likeness::Other =>
        {
            score -= 3;
        }
        _ => {}
    }
    if Some(address.as_str()) != dom.attribute(id, "src").as_deref() {
        score += 1;
    }
    let heading = survey.heading.map_or(id.0, |heading| heading.0);
    match id.0.abs_diff(heading) {
        0..=150 => score += 2,
        151..=500 => score += 1,
        _ => {}
    }
    Some(Candidate { place: id, url, alt, score })
}

/// Whether an address is that of a sign: payment, stars, flags.
fn is_sign(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    path.ends_with(".svg")
        || [
            "logo",
            "sprite",
            "icon",
            "payment",
            "placeholder",
            "pixel",
            "loading",
            "spinner",
            "blank.",
            "flag",
            "trustbadge",
            "spacer",
            "/stars",
        ]
        .iter()
        .any(|word| path.contains(word))
}

/// What holds the gallery together: the highest part above an image that has nothing but
/// images.
fn gallery(survey: &Survey<'_, '_>, image: NodeId) -> NodeId {
    let dom = survey.dom;
    let mut place = image;
    for above in dom.ancestors(image) {
        let too_far = survey.holds_heading(above)
            || survey.leads_elsewhere(above) > 1
            || matches!(dom.element(above), Some(Element::Body | Element::Main | Element::Form))
            || text_length(survey, above) > 200;
        if too_far {
            break;
        }
        place = above;
    }
    place
}

/// How much text there is below a node, as far as it matters.
fn text_length(survey: &Survey<'_, '_>, id: NodeId) -> usize {
    let texts =
        survey.dom.descendants(id).take(800).filter(|below| !survey.all(*below).has(Hints::HIDDEN));
    texts.map(|below| survey.dom.raw_text(below).trim().len()).sum()
}
