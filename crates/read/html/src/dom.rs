//! A page as a tree, in one flat list.
//!
//! Nodes stand in document order, so that the subtree of a node is the run of
//! nodes from it up to its `end`, and every walk is a loop. Texts and attributes
//! are slices of the page. The tree is built by the rules of the HTML standard
//! as far as they can be kept without moving a node that was placed: what stands
//! wrongly in a table stays in it, and a formatting element that is closed too
//! early ends with the block that it holds. What a page streams in pieces is put
//! in place at the end.

use std::borrow::Cow;
use std::ops::Range;

use crate::budget;
use crate::entity::{Place, resolve};
use crate::scanner::Attribute;
use crate::scanner::{Scanner, Tokens};

mod builder;
mod category;
mod streamed;

pub use crate::scanner::Element;
pub use builder::Builder;

/// How many nodes a tree has at most: ten times as many as the largest of 1,614 real pages, and
/// twice as many as a page of the largest size that is fetched has at their density.
const MAX_NODES: usize = 500_000;

/// How deep elements nest at most; what is deeper becomes a child of the deepest.
const MAX_DEPTH: usize = 512;

/// A node of one tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The document itself, above everything.
    pub const ROOT: Self = Self(0);

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The document.
    Document,
    Element(Element),
    /// Text whose character references are not resolved yet.
    Text,
    /// Text as it stands: the content of a script.
    Raw,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    kind: Kind,
    parent: u32,
    /// Just behind the last node of its subtree.
    end: u32,
    /// Of a text, where it begins and ends in the page; of an element, its attributes.
    from: u32,
    to: u32,
}

/// The tree of a page.
#[derive(Debug)]
pub struct Dom<'a> {
    html: &'a str,
    nodes: Vec<Node>,
    attributes: Vec<Attribute<'a>>,
    /// The page has more nodes than are kept.
    pub truncated: bool,
    /// Elements nest deeper than is kept.
    pub too_deep: bool,
}

impl<'a> Dom<'a> {
    /// The tree of a page, for whoever wants nothing else of it. Every text has one.
    pub fn parse(html: &'a str) -> Self {
        let mut builder = Builder::new(html);
        let mut scanner = Scanner::new(html);
        while let Some(token) = scanner.next() {
            builder.token(token, &scanner);
        }
        builder.finish()
    }

    /// The page that it was made of.
    pub fn source(&self) -> &'a str {
        self.html
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    #[inline]
    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    #[inline]
    pub fn kind(&self, id: NodeId) -> Kind {
        self.node(id).kind
    }

    /// The element that a node is, if it is one.
    #[inline]
    pub fn element(&self, id: NodeId) -> Option<Element> {
        match self.node(id).kind {
            Kind::Element(element) => Some(element),
            Kind::Document | Kind::Text | Kind::Raw => None,
        }
    }

    /// Whether it is this element.
    #[inline]
    pub fn is(&self, id: NodeId, element: Element) -> bool {
        self.node(id).kind == Kind::Element(element)
    }

    /// The node above; none above the document.
    #[inline]
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        (id != NodeId::ROOT).then(|| NodeId(self.node(id).parent))
    }

    /// The nodes above, the nearest first.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |id| self.parent(*id))
    }

    /// Just behind the last node of its subtree.
    #[inline]
    pub fn end(&self, id: NodeId) -> NodeId {
        NodeId(self.node(id).end)
    }

    /// All nodes below it, in document order.
    pub fn descendants(
        &self,
        id: NodeId,
    ) -> impl DoubleEndedIterator<Item = NodeId> + Clone + use<> {
        let Range { start, end } = id.0 + 1..self.node(id).end;
        (start..end).map(NodeId)
    }

    /// The nodes right below it.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.node(id).end;
        let first = (id.0 + 1 < end).then_some(NodeId(id.0 + 1));
        std::iter::successors(first, move |child| {
            let next = self.end(*child);
            (next.0 < end).then_some(next)
        })
    }

    /// The first element of that name below a node.
    pub fn find(&self, below: NodeId, element: Element) -> Option<NodeId> {
        self.descendants(below).find(|id| self.is(*id, element))
    }

    /// Where the visible page begins: its body, or the document when it names none.
    pub fn body(&self) -> NodeId {
        self.find(NodeId::ROOT, Element::Body).unwrap_or(NodeId::ROOT)
    }

    /// A text as it stands in the page; empty for an element.
    #[inline]
    pub fn raw_text(&self, id: NodeId) -> &'a str {
        let node = self.node(id);
        match node.kind {
            Kind::Text | Kind::Raw => {
                self.html.get(node.from as usize..node.to as usize).unwrap_or_default()
            }
            Kind::Document | Kind::Element(_) => "",
        }
    }

    /// Where a text begins in the page; none of an element.
    pub fn text_start(&self, id: NodeId) -> Option<usize> {
        let node = self.node(id);
        matches!(node.kind, Kind::Text | Kind::Raw).then_some(node.from as usize)
    }

    /// A text with its character references resolved.
    #[inline]
    pub fn text(&self, id: NodeId) -> Cow<'a, str> {
        budget::steps(1);
        match self.node(id).kind {
            Kind::Text => resolve(self.raw_text(id), Place::Text),
            _ => Cow::Borrowed(self.raw_text(id)),
        }
    }

    /// All text below a node, as it stands, one after the other.
    pub fn inner_text(&self, id: NodeId) -> String {
        self.descendants(id).map(|id| self.text(id)).collect()
    }

    /// The attributes of an element, their values not resolved.
    #[inline]
    pub fn attributes(&self, id: NodeId) -> &[Attribute<'a>] {
        let node = self.node(id);
        match node.kind {
            Kind::Element(_) => &self.attributes[node.from as usize..node.to as usize],
            Kind::Document | Kind::Text | Kind::Raw => &[],
        }
    }

    /// The value of an attribute, as it stands.
    #[inline]
    pub fn raw_attribute(&self, id: NodeId, name: &str) -> Option<&'a str> {
        budget::steps(1);
        let found = self.attributes(id).iter().find(|known| known.name.eq_ignore_ascii_case(name));
        found.map(|attribute| attribute.value)
    }

    /// The value of an attribute.
    pub fn attribute(&self, id: NodeId, name: &str) -> Option<Cow<'a, str>> {
        self.raw_attribute(id, name).map(|value| resolve(value, Place::Attribute))
    }
}

#[cfg(test)]
mod tests;
