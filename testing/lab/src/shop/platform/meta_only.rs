//! A shop whose only data is OpenGraph and product meta in the head.

use std::fmt::Write as _;

use crate::shop::markup::escape;
use crate::shop::plan::Facet;
use crate::shop::scene::Scene;
use crate::shop::truth::Availability;

pub(super) fn page(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let mut head = String::new();
    let mut meta = |name: &str, value: &str| {
        // Writing to a String cannot fail.
        let _ = writeln!(head, "<meta property=\"{name}\" content=\"{}\">", escape(value));
    };
    meta("og:type", if good.layout == 0 { "product" } else { "og:product" });
    meta("og:title", &format!("{}|{}", good.data_name, scene.shop.plan.name));
    meta("og:url", &scene.url());
    for picture in &good.pictures {
        meta("og:image", &scene.shop.absolute(&picture.full));
    }
    meta("og:description", &good.summary());
    meta("product:price:amount", &good.locale.decimal(good.money.low));
    meta("product:price:currency", good.locale.currency);
    if let Some(brand) = good.brand.filter(|_| good.tells(Facet::Brand)) {
        meta("product:brand", brand);
    }
    if let Some(stock) = good.stock.filter(|_| good.tells(Facet::Stock)) {
        let word = match stock {
            Availability::InStock => "in stock",
            Availability::OutOfStock | Availability::Unknown => "out of stock",
            Availability::Preorder => "preorder",
            Availability::Backorder => "available for order",
            Availability::Discontinued => "discontinued",
        };
        meta("product:availability", word);
    }
    if let Some(condition) = good.condition.filter(|_| good.tells(Facet::Condition)) {
        meta("product:condition", condition.as_str());
    }
    if let Some(sku) = good.sku.as_ref().filter(|_| good.tells(Facet::Sku)) {
        meta("product:retailer_item_id", sku);
    }
    if let Some(gtin) = good.gtin.as_ref().filter(|_| good.tells(Facet::Gtin)) {
        meta("product:ean", gtin);
    }
    let body = if good.layout == 0 { wide(scene) } else { narrow(scene) };
    scene.document(&head, "item", &body)
}

fn gallery(scene: &Scene<'_>) -> String {
    let mut html = String::new();
    for picture in &scene.good.pictures {
        let _ = writeln!(
            html,
            "<li><img src=\"{}\" alt=\"{}\"></li>",
            picture.full,
            escape(&picture.alt)
        );
    }
    format!("<ul class=\"item-photos\">\n{html}</ul>\n")
}

fn buy(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let old = scene.regular().map(|regular| {
        format!("<dt>{}</dt><dd class=\"item-list-price\">{regular}</dd>", scene.words.was)
    });
    let tax = match scene.tax() {
        "" => String::new(),
        tax => format!("({tax})"),
    };
    let stock =
        good.shown_stock().map(|text| format!("<p class=\"item-stock\">{}</p>\n", escape(text)));
    format!(
        "<dl class=\"item-price\">{}<dt>価格</dt><dd><em>{}</em>{tax}</dd></dl>\n{}{}{}{}{}",
        old.unwrap_or_default(),
        scene.price(),
        scene.lures("item-note"),
        scene.selects("item-option"),
        scene.button("item-cart"),
        stock.unwrap_or_default(),
        scene.code_lines("item-code")
    )
}

fn maker(scene: &Scene<'_>) -> String {
    let brand = scene.good.shown_brand();
    brand
        .map(|brand| {
            format!("<p class=\"item-maker\">{}:{}</p>\n", scene.words.brand, escape(brand))
        })
        .unwrap_or_default()
}

fn wide(scene: &Scene<'_>) -> String {
    format!(
        "{}<div class=\"item-left\">{}</div><div class=\"item-right\">\
         <h1 class=\"item-name\">{}</h1>{}{}{}</div>\n<section class=\"item-text\"><h2>{}\
         </h2>{}</section>\n{}{}{}",
        scene.trail(2, "pankuzu"),
        gallery(scene),
        scene.name(),
        maker(scene),
        scene.stars("item-score"),
        buy(scene),
        scene.words.description,
        scene.description(0),
        scene.features("item-points"),
        scene.rows(0, "item-spec"),
        scene.asides()
    )
}

fn narrow(scene: &Scene<'_>) -> String {
    format!(
        "<article class=\"shohin\">{}{}<h1>{}</h1>{}<div class=\"setsumei\">{}</div>\n\
         {}{}{}{}</article>\n{}",
        scene.trail(0, "michi"),
        gallery(scene),
        scene.name(),
        buy(scene),
        scene.description(2),
        scene.rows(1, "shiyou"),
        maker(scene),
        scene.features("tokucho"),
        scene.stars("hyoka"),
        scene.asides()
    )
}
