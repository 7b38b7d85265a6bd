//! Magento 2: microdata in the price box, options and gallery in `x-magento-init`.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use crate::shop::linked_data::{self, Object};
use crate::shop::markup::escape;
use crate::shop::plan::Facet;
use crate::shop::scene::Scene;
use crate::shop::truth::Availability;

pub(super) fn page(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let head = format!(
        "<meta property=\"og:type\" content=\"product\">\n\
         <meta property=\"og:title\" content=\"{}\">\n<meta property=\"og:image\" \
         content=\"{}\">\n<meta property=\"product:price:amount\" content=\"{}\">\n\
         <meta property=\"product:price:currency\" content=\"{}\">\n",
        scene.name(),
        scene.image(),
        good.locale.decimal(good.money.low),
        good.locale.currency
    );
    let product = "itemscope itemtype=\"http://schema.org/Product\"";
    let info = info(scene);
    let media = media(scene);
    let parts = if good.layout == 0 { [media, info] } else { [info, media] };
    let body = format!(
        "<div class=\"breadcrumbs\">{}</div>\n<main id=\"maincontent\" class=\"page-main\">\
         <div class=\"column main\" {product}>\n{}{}</div>{}</main>\n",
        scene.trail(0, "items"),
        parts.concat(),
        details(scene),
        scene.asides()
    );
    scene.document(&head, "catalog-product-view page-layout-1column", &body)
}

fn init(value: &Value) -> String {
    format!("<script type=\"text/x-magento-init\">{}</script>\n", linked_data::embedded(value))
}

fn media(scene: &Scene<'_>) -> String {
    let pictures = &scene.good.pictures;
    let data: Vec<Value> = pictures
        .iter()
        .enumerate()
        .map(|(at, picture)| {
            json!({"thumb": picture.thumb, "img": picture.medium, "full": picture.full,
                   "caption": picture.alt, "position": at + 1, "isMain": at == 0, "type": "image",
                   "videoUrl": null})
        })
        .collect();
    let alt = pictures.first().map(|picture| escape(&picture.alt)).unwrap_or_default();
    let script = json!({"[data-gallery-role=gallery-placeholder]": {"mage/gallery/gallery":
        {"mixins": ["magnifier/magnify"], "data": data, "options": {"nav": "thumbs",
        "loop": true}}}});
    format!(
        "<div class=\"product media\"><div class=\"gallery-placeholder\" \
         data-gallery-role=\"gallery-placeholder\"><img alt=\"{alt}\" itemprop=\"image\" \
         class=\"gallery-placeholder__image\" src=\"{}\"></div>\n{}</div>\n",
        pictures.first().map(|picture| picture.full.as_str()).unwrap_or_default(),
        init(&script)
    )
}

/// The price box, with the old price in a box of its own.
fn prices(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let amount = good.locale.decimal(good.money.data.unwrap_or(good.money.low));
    let mut html = format!(
        "<div class=\"product-info-price\"><div class=\"price-box price-final_price\" \
         data-role=\"priceBox\" data-product-id=\"{}\">",
        good.id
    );
    // Writing to a String cannot fail.
    let _ = write!(
        html,
        "<span class=\"special-price\"><span class=\"price-container price-final_price tax \
         weee\" itemprop=\"offers\" itemscope itemtype=\"http://schema.org/Offer\">\
         <span id=\"product-price-{}\" data-price-amount=\"{amount}\" \
         data-price-type=\"finalPrice\" class=\"price-wrapper\"><span class=\"price\">{}\
         </span></span><meta itemprop=\"price\" content=\"{amount}\">\
         <meta itemprop=\"priceCurrency\" content=\"{}\">",
        good.id,
        scene.price(),
        good.locale.currency
    );
    if let Some(stock) = good.stock.filter(|_| good.tells(Facet::Stock)) {
        let _ = write!(
            html,
            "<link itemprop=\"availability\" href=\"http://schema.org/{}\">",
            stock.term()
        );
    }
    html.push_str("</span></span>\n");
    if let Some(regular) = scene.regular() {
        let _ = writeln!(
            html,
            "<span class=\"old-price\"><span class=\"price-label\">{}</span> \
             <span data-price-type=\"oldPrice\" class=\"price-wrapper\">\
             <span class=\"price\">{regular}</span></span></span>",
            scene.words.was
        );
    }
    let _ = writeln!(html, "</div><span class=\"tax-details\">{}</span></div>", scene.tax());
    html
}

