//! Features of a page from its URL, head and structured data.

use std::borrow::Cow;

use memchr::memmem;
use text::vocabulary::TermTable;

use html::dom::{Dom, Element, NodeId};
use html::text::Collapsed;

/// Maximum bytes of a title or description.
const MAX_TEXT: usize = 2_000;

/// Maximum bytes of structured data.
const MAX_DATA: usize = 1 << 18;

/// Number of schema.org groups that are counted.
pub(crate) const SCHEMA_KINDS: usize = 8;

/// Features for groups of schema.org types, and substrings of the types of each group.
pub(crate) static SCHEMA_TYPES: TermTable<2> = term_table!("schema_types.tsv");

#[derive(Debug, Clone, Default)]
pub(crate) struct HeadFeatures<'a> {
    pub url: Cow<'a, str>,
    pub title: String,
    pub description: String,
    /// The content of `og:type`.
    pub sharing_type: String,
    pub generator: String,
    /// Number of schema.org types of each group in the structured data.
    pub schema: [u16; SCHEMA_KINDS],
}

impl<'a> HeadFeatures<'a> {
    /// Reads the head of the page at `url`.
    pub fn read(dom: &Dom<'_>, url: &'a str) -> Self {
        let mut head = Self { url: Cow::Borrowed(url), ..Self::default() };
        let (mut shared_title, mut shared_description) = (String::new(), String::new());
        let mut room = MAX_DATA;
        for id in dom.descendants(NodeId::ROOT) {
            match dom.element(id) {
                Some(Element::Title) if head.title.is_empty() => {
                    head.title = Collapsed::of(&dom.inner_text(id), MAX_TEXT);
                }
                Some(Element::Meta) => {
                    let key = dom.raw_attribute(id, "property");
                    let Some(key) = key.or_else(|| dom.raw_attribute(id, "name")) else { continue };
                    let field = match key.to_ascii_lowercase().as_str() {
                        "og:title" => &mut shared_title,
                        "og:description" => &mut shared_description,
                        "description" => &mut head.description,
                        "og:type" => &mut head.sharing_type,
                        "generator" => &mut head.generator,
                        _ => continue,
                    };
                    if field.is_empty() {
                        let content = dom.attribute(id, "content").unwrap_or_default();
                        *field = Collapsed::of(&content, MAX_TEXT);
                    }
                }
                Some(Element::Script)
                    if dom.raw_attribute(id, "type").is_some_and(|kind| {
                        kind.trim().eq_ignore_ascii_case("application/ld+json")
                    }) =>
                {
                    let data = dom.descendants(id).next().map_or("", |id| dom.raw_text(id));
                    let data = data.get(..data.floor_char_boundary(room)).unwrap_or(data);
                    room -= data.len();
                    head.count_things(data);
                }
                _ => {}
            }
        }
        if head.title.is_empty() {
            head.title = shared_title;
        }
        if !shared_description.is_empty() {
            head.description = shared_description;
        }
        head.sharing_type.make_ascii_lowercase();
        head.generator.make_ascii_lowercase();
        head
    }

    fn count_things(&mut self, data: &str) {
        let bytes = data.as_bytes();
        for at in memmem::find_iter(bytes, b"\"@type\"") {
            let rest = bytes.get(at + 7..).unwrap_or_default();
            let rest = rest.get(..rest.len().min(80)).unwrap_or(rest);
            let mut quotes = rest.split(|byte| *byte == b'"');
            let before = quotes.next().unwrap_or_default();
            if !before.iter().all(|byte| byte.is_ascii_whitespace() || matches!(byte, b':' | b'['))
            {
                continue;
            }
            let name = quotes.next().unwrap_or_default().to_ascii_lowercase();
            for (count, [_, parts]) in self.schema.iter_mut().zip(SCHEMA_TYPES.iter()) {
                let mut parts = parts.split(' ');
                let named = parts.any(|part| memmem::find(&name, part.as_bytes()).is_some());
                *count = count.saturating_add(u16::from(named));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_features_are_read() {
        let dom = Dom::parse(
            "<title> A &amp; B </title><meta name=Description content='what it is'>\
             <meta property=og:type content=Article>\
             <script type=application/ld+json>{\"@type\" : [\"NewsArticle\"], \"x\": {\"@type\": \
             \"BreadcrumbList\"}}</script>",
        );
        let head = HeadFeatures::read(&dom, "https://a.test/");
        assert_eq!((head.title.as_str(), head.description.as_str()), ("A & B", "what it is"));
        assert_eq!(head.sharing_type, "article");
        assert_eq!(head.schema, [1, 0, 0, 0, 0, 0, 0, 1]);
    }
}
