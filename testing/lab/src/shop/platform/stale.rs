//! A shop whose JSON-LD is older than its page: caches and plugins that know nothing of
//! the sale. The price that the buyer sees is the price.

use std::fmt::Write as _;

use super::woocommerce;
use crate::shop::linked_data;
use crate::shop::markup::escape;
use crate::shop::scene::Scene;

pub(super) fn page(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let amount = good.locale.decimal(good.money.data.unwrap_or(good.money.low));
    let head = format!(
        "{}<meta property=\"product:price:amount\" content=\"{amount}\">\n\
         <meta property=\"product:price:currency\" content=\"{}\">\n",
        linked_data::scripts(scene),
        good.locale.currency
    );
    let mut images = String::new();
    for picture in &good.pictures {
        // Writing to a String cannot fail.
        let _ = writeln!(
            images,
            "<div class=\"flickity-cell\"><a href=\"{}\"><img src=\"{}\" alt=\"{}\"></a></div>",
            picture.full,
            picture.medium,
            escape(&picture.alt)
        );
    }
    let images = format!("<div class=\"product-images\">\n{images}</div>\n");
    let brand = good
        .shown_brand()
        .map(|brand| format!("<span class=\"pwb-brand\">{}</span>", escape(brand)));
    let stock = good.shown_stock().map(|text| format!("<p class=\"stock\">{}</p>\n", escape(text)));
    let buy = format!(
        "<div class=\"product-summary\">{}<h1 class=\"product-title\">{}</h1>{}\
         <div class=\"price-wrapper\"><p class=\"price product-page-price\">{}</p>\
         </div>{}{}{}{}{}{}</div>\n",
        brand.unwrap_or_default(),
        scene.name(),
        scene.stars("star-rating"),
        woocommerce::price(scene),
        scene.tax(),
        scene.lures("klarna"),
        stock.unwrap_or_default(),
        scene.selects("variation"),
        scene.button("single_add_to_cart_button"),
        scene.code_lines("sku_wrapper"),
    );
    let text = format!(
        "<div class=\"panel\" id=\"about\">{}</div>\n{}",
        scene.description(good.layout),
        scene.features("ticks")
    );
    let facts = format!(
        "<div class=\"panel\" id=\"facts\">{}</div>\n",
        scene.rows(good.layout * 3, "facts")
    );
    let parts = match good.layout {
        0 => [images, buy, text, facts],
        _ => [buy, images, facts, text],
    };
    let body = format!(
        "<div class=\"shop-container\">{}{}{}</div>\n",
        scene.trail(1, "breadcrumbs uppercase"),
        parts.concat(),
        scene.asides()
    );
    scene.document(&head, "single-product", &body)
}
