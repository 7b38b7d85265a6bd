//! A marketplace: one product, many sellers, an `AggregateOffer` over all of them. The
//! buyer sees the offer in the buy box.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::draw::Draw;
use crate::shop::good::{Picture, Trouble};
use crate::shop::linked_data;
use crate::shop::markup::escape;
use crate::shop::plan::Facet;
use crate::shop::scene::Scene;

const MERCHANTS: [&str; 6] = [
    "Sri Balaji Traders",
    "Royal Retail",
    "Omkar Agencies",
    "City Wholesale",
    "Lakshmi Stores",
    "Prime Kart",
];

/// The one in the buy box.
pub(in crate::shop) fn merchant(draw: &mut Draw) -> &'static str {
    draw.pick(&MERCHANTS)
}

/// The other offers: merchant and price, none lower than that of the buy box.
fn others(scene: &Scene<'_>) -> Vec<(String, i64)> {
    let mut draw = scene.draw(30);
    let count = if scene.good.trouble == Trouble::HundredOffers { 99 } else { draw.between(2, 7) };
    let low = scene.good.money.low;
    let offer = |n: usize| {
        let name = match n / MERCHANTS.len() {
            0 => MERCHANTS[n].to_owned(),
            round => format!("{} {}", MERCHANTS[n % MERCHANTS.len()], round + 1),
        };
        (name, low + low / 100 * draw.between(1, 30) as i64 / 100 * 100 + 100)
    };
    let offers = (0..count).map(offer);
    offers.filter(|(name, _)| Some(name) != scene.good.seller.as_ref()).collect()
}

pub(super) fn page(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let others = others(scene);
    let mut object = linked_data::product(scene);
    let stock = good.stock.filter(|_| good.tells(Facet::Stock));
    let stock = stock.map(|stock| linked_data::stock_term(stock, 1));
    let one = |name: &str, cents: i64| {
        json!({"@type": "Offer", "price": linked_data::amount(scene, cents),
        "priceCurrency": good.locale.currency,
               "availability": stock,
               "seller": {"@type": "Organization", "name": name}})
    };
    let mut offers: Vec<Value> = others.iter().map(|(name, cents)| one(name, *cents)).collect();
    let place = good.number % (offers.len() + 1);
    offers.insert(place, one(good.seller.as_deref().unwrap_or_default(), good.money.low));
    let high = others.iter().map(|(_, cents)| *cents).max().unwrap_or(good.money.low);
    object.insert(
        "offers".to_owned(),
        json!({"@type": "AggregateOffer", "lowPrice": linked_data::amount(scene, good.money.low),
               "highPrice": linked_data::amount(scene, high), "offerCount": offers.len(),
               "priceCurrency": good.locale.currency, "offers": offers}),
    );
    let mut head = linked_data::script(&linked_data::standing(object));
    if let Some(trail) = linked_data::trail(scene) {
        head.push_str(&linked_data::script(&trail));
    }
    let parts = match good.layout {
        0 => [gallery(scene), buy_box(scene), about(scene), sellers(scene, &others)],
        _ => [buy_box(scene), gallery(scene), sellers(scene, &others), about(scene)],
    };
    let body = format!(
        "{}<div id=\"dp\">\n{}</div>\n{}",
        scene.trail(2, "wayfinding"),
        parts.concat(),
        scene.asides()
    );
    scene.document(&head, "dp-page", &body)
}

fn gallery(scene: &Scene<'_>) -> String {
    let slide = |picture: &Picture| {
        format!(
            "<li class=\"image item\"><img src=\"{}\" data-old-hires=\"{}\" alt=\"{}\"></li>\n",
            picture.medium,
            picture.full,
            escape(&picture.alt)
        )
    };
    let slides: String = scene.good.pictures.iter().map(slide).collect();
    format!("<ul id=\"imageBlock\">\n{slides}</ul>\n")
}

fn buy_box(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let brand = good.shown_brand().map(|brand| {
        format!("<a id=\"bylineInfo\" href=\"/\">{}: {}</a>", scene.words.brand, escape(brand))
    });
    let old =
        scene.regular().map(|regular| format!("<div class=\"mrp\">M.R.P.: <s>{regular}</s></div>"));
    let saved = good.money.regular.map(|regular| {
        format!(
            "<div class=\"save\">{}</div>",
            scene.words.save.replace("{}", &scene.spell(regular - good.money.low))
        )
    });
    let stock = good
        .shown_stock()
        .map(|text| format!("<div id=\"availability\"><span>{}</span></div>\n", escape(text)));
    format!(
        "<div id=\"centerCol\"><h1 id=\"title\"><span id=\"productTitle\">{}</span>\
         </h1>{}{}</div>\n<div id=\"buybox\">{}<div class=\"priceToPay\">\
         <span class=\"offscreen\">{}</span></div>{}<div class=\"tax\">{}</div>{}{}{}{}\
         <div class=\"merchant\">{}</div></div>\n",
        scene.name(),
        brand.unwrap_or_default(),
        scene.stars("averageCustomerReviews"),
        old.unwrap_or_default(),
        scene.price(),
        saved.unwrap_or_default(),
        scene.tax(),
        scene.lures("emi"),
        stock.unwrap_or_default(),
        scene.selects("twister"),
        scene.button("a-button-primary"),
        scene.code_lines("tabular-buybox-text"),
    )
}

fn about(scene: &Scene<'_>) -> String {
    format!(
        "<div id=\"feature-bullets\">{}</div>\n<div id=\"productDescription\"><h2>{}</h2>{}\
         </div>\n<div id=\"prodDetails\">{}</div>\n",
        scene.features("a-unordered-list"),
        scene.words.description,
        scene.description(scene.good.layout),
        scene.rows(0, "prodDetTable")
    )
}

/// Everybody else who sells it, with prices that are not the price.
fn sellers(scene: &Scene<'_>, others: &[(String, i64)]) -> String {
    let mut html = String::from("<div id=\"other-sellers\"><table>\n");
    for (name, cents) in others {
        // Writing to a String cannot fail.
        let _ = writeln!(
            html,
            "<tr><td class=\"olp-price\">{}</td><td>{} {}</td><td><a href=\"{}\">{}</a></td></tr>",
            scene.spell(*cents),
            scene.words.sold_by,
            escape(name),
            scene.shop.cart_path(scene.good.market),
            scene.words.add_to_cart
        );
    }
    html + "</table></div>\n"
}
