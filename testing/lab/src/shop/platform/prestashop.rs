//! PrestaShop: the product as JSON in `data-product`, microdata in one template and
//! JSON-LD in the other.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::shop::good::Picture;
use crate::shop::linked_data;
use crate::shop::markup::{description, escape};
use crate::shop::plan::Facet;
use crate::shop::scene::Scene;

pub(super) fn page(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let mut head = format!(
        "<meta property=\"og:type\" content=\"product\">\n\
         <meta property=\"og:url\" content=\"{}\">\n<meta property=\"og:title\" \
         content=\"{}\">\n<meta property=\"og:image\" content=\"{}\">\n\
         <meta property=\"product:pretax_price:amount\" content=\"{}\">\n\
         <meta property=\"product:pretax_price:currency\" content=\"{cur}\">\n\
         <meta property=\"product:price:amount\" content=\"{}\">\n\
         <meta property=\"product:price:currency\" content=\"{cur}\">\n",
        scene.url(),
        scene.name(),
        scene.image(),
        // Without 20 % VAT: not what the buyer pays.
        good.locale.decimal(good.money.low * 100 / 120),
        good.locale.decimal(good.money.low),
        cur = good.locale.currency,
    );
    if good.layout == 0 {
        head.push_str(&linked_data::scripts(scene));
    }
    let body = format!(
        "<section id=\"wrapper\"><div class=\"container\">{}<section id=\"main\"{}>\n{}\
         </section>{}</div></section>\n",
        scene.trail(0, "breadcrumb"),
        if good.layout == 1 { " itemscope itemtype=\"https://schema.org/Product\"" } else { "" },
        main(scene),
        scene.asides(),
    );
    scene.document(&head, &format!("lang-fr product-id-{}", good.id), &body)
}

/// The product as the platform gives it to its scripts.
fn state(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let image = |picture: &Picture| {
        json!({"bySize": {"home_default": {"url": picture.medium},
        "large_default": {"url": picture.full}},
               "legend": picture.alt, "cover": null})
    };
    let features: Vec<Value> =
        good.attributes.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
    let text = if good.blocks.is_empty() { String::new() } else { description(&good.blocks, 0) };
    let condition = good.condition.filter(|_| good.tells(Facet::Condition));
    let condition = condition.map(|condition| condition.as_str());
    let sells = good.stock.filter(|_| good.tells(Facet::Stock)).map(|stock| stock.sells());
    let category = good.tells(Facet::Category).then(|| scene.shop.category_of(good));
    let data = json!({"id_shop_default": "1", "id_manufacturer": "4", "id_product": good.id,
        "reference": good.sku.as_ref().filter(|_| good.tells(Facet::Sku)),
        "ean13": good.gtin.as_ref().filter(|_| good.tells(Facet::Gtin)).map_or("",
        String::as_str), "isbn": "", "upc": "",
        "mpn": good.mpn.as_ref().filter(|_| good.tells(Facet::Mpn)).map_or("", String::as_str),
        "condition": condition,
        "name": good.name, "description": text, "description_short": "",
        "category_name": category,
        "price": good.money.text, "price_amount": good.money.low as f64 / 100.0,
        "price_tax_exc": good.money.low as f64 / 120.0,
        "regular_price": good.money.regular_text,
        "regular_price_amount": good.money.regular.map(|cents| cents as f64 / 100.0),
        "has_discount": good.money.regular.is_some(),
        "quantity": sells.map(|sells| if sells { 14 } else { 0 }),
        "allow_oosp": 0, "available_for_order": "1", "minimal_quantity": 1,
        "availability": sells.map(|sells| if sells { "available" } else { "unavailable" }),
        "tax_name": "TVA FR 20%", "rate": 20,
        "features": features, "images": good.pictures.iter().map(image).collect::<Vec<_>>(),
        "attributes": {}, "customization_required": false});
    escape(&data.to_string())
}

