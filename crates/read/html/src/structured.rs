//! Microdata and RDFa as the values that JSON-LD would give: one reader serves all three.
//!
//! An item may include elements from elsewhere by `itemref`, in circles if its author wants
//! it: an element is read once for an item, and all items of a page share one budget. A value of
//! several properties is copied for each of them, also within items that are copied again, so that
//! the bytes of all values are counted.

use serde_json::{Map, Value};

use crate::budget::ScriptBudget;
use crate::dom::{Dom, Element, NodeId};
use crate::entity::{Place, resolve};
use crate::{image, json, prose};

/// Bytes of a value that is one line, and of one that may have paragraphs.
const MAX_TEXT: usize = 1_024;
const MAX_DESCRIPTION: usize = 64 * 1024;

/// How deep items nest.
const MAX_DEPTH: usize = 12;

/// How many items are read.
const MAX_ITEMS: usize = 2_000;

/// How the items of a page are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    Microdata,
    Rdfa,
}

impl Syntax {
    /// The attribute that begins an item, and the one that names a property.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Microdata => ("itemscope", "itemprop"),
            Self::Rdfa => ("typeof", "property"),
        }
    }
}

/// The items of a page that belong to no other. `roots` are the elements that begin one.
pub fn items(dom: &Dom<'_>, syntax: Syntax, roots: &[NodeId]) -> Vec<Value> {
    let mut reader = Reader {
        dom,
        syntax,
        ids: None,
        budget: 8 * dom.len() + 10_000,
        items: MAX_ITEMS,
        bytes: ScriptBudget::for_script(dom.source().len()),
    };
    let (_, property) = syntax.words();
    let is_top = |root: &&NodeId| {
        dom.raw_attribute(**root, property).is_none() && reader_rel(dom, syntax, **root).is_none()
    };
    let tops: Vec<NodeId> = roots.iter().filter(is_top).copied().collect();
    tops.into_iter().map(|root| reader.item(root, 0, &mut Vec::new())).collect()
}

/// The property that an older spelling of RDFa names around an item.
fn reader_rel(dom: &Dom<'_>, syntax: Syntax, item: NodeId) -> Option<String> {
    if syntax == Syntax::Microdata {
        return None;
    }
    let own = dom.raw_attribute(item, "rel");
    let around = || {
        let parent = dom.parent(item)?;
        dom.raw_attribute(parent, "rel").filter(|_| dom.raw_attribute(parent, "href").is_none())
    };
    let rel = own.or_else(around)?;
    // Only words of a vocabulary: `rel="nofollow"` is none.
    rel.contains(':').then(|| local(rel.split_ascii_whitespace().next().unwrap_or_default()))
}

/// The last part of a term: `http://schema.org/name`, `schema:name` and `name` are one.
fn local(term: &str) -> String {
    let term = term.trim().trim_end_matches('/');
    let from = term.rfind(['/', '#', ':']).map_or(0, |at| at + 1);
    term[from..].to_owned()
}

struct Reader<'d, 'a> {
    dom: &'d Dom<'a>,
    syntax: Syntax,
    ids: Option<hashbrown::HashMap<&'a str, NodeId>>,
    budget: usize,
    items: usize,
    bytes: ScriptBudget,
}

