//! The pages of a shop that sell nothing by themselves: home, cart, journal, and the rest.

use std::fmt::Write as _;

use serde_json::json;

use super::good::Good;
use super::markup::escape;
use super::shell::Document;
use super::{Info, List, Shelf, Shop, linked_data, listing};
use crate::draw::Draw;

fn some_goods(shop: &Shop, market: usize, purpose: u64, count: usize) -> Vec<&Good> {
    let goods: Vec<&Good> = shop.goods.iter().filter(|good| good.market == market).collect();
    Draw::apart(shop.plan.seed, purpose).some(&goods, count)
}

pub(super) fn home(shop: &Shop, market: usize) -> String {
    let locale = shop.market(market).locale;
    let words = locale.words;
    let name = escape(shop.plan.name);
    let url = shop.absolute(&shop.home_path(market));
    let mut head = linked_data::script(&json!({"@context": "https://schema.org", "@graph": [
        {"@type": "Organization", "name": shop.plan.name, "url": url,
         "logo": shop.absolute("/assets/logo.png"), "telephone": "+00 000"},
        {"@type": "WebSite", "url": url, "potentialAction": {"@type": "SearchAction",
         "target": format!("{url}?q={{q}}"), "query-input": "required name=q"}}]}));
    // Writing to a String cannot fail.
    let _ = write!(
        head,
        "<meta property=\"og:type\" content=\"website\">\n\
         <meta property=\"og:title\" content=\"{name}\">\n"
    );
    let mut body = format!("<main><section class=\"hero\"><h1>{name}</h1>\n");
    for good in some_goods(shop, market, 1, 1) {
        let _ = writeln!(
            body,
            "<a class=\"hero-link\" href=\"{}\"><img src=\"{}\" alt=\"\"><strong>{}</strong> \
             <span class=\"price\">{}</span></a>",
            good.path,
            good.pictures.first().map(|picture| picture.medium.as_str()).unwrap_or_default(),
            escape(&good.name),
            escape(&good.money.text)
        );
    }
    let _ =
        write!(body, "</section>\n<section class=\"featured\"><h2>{}</h2><ul>\n", words.related);
    for good in some_goods(shop, market, 2, 8) {
        body.push_str(&listing::card(shop, good, false));
    }
    let sale = List { shelf: Shelf::Sale, page: 1, facet: None };
    let _ = write!(
        body,
        "</ul></section>\n<a class=\"banner\" href=\"{}\">-20% {}</a>\n",
        shop.list_path(market, sale),
        words.menu_sale
    );
    body.push_str("</main>\n");
    Document { title: shop.plan.name, market, head: &head, class: "home index", body: &body }
        .write(shop)
}

/// A cart with two things in it, as an old session leaves it; every third shop's is empty.
pub(super) fn cart(shop: &Shop, market: usize) -> String {
    let words = shop.market(market).locale.words;
    let mut body = format!("<main class=\"cart\"><h1>{}</h1>\n", words.cart);
    if shop.plan.seed.is_multiple_of(3) {
        let _ = writeln!(body, "<p>{}</p>", words.empty_cart);
    } else {
        body.push_str("<table class=\"cart-items\">\n");
        let goods = some_goods(shop, market, 3, 2);
        for good in &goods {
            let price = escape(&good.spell(shop.plan, good.money.low));
            let _ = writeln!(
                body,
                "<tr><td><a href=\"{}\">{}</a></td><td><input type=\"number\" value=\"1\"></td>\
                 <td class=\"price\">{price}</td></tr>",
                good.path,
                escape(&good.name)
            );
        }
        let sum: i64 = goods.iter().map(|good| good.money.low).sum();
        let total =
            goods.first().map(|good| escape(&good.spell(shop.plan, sum))).unwrap_or_default();
        let _ = writeln!(
            body,
            "<tr><td colspan=\"2\"></td><td class=\"total\">{total}</td></tr></table>"
        );
    }
    let _ = writeln!(body, "<a class=\"button\" href=\"/checkout\">{}</a></main>", words.checkout);
    Document { title: words.cart, market, head: "", class: "cart-page", body: &body }.write(shop)
}

