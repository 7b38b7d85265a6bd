//! Decides whether a page sells one product, by its structure and data and not by its URL.
//!
//! A page that describes itself as a product and has a buy button is a product page. A page with
//! many product cards is a list. In between the evidence is weighed.

use crate::dom_index::DomIndex;
use crate::meta_tags::MetaTags;
use crate::schema_org::SchemaOrgKinds;
use crate::visible_dom::VisibleProduct;

/// The minimum score of a product page.
const MIN_SCORE: f32 = 3.0;

/// A page with this many product cards is a list, unless it has a buy button or a price.
const MANY_CARDS: usize = 6;

/// A list with this many buttons that add to the cart sells several products.
const MANY_BUTTONS: usize = 4;

/// What the structured data of a page says about a product.
#[derive(Debug, Default)]
pub(super) struct ProductEvidence {
    /// Schema.org data describes a product that matches the page.
    pub described: bool,
    /// That product has a price, a SKU or a GTIN.
    pub offered: bool,
    /// The state of scripts has a product with a price or a SKU.
    pub in_state: bool,
    /// The meta tags state a price.
    pub priced_in_meta: bool,
}

pub(super) fn is_product(
    evidence: &ProductEvidence,
    visible: &VisibleProduct,
    index: &DomIndex<'_, '_>,
    tags: &MetaTags,
    kinds: SchemaOrgKinds,
) -> bool {
    if index.heading.is_none() && !evidence.described && !tags.is_product() {
        return false;
    }
    let mut score = 0.0;
    let mut add = |is_so: bool, weight: f32| score += if is_so { weight } else { 0.0 };
    add(evidence.described, 2.0);
    add(evidence.offered, 1.0);
    add(evidence.in_state, 1.5);
    add(tags.is_product(), 1.5);
    add(evidence.priced_in_meta, 1.0);
    let record = &visible.record;
    let has_price = record.offer.low.is_some() && visible.price_is_sure;
    add(has_price, 1.5);
    add(record.offer.low.is_some() && !visible.price_is_sure, 0.5);
    add(visible.has_buy_button, 2.0);
    add(visible.has_cart_form && !visible.has_buy_button, 1.0);
    add(visible.has_inquiry_button && !visible.has_buy_button, 0.5);
    add(visible.on_request.is_some(), 1.5);
    add(!record.images.is_empty(), 0.5);
    add(record.sku.is_some() || !record.gtin.is_empty(), 1.0);
    add(visible.stock_is_sure, 0.5);
    add(!record.attributes.is_empty(), 0.5);
    add(!record.variants.is_empty(), 0.5);
    // Evidence for lists and articles.
    let many = index.cards >= MANY_CARDS;
    add(many && !visible.has_buy_button && !has_price && visible.on_request.is_none(), -2.0);
    add(kinds.is_list && !evidence.described, -1.5);
    add(kinds.listed > 3 && !evidence.offered, -1.0);
    add(kinds.products > 1 && !evidence.described, -1.0);
    add(kinds.products > 3 && !evidence.described, -1.0);
    // Each card of a list may have a button.
    add(many && visible.buy_buttons >= MANY_BUTTONS && !evidence.described, -2.0);
    add(kinds.is_article && !evidence.offered, -2.0);
    // Some shop systems call every page an article.
    add(tags.is_article(), if visible.has_buy_button { -1.0 } else { -1.5 });
    // A page without a price, a buy button or product data sells nothing.
    let sells = visible.has_buy_button
        || has_price
        || visible.on_request.is_some()
        || evidence.described
        || evidence.in_state
        || evidence.priced_in_meta
        || (tags.is_product() && visible.has_inquiry_button)
        || (visible.has_cart_form && visible.stock_is_sure);
    sells && score >= MIN_SCORE
}
