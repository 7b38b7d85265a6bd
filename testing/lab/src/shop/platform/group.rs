//! JSON-LD as an array: a `ProductGroup` whose forms are products of their own, with the
//! trail and the shop beside it.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::shop::good::Variant;
use crate::shop::linked_data;
use crate::shop::markup::escape;
use crate::shop::scene::Scene;

pub(super) fn page(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let mut nodes = vec![
        json!({"@context": "https://schema.org", "@type": "Organization",
        "name": scene.shop.plan.name}),
        product(scene),
    ];
    nodes.extend(linked_data::trail(scene).into_iter().map(|mut trail| {
        trail["@context"] = json!("https://schema.org");
        trail
    }));
    let turn = good.number % nodes.len();
    nodes.rotate_left(turn);
    let head = linked_data::script(&Value::Array(nodes));
    let body = if good.layout == 0 { columns(scene) } else { rows(scene) };
    scene.document(&head, "pdp", &body)
}

/// The group with its forms, or one product.
fn product(scene: &Scene<'_>) -> Value {
    let good = scene.good;
    if good.variants.is_empty() {
        return linked_data::standing(linked_data::whole(scene));
    }
    let mut group = linked_data::product(scene);
    group.insert("@type".to_owned(), json!("ProductGroup"));
    group.insert("productGroupID".to_owned(), json!(good.id));
    group.insert("url".to_owned(), json!(scene.url()));
    let by: Vec<String> = match good.axes.is_empty() {
        true => vec!["https://schema.org/engraving".to_owned()],
        false => good
            .axes
            .iter()
            .map(|(label, _)| format!("https://schema.org/{}", label.to_lowercase()))
            .collect(),
    };
    group.insert("variesBy".to_owned(), json!(by));
    let form = |variant: &Variant| {
        let values: Vec<&str> = variant.options.iter().map(|(_, value)| value.as_str()).collect();
        let mut form = json!({"@type": "Product", "productID": variant.id, "sku": variant.sku,
            "name": format!("{} - {}", good.name, values.join(", ")),
            "offers": {"@type": "Offer", "url": format!("{}?variant={}", scene.url(), variant.id),
                "price": linked_data::amount(scene, variant.price),
                "priceCurrency": good.locale.currency,
                "availability": linked_data::stock_term(variant.stock, 0)}});
        if let Some(regular) = variant.regular {
            form["offers"]["priceSpecification"] = json!({"@type": "UnitPriceSpecification",
                "priceType": "https://schema.org/StrikethroughPrice",
                "price": linked_data::amount(scene, regular),
                "priceCurrency": good.locale.currency});
        }
        if !variant.gtin.is_empty() {
            let key = if variant.gtin.len() == 13 { "gtin13" } else { "gtin" };
            form[key] = json!(variant.gtin);
        }
        for (label, value) in &variant.options {
            // Colour and size have names of their own, all else is a property.
            match *label {
                "Color" | "Size" => form[label.to_lowercase()] = json!(value),
                _ => {
                    form["additionalProperty"] =
                        json!([{"@type": "PropertyValue", "name": label, "value": value}]);
                }
            }
        }
        form
    };
    group.insert("hasVariant".to_owned(), good.variants.iter().map(form).collect());
    linked_data::standing(group)
}

fn gallery(scene: &Scene<'_>) -> String {
    let mut html = String::from("<div class=\"pdp-gallery\">\n");
    for picture in &scene.good.pictures {
        // Writing to a String cannot fail.
        let _ = writeln!(
            html,
            "<picture><source srcset=\"{0}\" media=\"(min-width: 800px)\">\
             <img src=\"{1}\" data-zoom-image=\"{0}\" alt=\"{2}\"></picture>",
            picture.full,
            picture.medium,
            escape(&picture.alt)
        );
    }
    html + "</div>\n"
}

fn buy(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let price = match scene.regular() {
        Some(regular) => format!(
            "<span class=\"pdp-price pdp-price--sale\">{}</span> \
             <span class=\"pdp-price--was\">{} {regular}</span>",
            scene.price(),
            scene.words.was
        ),
        None => format!("<span class=\"pdp-price\">{}</span>", coins(scene)),
    };
    let stock = good.shown_stock().map(|text| {
        format!("<div class=\"pdp-stock\" data-test=\"stock\">{}</div>\n", escape(text))
    });
    format!(
        "<div class=\"pdp-buy\">{price}<div class=\"pdp-tax\">{}</div>{}{}{}{}{}</div>\n",
        scene.tax(),
        scene.lures("pdp-fineprint"),
        scene.radios("pdp-options"),
        scene.button("pdp-add"),
        stock.unwrap_or_default(),
        scene.code_lines("pdp-code"),
    )
}

/// The price, on one template with its cents in small type.
fn coins(scene: &Scene<'_>) -> String {
    let price = scene.price();
    match price.rsplit_once('.').filter(|_| scene.good.layout == 1) {
        Some((whole, cents)) => format!(
            "<span class=\"dollars\">{whole}</span><span class=\"point\">.</span>\
             <sup class=\"cents\">{cents}</sup>"
        ),
        None => price,
    }
}

fn title(scene: &Scene<'_>) -> String {
    let brand = scene
        .good
        .shown_brand()
        .map(|brand| format!("<a class=\"pdp-brand\" href=\"/\">{}</a>", escape(brand)));
    format!(
        "<div class=\"pdp-title\">{}<h1>{}</h1>{}</div>\n",
        brand.unwrap_or_default(),
        scene.name(),
        scene.stars("pdp-stars")
    )
}

fn columns(scene: &Scene<'_>) -> String {
    format!(
        "<main>{}{}<div class=\"pdp-right\">{}{}{}</div>\n<section class=\"pdp-about\">\
         <h2>{}</h2>{}</section>\n{}{}</main>\n",
        scene.trail(0, "pdp-crumbs"),
        gallery(scene),
        title(scene),
        buy(scene),
        scene.features("pdp-bullets"),
        scene.words.description,
        scene.description(0),
        scene.rows(0, "pdp-specs"),
        scene.asides()
    )
}

fn rows(scene: &Scene<'_>) -> String {
    format!(
        "<main>{}{}{}<div class=\"pdp-copy\">{}</div>{}{}{}{}</main>\n",
        scene.trail(1, "crumb-line"),
        title(scene),
        gallery(scene),
        scene.description(1),
        buy(scene),
        scene.rows(3, "pdp-table"),
        scene.features("pdp-why"),
        scene.asides()
    )
}
