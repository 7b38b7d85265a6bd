//! A shop made by hand, with microdata: props in odd places, some of them borrowed by
//! `itemref`, which on some pages leads in a circle.

use std::fmt::Write as _;

use crate::shop::good::Trouble;
use crate::shop::listing;
use crate::shop::markup::escape;
use crate::shop::plan::Facet;
use crate::shop::scene::Scene;

pub(super) fn page(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let cycle = good.trouble == Trouble::Cycle;
    // The codes stand outside the item and belong to it all the same.
    let borrowed = if cycle { "codes twin" } else { "codes" };
    let buy = offer(scene);
    let text = format!(
        "<h2>{}</h2>\n<div class=\"texto\"{}>{}</div>\n",
        scene.words.description,
        prop(scene, Facet::Description, "description"),
        scene.description(good.layout)
    );
    let hidden = hidden(scene);
    let inner = match good.layout {
        0 => format!(
            "<h1 itemprop=\"name\">{}</h1>\n{}{}{buy}{}{text}",
            scene.name(),
            pictures(scene),
            stars(scene),
            scene.features("destaques")
        ),
        _ => format!(
            "{}<div class=\"lado\"><h1><span itemprop=\"name\">{}</span></h1>{buy}{}\
             </div>{text}{}",
            pictures(scene),
            scene.name(),
            stars(scene),
            scene.features("lista")
        ),
    };
    let mut twin = String::new();
    if cycle {
        twin = format!(
            "<div id=\"twin\" itemprop=\"isRelatedTo\" itemscope \
             itemtype=\"http://schema.org/Product\" itemref=\"produto twin\">{}</div>\n",
            scene
                .shop
                .goods
                .iter()
                .find(|other| other.number != good.number)
                .map(|other| listing::card(scene.shop, other, true))
                .unwrap_or_default()
        );
    }
    let body = format!(
        "{}<div id=\"produto\" class=\"produto\" itemscope \
         itemtype=\"http://schema.org/Product\" itemref=\"{borrowed}\">\n{hidden}{inner}\
         </div>\n<div id=\"codes\">{}</div>\n<h2>{}</h2>\n{}{twin}{}",
        scene.trail(2, "caminho"),
        codes(scene),
        scene.words.details,
        scene.rows(good.layout * 2, "ficha"),
        scene.asides()
    );
    scene.document("", "pagina-produto", &body)
}

/// The attribute, where the data has the fact.
fn prop(scene: &Scene<'_>, facet: Facet, name: &str) -> String {
    if scene.good.tells(facet) { format!(" itemprop=\"{name}\"") } else { String::new() }
}

fn pictures(scene: &Scene<'_>) -> String {
    let mut html = String::from("<div class=\"fotos\">\n");
    for (at, picture) in scene.good.pictures.iter().enumerate() {
        let prop = if at == 0 { " itemprop=\"image\"" } else { "" };
        // Writing to a String cannot fail.
        let _ = writeln!(
            html,
            "<a href=\"{0}\" class=\"zoom\"><img src=\"{1}\" alt=\"{2}\"></a>\
             <link{prop} href=\"{0}\">",
            picture.full,
            picture.medium,
            escape(&picture.alt)
        );
    }
    html.replace("<link href", "<link rel=\"prefetch\" href") + "</div>\n"
}

fn hidden(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let mut html = String::new();
    if good.tells(Facet::Description) && !good.shows(Facet::Description) {
        let _ = writeln!(
            html,
            "<meta itemprop=\"description\" content=\"{}\">",
            escape(&good.text(true))
        );
    }
    if let (Some(brand), None) = (good.brand, good.shown_brand()) {
        let _ = writeln!(html, "<meta itemprop=\"brand\" content=\"{}\">", escape(brand));
    }
    if let Some(gtin) =
        good.gtin.as_ref().filter(|_| good.tells(Facet::Gtin) && !good.shows(Facet::Gtin))
    {
        let _ = writeln!(html, "<meta itemprop=\"{}\" content=\"{gtin}\">", good.gtin_property());
    }
    if let Some(mpn) = good.mpn.as_ref().filter(|_| !good.shows(Facet::Mpn)) {
        let _ = writeln!(html, "<meta itemprop=\"mpn\" content=\"{mpn}\">");
    }
    if let (Some(sku), None) = (&good.sku, good.shown_sku()) {
        let _ = writeln!(
            html,
            "<meta itemprop=\"productID\" content=\"sku:{sku}\">\
             <meta itemprop=\"sku\" content=\"{sku}\">"
        );
    }
    html
}

