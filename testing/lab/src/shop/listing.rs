//! Lists of products: categories with pages, facets and teasers, and search results.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::good::Good;
use super::markup::{escape, trail};
use super::paths::FACETS;
use super::plan::{Paging, Teasers};
use super::platform::Platform;
use super::shell::Document;
use super::{List, PAGE, Shelf, Shop, linked_data};

/// A product in a list. `marked` ones carry microdata.
pub(super) fn card(shop: &Shop, good: &Good, marked: bool) -> String {
    let (name, path) = (escape(&good.name), listed_path(good));
    let price = escape(&good.money.text);
    let old = good.money.regular_text.as_deref().map(escape);
    let thumb = good.pictures.first().map(|picture| picture.thumb.as_str()).unwrap_or_default();
    if marked {
        return format!(
            "<div class=\"item\" itemscope itemtype=\"http://schema.org/Product\">\
             <a itemprop=\"url\" href=\"{path}\"><img itemprop=\"image\" src=\"{thumb}\" \
             alt=\"{name}\"><span itemprop=\"name\">{name}</span></a>\
             <span itemprop=\"offers\" itemscope itemtype=\"http://schema.org/Offer\">\
             <meta itemprop=\"priceCurrency\" content=\"{}\">\
             <span itemprop=\"price\" content=\"{}\">{price}</span></span></div>\n",
            good.locale.currency,
            good.locale.decimal(good.money.low),
        );
    }
    let old = |open: &str, close: &str| {
        old.as_deref().map(|old| format!("{open}{old}{close}")).unwrap_or_default()
    };
    match shop.plan.platform {
        Platform::Shopify => format!(
            "<li class=\"grid__item\"><div class=\"card-wrapper\">\
             <img src=\"{thumb}\" alt=\"{name}\"><h3 class=\"card__heading\">\
             <a href=\"{path}\" class=\"full-unstyled-link\">{name}</a></h3>\
             <div class=\"price\">{}<span class=\"price-item price-item--regular\">{price}\
             </span></div></div></li>\n",
            old("<s class=\"price-item price-item--sale\">", "</s>")
        ),
        Platform::Woocommerce | Platform::Stale => format!(
            "<li class=\"product type-product post-{}\"><a href=\"{path}\" \
             class=\"woocommerce-LoopProduct-link\"><img src=\"{thumb}\" alt=\"\">\
             <h2 class=\"woocommerce-loop-product__title\">{name}</h2><span class=\"price\">{}\
             <span class=\"woocommerce-Price-amount amount\"><bdi>{price}</bdi></span></span>\
             </a></li>\n",
            good.id,
            old("<del>", "</del> ")
        ),
        Platform::Magento => format!(
            "<li class=\"item product product-item\"><div class=\"product-item-info\">\
             <a href=\"{path}\" class=\"product photo\"><img class=\"product-image-photo\" \
             src=\"{thumb}\" alt=\"{name}\"></a><strong class=\"product name \
             product-item-name\"><a class=\"product-item-link\" href=\"{path}\">{name}</a>\
             </strong><div class=\"price-box\" data-product-id=\"{}\">{}\
             <span class=\"price\">{price}</span></div></div></li>\n",
            good.id,
            old("<span class=\"old-price\">", "</span> ")
        ),
        Platform::Bigcommerce => format!(
            "<li class=\"product\"><article class=\"card\" data-entity-id=\"{}\">\
             <figure class=\"card-figure\"><a href=\"{path}\">\
             <img class=\"card-image\" src=\"{thumb}\" alt=\"{name}\"></a></figure>\
             <h4 class=\"card-title\"><a href=\"{path}\">{name}</a></h4>{}\
             <span class=\"price price--withoutTax\">{price}</span></article></li>\n",
            good.id,
            old("<span class=\"price price--non-sale\">", "</span>")
        ),
        Platform::Prestashop | Platform::Shopware => format!(
            "<article class=\"product-miniature\" data-id-product=\"{}\">\
             <a href=\"{path}\" class=\"thumbnail\"><img src=\"{thumb}\" alt=\"{name}\"></a>\
             <h2 class=\"h3 product-title\"><a href=\"{path}\">{name}</a></h2>\
             <div class=\"product-price-and-shipping\">{}<span class=\"price\">{price}</span>\
             </div></article>\n",
            good.id,
            old("<span class=\"regular-price\">", "</span> ")
        ),
        Platform::Next | Platform::Nuxt | Platform::Group => format!(
            "<div class=\"ProductCard_root__x1\"><a href=\"{path}\">\
             <img loading=\"lazy\" src=\"{thumb}\" alt=\"{name}\">\
             <p class=\"ProductCard_title__k3\">{name}</p></a>{}\
             <p class=\"ProductCard_price__z9\">{price}</p></div>\n",
            old("<p class=\"ProductCard_was__q2\">", "</p>")
        ),
        _ => format!(
            "<div class=\"teaser\"><a href=\"{path}\"><img src=\"{thumb}\" alt=\"{name}\"></a>\
             <br><a href=\"{path}\">{name}</a><br>{}<b>{price}</b></div>\n",
            old("<strike>", "</strike> ")
        ),
    }
}

