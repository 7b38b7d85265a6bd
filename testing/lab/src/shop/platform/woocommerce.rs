//! WooCommerce: `data-product_variations`, JSON-LD in an `@graph` beside that of an SEO
//! plugin, prices in nested spans.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::shop::good::{Picture, Variant, slug};
use crate::shop::linked_data;
use crate::shop::markup::escape;
use crate::shop::plan::Facet;
use crate::shop::scene::Scene;
use crate::shop::truth::{Availability, PriceType};

pub(super) fn page(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let plugin = good.number % 3 != 1;
    let head = if plugin { graph(scene) } else { String::new() };
    let class = format!("product-template-default single single-product postid-{}", good.id);
    let mut body = main(scene);
    if !plugin {
        // Without the plugin the platform writes its own, at the end of the page.
        body.push_str(&linked_data::scripts(scene));
    }
    scene.document(&head, &class, &body)
}

/// Page, site and trail around the product, as the plugin writes them.
fn graph(scene: &Scene<'_>) -> String {
    let url = scene.url();
    let mut nodes = vec![
        json!({"@type": "WebPage", "@id": url, "url": url, "name": scene.good.name,
               "isPartOf": {"@id": "#website"}, "inLanguage": scene.good.locale.tag}),
        json!({"@type": "ImageObject", "@id": format!("{url}#primaryimage"), "url": scene.image()}),
        json!({"@type": "WebSite", "@id": "#website", "name": scene.shop.plan.name}),
        json!({"@type": "Organization", "@id": "#organization", "name": scene.shop.plan.name}),
    ];
    nodes.extend(linked_data::trail(scene));
    let mut product = linked_data::whole(scene);
    product.insert("@id".to_owned(), json!(format!("{url}#product")));
    let at = scene.good.number % (nodes.len() + 1);
    nodes.insert(at, Value::Object(product));
    linked_data::script(&json!({"@context": "https://schema.org", "@graph": nodes}))
}

/// A price with the tags that the platform puts around its sign.
pub(super) fn amount(text: &str, symbol: &str) -> String {
    let sign = format!("<span class=\"woocommerce-Price-currencySymbol\">{symbol}</span>");
    format!(
        "<span class=\"woocommerce-Price-amount amount\"><bdi>{}</bdi></span>",
        text.replacen(symbol, &sign, 1)
    )
}

pub(super) fn price(scene: &Scene<'_>) -> String {
    let symbol = scene.good.locale.symbol();
    let money = &scene.good.money;
    match (money.kind, scene.regular()) {
        (PriceType::Range, _) => {
            let (low, high) = (scene.spell(money.low), scene.spell(money.high));
            format!("{} – {}", amount(&low, symbol), amount(&high, symbol))
        }
        (_, Some(regular)) => format!(
            "<del aria-hidden=\"true\">{}</del> <ins>{}</ins>",
            amount(&regular, symbol),
            amount(&scene.price(), symbol)
        ),
        (_, None) => amount(&scene.price(), symbol),
    }
}

fn variations(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let whole = |cents: i64| cents as f64 / 100.0;
    let variation = |variant: &Variant| {
        let attributes: serde_json::Map<String, Value> = variant
            .options
            .iter()
            .map(|(label, value)| (attribute(scene, label), json!(term(scene, value))))
            .collect();
        let available = variant.stock == Availability::InStock;
        let html = format!(
            "<span class=\"price\">{}</span>",
            amount(&scene.spell(variant.price), good.locale.symbol())
        );
        json!({"attributes": attributes, "availability_html": "", "backorders_allowed": false,
            "display_price": whole(variant.price),
            "display_regular_price": whole(variant.regular.unwrap_or(variant.price)),
            "image": {"url": scene.image()}, "is_in_stock": available, "is_purchasable": true,
            "price_html": html, "sku": variant.sku,
            "variation_id": variant.id.parse::<u64>().unwrap_or_default(),
            "variation_is_active": true, "weight": ""})
    };
    let all: Vec<Value> = good.variants.iter().map(variation).collect();
    escape(&Value::Array(all).to_string())
}

/// Attributes of the whole shop have slugs, those of one product have their names.
fn attribute(scene: &Scene<'_>, label: &str) -> String {
    let prefix = if scene.good.number.is_multiple_of(2) { "attribute_pa_" } else { "attribute_" };
    format!("{prefix}{}", slug(label, "form"))
}

fn term(scene: &Scene<'_>, value: &str) -> String {
    if scene.good.number.is_multiple_of(2) { slug(value, "value") } else { value.to_owned() }
}