fn info(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let stock = good.shown_stock().map(|text| {
        let class = if good.sells() { "available" } else { "unavailable" };
        format!(
            "<div class=\"stock {class}\" title=\"Availability\"><span>{}</span></div>\n",
            escape(text)
        )
    });
    let mut codes = String::new();
    for (label, value) in scene.codes().into_iter().chain(scene.notes()) {
        let _ = writeln!(
            codes,
            "<div class=\"product attribute sku\"><strong class=\"type\">{label}</strong>\
             <div class=\"value\"{}>{}</div></div>",
            if label == scene.words.sku { " itemprop=\"sku\"" } else { "" },
            escape(&value)
        );
    }
    let brand = match (good.brand, good.shown_brand()) {
        (Some(_), Some(brand)) => {
            format!("<a class=\"amshopby-brand\" itemprop=\"brand\">{}</a>\n", escape(brand))
        }
        (Some(brand), None) => format!("<meta itemprop=\"brand\" content=\"{}\">\n", escape(brand)),
        (None, _) => String::new(),
    };
    let hidden = hidden(scene);
    format!(
        "<div class=\"product-info-main\"><div class=\"page-title-wrapper product\">\
         <h1 class=\"page-title\"><span class=\"base\" data-ui-id=\"page-title-wrapper\" \
         itemprop=\"name\">{}</span></h1></div>\n{brand}{hidden}{}{}{}\
         <div class=\"product-info-stock-sku\">{}{codes}</div>{}\
         <div class=\"product-add-form\"><form id=\"product_addtocart_form\">\
         <div class=\"swatch-opt\" data-role=\"swatch-options\">{}</div>{}{}</form></div>\
         </div>\n",
        scene.name(),
        stars(scene),
        prices(scene),
        scene.lures("product-note"),
        stock.unwrap_or_default(),
        scene.features("usp"),
        scene.selects("super-attribute-select"),
        options(scene),
        scene.button("action primary tocart"),
    )
}

/// What only machines read.
fn hidden(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let mut html = String::new();
    if let (Some(sku), None) = (&good.sku, good.shown_sku()) {
        let _ = writeln!(html, "<meta itemprop=\"sku\" content=\"{}\">", escape(sku));
    }
    if let Some(gtin) = good.gtin.as_ref().filter(|_| good.tells(Facet::Gtin)) {
        let _ = writeln!(html, "<meta itemprop=\"{}\" content=\"{gtin}\">", good.gtin_property());
    }
    if let Some(mpn) = good.mpn.as_ref().filter(|_| good.tells(Facet::Mpn)) {
        let _ = writeln!(html, "<meta itemprop=\"mpn\" content=\"{mpn}\">");
    }
    if good.tells(Facet::Description) && !good.shows(Facet::Description) {
        let _ = writeln!(
            html,
            "<meta itemprop=\"description\" content=\"{}\">",
            escape(&good.text(true))
        );
    }
    html
}

fn stars(scene: &Scene<'_>) -> String {
    let Some(rating) = scene.good.shown_rating() else { return String::new() };
    format!(
        "<div class=\"product-reviews-summary\" itemprop=\"aggregateRating\" itemscope \
         itemtype=\"http://schema.org/AggregateRating\"><div class=\"rating-result\">\
         <span itemprop=\"ratingValue\" content=\"{value}\">{shown}</span>\
         <meta itemprop=\"bestRating\" content=\"5\"></div><a href=\"#reviews\">\
         <span itemprop=\"reviewCount\" content=\"{count}\">{counted}</span></a></div>\n",
        value = rating.value(),
        shown = scene.words.stars.replace("{}", &scene.rated()),
        count = rating.count,
        counted = scene.words.review_count.replace("{}", &rating.count.to_string()),
    )
}

