//! Footnotes: references in the text and definitions.

use hashbrown::HashMap;

use super::math::is_formula;
use super::{BaseUrl, MarkdownWriter, NodeSelection};
use html::dom::{Dom, Element, NodeId};

/// Maximum number of footnotes; further references are links.
const MAX_NOTES: usize = 2_000;

/// Maximum length of a reference with its brackets.
const MAX_REFERENCE_CHARS: usize = 6;

/// Maximum length of a link from a note to the text.
const MAX_BACK_LINK_CHARS: usize = 3;

/// The footnotes of a page.
#[derive(Debug, Default)]
pub(super) struct Footnotes {
    labels: Vec<String>,
    /// Reference links by node.
    references: HashMap<NodeId, usize>,
    /// Definition blocks by node.
    definitions: HashMap<NodeId, usize>,
}

impl Footnotes {
    pub fn label(&self, note: usize) -> &str {
        self.labels.get(note).map_or("", String::as_str)
    }

    pub fn reference(&self, id: NodeId) -> Option<usize> {
        if self.labels.is_empty() { None } else { self.references.get(&id).copied() }
    }

    pub fn definition(&self, id: NodeId) -> Option<usize> {
        if self.labels.is_empty() { None } else { self.definitions.get(&id).copied() }
    }

    fn add(&mut self, dom: &Dom<'_>, signs: &[NodeId], block: NodeId) {
        let Some(first) = signs.first() else { return };
        let text = dom.inner_text(*first);
        let own = text.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        let fits = (1..=8).contains(&own.len()) && own.bytes().all(|b| b.is_ascii_alphanumeric());
        let is_free = |label: &str| self.labels.iter().all(|known| known != label);
        let label = if fits && is_free(own) {
            own.to_owned()
        } else {
            // Labels are unique.
            let number = (self.labels.len() + 1..).find(|number| is_free(&number.to_string()));
            number.unwrap_or_default().to_string()
        };
        let note = self.labels.len();
        self.labels.push(label);
        self.definitions.insert(block, note);
        self.references.extend(signs.iter().map(|sign| (*sign, note)));
    }
}

/// Finds footnotes, and whether the page has formulas.
pub(super) fn find_footnotes(
    dom: &Dom<'_>,
    selection: &NodeSelection,
    root: NodeId,
    base: &BaseUrl,
) -> (Footnotes, bool) {
    let mut has_math = false;
    let mut signs: Vec<(&str, NodeId)> = Vec::new();
    for id in dom.descendants(root) {
        match dom.element(id) {
            Some(Element::A) if selection.contains(id) => {
                let href = dom.raw_attribute(id, "href").and_then(|href| base.fragment(href));
                if let Some(fragment) = href.filter(|href| !href.is_empty())
                    && signs.len() < MAX_NOTES
                    && is_reference_link(dom, id, fragment)
                {
                    signs.push((fragment, id));
                }
            }
            Some(Element::Math) => has_math |= selection.contains(id),
            Some(Element::Script) if !has_math => {
                has_math = dom.raw_attribute(id, "type").is_some_and(is_formula);
            }
            _ => {}
        }
    }
    let mut footnotes = Footnotes::default();
    if signs.is_empty() {
        return (footnotes, has_math);
    }
    let mut by_name: HashMap<&str, Vec<NodeId>> = HashMap::new();
    for (fragment, id) in signs {
        by_name.entry(fragment).or_default().push(id);
    }
    // The element with the name may be the number of the note, which is not selected.
    for id in dom.descendants(root).filter(|id| dom.element(*id).is_some()) {
        let name = dom.raw_attribute(id, "id").or_else(|| dom.raw_attribute(id, "name"));
        let Some(signs) = name.and_then(|name| by_name.get(name)) else { continue };
        let Some(block) = block_of(dom, id) else { continue };
        let within = |sign: &NodeId| dom.contains(block, *sign);
        let sound = selection.contains(block) && !signs.iter().any(within);
        if sound && !footnotes.definitions.contains_key(&block) {
            footnotes.add(dom, signs, block);
            if let Some(name) = name {
                by_name.remove(name);
            }
        }
    }
    (footnotes, has_math)
}

