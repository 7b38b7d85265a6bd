//! Metadata of a page: title, author, dates.
//!
//! Machine-readable data (JSON-LD, `<meta>`) takes precedence over visible text. Implausible values
//! are dropped: a date that does not exist, a URL instead of a name.

use html::dom::{Dom, Element, NodeId};
use html::structured;
use html::text::Collapsed;
use page::Page;

mod author;
mod class_cache;
mod date;
mod json_ld;
mod title;

use class_cache::ClassCache;
use json_ld::JsonLd;
pub(super) use json_ld::main_text_rank;

/// Maximum number of `<meta>` elements.
const MAX_METAS: usize = 512;

/// Maximum bytes of a value.
const MAX_VALUE: usize = 2_048;

/// Maximum number of `h1` elements that are compared with the title.
const MAX_H1: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Metadata {
    /// The title without the name of the site.
    pub title: Option<String>,
    /// The authors, separated by commas.
    pub author: Option<String>,
    /// A W3C date or datetime.
    pub published_at: Option<String>,
    pub modified_at: Option<String>,
}

/// Reads the metadata of a page.
pub(crate) fn metadata(dom: &Dom<'_>, page: &Page) -> Metadata {
    let sources = MetadataSources::of(dom);
    let (published_at, modified_at) = date::of(&sources);
    Metadata {
        title: title::of(&sources, page),
        author: author::of(&sources),
        published_at,
        modified_at,
    }
}

/// Elements that may contain metadata, collected in one pass.
#[derive(Debug)]
struct MetadataSources<'d, 'a> {
    dom: &'d Dom<'a>,
    /// Names in lower case and contents of `<meta>` elements.
    metas: Vec<(String, String)>,
    json_ld: JsonLd,
    h1: Vec<String>,
    /// The first `h1` of the page.
    heading: Option<NodeId>,
    /// Elements that may name an author, with the kind of evidence.
    authors: Vec<(author::AuthorSource, NodeId)>,
    dates: Vec<(date::DateSource, NodeId)>,
}

impl<'d, 'a> MetadataSources<'d, 'a> {
    fn of(dom: &'d Dom<'a>) -> Self {
        let mut sources = Self {
            dom,
            metas: Vec::new(),
            json_ld: JsonLd::default(),
            h1: Vec::new(),
            heading: None,
            authors: Vec::new(),
            dates: Vec::new(),
        };
        let mut classes = ClassCache::default();
        let mut scripts = Vec::new();
        let mut at = NodeId(1);
        while at.index() < dom.node_count() {
            let mut next = NodeId(at.0 + 1);
            match dom.element(at) {
                Some(Element::Meta) => sources.meta(at),
                Some(Element::Script) => {
                    scripts.push(at);
                    next = dom.end(at);
                }
                Some(Element::Style | Element::Svg | Element::Template) => next = dom.end(at),
                Some(element) => {
                    if element == Element::H1 && sources.h1.len() < MAX_H1 {
                        let text = sources.text_of(at);
                        sources.heading = sources.heading.or(Some(at));
                        sources.h1.extend(Some(text).filter(|text| !text.is_empty()));
                    }
                    sources.record_sources(at, element, &mut classes);
                }
                None => {}
            }
            at = next;
        }
        sources.json_ld = JsonLd::of(&structured::json_ld(dom, scripts.into_iter()));
        sources
    }

    /// Records an element that may contain an author or date. Called for every element; few have
    /// such attributes.
    fn record_sources(&mut self, id: NodeId, element: Element, classes: &mut ClassCache<'a>) {
        let (mut author, mut date) = (None, None);
        for attribute in self.dom.attributes(id) {
            let value = attribute.value;
            match attribute.name {
                "class" => {
                    let said = classes.read(value);
                    if said.of_authors {
                        author = more_reliable(author, author::AuthorSource::of_class(value));
                    }
                    if said.of_dates {
                        date = more_reliable(date, date::DateSource::of_class(value, element));
                    }
                }
                "itemprop" | "rel" | "href" | "pubdate" => {
                    author = more_reliable(author, author::AuthorSource::of(attribute, element));
                    date = more_reliable(date, date::DateSource::of(attribute, element));
                }
                _ => {}
            }
        }
        if let Some(source) = author {
            author::keep(self, source, id);
        }
        if date.is_some() || element == Element::Time {
            date::keep(self, date, id);
        }
    }

    fn meta(&mut self, id: NodeId) {
        if self.metas.len() >= MAX_METAS {
            return;
        }
        let Some(content) = self.dom.attribute(id, "content") else { return };
        let content = Collapsed::of(&content, MAX_VALUE);
        if content.is_empty() {
            return;
        }
        for key in ["property", "name", "itemprop"] {
            if let Some(name) = self.dom.raw_attribute(id, key).filter(|name| name.len() < 64) {
                self.metas.push((name.trim().to_ascii_lowercase(), content.clone()));
            }
        }
    }

    /// The contents of the `<meta>` elements of these names, in their order.
    fn metas<'s>(&'s self, names: &'s [&str]) -> impl Iterator<Item = &'s str> {
        names.iter().flat_map(|name| {
            let found = self.metas.iter().filter(move |(known, _)| known == name);
            found.map(|(_, content)| content.as_str())
        })
    }

    /// The visible text of an element, up to the length of a name or title.
    fn text_of(&self, id: NodeId) -> String {
        let mut text = Collapsed::new(MAX_VALUE);
        for below in self.dom.descendants(id).take(64) {
            match self.dom.element(below) {
                Some(element) if !element.is_inline() => text.gap(),
                Some(_) => {}
                None if self.is_script(below) => {}
                None => text.push(&self.dom.text(below)),
            }
        }
        text.take()
    }

    fn is_script(&self, text: NodeId) -> bool {
        let parent = self.dom.parent(text).and_then(|parent| self.dom.element(parent));
        matches!(parent, Some(Element::Script | Element::Style | Element::Title))
    }

    /// The `itemprop` value of an element, or its text.
    fn value_of(&self, id: NodeId) -> String {
        let stated = self.dom.attribute(id, "content").filter(|value| !value.trim().is_empty());
        match stated {
            Some(value) => Collapsed::of(&value, MAX_VALUE),
            None => self.text_of(id),
        }
    }
}

/// The more reliable of two sources.
fn more_reliable<P: Ord>(known: Option<P>, found: Option<P>) -> Option<P> {
    match (known, found) {
        (Some(known), Some(found)) => Some(known.min(found)),
        (known, found) => known.or(found),
    }
}

#[cfg(test)]
mod tests;
