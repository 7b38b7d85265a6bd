//! Structured data: JSON-LD, and microdata and RDFa as JSON-LD values, so that one consumer reads
//! all three.
//!
//! [`json_ld`] and [`items`] give the values of a page, [`ThingWalk`] visits the objects in them. An
//! item may include other elements by `itemref`, also in cycles: an element is read once per
//! item, and all items of a page share one budget. A value of several properties is copied for each
//! of them, also within items that are copied again, so that the bytes of all values are counted.

use serde_json::{Map, Value};

use crate::budget::ScriptBudget;
use crate::dom::{Dom, Element, NodeId};
use crate::{image, json, prose};

/// Maximum bytes of a one-line value, and of a description with paragraphs.
const MAX_TEXT: usize = 1_024;
const MAX_DESCRIPTION: usize = 64 * 1024;

/// Maximum nesting of items.
const MAX_DEPTH: usize = 12;

/// Maximum number of items of a page.
const MAX_ITEMS: usize = 2_000;

/// The values of the JSON-LD scripts among these nodes. Their bytes are limited, not their number:
/// some team pages have a script per person.
pub fn json_ld(dom: &Dom<'_>, nodes: impl Iterator<Item = NodeId>) -> Vec<Value> {
    let is_json_ld = |id: &NodeId| {
        dom.is(*id, Element::Script) && dom.raw_attribute(*id, "type").is_some_and(json::is_json_ld)
    };
    json::values_of_all(nodes.filter(is_json_ld).map(|id| dom.inner_text(id)))
}

/// Visits the objects in structured data, each with a context that its caller gives. Lists are
/// unfolded. What the caller follows comes next, the last followed value first.
#[derive(Debug)]
pub struct ThingWalk<'v, C> {
    pending: Vec<(&'v Value, C)>,
    left: usize,
}

impl<'v, C: Copy> ThingWalk<'v, C> {
    /// A walk over at most `limit` objects and lists.
    pub fn new(values: &'v [Value], context: C, limit: usize) -> Self {
        let pending = values.iter().rev().map(|value| (value, context)).collect();
        Self { pending, left: limit }
    }

    pub fn next_thing(&mut self) -> Option<(&'v Map<String, Value>, C)> {
        while let Some((value, context)) = self.pending.pop() {
            let values: &[Value] = match value {
                Value::Object(thing) => {
                    self.left = self.left.checked_sub(1)?;
                    return Some((thing, context));
                }
                Value::Array(values) => values,
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => continue,
            };
            self.left = self.left.checked_sub(1)?;
            let inner = values.iter().rev().filter(|value| value.is_object() || value.is_array());
            self.pending.extend(inner.map(|value| (value, context)));
        }
        None
    }

    /// Visits the objects in the value of a property as well.
    pub fn follow(&mut self, value: Option<&'v Value>, context: C) {
        let value = value.filter(|value| value.is_object() || value.is_array());
        self.pending.extend(value.map(|value| (value, context)));
    }
}

/// The entries of a list; a single value counts as a list of one.
pub fn each(value: Option<&Value>) -> &[Value] {
    match value {
        None | Some(Value::Null) => &[],
        Some(Value::Array(values)) => values,
        Some(one) => std::slice::from_ref(one),
    }
}

/// The types of an object without their namespaces.
pub fn types(thing: &Map<String, Value>) -> impl Iterator<Item = &str> {
    each(thing.get("@type")).iter().filter_map(Value::as_str).map(local_name)
}

/// Whether an object has one of these types.
pub fn is_a(thing: &Map<String, Value>, names: &[&str]) -> bool {
    types(thing).any(|name| names.contains(&name))
}

/// The local name of a term: `http://schema.org/name`, `schema:name` and `name` are equal.
pub fn local_name(term: &str) -> &str {
    let term = term.trim().trim_end_matches('/');
    &term[term.rfind(['/', '#', ':']).map_or(0, |at| at + 1)..]
}

/// The syntax of structured data in attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    Microdata,
    Rdfa,
}

impl Syntax {
    /// The attribute that begins an item, and the one that names a property.
    fn attribute_names(self) -> (&'static str, &'static str) {
        match self {
            Self::Microdata => ("itemscope", "itemprop"),
            Self::Rdfa => ("typeof", "property"),
        }
    }
}

/// The elements of a page that begin an item.
pub fn item_roots(dom: &Dom<'_>, syntax: Syntax) -> Vec<NodeId> {
    let (scope, _) = syntax.attribute_names();
    let begins = |id: &NodeId| dom.raw_attribute(*id, scope).is_some();
    dom.descendants(NodeId::ROOT).filter(begins).take(MAX_ITEMS).collect()
}

/// The top-level items of a page. `roots` are the elements that begin an item.
pub fn items(dom: &Dom<'_>, syntax: Syntax, roots: &[NodeId]) -> Vec<Value> {
    let mut reader = ItemReader {
        dom,
        syntax,
        ids: None,
        budget: 8 * dom.node_count() + 10_000,
        items: MAX_ITEMS,
        bytes: ScriptBudget::for_script(dom.source().len()),
    };
    let (_, property) = syntax.attribute_names();
    let is_top = |root: &&NodeId| {
        dom.raw_attribute(**root, property).is_none() && rdfa_rel(dom, syntax, **root).is_none()
    };
    let tops: Vec<NodeId> = roots.iter().filter(is_top).copied().collect();
    tops.into_iter().map(|root| reader.item(root, 0, &mut Vec::new())).collect()
}

