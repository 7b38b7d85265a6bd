//! Which parts of a tree belong to the text.

use html::dom::{Dom, NodeId};

/// A choice of nodes: texts that were chosen, and every element above one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Selection {
    kept: Vec<bool>,
}

impl Selection {
    /// Nothing yet.
    pub fn none(dom: &Dom<'_>) -> Self {
        Self { kept: vec![false; dom.len()] }
    }

    /// All that is below a node.
    pub fn all_below(dom: &Dom<'_>, root: NodeId) -> Self {
        let mut selection = Self::none(dom);
        selection.add_subtree(dom, root);
        selection
    }

    /// Adds a node and what is above it.
    pub fn add(&mut self, dom: &Dom<'_>, id: NodeId) {
        let mut at = Some(id);
        while let Some(id) = at.filter(|id| !self.kept[id.index()]) {
            self.kept[id.index()] = true;
            at = dom.parent(id);
        }
    }

    /// Adds a node, all below and what is above it.
    pub fn add_subtree(&mut self, dom: &Dom<'_>, id: NodeId) {
        self.add(dom, id);
        for below in dom.descendants(id) {
            self.kept[below.index()] = true;
        }
    }

    /// Whether a node belongs to it.
    #[inline]
    pub fn contains(&self, id: NodeId) -> bool {
        self.kept.get(id.index()).copied().unwrap_or_default()
    }
}
