//! The features of the classifier: each with its name and how it is computed, in one table.
//!
//! The training program writes the values of this table under these names, and the model file
//! must name exactly these features. After a change run `training/products/run`.

use super::text_measures::TextMeasures;
use super::{PageEvidence, ProductEvidence};
use crate::class_hints::ElementHints;
use crate::page_subject::SubjectMatch;
use crate::visible_dom::VisibleProduct;
use html::dom::NodeId;

/// A page with this many prices or buy buttons may be a list.
const MANY_PRICES: usize = 12;
const MANY_BUTTONS: usize = 4;

/// What the features are computed from.
pub(super) struct FeatureInput<'p, 'd, 'a> {
    page: &'p PageEvidence<'p, 'd, 'a>,
    text: TextMeasures,
}

impl<'p, 'd, 'a> FeatureInput<'p, 'd, 'a> {
    pub fn of(page: &'p PageEvidence<'p, 'd, 'a>) -> Self {
        Self { page, text: TextMeasures::of(page.index) }
    }

    fn data(&self) -> &ProductEvidence {
        self.page.data
    }

    fn visible(&self) -> &VisibleProduct {
        self.page.visible
    }

    fn has_price(&self) -> bool {
        self.visible().record.offer.low.is_some()
    }

    fn has_sure_price(&self) -> bool {
        self.has_price() && self.visible().price_is_sure
    }

    fn has_visible_offer(&self) -> bool {
        self.visible().has_buy_button || self.has_sure_price()
    }

    /// Whether there is a price with a buy button, and few others.
    fn has_single_offer(&self) -> bool {
        let visible = self.visible();
        visible.has_buy_button
            && self.has_price()
            && visible.main_buttons < MANY_BUTTONS
            && visible.price_count < MANY_BUTTONS
    }

    /// Whether structured data, the state of scripts or meta tags have a product.
    fn has_data(&self) -> bool {
        let data = self.data();
        data.described || data.in_state || data.priced_in_meta
    }

    /// Whether structured data offers a product with the name of the page.
    fn is_same_product(&self) -> bool {
        self.data().offered && self.data().matched == Some(SubjectMatch::Same)
    }

    fn has_several_prices(&self) -> bool {
        self.visible().price_count >= MANY_PRICES && !self.is_same_product()
    }

    fn has_several_buttons(&self) -> bool {
        self.visible().main_buttons >= MANY_BUTTONS && !self.is_same_product()
    }

    /// Whether the main part offers several things. Numbers, stock and attributes are then theirs.
    fn has_several_offers(&self) -> bool {
        self.has_several_prices() || self.has_several_buttons()
    }

    /// One beside the heading, less with the logarithm of the distance.
    fn nearness(&self, node: Option<NodeId>) -> f32 {
        let pair = self.page.index.heading.zip(node);
        pair.map_or(0.0, |(heading, node)| 1.0 / log(node.0.abs_diff(heading.0) as usize).max(1.0))
    }

    /// Whether an element outside of header, footer and menus has one of these hints.
    fn has_hint(&self, hints: ElementHints) -> bool {
        let index = self.page.index;
        let left_out = ElementHints::SITE_FRAME | ElementHints::HIDDEN;
        let mut marked = index.hinted_as(hints);
        marked.any(|id| !index.all(id).intersects(left_out))
    }
}

/// Computes the value of one feature.
type Compute = fn(&FeatureInput<'_, '_, '_>) -> f32;

/// The value of a feature that holds or not: 1 or 0.
fn flag(is_so: bool) -> f32 {
    f32::from(u8::from(is_so))
}

/// A count on a logarithmic scale.
fn log(count: usize) -> f32 {
    (count as f32).ln_1p()
}

/// All features, each with its name in the file of the model.
pub(super) const FEATURES: &[(&str, Compute)] = &[
    // Structured data.
    ("data_product", |f| flag(f.data().described)),
    ("data_product_same_name", |f| flag(f.data().matched == Some(SubjectMatch::Same))),
    ("data_product_offered", |f| flag(f.data().offered)),
    ("data_other_products", |f| flag(f.page.kinds.products > 0 && !f.data().described)),
    ("data_several_products", |f| log(f.page.kinds.products.saturating_sub(1))),
    ("data_listed_items", |f| flag(f.page.kinds.listed > 3 && !f.data().offered)),
    ("data_list", |f| flag(f.page.kinds.is_list && !f.data().described)),
    ("data_article", |f| flag(f.page.kinds.is_article && !f.data().offered)),
    ("data_other_subject", |f| flag(f.page.kinds.is_other && !f.data().offered)),
    ("state_product", |f| flag(f.data().in_state)),
    ("meta_product", |f| flag(f.page.tags.is_product())),
    ("meta_article", |f| flag(f.page.tags.is_article())),
    ("meta_price", |f| flag(f.data().priced_in_meta)),
    // The offer on the page.
    ("price_sure", |f| flag(f.has_sure_price())),
    ("price_regular", |f| flag(f.visible().record.offer.regular.is_some())),
    ("price_near_heading", |f| f.nearness(f.visible().price_node)),
    ("buy_button", |f| flag(f.visible().has_buy_button)),
    ("buy_button_near_heading", |f| f.nearness(f.visible().button_node)),
    ("single_offer", |f| flag(f.has_single_offer())),
    ("single_offer_without_data", |f| flag(f.has_single_offer() && !f.has_data())),
    ("stock", |f| flag(f.visible().stock_is_sure && !f.has_several_offers())),
    ("quantity_input", |f| flag(f.visible().has_quantity_input)),
    ("nothing_offered", |f| {
        let is_offered = f.has_visible_offer() || f.visible().on_request.is_some() || f.has_data();
        flag(!is_offered)
    }),
    // The description of the product on the page.
    ("image", |f| flag(!f.visible().record.images.is_empty())),
    ("number", |f| {
        let record = &f.visible().record;
        let has_number = record.sku.is_some() || !record.gtin.is_empty();
        flag(has_number && !f.has_several_offers())
    }),
    ("brand", |f| flag(f.visible().record.brand.is_some())),
    ("condition", |f| flag(f.visible().record.condition.is_some())),
    ("seller", |f| flag(f.visible().record.seller.is_some())),
    ("rating", |f| flag(f.visible().record.rating.is_some())),
    ("attributes", |f| flag(!f.visible().record.attributes.is_empty() && !f.has_several_offers())),
    ("variants", |f| flag(!f.visible().record.variants.is_empty())),
    ("hint_delivery", |f| flag(f.has_hint(ElementHints::DELIVERY))),
    // Lists and articles.
    ("several_buy_buttons", |f| flag(f.has_several_buttons())),
    ("linked_share", |f| f.text.linked_share()),
    ("text", |f| log(f.text.all / 100)),
];