fn selects(scene: &Scene<'_>) -> String {
    let mut html = String::new();
    for (label, values) in &scene.good.axes {
        let name = attribute(scene, label);
        // Writing to a String cannot fail.
        let _ = write!(
            html,
            "<label for=\"{name}\">{}</label><select id=\"{name}\" name=\"{name}\" \
             data-attribute_name=\"{name}\"><option value=\"\">{}</option>",
            escape(label),
            scene.words.choose
        );
        for value in values {
            let _ = write!(
                html,
                "<option value=\"{}\" class=\"attached enabled\">{}</option>",
                escape(&term(scene, value)),
                escape(value)
            );
        }
        html.push_str("</select>");
    }
    html
}

fn gallery(scene: &Scene<'_>) -> String {
    let slide = |picture: &Picture| {
        format!(
            "<div data-thumb=\"{}\" class=\"woocommerce-product-gallery__image\">\
             <a href=\"{}\"><img src=\"{}\" class=\"wp-post-image\" alt=\"{}\" \
             data-large_image=\"{}\"></a></div>\n",
            picture.thumb,
            picture.full,
            picture.medium,
            escape(&picture.alt),
            picture.full
        )
    };
    let slides: String = scene.good.pictures.iter().map(slide).collect();
    format!(
        "<div class=\"woocommerce-product-gallery images\"><figure>\n{slides}</figure>\
         </div>\n"
    )
}

fn main(scene: &Scene<'_>) -> String {
    let (good, words) = (scene.good, scene.words);
    let stock = good.shown_stock().map(|text| {
        let class = if good.sells() { "in-stock" } else { "out-of-stock" };
        format!("<p class=\"stock {class}\">{}</p>\n", escape(text))
    });
    let form = if good.variants.is_empty() {
        format!(
            "<form class=\"cart\"><input type=\"number\" class=\"qty\" value=\"1\">{}</form>\n",
            scene.button("single_add_to_cart_button button alt")
        )
    } else {
        format!(
            "<form class=\"variations_form cart\" data-product_id=\"{}\" \
             data-product_variations=\"{}\"><table class=\"variations\"><tbody><tr><td>{}</td>\
             </tr></tbody></table>{}</form>\n",
            good.id,
            variations(scene),
            selects(scene),
            scene.button("single_add_to_cart_button button alt")
        )
    };
    let mut meta = String::from("<div class=\"product_meta\">");
    for (label, value) in scene.codes().into_iter().chain(scene.notes()) {
        meta.push_str(&format!(
            "<span class=\"sku_wrapper\">{label}: <span class=\"sku\">{}</span></span>\n",
            escape(&value)
        ));
    }
    if good.shows(Facet::Category) {
        let path = scene.shop.category_path(good.market, good.shelf.0, Some(good.shelf.1));
        let category = escape(scene.shop.category_of(good));
        meta.push_str(&format!(
            "<span class=\"posted_in\"><a href=\"{path}\" rel=\"tag\">{category}</a></span>"
        ));
    }
    if let Some(brand) = good.shown_brand() {
        meta.push_str(&format!(
            " <span class=\"brand\">{}: <span>{}</span></span>",
            words.brand,
            escape(brand)
        ));
    }
    meta.push_str("</div>\n");
    let short = scene.features("short-points");
    let tabs = format!(
        "<div class=\"woocommerce-tabs wc-tabs-wrapper\"><ul class=\"tabs wc-tabs\"><li>\
         <a href=\"#tab-description\">{0}</a></li></ul>\n\
         <div id=\"tab-description\" class=\"woocommerce-Tabs-panel\"><h2>{0}</h2>\n{1}\
         </div>\n<div id=\"tab-additional_information\">{2}</div></div>\n",
        words.description,
        scene.description(good.layout),
        scene.rows(0, "woocommerce-product-attributes shop_attributes"),
    );
    let summary = format!(
        "<div class=\"summary entry-summary\"><h1 class=\"product_title entry-title\">{}\
         </h1>\n{}<p class=\"price\">{}</p>\n<small class=\"tax_label\">{}</small>{}\
         <div class=\"woocommerce-product-details__short-description\">{short}</div>\n\
         {}{form}{meta}</div>\n",
        scene.name(),
        scene.stars("woocommerce-product-rating"),
        price(scene),
        scene.tax(),
        scene.lures("wc-gzd-additional-info"),
        stock.unwrap_or_default(),
    );
    let parts = match good.layout {
        0 => [gallery(scene), summary, tabs],
        _ => [summary, gallery(scene), tabs],
    };
    format!(
        "<div id=\"primary\">{}<div id=\"product-{}\" class=\"product type-product\">\n{}\
         </div>\n{}</div>\n",
        scene.trail(1, "woocommerce-breadcrumb"),
        good.id,
        parts.concat(),
        scene.asides()
    )
}
