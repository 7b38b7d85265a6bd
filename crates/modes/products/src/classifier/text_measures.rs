//! How the text of a page is distributed over links, prose and prices, measured in one walk.

use crate::class_hints::ElementHints;
use crate::dom_index::DomIndex;
use crate::visible_dom::names_currency;
use html::dom::{Element, NodeId, NodeKind};

/// The minimum length of a text of prose, in bytes.
const MIN_PROSE: usize = 80;

/// The maximum length of a text that is a price, in bytes.
const MAX_PRICE_TEXT: usize = 24;

/// How many texts with a number are examined for prices.
const MAX_NUMBERS: usize = 2_000;

/// Lengths of visible text outside of header, footer and menus, in bytes, and counts.
#[derive(Debug, Default)]
pub(super) struct TextMeasures {
    pub all: usize,
    /// Text of links to other pages.
    pub linked: usize,
    /// Long texts outside of links.
    pub prose: usize,
    /// How many long texts there are.
    pub paragraphs: usize,
    /// Short texts with a number and a currency, also those of other products.
    pub prices: usize,
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
                    } else if length >= MIN_PROSE {
                        measures.prose += length;
                        measures.paragraphs += 1;
                    }
                }
                NodeKind::Element(_) | NodeKind::Text | NodeKind::Raw | NodeKind::Document => {}
            }
        }
        let is_price = |id: &&NodeId| {
            let text = dom.raw_text(**id).trim();
            text.len() <= MAX_PRICE_TEXT
                && !index.all(**id).intersects(left_out)
                && names_currency(&dom.text(**id))
        };
        measures.prices = index.numbers.iter().take(MAX_NUMBERS).filter(is_price).count();
        measures
    }

    /// The share of the text that is in links to other pages.
    pub fn linked_share(&self) -> f32 {
        self.linked as f32 / self.all.max(1) as f32
    }
}