pub(super) fn blog_index(shop: &Shop, market: usize) -> String {
    let words = shop.market(market).locale.words;
    let mut body = format!("<main><h1>{}</h1>\n", words.blog);
    for (story, title) in words.stories.iter().enumerate() {
        let path = shop.blog_path(market, Some(story));
        let _ = writeln!(
            body,
            "<article><h2><a href=\"{path}\">{}</a></h2><a href=\"{path}\">{}</a></article>",
            escape(title),
            words.read_more
        );
    }
    body.push_str("</main>\n");
    Document { title: words.blog, market, head: "", class: "blog", body: &body }.write(shop)
}

/// A story that praises a product, with its price and a button.
pub(super) fn blog(shop: &Shop, market: usize, story: usize, path: &str) -> String {
    let place = shop.market(market);
    let words = place.locale.words;
    let title = words.stories.get(story).copied().unwrap_or_default();
    let goods = some_goods(shop, market, 20 + story as u64, 2);
    // One story in two names what it praises, with its offer.
    let praised = goods.first().filter(|_| story % 2 == 1).map(|good| {
        json!({"@type": "Product", "name": good.name, "url": shop.absolute(&good.path),
            "offers": {"@type": "Offer", "price": good.locale.decimal(good.money.low),
                "priceCurrency": good.locale.currency}})
    });
    let head = linked_data::script(&json!({"@context": "https://schema.org",
        "@type": if story.is_multiple_of(2) { "BlogPosting" } else { "Article" },
        "headline": title, "datePublished": "2026-03-04", "author": {"@type": "Person",
        "name": "R. Sato"},
        "mainEntityOfPage": shop.absolute(path), "mentions": praised}))
        + "<meta property=\"og:type\" content=\"article\">\n";
    let mut body = format!(
        "<main><article class=\"post\"><h1>{}</h1><time>2026-03-04</time>\n",
        escape(title)
    );
    for (at, sentences) in place.trade.sentences.chunks(3).enumerate() {
        let text = sentences.join(" ").replace("{}", shop.plan.name);
        let _ = writeln!(body, "<p>{}</p>", escape(&text));
        if let Some(good) = goods.get(at) {
            body.push_str(&listing::card(shop, good, false));
            let _ = writeln!(
                body,
                "<a class=\"button\" href=\"{}\">{}</a>",
                good.path, words.add_to_cart
            );
        }
    }
    body.push_str("</article></main>\n");
    Document { title, market, head: &head, class: "blog post-page", body: &body }.write(shop)
}

pub(super) fn info(shop: &Shop, market: usize, info: Info) -> String {
    let place = shop.market(market);
    let words = place.locale.words;
    let (title, text) = match info {
        Info::About => (words.about, place.trade.sentences.join(" ").replace("{}", shop.plan.name)),
        Info::Contact => (
            words.contact,
            format!("{}, {}, service@{}", shop.plan.name, words.street, shop.plan.host),
        ),
        Info::Terms => (
            words.terms,
            place.trade.sentences.iter().skip(2).copied().collect::<Vec<_>>().join(" "),
        ),
        Info::Account => (words.account, words.account.to_owned()),
    };
    let form = match info {
        Info::Account => {
            "<form action=\"#\"><input name=\"email\"><input type=\"password\" name=\"p\"></form>"
        }
        Info::About | Info::Contact | Info::Terms => "",
    };
    let body = format!("<main><h1>{title}</h1>\n<p>{}</p>{form}</main>\n", escape(&text));
    Document { title, market, head: "", class: "info-page", body: &body }.write(shop)
}

/// All products, as most platforms list them.
pub(super) fn sitemap(shop: &Shop) -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset \
         xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for good in shop.goods.iter() {
        let _ = writeln!(xml, "<url><loc>{}</loc></url>", escape(&shop.absolute(&good.path)));
    }
    xml + "</urlset>\n"
}
