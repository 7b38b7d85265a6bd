//! A set of DOM nodes.

use hashbrown::HashMap;
use html::dom::{Dom, NodeId};

/// The role of a selected element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartMark {
    /// A post of a thread, not the first one.
    Post,
    /// The name of the author of a post.
    Author,
}

/// A set of text nodes with all their ancestors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeSelection {
    kept: Vec<bool>,
    marks: HashMap<NodeId, PartMark>,
}

impl NodeSelection {
    pub fn none(dom: &Dom<'_>) -> Self {
        Self { kept: vec![false; dom.node_count()], marks: HashMap::new() }
    }

    /// A node with all its descendants and ancestors.
    pub fn all_below(dom: &Dom<'_>, root: NodeId) -> Self {
        let mut selection = Self::none(dom);
        selection.add_subtree(dom, root);
        selection
    }

    /// Adds a node and its ancestors.
    pub fn add(&mut self, dom: &Dom<'_>, id: NodeId) {
        let mut at = Some(id);
        while let Some(id) = at.filter(|id| !self.kept[id.index()]) {
            self.kept[id.index()] = true;
            at = dom.parent(id);
        }
    }

    /// Adds a node with its descendants and ancestors.
    pub fn add_subtree(&mut self, dom: &Dom<'_>, id: NodeId) {
        self.add(dom, id);
        for below in dom.descendants(id) {
            self.kept[below.index()] = true;
        }
    }

    /// Marks the role of an element.
    pub fn mark(&mut self, id: NodeId, mark: PartMark) {
        self.marks.insert(id, mark);
    }

    /// The role of an element, if it has one.
    #[inline]
    pub fn mark_of(&self, id: NodeId) -> Option<PartMark> {
        if self.marks.is_empty() { None } else { self.marks.get(&id).copied() }
    }

    /// Whether a node is in the set.
    #[inline]
    pub fn contains(&self, id: NodeId) -> bool {
        self.kept.get(id.index()).copied().unwrap_or_default()
    }
}
