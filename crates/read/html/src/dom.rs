//! The DOM of a page in one flat vector.
//!
//! Nodes are stored in document order: the subtree of a node is the range of nodes up to its `end`,
//! and every traversal is a loop. Texts and attributes are slices of the page. The tree is built by
//! the rules of the HTML standard except for those that move a node that was already inserted:
//! misplaced content of a table stays in the table (no foster parenting), and a formatting element
//! that is closed too early ends with the block that it contains. Content that a page streams in
//! segments is moved to its placeholder at the end.

use std::borrow::Cow;
use std::ops::Range;

use crate::budget;
use crate::entity::{EntityContext, resolve};
use crate::tokenizer::Attribute;
use crate::tokenizer::{TokenSink, Tokenizer};

mod builder;
mod category;
mod streaming;

pub use crate::tokenizer::{Element, ElementSet};
pub use builder::Builder;

/// Maximum number of nodes: ten times as many as the largest of 1,614 real pages, and twice as many
/// as a page of the maximum fetch size has at their density.
const MAX_NODES: usize = 500_000;

/// Maximum nesting of elements; deeper ones become children of the deepest.
const MAX_DEPTH: usize = 512;

/// The index of a node in its [`Dom`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The document node, the ancestor of all others.
    pub const ROOT: Self = Self(0);

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Document, element or text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// The root of the tree, [`NodeId::ROOT`].
    Document,
    Element(Element),
    /// Text whose character references are not resolved yet.
    Text,
    /// Text without character references: the content of a script or style.
    Raw,
}

#[derive(Debug, Clone, Copy)]
struct DomNode {
    kind: NodeKind,
    parent: u32,
    /// Index just after the last node of the subtree.
    end: u32,
    /// For a text, its byte range in the page; for an element, its range of attributes.
    from: u32,
    to: u32,
}

/// The parsed tree of a page, see the module documentation.
#[derive(Debug)]
pub struct Dom<'a> {
    html: &'a str,
    nodes: Vec<DomNode>,
    attributes: Vec<Attribute<'a>>,
    /// The page has more nodes than `MAX_NODES`.
    pub truncated: bool,
    /// Elements nest deeper than `MAX_DEPTH`.
    pub too_deep: bool,
}

impl<'a> Dom<'a> {
    /// Parses a page. Every text has a tree; there are no errors.
    pub fn parse(html: &'a str) -> Self {
        let mut builder = Builder::new(html);
        let mut tokenizer = Tokenizer::new(html);
        while let Some(token) = tokenizer.next_token() {
            builder.token(token, &tokenizer);
        }
        builder.finish()
    }

    /// The tree of the nodes that are `true` in `kept`, which has one entry per node. A node is kept
    /// only with all its ancestors; the document is always kept.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "there are at most MAX_NODES of them")]
    pub fn retain(&self, kept: &[bool]) -> Self {
        budget::steps(self.nodes.len());
        let is_kept = |at: usize| at == 0 || kept.get(at).copied().unwrap_or_default();
        // The place of each node, if it is kept, and that after the last one.
        let mut places = Vec::with_capacity(self.nodes.len() + 1);
        let mut next = 0;
        for at in 0..self.nodes.len() {
            places.push(next as u32);
            next += usize::from(is_kept(at));
        }
        places.push(next as u32);
        let nodes = self.nodes.iter().enumerate().filter(|(at, _)| is_kept(*at));
        let nodes = nodes.map(|(_, node)| DomNode {
            parent: places[node.parent as usize],
            end: places[node.end as usize],
            ..*node
        });
        Self { nodes: nodes.collect(), attributes: self.attributes.clone(), ..*self }
    }