/// The path under which lists link to it.
fn listed_path(good: &Good) -> &str {
    good.also_at.first().unwrap_or(&good.path)
}

fn name_of(shop: &Shop, market: usize, shelf: Shelf) -> &'static str {
    let categories = shop.market(market).trade.categories;
    match shelf {
        Shelf::Category(category) => categories[category].0,
        Shelf::Below(category, below) => {
            categories[category].1.get(below).copied().unwrap_or_default()
        }
        Shelf::Sale => shop.market(market).locale.words.menu_sale,
    }
}

/// The products on a list, in its order.
fn goods_of(shop: &Shop, market: usize, list: List) -> Vec<&Good> {
    let mut goods: Vec<&Good> =
        shop.goods.iter().filter(|good| good.is_on(list.shelf, market)).collect();
    match list.facet {
        Some(0) => goods.sort_by_key(|good| good.money.low),
        Some(1) => goods.retain(|good| good.sells()),
        Some(_) => goods.sort_by_key(|good| -good.money.low),
        None => {}
    }
    goods.into_iter().skip((list.page - 1) * PAGE).take(PAGE).collect()
}

pub(super) fn category(shop: &Shop, market: usize, list: List, path: &str) -> String {
    let locale = shop.market(market).locale;
    let words = locale.words;
    let name = name_of(shop, market, list.shelf);
    let all = shop.goods.iter().filter(|good| good.is_on(list.shelf, market)).count();
    let goods = goods_of(shop, market, list);
    let first = List { page: 1, facet: None, ..list };
    let next = (list.facet.is_none() && list.page * PAGE < all)
        .then(|| shop.list_path(market, List { page: list.page + 1, ..list }));
    let mut head = format!(
        "<link rel=\"canonical\" href=\"{}\">\n<meta name=\"description\" content=\"{} – \
         {}\">\n<meta property=\"og:type\" content=\"website\">\n\
         <meta property=\"og:title\" content=\"{}\">\n",
        shop.absolute(&shop.list_path(market, List { facet: None, ..list })),
        escape(name),
        escape(shop.plan.name),
        escape(name),
    );
    if let Some(next) = next.as_deref().filter(|_| shop.plan.paging != Paging::LoadMore) {
        // Writing to a String cannot fail.
        let _ = writeln!(head, "<link rel=\"next\" href=\"{}\">", escape(next));
    }
    head.push_str(&teasers(shop, &goods, path));
    let steps = [(words.home.to_owned(), Some(shop.home_path(market))), (name.to_owned(), None)];
    let mut body = format!(
        "<main class=\"listing\">{}<h1>{}</h1>\n<p class=\"count\">{}</p>\n\
         <div class=\"filters\">{}: ",
        trail(&steps, shop.plan.shell, "breadcrumbs"),
        escape(name),
        words.count.replace("{}", &all.to_string()),
        words.filter
    );
    for facet in 0..FACETS.len() {
        let path = shop.list_path(market, List { facet: Some(facet), ..first });
        let _ = write!(
            body,
            "<a rel=\"nofollow\" href=\"{}\">{} {}</a> ",
            escape(&path),
            words.sort,
            facet + 1
        );
    }
    body.push_str("</div>\n<ul class=\"products grid\">\n");
    for good in &goods {
        body.push_str(&card(shop, good, shop.plan.teasers == Teasers::Microdata));
    }
    body.push_str("</ul>\n");
    body.push_str(&paging(shop, market, list, all, next.as_deref()));
    let _ = writeln!(
        body,
        "<div class=\"category-text\"><p>{}</p></div></main>",
        escape(&blurb(shop, market))
    );
    Document { title: name, market, head: &head, class: "category-page", body: &body }.write(shop)
}

