//! How the tests read a page.

use std::sync::LazyLock;

use lab::{Shop, ShopTruth};

/// Cuts every stretch from `open` to `close`.
pub(crate) fn without(text: &str, open: &str, close: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, after)) = rest.split_once(open) {
        kept.push_str(before);
        rest = after.split_once(close).map_or("", |(_, after)| after);
    }
    kept + rest
}

pub(crate) fn unescaped(text: &str) -> String {
    text.replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&nbsp;", "\u{a0}")
        .replace("&#64;", "@")
        .replace("&amp;", "&")
}

/// Without any white space, so that tags within a price do no harm.
pub(crate) fn squeezed(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}

/// What the buyer sees, squeezed.
pub(crate) fn visible(html: &str) -> String {
    let mut text = html.to_owned();
    for name in ["script", "style", "noscript"] {
        text = without(&text, &format!("<{name}"), &format!("</{name}>"));
    }
    squeezed(&unescaped(&without(&text, "<", ">")))
}

/// What lies between `open` and `close`, each time.
pub(crate) fn between<'a>(
    text: &'a str,
    open: &'a str,
    close: &'a str,
) -> impl Iterator<Item = &'a str> {
    text.split(open).skip(1).filter_map(move |rest| rest.split(close).next())
}

pub(crate) static SHOPS: LazyLock<Vec<(Shop, ShopTruth)>> = LazyLock::new(|| {
    Shop::all().into_iter().map(|shop| (shop.clone(), shop.shop_truth())).collect()
});

pub(crate) fn shops() -> impl Iterator<Item = (&'static Shop, &'static ShopTruth)> {
    SHOPS.iter().map(|(shop, truth)| (shop, truth))
}

pub(crate) fn page(shop: &Shop, path: &str) -> String {
    shop.page_at(path).unwrap_or_else(|| panic!("{}{path} is not served", shop.host()))
}
