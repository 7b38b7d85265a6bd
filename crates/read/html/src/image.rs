//! Image URLs: the largest size that a page offers, and recognition of one image in several sizes.

use text::vocabulary::{TermList, TermSet};
use text::{word_list, word_set};

use crate::dom::{Dom, Element, NodeId};
use crate::srcset::{self, SrcsetCandidate};

/// Attributes from which scripts load the large size, the most reliable first.
static LARGE_ATTRIBUTES: TermList = word_list!("large_image_attributes.txt");

/// Attributes of lazily loaded images, then the standard one.
const PLAIN_ATTRIBUTES: &[&str] =
    &["data-original", "data-lazy-src", "data-lazy", "data-src", "data-image", "src"];

const SRCSET_ATTRIBUTES: &[&str] = &["srcset", "data-srcset", "data-lazy-srcset"];

/// Number of ancestors of an image that are searched for its link and `picture`.
const MAX_ANCESTORS: usize = 4;

/// The URL of the largest size that the page offers for an image.
pub fn largest(dom: &Dom<'_>, image: NodeId) -> Option<String> {
    let named = |id: NodeId, names: &[&str]| {
        names.iter().find_map(|name| {
            let value = dom.attribute(id, name)?;
            is_url(value.trim()).then(|| value.trim().to_owned())
        })
    };
    if let Some(large) = named(image, &LARGE_ATTRIBUTES) {
        return Some(large);
    }
    for (above, up) in dom.ancestors(image).zip(0..MAX_ANCESTORS) {
        if let Some(large) = named(above, &LARGE_ATTRIBUTES) {
            return Some(large);
        }
        if dom.is(above, Element::A)
            && let Some(href) = dom.attribute(above, "href").filter(|href| is_image(href.trim()))
        {
            return Some(href.trim().to_owned());
        }
        // An ancestor of several images does not describe one of them.
        if up > 0
            && dom.descendants(above).take(60).filter(|id| dom.is(*id, Element::Image)).count() > 1
        {
            break;
        }
    }
    let mut widest: Option<(u64, String)> = None;
    let picture = dom.parent(image).filter(|parent| dom.is(*parent, Element::Picture));
    let sources = picture.into_iter().flat_map(|picture| dom.children(picture));
    for id in sources.chain([image]) {
        for name in SRCSET_ATTRIBUTES {
            let Some(set) = dom.attribute(id, name) else { continue };
            for SrcsetCandidate { url, size, .. } in srcset::candidates(&set) {
                if is_url(url) && widest.as_ref().is_none_or(|(known, _)| size > *known) {
                    widest = Some((size, url.to_owned()));
                }
            }
        }
    }
    let plain = named(image, PLAIN_ATTRIBUTES);
    match (widest, plain) {
        (Some((width, url)), Some(plain)) => {
            Some(if width > size_in(&plain) { url } else { plain })
        }
        (Some((_, url)), None) => Some(url),
        (None, plain) => plain,
    }
}

fn is_url(url: &str) -> bool {
    !url.is_empty()
        && !url.starts_with("data:")
        && !url.starts_with('{')
        && !url.starts_with('[')
        && !url.starts_with('#')
        && (url.contains('/') || url.contains('.'))
}

/// Whether the path of a URL ends in the extension of an image.
pub fn is_image(url: &str) -> bool {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let path = &url[..end];
    let Some(dot) = path.rfind('.') else { return false };
    let ending = &path[dot + 1..];
    ["jpg", "jpeg", "png", "webp", "avif", "gif", "jfif"]
        .iter()
        .any(|known| ending.eq_ignore_ascii_case(known))
}

/// The largest width or height that a URL contains; 0 if none is recognised.
pub fn size_in(url: &str) -> u64 {
    numbers(url).filter(|number| (32..=8_000).contains(number)).max().unwrap_or(0)
}

fn numbers(text: &str) -> impl Iterator<Item = u64> + '_ {
    let digits = text.split(|letter: char| !letter.is_ascii_digit());
    digits.filter(|digits| (2..=4).contains(&digits.len())).filter_map(|digits| digits.parse().ok())
}

/// A key that is equal for all sizes of one image: the URL without its size components.
pub fn key(url: &str) -> String {
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let path = path.split('#').next().unwrap_or_default();
    let mut key = String::with_capacity(path.len());
    for segment in path.split('/') {
        if is_size(segment) {
            continue;
        }
        key.push('/');
        push_segment(&mut key, segment);
    }
    // Some sites distinguish images by the query alone.
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let identifies_image =
            matches!(name, "id" | "image" | "img" | "file" | "src" | "url" | "path" | "name");
        if identifies_image {
            key.push('?');
            key.push_str(value);
        }
    }
    key
}

static SIZE_NAMES: TermSet = word_set!("image_size_names.txt");

/// Whether a path segment is only a size: `600`, `600w`, `400x400`, `large`.
fn is_size(segment: &str) -> bool {
    let lower = segment.to_ascii_lowercase();
    SIZE_NAMES.contains(lower.as_str()) || is_dimension(&lower)
}