/// The property that a `rel` around an item names, in RDFa 1.0.
fn rdfa_rel(dom: &Dom<'_>, syntax: Syntax, item: NodeId) -> Option<String> {
    if syntax == Syntax::Microdata {
        return None;
    }
    let own = dom.raw_attribute(item, "rel");
    let around = || {
        let parent = dom.parent(item)?;
        dom.raw_attribute(parent, "rel").filter(|_| dom.raw_attribute(parent, "href").is_none())
    };
    let rel = own.or_else(around)?;
    // Only terms with a prefix: `rel="nofollow"` is no property.
    let term = rel.split_ascii_whitespace().next().filter(|_| rel.contains(':'))?;
    Some(local_name(term).to_owned())
}

struct ItemReader<'d, 'a> {
    dom: &'d Dom<'a>,
    syntax: Syntax,
    ids: Option<hashbrown::HashMap<&'a str, NodeId>>,
    budget: usize,
    items: usize,
    bytes: ScriptBudget,
}

impl<'a> ItemReader<'_, 'a> {
    /// An item with all its properties. `ancestors` are the items that contain it.
    fn item(&mut self, root: NodeId, depth: usize, ancestors: &mut Vec<NodeId>) -> Value {
        let mut members = Map::new();
        if depth >= MAX_DEPTH || self.items == 0 {
            return Value::Object(members);
        }
        self.items -= 1;
        let types = match self.syntax {
            Syntax::Microdata => self.dom.raw_attribute(root, "itemtype"),
            Syntax::Rdfa => self.dom.raw_attribute(root, "typeof"),
        };
        let types = types.unwrap_or_default().split_ascii_whitespace().map(local_name);
        members.insert("@type".to_owned(), types.map(Value::from).collect());
        let name = if self.syntax == Syntax::Microdata { "itemid" } else { "resource" };
        if let Some(id) = self.dom.attribute(root, name) {
            members.insert("@id".to_owned(), Value::String(id.into_owned()));
        }
        ancestors.push(root);
        self.properties(root, depth, ancestors, &mut members);
        if let Some(refs) = self.dom.raw_attribute(root, "itemref") {
            let mut included = Vec::new();
            for id in refs.split_ascii_whitespace().take(32) {
                let Some(place) = self.by_id(id) else { continue };
                if !ancestors.contains(&place) && !included.contains(&place) {
                    included.push(place);
                    self.element(place, depth, ancestors, &mut members);
                    ancestors.push(place);
                    self.properties(place, depth, ancestors, &mut members);
                    ancestors.pop();
                }
            }
        }
        ancestors.pop();
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

    /// Reads the properties of the descendants of an element.
    fn properties(
        &mut self,
        root: NodeId,
        depth: usize,
        ancestors: &mut Vec<NodeId>,
        members: &mut Map<String, Value>,
    ) {
        let end = self.dom.end(root);
        let mut at = NodeId(root.0 + 1);
        while at < end {
            if self.budget == 0 || self.bytes.is_spent() {
                return;
            }
            self.budget -= 1;
            let is_item = self.element(at, depth, ancestors, members);
            at = if is_item { self.dom.end(at) } else { NodeId(at.0 + 1) };
        }
    }

    /// Reads the property of one element. Returns whether the element is an item itself.
    fn element(
        &mut self,
        at: NodeId,
        depth: usize,
        ancestors: &mut Vec<NodeId>,
        members: &mut Map<String, Value>,
    ) -> bool {
        if self.dom.attributes(at).is_empty() || self.bytes.is_spent() {
            return false;
        }
        let (scope, property) = self.syntax.attribute_names();
        let is_item = self.dom.raw_attribute(at, scope).is_some();
        let names = self.dom.raw_attribute(at, property).map(str::to_owned);
        let names = names.or_else(|| rdfa_rel(self.dom, self.syntax, at).filter(|_| is_item));
        let Some(names) = names.filter(|names| !names.trim().is_empty()) else { return is_item };
        let value = match is_item {
            true if ancestors.contains(&at) => return true,
            true => self.item(at, depth + 1, ancestors),
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
            let name = local_name(name);
            match members.get_mut(name) {
                None => {
                    members.insert(name.to_owned(), value.clone());
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
        let attribute_value = match element {
            Element::Image => image::largest(dom, at),
            Element::Audio
            | Element::Embed
            | Element::Iframe
            | Element::Source
            | Element::Track
            | Element::Video => attribute("src"),
            Element::A | Element::Area | Element::Link => {
                // The name of a brand or seller is often a link: its text is the value.
                let is_address = names.split_ascii_whitespace().any(|name| {
                    matches!(
                        local_name(name),
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
        if let Some(attribute_value) = attribute_value {
            return attribute_value;
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scalars_in_lists_do_not_use_up_a_walk() {
        let values = [json!({ "sameAs": vec!["x"; 50] }), json!(["a", "b", { "name": "last" }])];
        let mut walk = ThingWalk::new(&values, (), 4);
        let (first, ()) = walk.next_thing().expect("an object");
        walk.follow(first.get("sameAs"), ());
        let (last, ()) = walk.next_thing().expect("an object");
        assert_eq!(last.get("name"), Some(&json!("last")));
        assert!(walk.next_thing().is_none());
    }
}
