//! Whether a page sells one product: by its structure and its data, not by its address.
//!
//! A page that describes itself as a product and lets it be bought is one; a page full of
//! cards is a list, whatever else it says. In between evidence is weighed.

use super::head::Metas;
use super::linked::Kinds;
use super::sight::Sight;
use super::survey::Survey;

/// From so much evidence on a page is a product's.
const ENOUGH: f32 = 3.0;

/// A page with so many cards is a list unless it lets something be bought.
const MANY_CARDS: usize = 6;

/// What speaks for and against.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// Linked data describes a product that is surely the page's.
    pub described: bool,
    /// The same, with what it costs or a number of its own.
    pub offered: bool,
    /// So does the state of its scripts.
    pub in_state: bool,
    /// The head names a price.
    pub priced_in_head: bool,
}

pub(super) fn is_product(
    evidence: &Evidence,
    sight: &Sight,
    survey: &Survey<'_, '_>,
    metas: &Metas,
    kinds: Kinds,
) -> bool {
    if survey.heading.is_none() && !evidence.described && !metas.is_product() {
        return false;
    }
    let mut score = 0.0;
    let mut add = |is_so: bool, weight: f32| score += if is_so { weight } else { 0.0 };
    add(evidence.described, 2.0);
    add(evidence.offered, 1.0);
    add(evidence.in_state, 1.5);
    add(metas.is_product(), 1.5);
    add(evidence.priced_in_head, 1.0);
    let draft = &sight.draft;
    let has_price = draft.offer.low.is_some() && sight.price_is_sure;
    add(has_price, 1.5);
    add(draft.offer.low.is_some() && !sight.price_is_sure, 0.5);
    add(sight.buys, 2.0);
    add(sight.asks && !sight.buys, 0.5);
    add(sight.on_request.is_some(), 1.5);
    add(!draft.images.is_empty(), 0.5);
    add(draft.sku.is_some() || !draft.gtin.is_empty(), 1.0);
    add(sight.stock_is_sure, 0.5);
    add(!draft.attributes.is_empty(), 0.5);
    add(!draft.variants.is_empty(), 0.5);
    // What lists and texts have.
    let many = survey.cards >= MANY_CARDS;
    add(many && !sight.buys && !has_price && sight.on_request.is_none(), -2.0);
    add(kinds.is_list && !evidence.described, -1.5);
    add(kinds.listed > 3 && !evidence.offered, -1.0);
    add(kinds.products > 3 && !evidence.described, -2.0);
    add(kinds.is_article && !evidence.offered, -2.0);
    add(metas.is_article(), -1.5);
    // Without a price, a button or data nothing is sold here.
    let sells = sight.buys
        || has_price
        || sight.on_request.is_some()
        || evidence.described
        || evidence.in_state
        || evidence.priced_in_head
        || (metas.is_product() && sight.asks);
    sells && score >= ENOUGH
}
