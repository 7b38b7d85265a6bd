//! How much text a page has, and how much of it is in links, measured in one walk.

use crate::class_hints::ElementHints;
use crate::dom_index::DomIndex;
use html::dom::{Element, NodeId, NodeKind};

/// Lengths of visible text outside of header, footer and menus, in bytes.
#[derive(Debug, Default)]
pub(super) struct TextMeasures {
    pub all: usize,
    /// Text of links to other pages.
    pub linked: usize,
}

impl TextMeasures {
    pub fn of(index: &DomIndex<'_, '_>) -> Self {
        let dom = index.dom;
        let mut measures = Self::default();
        let mut link_end = NodeId::ROOT;
        let left_out = ElementHints::SITE_FRAME | ElementHints::HIDDEN;
        for id in dom.descendants(dom.body()) {
            match dom.kind(id) {
                NodeKind::Element(Element::A) if index.is_link_elsewhere(id) => {
                    link_end = dom.end(id);
                }
                NodeKind::Text if !index.all(id).intersects(left_out) => {
                    let length = dom.raw_text(id).trim().len();
                    measures.all += length;
                    if id < link_end {
                        measures.linked += length;
                    }
                }
                NodeKind::Element(_) | NodeKind::Text | NodeKind::Raw | NodeKind::Document => {}
            }
        }
        measures
    }

    /// The share of the text that is in links to other pages.
    pub fn linked_share(&self) -> f32 {
        self.linked as f32 / self.all.max(1) as f32
    }
}
