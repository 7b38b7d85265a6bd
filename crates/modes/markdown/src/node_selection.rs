//! A set of DOM nodes.

use html::dom::{Dom, NodeId};

/// A set of text nodes with all their ancestors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NodeSelection {
    kept: Vec<bool>,
}

impl NodeSelection {
    pub fn none(dom: &Dom<'_>) -> Self {
        Self { kept: vec![false; dom.node_count()] }
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

    /// Whether a node is in the set.
    #[inline]
    pub fn contains(&self, id: NodeId) -> bool {
        self.kept.get(id.index()).copied().unwrap_or_default()
    }
}