fn offer(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let amount = good.locale.decimal(good.money.data.unwrap_or(good.money.low));
    let old = scene.regular().map(|regular| format!("{} <s>{regular}</s> por ", scene.words.was));
    // The price stands as text of the prop on one template, and as its content on the other.
    let price = match good.layout {
        0 => format!(
            "<b class=\"preco\" itemprop=\"price\" content=\"{amount}\">{}</b>",
            scene.price()
        ),
        _ => format!("<b class=\"preco\" itemprop=\"price\">{}</b>", scene.price()),
    };
    let stock = match (good.stock.filter(|_| good.tells(Facet::Stock)), good.shown_stock()) {
        (Some(stock), Some(text)) => format!(
            "<p class=\"estoque\"><link itemprop=\"availability\" \
             href=\"http://schema.org/{}\">{}</p>",
            stock.term(),
            escape(text)
        ),
        (Some(stock), None) => {
            format!("<link itemprop=\"availability\" href=\"http://schema.org/{}\">", stock.term())
        }
        (None, Some(text)) => format!("<p class=\"estoque\">{}</p>", escape(text)),
        (None, None) => String::new(),
    };
    let condition = good.condition.filter(|_| good.tells(Facet::Condition)).map(|condition| {
        format!("<link itemprop=\"itemCondition\" href=\"http://schema.org/{}\">", condition.term())
    });
    format!(
        "<div class=\"compra\" itemprop=\"offers\" itemscope \
         itemtype=\"http://schema.org/Offer\">{}<meta itemprop=\"priceCurrency\" \
         content=\"{}\">{}{price} <i>{}</i>{stock}{}<form>{}{}</form></div>\n",
        condition.unwrap_or_default(),
        good.locale.currency,
        old.unwrap_or_default(),
        scene.tax(),
        scene.lures("parcelas"),
        scene.selects("opcao"),
        scene.button("comprar"),
    )
}

fn stars(scene: &Scene<'_>) -> String {
    let Some(rating) = scene.good.shown_rating() else { return String::new() };
    format!(
        "<div itemprop=\"aggregateRating\" itemscope \
         itemtype=\"http://schema.org/AggregateRating\">\
         <meta itemprop=\"ratingValue\" content=\"{}\"><meta itemprop=\"bestRating\" \
         content=\"5\">{} (<span itemprop=\"reviewCount\">{}</span>)</div>\n",
        rating.value(),
        scene.words.stars.replace("{}", &scene.rated()),
        rating.count
    )
}

fn codes(scene: &Scene<'_>) -> String {
    let (good, words) = (scene.good, scene.words);
    let mut html = String::new();
    if let Some(brand) = good.shown_brand() {
        let _ = writeln!(
            html,
            "<p>{}: <span{}>{}</span></p>",
            words.brand,
            prop(scene, Facet::Brand, "brand"),
            escape(brand)
        );
    }
    for (label, value) in scene.codes().into_iter().chain(scene.notes()) {
        let prop = match label {
            _ if label == words.sku => prop(scene, Facet::Sku, "sku"),
            _ if label == good.gtin_label() => prop(scene, Facet::Gtin, good.gtin_property()),
            _ if label == words.mpn => prop(scene, Facet::Mpn, "mpn"),
            _ => String::new(),
        };
        let _ = writeln!(html, "<p>{label}: <span{prop}>{}</span></p>", escape(&value));
    }
    html
}
