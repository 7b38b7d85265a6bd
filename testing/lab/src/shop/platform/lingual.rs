//! A shop in several languages and regions, the same article under each of them.

use std::fmt::Write as _;

use crate::shop::linked_data;
use crate::shop::markup::escape;
use crate::shop::scene::Scene;

pub(super) fn page(scene: &Scene<'_>) -> String {
    let good = scene.good;
    // Half of the pages leave it to the eye.
    let head =
        if good.number.is_multiple_of(2) { linked_data::scripts(scene) } else { meta(scene) };
    let mut images = String::new();
    for picture in &good.pictures {
        // Writing to a String cannot fail.
        let _ = writeln!(
            images,
            "<figure><img src=\"{}\" alt=\"{}\"></figure>",
            picture.full,
            escape(&picture.alt)
        );
    }
    let brand =
        good.shown_brand().map(|brand| format!("<div class=\"label\">{}</div>", escape(brand)));
    let old = scene
        .regular()
        .map(|regular| format!("<span class=\"uvp\">{} {regular}</span>", scene.words.was));
    let stock =
        good.shown_stock().map(|text| format!("<div class=\"ampel\">{}</div>\n", escape(text)));
    let buy = format!(
        "<div class=\"kauf\"><h1>{}</h1>{}{}<div class=\"betrag\">{} {} <small>{}</small>\
         </div>{}{}{}{}{}</div>\n",
        scene.name(),
        brand.unwrap_or_default(),
        scene.stars("noten"),
        scene.price(),
        old.unwrap_or_default(),
        scene.tax(),
        scene.lures("fussnote"),
        stock.unwrap_or_default(),
        scene.selects("wahl"),
        scene.button("in-den-korb"),
        scene.code_lines("nr"),
    );
    let others: String = scene
        .shop
        .twins(good)
        .filter(|twin| scene.shop.names_twins(good) && twin.market != good.market)
        .map(|twin| {
            let (tag, path) = (twin.locale.tag, &twin.path);
            format!("<a hreflang=\"{tag}\" href=\"{path}\">{tag}</a> ")
        })
        .collect();
    let images = format!("<div class=\"galerie\">\n{images}</div>\n");
    let text = format!(
        "<section class=\"langtext\">{}{}</section>\n",
        scene.description(good.layout),
        scene.features("plus")
    );
    let facts = format!(
        "<section><h2>{}</h2>{}</section>\n",
        scene.words.details,
        scene.rows(good.layout, "merkmale")
    );
    let parts = match good.layout {
        0 => [images, buy, text, facts],
        _ => [buy, text, images, facts],
    };
    let body = format!(
        "<p class=\"sprachen\">{others}</p>{}{}{}",
        scene.trail(0, "brotkrumen"),
        parts.concat(),
        scene.asides()
    );
    scene.document(&head, "artikelseite", &body)
}

fn meta(scene: &Scene<'_>) -> String {
    let good = scene.good;
    format!(
        "<meta property=\"og:type\" content=\"product\">\n\
         <meta property=\"og:locale\" content=\"{}\">\n<meta property=\"og:title\" \
         content=\"{}\">\n<meta property=\"product:price:amount\" content=\"{}\">\n\
         <meta property=\"product:price:currency\" content=\"{}\">\n",
        good.locale.tag.replace('-', "_"),
        scene.name(),
        good.locale.decimal(good.money.low),
        good.locale.currency
    )
}