/// Whether a link is a footnote reference.
fn is_reference_link(dom: &Dom<'_>, id: NodeId, fragment: &str) -> bool {
    if dom.end(id).0 - id.0 > 12 || is_back_reference(dom, id, fragment) {
        return false;
    }
    let said = ["class", "role", "epub:type", "id", "rel"].iter().any(|name| {
        let value = dom.raw_attribute(id, name).unwrap_or_default();
        ["footnote", "noteref", "fnref"].iter().any(|word| value.contains(word))
    });
    said || is_raised(dom, id)
}

/// Whether a link is in a superscript, or has one.
fn is_raised(dom: &Dom<'_>, id: NodeId) -> bool {
    dom.parent(id).is_some_and(|parent| dom.is(parent, Element::Sup))
        || dom.descendants(id).any(|below| dom.is(below, Element::Sup))
}

/// Whether a link leads from a footnote back to its reference.
fn is_back_reference(dom: &Dom<'_>, id: NodeId, fragment: &str) -> bool {
    let named = [
        "fnref",
        "footnote-ref",
        "footnoteref",
        "footnote-anchor",
        "cite_ref",
        "ftnref",
        "_ftnref",
        "ref-",
    ];
    named.iter().any(|name| fragment.starts_with(name))
        || ["class", "role", "rev"].iter().any(|name| {
            let value = dom.raw_attribute(id, name).unwrap_or_default();
            ["backref", "backlink", "reversefootnote", "footnote-back"]
                .iter()
                .any(|word| value.contains(word))
        })
}

/// The block of a fragment: the element with that id, or the block that it begins.
fn block_of(dom: &Dom<'_>, id: NodeId) -> Option<NodeId> {
    use Element as E;
    let is_block = |id: &NodeId| {
        matches!(dom.element(*id), Some(E::Li | E::P | E::Div | E::Dd | E::Aside | E::Section))
    };
    let block = dom.self_and_ancestors(id).take(4).find(is_block)?;
    let begins = id.0 - block.0 <= 4;
    let in_table = dom.ancestors(block).any(|above| dom.is(above, E::Table));
    (begins && !in_table).then_some(block)
}

impl MarkdownWriter<'_, '_> {
    /// Whether a superscript only contains a footnote reference.
    pub(super) fn holds_reference(&self, id: NodeId) -> bool {
        self.dom.descendants(id).take(6).any(|below| self.footnotes.reference(below).is_some())
    }

    /// Whether a link is a number or sign that refers to a note outside of the text.
    pub(super) fn is_lost_reference(&self, id: NodeId, href: &str) -> bool {
        let Some(fragment) = self.urls.base.fragment(href).filter(|it| !it.is_empty()) else {
            return false;
        };
        // Numbers of a bibliography such as [1] are part of the sentence.
        let class = self.dom.raw_attribute(id, "class").unwrap_or_default();
        self.footnotes.reference(id).is_none()
            && is_reference_link(self.dom, id, fragment)
            && (is_raised(self.dom, id) || class.contains("footnote"))
            && self.dom.inner_text(id).trim().chars().count() <= MAX_REFERENCE_CHARS
    }

    /// Whether a link leads from a footnote back to the text.
    pub(super) fn is_back_link(&self, id: NodeId, href: &str) -> bool {
        let Some(fragment) = self.urls.base.fragment(href).filter(|it| !it.is_empty()) else {
            return false;
        };
        let is_short = || self.dom.inner_text(id).trim().chars().count() <= MAX_BACK_LINK_CHARS;
        if is_back_reference(self.dom, id, fragment) && is_short() {
            // Also beside notes whose references are not in the text.
            return true;
        }
        let in_note =
            || self.dom.ancestors(id).any(|above| self.footnotes.definition(above).is_some());
        !self.footnotes.labels.is_empty()
            && in_note()
            && (is_back_reference(self.dom, id, fragment) || is_short())
    }
}
