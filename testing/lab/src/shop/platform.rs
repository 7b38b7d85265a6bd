//! The platforms: how each writes the page of a product, in two templates a shop.

mod bare;
mod bigcommerce;
mod business;
mod group;
mod handmade;
mod lingual;
mod magento;
mod marketplace;
mod meta_only;
mod next;
mod nuxt;
mod odd;
mod prestashop;
mod rdfa;
mod shopify;
mod shopware;
mod stale;
mod tattered;
mod woocommerce;

pub(super) use marketplace::merchant;

use super::Shop;
use super::good::{Good, Trouble};
use super::plan::{Facet, Facets, Forms, Plan};
use super::scene::Scene;
use super::truth::Availability;

/// Who made the templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Platform {
    Shopify,
    Woocommerce,
    Magento,
    Bigcommerce,
    Prestashop,
    Shopware,
    Next,
    Nuxt,
    /// By hand, with microdata.
    Handmade,
    Rdfa,
    /// OpenGraph and product meta, nothing else.
    MetaOnly,
    /// No structured data at all.
    Bare,
    /// JSON-LD as an array, `ProductGroup` and `hasVariant`.
    Group,
    /// Many sellers under one product.
    Marketplace,
    /// A catalogue for businesses, with prices on request.
    Business,
    /// JSON-LD that does not parse.
    Tattered,
    /// JSON-LD that is older than the page.
    Stale,
    /// Several languages and regions.
    Lingual,
    /// Data that is wrong.
    Odd,
}

/// The page of a product.
pub(super) fn product(shop: &Shop, good: &Good) -> String {
    let scene = Scene::new(shop, good);
    match shop.plan.platform {
        Platform::Shopify => shopify::page(&scene),
        Platform::Woocommerce => woocommerce::page(&scene),
        Platform::Magento => magento::page(&scene),
        Platform::Bigcommerce => bigcommerce::page(&scene),
        Platform::Prestashop => prestashop::page(&scene),
        Platform::Shopware => shopware::page(&scene),
        Platform::Next => next::page(&scene),
        Platform::Nuxt => nuxt::page(&scene),
        Platform::Handmade => handmade::page(&scene),
        Platform::Rdfa => rdfa::page(&scene),
        Platform::MetaOnly => meta_only::page(&scene),
        Platform::Bare => bare::page(&scene),
        Platform::Group => group::page(&scene),
        Platform::Marketplace => marketplace::page(&scene),
        Platform::Business => business::page(&scene),
        Platform::Tattered => tattered::page(&scene),
        Platform::Stale => stale::page(&scene),
        Platform::Lingual => lingual::page(&scene),
        Platform::Odd => odd::page(&scene),
    }
}

/// Takes out of the data what the template of this product has no place for, and puts in
/// what it cannot leave out.
pub(super) fn settle(plan: &Plan, good: &mut Good) {
    use Facet::{Brand, Condition, Gtin, Mpn, Rating, Seller, Sku, Stock, Tax, Trail};
    let drop =
        |data: &mut Facets, facets: &[Facet]| facets.iter().for_each(|facet| data.remove(*facet));
    let told_by_variants = !good.variants.is_empty() && plan.deals.forms != Forms::Shown;
    let data = &mut good.data;
    if !good.money.is_sum() {
        // Where there is no sum, nothing is said about its tax.
        good.seen.remove(Tax);
        data.remove(Tax);
    }
    if good.money.data.is_none() {
        // No price, no offer, and nothing of what stands in it.
        drop(data, &[Stock, Condition, Seller, Tax]);
    }
    match (plan.platform, good.layout) {
        (Platform::Shopify, layout) => {
            if layout == 1 {
                drop(data, &[Mpn, Rating, Condition, Seller, Trail, Tax]);
                if told_by_variants {
                    drop(data, &[Sku, Gtin]);
                }
            }
            data.add(Stock);
        }
        (Platform::Magento | Platform::Shopware, _) => drop(data, &[Condition]),
        (Platform::Prestashop, 1) => drop(data, &[Brand, Rating, Seller, Trail, Tax]),
        (Platform::Group, _) if !good.variants.is_empty() => drop(data, &[Condition, Seller, Tax]),
        (Platform::Tattered, _) => drop(data, &[Trail]),
        (Platform::Lingual, _) if !good.number.is_multiple_of(2) => *data = Facets::default(),
        (Platform::Odd, _) if good.trouble == Trouble::OtherProduct => *data = Facets::default(),
        _ => {}
    }
    if told_by_variants {
        data.add(Stock);
    }
    if plan.markets.len() > 1 && good.number.is_multiple_of(3) {
        // Its twin must be known by something.
        good.seen.add(Sku);
    }
    // Some platforms tell only whether it can be bought; the eye must see the rest.
    let coarse =
        matches!(plan.platform, Platform::Shopify | Platform::Bigcommerce | Platform::Prestashop);
    let simple =
        matches!(good.stock, Some(Availability::InStock | Availability::OutOfStock) | None);
    if coarse && !simple && good.data.has(Stock) {
        good.seen.add(Stock);
    }
}

/// The codes stand in the table of properties, and not beside the price.
pub(super) fn codes_in_table(shop: &Shop, good: &Good) -> bool {
    let keeps_a_table = match shop.plan.platform {
        Platform::Magento
        | Platform::Next
        | Platform::MetaOnly
        | Platform::Bare
        | Platform::Group
        | Platform::Marketplace
        | Platform::Business
        | Platform::Lingual => true,
        Platform::Shopify
        | Platform::Woocommerce
        | Platform::Bigcommerce
        | Platform::Prestashop
        | Platform::Shopware
        | Platform::Nuxt
        | Platform::Handmade
        | Platform::Rdfa
        | Platform::Tattered
        | Platform::Stale
        | Platform::Odd => false,
    };
    keeps_a_table && good.shows(Facet::Attributes)
}

/// Every row of the table of properties.
pub(super) fn rows(shop: &Shop, good: &Good) -> Vec<(String, String)> {
    let mut rows = good.attributes.clone();
    if codes_in_table(shop, good) {
        let words = good.locale.words;
        let gtin = good.gtin.clone().filter(|_| good.shows(Facet::Gtin));
        rows.extend(gtin.map(|gtin| (good.gtin_label().to_owned(), gtin)));
        let mpn = good.mpn.clone().filter(|_| good.shows(Facet::Mpn));
        rows.extend(mpn.map(|mpn| (words.mpn.to_owned(), mpn)));
    }
    rows
}

/// How many images stand in the markup itself, and not only in its scripts.
pub(super) fn images_in_markup(shop: &Shop) -> usize {
    // This one draws its gallery from a script; without it there is one image.
    if shop.plan.platform == Platform::Magento { 1 } else { usize::MAX }
}