/// The configuration of the swatches.
fn options(scene: &Scene<'_>) -> String {
    let good = scene.good;
    if good.variants.is_empty() {
        return String::new();
    }
    let (mut attributes, mut index, mut prices) = (Object::new(), Object::new(), Object::new());
    let (mut skus, mut salable) = (Object::new(), Vec::new());
    for (axis, (label, values)) in good.axes.iter().enumerate() {
        let options: Vec<Value> = values
            .iter()
            .enumerate()
            .map(|(at, value)| {
                let fits = |options: &[(&str, String)]| {
                    options.iter().any(|(l, v)| l == label && v == value)
                };
                let products: Vec<&str> = good
                    .variants
                    .iter()
                    .filter(|variant| {
                        variant.stock == Availability::InStock && fits(&variant.options)
                    })
                    .map(|variant| variant.id.as_str())
                    .collect();
                json!({"id": option_id(axis, at), "label": value, "products": products})
            })
            .collect();
        let id = (93 + axis * 50).to_string();
        attributes.insert(
            id.clone(),
            json!({"id": id, "code": label.to_lowercase(), "label": label,
            "options": options, "position": axis.to_string()}),
        );
    }
    for variant in &good.variants {
        let mut chosen = Map::new();
        for (axis, (label, values)) in good.axes.iter().enumerate() {
            let value = variant.options.iter().find(|(l, _)| l == label).map(|(_, v)| v.as_str());
            let at = values.iter().position(|known| Some(*known) == value).unwrap_or_default();
            chosen.insert((93 + axis * 50).to_string(), json!(option_id(axis, at)));
        }
        index.insert(variant.id.clone(), Value::Object(chosen));
        let whole = |cents: i64| cents as f64 / 100.0;
        prices.insert(
            variant.id.clone(),
            json!({"oldPrice": {"amount": whole(variant.regular.unwrap_or(variant.price))},
            "basePrice": {"amount": whole(variant.price)},
            "finalPrice": {"amount": whole(variant.price)}, "tierPrices": []}),
        );
        skus.insert(variant.id.clone(), json!(variant.sku));
        if variant.stock == Availability::InStock {
            salable.push(variant.id.clone());
        }
    }
    let config = json!({"attributes": attributes, "template": "£<%- data.price %>",
        "currencyFormat": "£%s",
        "optionPrices": prices, "productId": good.id, "chooseText": scene.words.choose,
        "index": index,
        "sku": skus, "salable": salable, "images": {}});
    init(&json!({"[data-role=swatch-options]": {"Magento_Swatches/js/swatch-renderer":
        {"jsonConfig": config, "jsonSwatchConfig": {}, "mediaCallback": "/swatches/ajax/media/"}}}))
}

fn option_id(axis: usize, at: usize) -> String {
    (40 + axis * 100 + at).to_string()
}

fn details(scene: &Scene<'_>) -> String {
    let words = scene.words;
    let prop = if scene.good.tells(Facet::Description) { " itemprop=\"description\"" } else { "" };
    let text = scene.description(scene.good.layout);
    let text = if text.is_empty() {
        text
    } else {
        format!(
            "<div class=\"product attribute description\"><div class=\"value\"{prop}>{text}\
             </div></div>\n"
        )
    };
    format!(
        "<div class=\"product info detailed\"><div class=\"data item title\">\
         <a class=\"switch\" href=\"#description\">{}</a></div>\
         <div class=\"data item content\" id=\"description\">{text}</div>\n\
         <div class=\"additional-attributes-wrapper\">{}</div></div>\n",
        words.details,
        scene.rows(0, "data table additional-attributes")
    )
}
