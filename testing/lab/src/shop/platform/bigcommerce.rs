//! BigCommerce: `productView`, data attributes on the view, `BCData` in a script.

use std::fmt::Write as _;

use serde_json::json;

use crate::shop::good::Picture;
use crate::shop::linked_data;
use crate::shop::markup::escape;
use crate::shop::plan::Facet;
use crate::shop::scene::Scene;

pub(super) fn page(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let mut head = format!(
        "<meta property=\"product:price:amount\" content=\"{}\">\n\
         <meta property=\"product:price:currency\" content=\"{}\">\n\
         <meta property=\"og:url\" content=\"{}\">\n<meta property=\"og:title\" \
         content=\"{}\">\n<meta property=\"og:type\" content=\"product\">\n\
         <meta property=\"og:image\" content=\"{}\">\n",
        good.locale.decimal(good.money.low),
        good.locale.currency,
        scene.url(),
        scene.name(),
        scene.image()
    );
    if let Some(stock) = good.stock.filter(|_| good.tells(Facet::Stock)) {
        let word = if stock.sells() { "instock" } else { "oos" };
        // Writing to a String cannot fail.
        let _ = writeln!(head, "<meta property=\"og:availability\" content=\"{word}\">");
    }
    let mut body = view(scene);
    body.push_str(&state(scene));
    if good.number.is_multiple_of(3) {
        // The related products first, as an app puts them in.
        body.push_str(&linked_data::related(scene));
    }
    body.push_str(&linked_data::scripts(scene));
    scene.document(&head, "body--product", &body)
}

fn state(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let price = json!({"without_tax": {"formatted": good.money.text,
        "value": good.money.low as f64 / 100.0,
        "currency": good.locale.currency}, "tax_label": "Tax"});
    let in_stock = good.stock.filter(|_| good.tells(Facet::Stock)).map(|stock| stock.sells());
    let data = json!({"product_attributes": {
        "sku": good.sku.as_ref().filter(|_| good.tells(Facet::Sku)),
        "upc": good.gtin.as_ref().filter(|_| good.tells(Facet::Gtin)),
        "mpn": good.mpn.as_ref().filter(|_| good.tells(Facet::Mpn)), "gtin": null, "weight": null,
        "base": true, "image": null, "price": price, "out_of_stock_behavior": "label_option",
        "out_of_stock_message": "Out of stock", "available_modifier_values": [],
        "in_stock_attributes": [],
        "stock": null, "instock": in_stock, "purchasable": in_stock, "purchasing_message": null}});
    format!("<script>var BCData = {};</script>\n", linked_data::embedded(&data))
}

fn gallery(scene: &Scene<'_>) -> String {
    let thumb = |picture: &Picture| {
        format!(
            "<li class=\"productView-thumbnail\"><a class=\"productView-thumbnail-link\" \
             href=\"{0}\" data-image-gallery-zoom-image-url=\"{0}\">\
             <img src=\"{1}\" alt=\"{2}\"></a></li>\n",
            picture.full,
            picture.thumb,
            escape(&picture.alt)
        )
    };
    let thumbs: String = scene.good.pictures.iter().map(thumb).collect();
    let Some(main) = scene.good.pictures.first() else { return String::new() };
    format!(
        "<section class=\"productView-images\" data-image-gallery>\
         <figure class=\"productView-image\" data-zoom-image=\"{0}\"><a href=\"{0}\">\
         <img class=\"productView-image--default\" src=\"{1}\" alt=\"{2}\"></a></figure>\n\
         <ul class=\"productView-thumbnails\">\n{thumbs}</ul></section>\n",
        main.full,
        main.medium,
        escape(&main.alt)
    )
}

fn view(scene: &Scene<'_>) -> String {
    let (good, words) = (scene.good, scene.words);
    let brand = good.shown_brand().map(|brand| {
        format!(
            "<h2 class=\"productView-brand\"><a href=\"{}\"><span>{}</span></a></h2>\n",
            scene.shop.home_path(good.market),
            escape(brand)
        )
    });
    let old = scene.regular().map(|regular| {
        format!(
            "<div class=\"price-section price-section--withoutTax rrp-price--withoutTax\">\
             <span class=\"price price--rrp\">{}: {regular}</span></div>\n",
            words.was
        )
    });
    let saved = good.money.regular.map(|regular| {
        let saved = words.save.replace("{}", &scene.spell(regular - good.money.low));
        format!(
            "<div class=\"price-section price-section--saving\">\
             <span class=\"price price--saving\">({saved})</span></div>\n"
        )
    });
    let mut facts = String::new();
    for (label, value) in scene.codes().into_iter().chain(scene.notes()) {
        let _ = writeln!(
            facts,
            "<dt class=\"productView-info-name\">{label}:</dt>\
             <dd class=\"productView-info-value\">{}</dd>",
            escape(&value)
        );
    }
    if let Some(text) = good.shown_stock() {
        let _ = writeln!(
            facts,
            "<dt class=\"productView-info-name\">Availability:</dt>\
             <dd class=\"productView-info-value\">{}</dd>",
            escape(text)
        );
    }
    let told = format!(
        "data-event-type=\"product\" data-entity-id=\"{}\" data-name=\"{}\" \
         data-product-category=\"{}\" data-product-brand=\"{}\" data-product-price=\"{}\"",
        good.id,
        scene.name(),
        escape(if good.tells(Facet::Category) { scene.shop.category_of(good) } else { "" }),
        escape(good.brand.filter(|_| good.tells(Facet::Brand)).unwrap_or_default()),
        good.locale.decimal(good.money.low)
    );
    let options =
        if good.layout == 0 { scene.radios("form-field") } else { scene.selects("form-select") };
    let text = scene.description(good.layout * 2);
    let tabs = match good.layout {
        0 => format!(
            "<article class=\"productView-description\"><ul class=\"tabs\"><li class=\"tab\">\
             <a href=\"#tab-description\">{}</a></li></ul><div class=\"tab-content\" \
             id=\"tab-description\">{text}</div></article>\n{}",
            words.description,
            scene.rows(1, "productView-info custom")
        ),
        _ => format!(
            "<section class=\"accordion\"><h3>{}</h3>{}<h3>{}</h3>\
             <div class=\"accordion-content\" id=\"description\">{text}</div></section>\n",
            words.details,
            scene.rows(3, "spec"),
            words.description
        ),
    };
    format!(
        "{trail}<div class=\"productView\" {told}>\n{gallery}\
         <section class=\"productView-details product-data\">\
         <div class=\"productView-product\">{brand}<h1 class=\"productView-title\">{name}\
         </h1>\n<div class=\"productView-price\">{old}<div class=\"price-section \
         price-section--withoutTax\"><span data-product-price-without-tax class=\"price \
         price--withoutTax\">{price}</span></div>\n{saved}</div>{tax}{stars}\
         <dl class=\"productView-info\">\n{facts}</dl></div>{lures}</section>\n\
         <section class=\"productView-options\"><form>{options}{button}</form>{features}\
         </section>\n{tabs}</div>\n{asides}",
        trail = scene.trail(0, "breadcrumbs"),
        gallery = gallery(scene),
        brand = brand.unwrap_or_default(),
        name = scene.name(),
        old = old.unwrap_or_default(),
        price = scene.price(),
        saved = saved.unwrap_or_default(),
        tax = scene.tax(),
        stars = scene.stars("productView-rating"),
        lures = scene.lures("productView-note"),
        button = scene.button("button button--primary"),
        features = scene.features("highlights"),
        asides = scene.asides(),
    )
}
