//! A headless shop of Next.js: all is in `__NEXT_DATA__`, class names are hashed.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::shop::good::Variant;
use crate::shop::linked_data;
use crate::shop::markup::escape;
use crate::shop::plan::Facet;
use crate::shop::scene::Scene;

pub(super) fn page(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let mut head = format!(
        "<meta property=\"og:title\" content=\"{}\">\n<meta property=\"og:image\" \
         content=\"{}\">\n",
        scene.name(),
        scene.image()
    );
    if good.number.is_multiple_of(4) {
        head.push_str(&linked_data::scripts(scene));
    }
    let body = format!(
        "<div id=\"__next\"><main class=\"Product_main__Qx7\">{}</main></div>\n\
         <script id=\"__NEXT_DATA__\" type=\"application/json\">{}</script>\n\
         <script src=\"/_next/static/chunks/main-4d.js\" defer></script>\n",
        if good.layout == 0 { split(scene) } else { stacked(scene) },
        linked_data::embedded(&state(scene))
    );
    scene.document(&head, "__className_a1", &body)
}

/// The product as the backend of a headless shop hands it over.
pub(super) fn item(scene: &Scene<'_>) -> Value {
    let good = scene.good;
    let shop = scene.shop;
    let amount =
        |cents: i64| json!({"value": cents as f64 / 100.0, "currency": good.locale.currency});
    let told = |facet: Facet| good.tells(facet);
    let variant = |variant: &Variant| {
        let options: Vec<Value> = variant
            .options
            .iter()
            .map(|(label, value)| json!({"name": label, "value": value}))
            .collect();
        json!({"id": variant.id, "sku": variant.sku, "options": options,
        "price": amount(variant.price),
               "compareAtPrice": variant.regular.map(amount),
               "availability": variant.stock.term(), "ean": variant.gtin})
    };
    let images: Vec<Value> = good
        .pictures
        .iter()
        .map(|picture| json!({"url": picture.full, "alt": picture.alt, "width": 1200}))
        .collect();
    let crumbs: Vec<Value> = shop
        .trail(good)
        .into_iter()
        .map(|(name, path)| json!({"name": name, "path": path}))
        .collect();
    let rows: Vec<Value> = super::rows(shop, good)
        .into_iter()
        .map(|(name, value)| json!({"name": name, "value": value}))
        .collect();
    json!({"id": good.id, "name": good.name, "slug": good.path.rsplit('/').next(),
        "brand": good.brand.filter(|_| told(Facet::Brand)).map(|brand| json!({"name": brand})),
        "sku": good.sku.as_ref().filter(|_| told(Facet::Sku)),
        "mpn": good.mpn.as_ref().filter(|_| told(Facet::Mpn)),
        "gtin": good.gtin.as_ref().filter(|_| told(Facet::Gtin)),
        "description": told(Facet::Description).then(|| good.text(true)),
        "price": amount(good.money.low), "compareAtPrice": good.money.regular.map(amount),
        "availability": good.stock.filter(|_| told(Facet::Stock)).map(|stock| stock.term()),
        "images": images, "breadcrumbs": if told(Facet::Trail) { crumbs } else { Vec::new() },
        "attributes": rows, "features": good.features,
        "rating": good.rating.filter(|_| told(Facet::Rating))
            .map(|rating| json!({"average": f64::from(rating.tenths) / 10.0,
                "count": rating.count})),
        "variants": good.variants.iter().map(variant).collect::<Vec<_>>()})
}

fn state(scene: &Scene<'_>) -> Value {
    let good = scene.good;
    // Teasers lie beside the product and look like it.
    let teasers: Vec<Value> = scene
        .shop
        .goods
        .iter()
        .skip(good.number % 7)
        .filter(|other| other.number != good.number)
        .take(3)
        .map(|other| {
            json!({"id": other.id, "name": other.name, "slug": other.path.rsplit('/').next(),
                   "price": {"value": other.money.low as f64 / 100.0,
                   "currency": other.locale.currency}})
        })
        .collect();
    let slug: Vec<&str> = good.path.trim_start_matches('/').split('/').collect();
    json!({"props": {"pageProps": {"locale": good.locale.tag, "navigation": [{"title": "Rea",
    "href": "/rea"}],
            "recommendations": teasers, "product": item(scene)}, "__N_SSP": true},
        "page": "/[...slug]", "query": {"slug": slug},
        "buildId": "k3Jf0", "isFallback": false, "gssp": true})
}

fn gallery(scene: &Scene<'_>) -> String {
    let mut html = String::from("<div class=\"Gallery_root__9a\">\n");
    for picture in &scene.good.pictures {
        let _ = writeln!(
            html,
            "<img alt=\"{}\" loading=\"lazy\" decoding=\"async\" srcset=\"{} 1x, {} 2x\" \
             src=\"{}\">",
            escape(&picture.alt),
            picture.medium,
            picture.full,
            picture.full
        );
    }
    html.push_str("</div>\n");
    html
}

fn box_of(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let brand =
        good.shown_brand().map(|brand| format!("<p class=\"Buy_brand__2f\">{}</p>", escape(brand)));
    let old = scene.regular().map(|regular| format!("<del class=\"Buy_was__1c\">{regular}</del>"));
    let stock = good
        .shown_stock()
        .map(|text| format!("<p class=\"Buy_stock__8e\"><i></i>{}</p>\n", escape(text)));
    format!(
        "<div class=\"Buy_root__5d\">{}<h1 class=\"Buy_title__0z\">{}</h1>{}\
         <div class=\"Buy_price__7k\"><span>{}</span>{}<small>{}</small></div>\n{}{}{}{}{}\
         </div>\n",
        brand.unwrap_or_default(),
        scene.name(),
        scene.stars("Stars_root__4"),
        scene.price(),
        old.unwrap_or_default(),
        scene.tax(),
        scene.lures("Buy_note__3"),
        scene.radios("Swatch_root__6"),
        scene.button("Button_root__a1 Button_primary__b2"),
        stock.unwrap_or_default(),
        scene.code_lines("Buy_code__1"),
    )
}

fn split(scene: &Scene<'_>) -> String {
    format!(
        "{}<div class=\"Grid_two__1\">{}{}</div>\n{}<section class=\"Text_root__2\"><h2>{}\
         </h2>{}</section>\n<section><h2>{}</h2>{}</section>\n{}",
        scene.trail(0, "Crumbs_root__3"),
        gallery(scene),
        box_of(scene),
        scene.features("Usp_root__4"),
        scene.words.description,
        scene.description(0),
        scene.words.details,
        scene.rows(1, "Spec_root__5"),
        scene.asides()
    )
}

fn stacked(scene: &Scene<'_>) -> String {
    format!(
        "{}{}{}<div class=\"Panel_root__1\" data-open=\"true\"><div>{}</div>{}</div>\n{}{}",
        scene.trail(2, "Crumbs_flat__8"),
        box_of(scene),
        gallery(scene),
        scene.description(2),
        scene.features("Usp_list__2"),
        scene.rows(3, "Facts_root__7"),
        scene.asides()
    )
}
