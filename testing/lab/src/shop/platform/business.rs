//! A catalogue for businesses: net prices, prices on request (with and without one in the
//! data), scales of prices, and a seller who wants to be called.

use std::fmt::Write as _;

use crate::shop::good::Picture;
use crate::shop::linked_data;
use crate::shop::markup::escape;
use crate::shop::scene::Scene;

pub(super) fn page(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let head = linked_data::scripts(scene);
    let image = |picture: &Picture| {
        format!(
            "<a data-lightbox=\"teile\" href=\"{}\"><img src=\"{}\" alt=\"{}\"></a>\n",
            picture.full,
            picture.medium,
            escape(&picture.alt)
        )
    };
    let images: String = good.pictures.iter().map(image).collect();
    let title = format!(
        "<div class=\"titel\"><h1>{}</h1>{}{}</div>\n",
        scene.name(),
        scene.code_lines("artikelnr"),
        scene.stars("bewertung")
    );
    let text = format!(
        "<div class=\"reiter\" id=\"beschreibung\"><h3>{}</h3>{}</div>\n",
        scene.words.description,
        scene.description(good.layout)
    );
    let facts = format!(
        "<div class=\"reiter\" id=\"daten\"><h3>{}</h3>{}{}</div>\n",
        scene.words.details,
        scene.rows(good.layout, "technik"),
        scene.features("vorteile")
    );
    let images = format!("<div class=\"abbildung\">{images}</div>\n");
    let parts = match good.layout {
        0 => [images, title, order(scene), text, facts],
        _ => [title, facts, order(scene), images, text],
    };
    let body = format!(
        "{}<article class=\"produktseite\">\n{}</article>\n<div class=\"ansprechpartner\">\
         <p>{}</p><a href=\"{}\">{}</a></div>\n{}",
        scene.trail(0, "pfad"),
        parts.concat(),
        scene.words.street,
        scene.shop.info_path(good.market, crate::shop::Info::Contact),
        scene.words.contact,
        scene.asides()
    );
    scene.document(&head, "produkt", &body)
}

fn order(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let brand = good.shown_brand().map(|brand| {
        format!("<p class=\"hersteller\">{}: {}</p>\n", scene.words.brand, escape(brand))
    });
    let stock =
        good.shown_stock().map(|text| format!("<p class=\"verfuegbar\">{}</p>\n", escape(text)));
    let mut html = format!("<div class=\"bestellbox\">{}", brand.unwrap_or_default());
    // Writing to a String cannot fail.
    let _ = if !good.money.is_sum() {
        writeln!(html, "<p class=\"anfrage\">{}</p>", scene.price())
    } else {
        let old = scene
            .regular()
            .map(|regular| format!("<span class=\"alt\">{} {regular}</span> ", scene.words.was));
        write!(
            html,
            "<p class=\"netto\">{}<strong>{}</strong> {}</p>\n{}",
            old.unwrap_or_default(),
            scene.price(),
            scene.tax(),
            scale(scene)
        )
    };
    let _ = writeln!(
        html,
        "{}{}{}{}</div>",
        scene.lures("hinweis"),
        stock.unwrap_or_default(),
        scene.selects("ausfuehrung"),
        scene.button("aktion")
    );
    html
}

/// What it costs by the hundred.
fn scale(scene: &Scene<'_>) -> String {
    if !scene.draw(31).chance(40) {
        return String::new();
    }
    let low = scene.good.money.low;
    format!(
        "<table class=\"staffel\"><tr><td>100</td><td>{}</td></tr><tr><td>500</td><td>{}\
         </td></tr></table>\n",
        scene.spell(low * 9 / 10),
        scene.spell(low * 8 / 10)
    )
}