    /// The text that the tree was parsed from.
    pub fn source(&self) -> &'a str {
        self.html
    }

    /// Number of nodes, the document included.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    #[inline]
    fn node(&self, id: NodeId) -> &DomNode {
        &self.nodes[id.index()]
    }

    #[inline]
    pub fn kind(&self, id: NodeId) -> NodeKind {
        self.node(id).kind
    }

    /// The element of a node; `None` for text and the document.
    #[inline]
    pub fn element(&self, id: NodeId) -> Option<Element> {
        match self.node(id).kind {
            NodeKind::Element(element) => Some(element),
            NodeKind::Document | NodeKind::Text | NodeKind::Raw => None,
        }
    }

    /// Whether a node is this element.
    #[inline]
    pub fn is(&self, id: NodeId, element: Element) -> bool {
        self.node(id).kind == NodeKind::Element(element)
    }

    /// Whether a node is one of these elements.
    #[inline]
    pub fn is_any(&self, id: NodeId, elements: &ElementSet) -> bool {
        self.element(id).is_some_and(|element| elements.contains(element))
    }

    /// The parent node; `None` for the document.
    #[inline]
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        (id != NodeId::ROOT).then(|| NodeId(self.node(id).parent))
    }

    /// All ancestors, the parent first.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |id| self.parent(*id))
    }

    /// A node and all its ancestors, the nearest first.
    pub fn self_and_ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(id), |id| self.parent(*id))
    }

    /// Whether a node is in the subtree of `top`, or `top` itself.
    #[inline]
    pub fn contains(&self, top: NodeId, id: NodeId) -> bool {
        top <= id && id < self.end(top)
    }

    /// The index just after the last node of the subtree.
    #[inline]
    pub fn end(&self, id: NodeId) -> NodeId {
        NodeId(self.node(id).end)
    }

    /// All descendants in document order.
    pub fn descendants(
        &self,
        id: NodeId,
    ) -> impl DoubleEndedIterator<Item = NodeId> + Clone + use<> {
        let Range { start, end } = id.0 + 1..self.node(id).end;
        (start..end).map(NodeId)
    }

    /// The direct children in document order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.node(id).end;
        let first = (id.0 + 1 < end).then_some(NodeId(id.0 + 1));
        std::iter::successors(first, move |child| {
            let next = self.end(*child);
            (next.0 < end).then_some(next)
        })
    }

    /// The first descendant that is this element.
    pub fn find(&self, below: NodeId, element: Element) -> Option<NodeId> {
        self.descendants(below).find(|id| self.is(*id, element))
    }

    /// The `body` element, or the document if there is none.
    pub fn body(&self) -> NodeId {
        self.find(NodeId::ROOT, Element::Body).unwrap_or(NodeId::ROOT)
    }

    /// A text with unresolved character references; empty for an element.
    #[inline]
    pub fn raw_text(&self, id: NodeId) -> &'a str {
        let node = self.node(id);
        match node.kind {
            NodeKind::Text | NodeKind::Raw => {
                self.html.get(node.from as usize..node.to as usize).unwrap_or_default()
            }
            NodeKind::Document | NodeKind::Element(_) => "",
        }
    }

    /// The byte offset of a text in the page; `None` for an element.
    pub fn text_start(&self, id: NodeId) -> Option<usize> {
        let node = self.node(id);
        matches!(node.kind, NodeKind::Text | NodeKind::Raw).then_some(node.from as usize)
    }

    /// A text with its character references resolved.
    #[inline]
    pub fn text(&self, id: NodeId) -> Cow<'a, str> {
        budget::steps(1);
        match self.node(id).kind {
            NodeKind::Text => resolve(self.raw_text(id), EntityContext::Text),
            _ => Cow::Borrowed(self.raw_text(id)),
        }
    }

    /// The text of all descendants, concatenated without separators.
    pub fn inner_text(&self, id: NodeId) -> String {
        self.descendants(id).map(|id| self.text(id)).collect()
    }

    /// The attributes of an element with unresolved values.
    #[inline]
    pub fn attributes(&self, id: NodeId) -> &[Attribute<'a>] {
        let node = self.node(id);
        match node.kind {
            NodeKind::Element(_) => &self.attributes[node.from as usize..node.to as usize],
            NodeKind::Document | NodeKind::Text | NodeKind::Raw => &[],
        }
    }

    /// The value of an attribute with unresolved character references.
    #[inline]
    pub fn raw_attribute(&self, id: NodeId, name: &str) -> Option<&'a str> {
        budget::steps(1);
        let found = self.attributes(id).iter().find(|known| known.name.eq_ignore_ascii_case(name));
        found.map(|attribute| attribute.value)
    }

    /// Whether an attribute that lists words, such as `class`, has one of these.
    pub fn has_word(&self, id: NodeId, name: &str, words: &[&str]) -> bool {
        let value = self.raw_attribute(id, name).unwrap_or_default();
        value.split_ascii_whitespace().any(|word| words.contains(&word))
    }

    /// The value of an attribute with its character references resolved.
    pub fn attribute(&self, id: NodeId, name: &str) -> Option<Cow<'a, str>> {
        self.raw_attribute(id, name).map(|value| resolve(value, EntityContext::Attribute))
    }
}

#[cfg(test)]
mod tests;