fn paging(shop: &Shop, market: usize, list: List, all: usize, next: Option<&str>) -> String {
    let words = shop.market(market).locale.words;
    let Some(next) = next else { return String::new() };
    let next = escape(next);
    if shop.plan.paging == Paging::LoadMore {
        return format!(
            "<div class=\"load-more\"><a data-load=\"more\" href=\"{next}\">{}</a></div>\n",
            words.load_more
        );
    }
    let mut html = String::from("<nav class=\"pagination\">");
    for page in 1..=all.div_ceil(PAGE) {
        let path = escape(&shop.list_path(market, List { page, facet: None, ..list }));
        let _ = if page == list.page {
            write!(html, "<span class=\"current\">{page}</span> ")
        } else {
            write!(html, "<a href=\"{path}\">{page}</a> ")
        };
    }
    let _ =
        writeln!(html, "<a class=\"next\" rel=\"next\" href=\"{next}\">{}</a></nav>", words.next);
    html
}

fn blurb(shop: &Shop, market: usize) -> String {
    let sentences = shop.market(market).trade.sentences;
    sentences.iter().skip(1).take(3).copied().collect::<Vec<_>>().join(" ")
}

/// What the list says about its products in structured data.
fn teasers(shop: &Shop, goods: &[&Good], path: &str) -> String {
    let offer = |good: &Good| {
        json!({"@type": "Offer", "price": good.locale.decimal(good.money.low),
               "priceCurrency": good.locale.currency, "availability": "https://schema.org/InStock"})
    };
    match shop.plan.teasers {
        Teasers::None | Teasers::Microdata => String::new(),
        Teasers::List => {
            let items: Vec<Value> = goods
                .iter()
                .enumerate()
                .map(|(at, good)| {
                    json!({"@type": "ListItem", "position": at + 1,
                           "url": shop.absolute(listed_path(good)), "name": good.name})
                })
                .collect();
            linked_data::script(&json!({"@context": "https://schema.org", "@type": "ItemList",
                "url": shop.absolute(path), "numberOfItems": items.len(),
                "itemListElement": items}))
        }
        Teasers::Products => {
            let products = goods.iter().map(|good| {
                let image = good.pictures.first().map(|picture| shop.absolute(&picture.thumb));
                linked_data::script(&json!({"@context": "http://schema.org/", "@type": "Product",
                    "name": good.name, "url": shop.absolute(listed_path(good)), "image": image,
                    "offers": offer(good)}))
            });
            products.collect()
        }
    }
}

pub(super) fn search(shop: &Shop, market: usize, query: usize) -> String {
    let words = shop.market(market).locale.words;
    let word = shop.query(market, query);
    let found = shop.goods.iter().filter(|good| good.market == market && good.name.contains(word));
    let found: Vec<&Good> = found.take(PAGE).collect();
    let cards: String = found.iter().map(|good| card(shop, good, false)).collect();
    let body = format!(
        "<main class=\"search-results\"><h1>{}: „{}“</h1>\n<p>{}</p>\n<form action=\"#\">\
         <input name=\"q\" value=\"{}\"></form>\n<ul class=\"products\">\n{cards}</ul>\
         </main>\n",
        words.search,
        escape(word),
        words.count.replace("{}", &found.len().to_string()),
        escape(word),
    );
    let head = "<meta name=\"robots\" content=\"noindex,follow\">\n";
    Document { title: words.search, market, head, class: "search-page", body: &body }.write(shop)
}
