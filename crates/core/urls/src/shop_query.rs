//! Query parameters of shop URLs: which ones identify a list, a page of it or a product.
//!
//! A shop cannot be crawled without queries, because the further pages of its lists, and often its
//! products, differ only in them. But some parameters trigger an action, and some show the same products
//! in another order or layout: they are removed.

use std::borrow::Cow;

use text::vocabulary::TermList;
use text::word_list;

use crate::CanonicalUrl;

/// Parameters that trigger an action.
static ACTION_PARAMETERS: TermList = word_list!("action_parameters.txt");

/// Parameters that change only the presentation: order, layout, selected variant.
static VIEW_PARAMETERS: TermList = word_list!("view_parameters.txt");

/// The URL without parameters that do not identify products or lists.
pub(crate) fn without_irrelevant_parameters(url: &CanonicalUrl) -> Cow<'_, CanonicalUrl> {
    let Some(query) = url.query() else { return Cow::Borrowed(url) };
    if query.split('&').all(is_relevant) {
        return Cow::Borrowed(url);
    }
    Cow::Owned(url.with_members(is_relevant))
}

fn is_relevant(member: &str) -> bool {
    let name = member.split_once('=').map_or(member, |(name, _)| name);
    let mut dropped = ACTION_PARAMETERS.iter().chain(VIEW_PARAMETERS.iter());
    !dropped.any(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_of_lists_and_products_are_kept() {
        for (given, kept) in [
            ("/shop?page=2&sort=price", "/shop?page=2"),
            ("/liste.php?gruppe=messer&order=asc", "/liste.php?gruppe=messer"),
            ("/artikel.php?id=7", "/artikel.php?id=7"),
            ("/p/lamp?add-to-cart=7", "/p/lamp"),
            ("/p/lamp?Variant=31&colour=red", "/p/lamp?colour=red"),
            ("/p/lamp", "/p/lamp"),
        ] {
            let url = CanonicalUrl::parse(&format!("https://a.test{given}")).expect("a URL");
            assert_eq!(without_irrelevant_parameters(&url).path_and_query(), kept);
        }
    }
}
