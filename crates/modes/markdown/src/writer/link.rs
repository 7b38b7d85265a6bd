//! Links, including links around blocks, which Markdown does not support.

use super::line::InlineMark;
use super::{ElementEnd, InlineContext, MarkdownWriter, title};
use html::dom::{Element, NodeId};

/// Number of descendants of a link that are searched for a heading.
const MAX_SEARCHED: usize = 400;

/// URL and title of a link.
#[derive(Debug, Default)]
pub(super) struct LinkTarget {
    /// The URL; empty once it has been written.
    pub url: String,
    /// The `title` attribute.
    pub title: Option<String>,
    /// Number of images before it.
    pub images: usize,
}

/// The link that contains the current text.
#[derive(Debug)]
pub(super) struct OpenLink {
    target: usize,
    /// It contains a heading and is written there.
    waits: bool,
}

impl MarkdownWriter<'_, '_> {
    /// Starts a link. Returns how it ends if its content is to be written.
    pub(super) fn begin_link(&mut self, id: NodeId) -> Option<ElementEnd> {
        let Some(href) = self.dom.attribute(id, "href") else {
            return Some(ElementEnd::Nothing);
        };
        if self.is_permalink(id, &href)
            || self.is_back_link(id, &href)
            || self.is_lost_reference(id, &href)
            || self.is_sign_without_target(id, &href)
        {
            return None;
        }
        if let Some(label) = self.footnotes.reference(id) {
            let reference = format!("[^{}]", self.footnotes.label(label));
            self.line.push_raw(&reference);
            return None;
        }
        if self.link.is_some() || self.line.is_in_link() {
            return Some(ElementEnd::Nothing);
        }
        let Some(target) = self.urls.resolve(&href) else {
            return Some(ElementEnd::Nothing);
        };
        let number = self.targets.len();
        let title = self.dom.attribute(id, "title").and_then(|title| title::read(&title));
        self.targets.push(LinkTarget { url: target, title, images: self.images.len() });
        let waits = self.inside == InlineContext::Flow && self.holds_heading(id);
        if !waits {
            self.line.open(InlineMark::Link(number));
        }
        self.link = Some(OpenLink { target: number, waits });
        Some(ElementEnd::Link)
    }

    pub(super) fn end_link(&mut self) {
        if let Some(link) = self.link.take() {
            self.line.close(InlineMark::Link(link.target));
        }
    }

    /// Opens the link that waited for this heading.
    pub(super) fn open_waiting_link(&mut self) {
        if let Some(link) = self.link.as_mut().filter(|link| link.waits) {
            link.waits = false;
            let target = link.target;
            self.line.open(InlineMark::Link(target));
        }
    }

    /// Marks the link as written with a block: the rest of its content is plain text.
    pub(super) fn mark_link_written(&mut self) {
        match &self.link {
            // The target was moved into the block.
            Some(link)
                if self.targets.get(link.target).is_none_or(|target| target.url.is_empty()) =>
            {
                self.line.close(InlineMark::Link(link.target));
            }
            Some(_) => {}
            None => self.targets.clear(),
        }
    }

    fn holds_heading(&self, id: NodeId) -> bool {
        self.dom.descendants(id).take(MAX_SEARCHED).any(|below| {
            self.selection.contains(below)
                && self.dom.element(below).is_some_and(|element| element.heading_level().is_some())
                && self.is_heading(below)
        })
    }

    /// Whether a link next to a heading leads to the heading itself.
    fn is_permalink(&self, id: NodeId, href: &str) -> bool {
        if !href.contains('#') || self.dom.end(id).0 - id.0 > 16 {
            return false;
        }
        let in_heading = self.inside == InlineContext::Heading || {
            let parent = self.dom.parent(id).and_then(|parent| self.dom.element(parent));
            parent.is_some_and(|element| element.heading_level().is_some())
        };
        let marked = || {
            let class = self.dom.raw_attribute(id, "class").unwrap_or_default();
            ["anchor", "permalink", "headerlink", "header-link", "hash-link", "heading-link"]
                .iter()
                .any(|name| class.contains(name))
        };
        (in_heading || marked()) && self.is_sign(id)
    }

    /// Whether a link is a sign such as × or ⓘ that runs a script.
    fn is_sign_without_target(&self, id: NodeId, href: &str) -> bool {
        let href = href.trim_ascii();
        let is_script = href.get(..11).is_some_and(|it| it.eq_ignore_ascii_case("javascript:"));
        (href == "#" || is_script) && self.dom.end(id).0 - id.0 <= 16 && self.is_sign(id)
    }

    /// Whether a link has at most three signs, and no letters, digits or images.
    fn is_sign(&self, id: NodeId) -> bool {
        let holds_image = self.dom.descendants(id).any(|below| self.dom.is(below, Element::Image));
        let text = self.dom.inner_text(id);
        let text = text.trim();
        // Circled letters such as ⓘ are letters in Unicode.
        let is_letter = |c: char| c.is_alphanumeric() && !('\u{2460}'..='\u{24ff}').contains(&c);
        !holds_image && text.chars().count() <= 3 && !text.chars().any(is_letter)
    }
}
