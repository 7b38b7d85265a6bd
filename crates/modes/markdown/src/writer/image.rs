//! Images: alternative texts and URLs.

use std::borrow::Cow;

use contract::TextImage;
use text::vocabulary::TermList;

use super::escape::{self, EscapeContext};
use super::line::InlinePiece;
use super::render::push_destination;
use super::{InlineContext, MarkdownWriter, title};
use html::dom::{Element, NodeId};
use html::srcset;
use html::text::Collapsed;

/// Attributes of lazy loading scripts, which take precedence over a placeholder in `src`.
static LAZY_ATTRIBUTES: TermList = word_list!("lazy_image_attributes.txt");
const SETS: &[&str] = &["srcset", "data-srcset", "data-lazy-srcset"];

/// Substrings of the URLs of placeholder images.
static PLACEHOLDERS: TermList = word_list!("placeholder_images.txt");

/// Maximum length of an alternative text.
const MAX_ALT: usize = 1_024;

impl MarkdownWriter<'_, '_> {
    pub(super) fn image(&mut self, id: NodeId) {
        let alt = self.dom.attribute(id, "alt").unwrap_or_default();
        let alt = Collapsed::of(&alt, MAX_ALT);
        if self.is_emoji(id, &alt) {
            self.line.push(&alt);
            return;
        }
        if self.is_formula_image(id) {
            if !self.has_math {
                self.write_formula(&alt, false);
            }
            return;
        }
        if self.is_decoration(id) || self.is_noscript_copy(id) {
            return;
        }
        let Some(url) = self.image_url(id).and_then(|src| self.urls.resolve(&src)) else {
            return;
        };
        if self.repeats_sibling(id, &url) {
            return;
        }
        self.last_image = Some(id);
        let mut written = String::with_capacity(alt.len() + url.len() + 5);
        let in_cell = self.inside == InlineContext::Cell;
        written.push_str("![");
        let context = EscapeContext {
            in_cell,
            in_link: true,
            link_follows: false,
            tildes: alt.contains('~'),
            dollars: self.has_math,
            references: false,
        };
        escape::push(&mut written, &alt, context);
        written.push_str("](");
        push_destination(&mut written, &url, in_cell);
        let title = self.dom.attribute(id, "title").and_then(|title| title::read(&title));
        let title = title.filter(|title| title::adds(title, &alt));
        title::push(&mut written, title.as_deref(), in_cell);
        written.push(')');
        self.line.push_raw(&written);
        self.images.push(TextImage { url, alt: Some(alt).filter(|alt| !alt.is_empty()) });
    }

    /// Whether the image before is the same and has the same parent: some pages have an image for each
    /// width of the window.
    fn repeats_sibling(&self, id: NodeId, url: &str) -> bool {
        let parent = |id: NodeId| self.dom.parent(id);
        self.images.last().is_some_and(|image| image.url == url)
            && self.last_image.is_some_and(|last| parent(last) == parent(id))
    }

    /// Whether an image shows an emoji that is its alternative text.
    fn is_emoji(&self, id: NodeId, alt: &str) -> bool {
        let short = !alt.is_empty() && alt.chars().count() <= 12;
        short && {
            let class = self.dom.raw_attribute(id, "class").unwrap_or_default();
            let marked = class.contains("emoji") || class.contains("smiley");
            marked
                || alt
                    .chars()
                    .all(|c| matches!(c, '\u{200d}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}'))
        }
    }

    fn is_formula_image(&self, id: NodeId) -> bool {
        let class = self.dom.raw_attribute(id, "class").unwrap_or_default();
        class.contains("mwe-math-fallback") || class.split(' ').any(|word| word == "latex")
    }

    /// Whether an image is an icon or tracking pixel.
    fn is_decoration(&self, id: NodeId) -> bool {
        let value = |name| self.dom.raw_attribute(id, name).unwrap_or_default().trim();
        let tiny = |name| matches!(value(name).trim_end_matches("px"), "0" | "1" | "2");
        value("aria-hidden") == "true"
            || matches!(value("role"), "presentation" | "none")
            || (tiny("width") && tiny("height"))
    }

    /// Whether an image in `noscript` duplicates the lazily loaded one before it.
    fn is_noscript_copy(&self, id: NodeId) -> bool {
        let within = |id: &NodeId| self.dom.is(*id, Element::Noscript);
        let Some(noscript) = self.dom.ancestors(id).take(4).find(within) else { return false };
        let Some(InlinePiece::Raw(from, to)) = self.line.pieces.last() else { return false };
        let is_image = self.line.text[*from..*to].starts_with("![");
        // Only the image before it may be in between.
        let before = (1..=8).filter_map(|back| noscript.0.checked_sub(back)).map(NodeId);
        is_image
            && before
                .take_while(|id| self.dom.raw_text(*id).trim_ascii().is_empty())
                .any(|id| self.dom.is(id, Element::Image))
    }

    /// The URL of an image after lazy loading.
    fn image_url(&self, id: NodeId) -> Option<String> {
        let value =
            |id: NodeId, name: &str| self.dom.attribute(id, name).filter(|src| is_image_url(src));
        let late = || LAZY_ATTRIBUTES.iter().find_map(|name| value(id, name));
        let set = |id: NodeId| {
            SETS.iter().find_map(|name| {
                let set = self.dom.attribute(id, name)?;
                best_of_set(&set).map(|src| Cow::Owned(src.to_owned()))
            })
        };
        let sources = || {
            let picture =
                self.dom.parent(id).filter(|above| self.dom.is(*above, Element::Picture))?;
            let sources = self.dom.children(picture).take(16);
            sources.filter(|child| self.dom.is(*child, Element::Source)).find_map(set)
        };
        let found = late().or_else(|| value(id, "src")).or_else(|| set(id)).or_else(sources);
        found.map(Cow::into_owned)
    }
}

fn is_image_url(src: &str) -> bool {
    let src = src.trim();
    let is_data = src.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:"));
    if src.is_empty() || src.starts_with('#') || src == "about:blank" || is_data {
        return false;
    }
    let name = src.split(['?', '#']).next().and_then(|path| path.rsplit('/').next());
    let name = name.unwrap_or_default();
    let name = name.get(..name.floor_char_boundary(256)).unwrap_or_default().to_ascii_lowercase();
    !PLACEHOLDERS.iter().any(|known| name.contains(known))
}

/// The largest image of a `srcset`.
fn best_of_set(set: &str) -> Option<&str> {
    let usable = srcset::candidates(set).take(32).filter(|candidate| is_image_url(candidate.url));
    let best = usable.reduce(|best, next| if next.size > best.size { next } else { best });
    best.map(|candidate| candidate.url)
}