/// `600`, `600w`, `w600`, `600x400`, `1200px`, `h_300,w_300`.
fn is_dimension(text: &str) -> bool {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        // Sizes are round numbers; ids of products and images mostly are not.
        let size = text.parse::<u64>().unwrap_or(0);
        return (32..=8_000).contains(&size) && (size % 10 == 0 || size.is_power_of_two());
    }
    let digit_count = text.bytes().filter(u8::is_ascii_digit).count();
    let rest = text.bytes().filter(|byte| !byte.is_ascii_digit());
    (2..=8).contains(&digit_count)
        && text.len() <= 16
        && rest.into_iter().all(|byte| {
            matches!(byte, b'x' | b'w' | b'h' | b'p' | b'_' | b',' | b'-' | b'c' | b'q')
        })
        && numbers(text).all(|number| number >= 32)
        && numbers(text).next().is_some()
}

/// Appends a file name without its size suffixes.
fn push_segment(key: &mut String, segment: &str) {
    let stem = segment
        .rfind('.')
        .filter(|at| segment.len() - at <= 5)
        .map_or(segment, |at| &segment[..at]);
    let mut parts = stem.split_inclusive(['-', '_', '@', '.']).peekable();
    let mut kept = String::new();
    while let Some(part) = parts.next() {
        let bare = part.trim_end_matches(['-', '_', '@', '.']);
        let upper = bare.to_ascii_lowercase();
        let is_size_part = !kept.is_empty()
            && (is_size_suffix(&upper)
                || (is_size(&upper)
                    && upper.len() > 1
                    && !is_image_id(&upper, parts.peek().is_none())));
        if !is_size_part {
            kept.push_str(bare);
            kept.push('.');
        }
    }
    key.push_str(&kept);
}

/// `SL1200`, `2x`, `1200x1200`.
fn is_size_suffix(text: &str) -> bool {
    let digits = text.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let letters = &text[..text.len() - digits.len()];
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    (matches!(letters, "sl" | "sx" | "sy" | "ac" | "w" | "h" | "ss" | "us")
        && is_number
        && digits.len() > 1)
        || matches!(text, "2x" | "3x" | "1x")
        || text.split_once('x').is_some_and(|(one, other)| {
            let all =
                |text: &str| text.len() >= 2 && text.bytes().all(|byte| byte.is_ascii_digit());
            all(one) && (all(other) || other.is_empty())
        })
}

/// Whether a number is more likely an image id than a size.
fn is_image_id(text: &str, is_last: bool) -> bool {
    let Ok(number) = text.parse::<u64>() else { return false };
    // Sizes are round numbers; image ids mostly are not.
    !(is_last && number >= 50 && number % 10 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_equal_for_all_sizes_of_an_image() {
        for (one, other) in [
            ("http://a.b/media/1200/7-1.jpg", "/media/600/7-1.jpg"),
            ("https://a.b/u/7-1-1200.jpg", "https://a.b/u/7-1-600.jpg"),
            ("https://a.b/u/photo-300x300.jpg", "https://a.b/u/photo.jpg"),
            ("https://a.b/i/7._SL1200_.jpg", "https://a.b/i/7._SL100_.jpg"),
            ("https://a.b/p/1.jpg?w=1200", "https://a.b/p/1.jpg?w=200"),
            ("https://a.b/s/600w/products/1/1.jpg", "https://a.b/s/1200w/products/1/1.jpg"),
            ("https://a.b/i/a_large.jpg", "https://a.b/i/a_small.jpg"),
        ] {
            let path = |text: &str| {
                text.split_once("a.b").map_or(text.to_owned(), |(_, rest)| rest.to_owned())
            };
            assert_eq!(key(&path(one)), key(&path(other)), "{one} {other}");
        }
        for (one, other) in [
            ("/media/1200/7-1.jpg", "/media/1200/7-2.jpg"),
            ("/p/1027/1.jpg", "/p/1027/2.jpg"),
            ("/p/71/1.jpg", "/p/72/1.jpg"),
            ("/i/102.jpg", "/i/103.jpg"),
        ] {
            assert_ne!(key(one), key(other), "{one} {other}");
        }
    }

    #[test]
    fn largest_offered_size_is_returned() {
        for (html, url) in [
            ("<a href=/big.jpg><img src=/small.jpg></a>", "/big.jpg"),
            ("<a href=/page><img src=/small.jpg></a>", "/small.jpg"),
            ("<img src=/s.jpg data-zoom-image=/z.jpg>", "/z.jpg"),
            ("<img src=/s.jpg srcset='/a.jpg 300w, /b.jpg 1200w'>", "/b.jpg"),
            ("<img src='data:image/gif;base64,xx' data-src=/l.jpg>", "/l.jpg"),
            (
                "<picture><source srcset='/a.webp 600w, /b.webp 900w'><img src=/s.jpg></picture>",
                "/b.webp",
            ),
        ] {
            let dom = Dom::parse(html);
            let image = dom.find(NodeId::ROOT, Element::Image).expect("an image");
            assert_eq!(largest(&dom, image).as_deref(), Some(url), "{html}");
        }
    }
}
