//! What most shops have in common.

use super::places::SEEN;
use super::{Deals, Forms, Market, Paging, Paths, Plan, Spread, Teasers};
use crate::shop::locale::Locale;
use crate::shop::platform::Platform;
use crate::shop::trade::Trade;

pub(super) const fn market(locale: &'static Locale, trade: &'static Trade) -> Market {
    Market { locale, trade, prefix: "" }
}

pub(super) const DEALS: Deals = Deals {
    sale: 25,
    sold_out: 15,
    varied: 35,
    axes: 1,
    spread: Spread::First,
    forms: Forms::Shown,
    on_request: 0,
};

pub(super) const USUAL: Plan = Plan {
    host: "",
    name: "",
    seed: 0,
    platform: Platform::Bare,
    markets: &[],
    count: 40,
    habit: 0,
    paths: paths("/{slug}", "/c/{slug}", "/blog/{slug}"),
    places: SEEN,
    deals: DEALS,
    contacts: 20,
    tax: Some(true),
    teasers: Teasers::None,
    paging: Paging::Query,
    shell: 0,
};

pub(super) const fn paths(
    product: &'static str,
    category: &'static str,
    blog: &'static str,
) -> Paths {
    Paths {
        product,
        category,
        search: "/search?q={slug}",
        cart: "/cart",
        blog,
        image: "/media/{size}/{id}-{n}.jpg",
    }
}