impl<'a> Reader<'_, 'a> {
    /// An item with all its properties. `above` are the items that it stands in.
    fn item(&mut self, root: NodeId, depth: usize, above: &mut Vec<NodeId>) -> Value {
        let mut members = Map::new();
        if depth >= MAX_DEPTH || self.items == 0 {
            return Value::Object(members);
        }
        self.items -= 1;
        let types = match self.syntax {
            Syntax::Microdata => self.dom.raw_attribute(root, "itemtype"),
            Syntax::Rdfa => self.dom.raw_attribute(root, "typeof"),
        };
        let types = types.unwrap_or_default().split_ascii_whitespace().map(local);
        members.insert("@type".to_owned(), types.map(Value::String).collect());
        let name = if self.syntax == Syntax::Microdata { "itemid" } else { "resource" };
        if let Some(id) = self.dom.attribute(root, name) {
            members.insert("@id".to_owned(), Value::String(id.into_owned()));
        }
        above.push(root);
        self.properties(root, depth, above, &mut members);
        if let Some(refs) = self.dom.raw_attribute(root, "itemref") {
            let mut included = Vec::new();
            for id in refs.split_ascii_whitespace().take(32) {
                let Some(place) = self.by_id(id) else { continue };
                if !above.contains(&place) && !included.contains(&place) {
                    included.push(place);
                    self.element(place, depth, above, &mut members);
                    above.push(place);
                    self.properties(place, depth, above, &mut members);
                    above.pop();
                }
            }
        }
        above.pop();
        Value::Object(members)
    }

    fn by_id(&mut self, id: &str) -> Option<NodeId> {
        let dom = self.dom;
        let ids = self.ids.get_or_insert_with(|| {
            let elements = dom.descendants(NodeId::ROOT);
            elements.filter_map(|node| Some((dom.raw_attribute(node, "id")?, node))).collect()
        });
        ids.get(id).copied()
    }

    /// The properties below an element.
    fn properties(
        &mut self,
        root: NodeId,
        depth: usize,
        above: &mut Vec<NodeId>,
        members: &mut Map<String, Value>,
    ) {
        let end = self.dom.end(root);
        let mut at = NodeId(root.0 + 1);
        while at < end {
            if self.budget == 0 || self.bytes.is_spent() {
                return;
            }
            self.budget -= 1;
            let is_item = self.element(at, depth, above, members);
            at = if is_item { self.dom.end(at) } else { NodeId(at.0 + 1) };
        }
    }

    /// Reads the property that an element holds; whether it is an item of its own.
    fn element(
        &mut self,
        at: NodeId,
        depth: usize,
        above: &mut Vec<NodeId>,
        members: &mut Map<String, Value>,
    ) -> bool {
        if self.dom.attributes(at).is_empty() || self.bytes.is_spent() {
            return false;
        }
        let (scope, property) = self.syntax.words();
        let is_item = self.dom.raw_attribute(at, scope).is_some();
        let names = self.dom.raw_attribute(at, property).map(str::to_owned);
        let names = names.or_else(|| reader_rel(self.dom, self.syntax, at).filter(|_| is_item));
        let Some(names) = names.filter(|names| !names.trim().is_empty()) else { return is_item };
        let value = match is_item {
            true if above.contains(&at) => return true,
            true => self.item(at, depth + 1, above),
            false => {
                let names = &names;
                Value::String(self.value(at, names))
            }
        };
        let length = json::length(&value);
        for name in names.split_ascii_whitespace().take(8) {
            if !self.bytes.bytes(length) {
                break;
            }
            let name = local(name);
            match members.get_mut(&name) {
                None => {
                    members.insert(name, value.clone());
                }
                Some(Value::Array(values)) => values.push(value.clone()),
                Some(known) => {
                    let first = known.take();
                    *known = Value::Array(vec![first, value.clone()]);
                }
            }
        }
        is_item
    }

    fn value(&mut self, at: NodeId, names: &str) -> String {
        let dom = self.dom;
        let attribute = |name| dom.attribute(at, name).map(|value| value.trim().to_owned());
        if let Some(content) = attribute("content") {
            return content;
        }
        let element = dom.element(at).unwrap_or(Element::Other);
        let stated = match element {
            Element::Image => image::largest(dom, at),
            Element::Audio
            | Element::Embed
            | Element::Iframe
            | Element::Source
            | Element::Track
            | Element::Video => attribute("src"),
            Element::A | Element::Area | Element::Link => {
                // Names and brands are often links: then it is the text that names them.
                let is_address = names.split_ascii_whitespace().any(|name| {
                    matches!(
                        local(name).as_str(),
                        "url"
                            | "image"
                            | "item"
                            | "availability"
                            | "itemCondition"
                            | "sameAs"
                            | "contentUrl"
                            | "thumbnail"
                    )
                });
                let text = || self.dom.end(at).0 > at.0 + 1;
                if is_address || !text() { attribute("href") } else { None }
            }
            Element::Object => attribute("data"),
            Element::Data | Element::Meter => attribute("value"),
            Element::Time => attribute("datetime"),
            _ if self.syntax == Syntax::Rdfa => attribute("resource"),
            _ => None,
        };
        if let Some(stated) = stated {
            return stated;
        }
        let size = (dom.end(at).0 - at.0) as usize;
        if size > self.budget {
            self.budget = 0;
            return String::new();
        }
        self.budget -= size;
        if names.to_ascii_lowercase().contains("description") {
            prose::prose(dom, at, MAX_DESCRIPTION, |_| false)
        } else {
            prose::line(dom, at, MAX_TEXT)
        }
    }
}

/// The value of an attribute that may hold JSON, its references resolved.
pub fn resolved(value: &str) -> std::borrow::Cow<'_, str> {
    resolve(value, Place::Attribute)
}
