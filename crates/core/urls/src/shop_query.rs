//! What the query of a shop's address tells: which list, which part of it, which product.
//!
//! A shop cannot be walked through without queries, for the further pages of its lists, and
//! often its products, are told apart by nothing else. But some members do something instead
//! of showing something, and some show the same goods in another order: without them the
//! address leads to the same.

use std::borrow::Cow;

use crate::CanonicalUrl;

/// Members that do something when they are asked for.
const DEEDS: &[&str] = &[
    "action",
    "add",
    "add-to-cart",
    "add-to-wishlist",
    "add_to_cart",
    "add_to_compare",
    "add_to_wishlist",
    "compare",
    "currency",
    "delete",
    "empty-cart",
    "logout",
    "remove",
    "remove_from_wishlist",
    "remove_item",
    "replytocom",
    "return_to",
    "returnurl",
    "setcurrency",
    "undo_item",
    "wishlist",
];

/// Members that show the same in another way: in another order, as a grid, with one form of the
/// product chosen.
const MANNERS: &[&str] = &[
    "desc",
    "dir",
    "direction",
    "display",
    "grid",
    "limit",
    "order",
    "order_by",
    "orderby",
    "orderdir",
    "per_page",
    "perpage",
    "product_list_dir",
    "product_list_limit",
    "product_list_mode",
    "product_list_order",
    "ppp",
    "quickview",
    "show",
    "sort",
    "sort_by",
    "sort_order",
    "sortby",
    "sortierung",
    "tri",
    "variant",
    "view",
    "viewmode",
];

/// The address without what tells nothing about the goods.
pub(crate) fn telling(url: &CanonicalUrl) -> Cow<'_, CanonicalUrl> {
    let Some(query) = url.query() else { return Cow::Borrowed(url) };
    if query.split('&').all(tells) {
        return Cow::Borrowed(url);
    }
    Cow::Owned(url.with_members(tells))
}

fn tells(member: &str) -> bool {
    let name = member.split_once('=').map_or(member, |(name, _)| name);
    !DEEDS.iter().chain(MANNERS).any(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_keeps_what_tells_lists_and_products_apart() {
        for (given, told) in [
            ("/shop?page=2&sort=price", "/shop?page=2"),
            ("/liste.php?gruppe=messer&order=asc", "/liste.php?gruppe=messer"),
            ("/artikel.php?id=7", "/artikel.php?id=7"),
            ("/p/lamp?add-to-cart=7", "/p/lamp"),
            ("/p/lamp?Variant=31&colour=red", "/p/lamp?colour=red"),
            ("/p/lamp", "/p/lamp"),
        ] {
            let url = CanonicalUrl::parse(&format!("https://a.test{given}")).expect("a URL");
            assert_eq!(telling(&url).path_and_query(), told);
        }
    }
}