fn main(scene: &Scene<'_>) -> String {
    let (good, words) = (scene.good, scene.words);
    let item =
        |prop: &str| if good.layout == 1 { format!(" itemprop=\"{prop}\"") } else { String::new() };
    let mut price = "<div class=\"product-prices\">".to_string();
    if let Some(regular) = scene.regular() {
        // Writing to a String cannot fail.
        let _ = writeln!(
            price,
            "<div class=\"product-discount\"><span class=\"regular-price\">{regular}</span>\
             </div>"
        );
    }
    let cents = good.money.data.unwrap_or(good.money.low);
    let stock = good.stock.filter(|_| good.tells(Facet::Stock)).map(|stock| {
        format!("<link itemprop=\"availability\" href=\"https://schema.org/{}\">", stock.term())
    });
    let (offer, told) = match good.layout {
        1 => (
            " itemprop=\"offers\" itemscope itemtype=\"https://schema.org/Offer\"",
            format!(
                "<meta itemprop=\"priceCurrency\" content=\"{}\">{}",
                good.locale.currency,
                stock.unwrap_or_default()
            ),
        ),
        _ => ("", String::new()),
    };
    let content = if good.layout == 1 {
        format!(" itemprop=\"price\" content=\"{}\"", good.locale.decimal(cents))
    } else {
        String::new()
    };
    let _ = write!(
        price,
        "<div class=\"product-price h5\"{offer}>{told}<div class=\"current-price\">\
         <span{content} class=\"current-price-value\">{}</span></div></div>\n\
         <div class=\"tax-shipping-delivery-label\">{}</div>{}</div>\n",
        scene.price(),
        scene.tax(),
        scene.lures("product-note")
    );
    let stock = good.shown_stock().map(|text| {
        let icon = if good.sells() { "product-available" } else { "product-unavailable" };
        format!(
            "<span id=\"product-availability\"><i class=\"material-icons {icon}\"></i> {}\
             </span>\n",
            escape(text)
        )
    });
    let brand = good.shown_brand().map(|brand| {
        format!(
            "<div class=\"product-manufacturer\"><label class=\"label\">{}</label> <span{}>{}\
             </span></div>\n",
            words.brand,
            item("brand"),
            escape(brand)
        )
    });
    let mut codes = String::new();
    for (label, value) in scene.codes().into_iter().chain(scene.notes()) {
        let prop = if label == words.sku { item("sku") } else { String::new() };
        let _ = writeln!(
            codes,
            "<div class=\"product-reference\"><label class=\"label\">{label}</label> \
             <span{prop}>{}</span></div>",
            escape(&value)
        );
    }
    format!(
        "<div class=\"row product-container\"><div class=\"col-md-6\">{gallery}</div>\
         <div class=\"col-md-6\"><h1 class=\"h1\"{named}>{name}</h1>\n{price}{features}\
         <div class=\"product-actions\"><form>{options}{button}{stock}</form></div></div>\
         </div>\n<div class=\"tabs\"><div class=\"tab-pane\" id=\"description\">\
         <div class=\"product-description\">{text}</div></div>\n\
         <div class=\"tab-pane\" id=\"product-details\" data-product=\"{state}\" \
         role=\"tabpanel\">{brand}{codes}<section class=\"product-features\">\
         <h3 class=\"h6\">{details}</h3>{rows}</section></div></div>\n{stars}",
        gallery = gallery(scene),
        named = item("name"),
        name = scene.name(),
        features = scene.features("points-forts"),
        options = scene.selects("form-control-select"),
        button = scene.button("btn btn-primary add-to-cart"),
        stock = stock.unwrap_or_default(),
        text = scene.description(good.layout),
        state = state(scene),
        brand = brand.unwrap_or_default(),
        details = words.details,
        rows = scene.rows(1, "data-sheet"),
        stars = scene.stars("comments-note"),
    )
}

fn gallery(scene: &Scene<'_>) -> String {
    let mut html = String::from("<div class=\"images-container\">");
    let prop = if scene.good.layout == 1 { " itemprop=\"image\"" } else { "" };
    if let Some(cover) = scene.good.pictures.first() {
        let _ = writeln!(
            html,
            "<div class=\"product-cover\"><img class=\"js-qv-product-cover\" src=\"{}\" \
             alt=\"{}\"{prop}></div>",
            cover.full,
            escape(&cover.alt)
        );
    }
    html.push_str("<ul class=\"product-images\">\n");
    for picture in &scene.good.pictures {
        let _ = writeln!(
            html,
            "<li class=\"thumb-container\"><img class=\"thumb\" data-image-medium-src=\"{}\" \
             data-image-large-src=\"{}\" src=\"{}\" alt=\"{}\"></li>",
            picture.medium,
            picture.full,
            picture.thumb,
            escape(&picture.alt)
        );
    }
    html.push_str("</ul></div>\n");
    html
}
