//! A shop without any structured data: tables, bold type, and the same places every time.

use std::fmt::Write as _;

use crate::shop::markup::escape;
use crate::shop::scene::Scene;

pub(super) fn page(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let mut images = String::new();
    for (at, picture) in good.pictures.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = match at {
            0 => writeln!(
                images,
                "<a href=\"{0}\" target=\"_blank\"><img src=\"{0}\" width=\"400\" alt=\"{1}\">\
                 </a><br>",
                picture.full,
                escape(&picture.alt)
            ),
            _ => writeln!(
                images,
                "<a href=\"{}\"><img src=\"{}\" alt=\"{}\"></a>",
                picture.full,
                picture.thumb,
                escape(&picture.alt)
            ),
        };
    }
    let body = if good.layout == 0 { table(scene, &images) } else { boxes(scene, &images) };
    scene.document("", "", &body)
}

fn price(scene: &Scene<'_>) -> String {
    let tax = scene.tax();
    match scene.regular() {
        Some(regular) => format!(
            "<strike>{regular}</strike> <font color=\"red\"><b>{}</b></font> {tax}",
            scene.price()
        ),
        None => format!("<b>{}</b> {tax}", scene.price()),
    }
}

fn stock(scene: &Scene<'_>) -> String {
    let text = scene.good.shown_stock().map(escape).unwrap_or_default();
    if text.is_empty() { text } else { format!("<span class=\"lager\">{text}</span><br>\n") }
}

fn table(scene: &Scene<'_>, images: &str) -> String {
    let brand = scene.good.shown_brand().map(|brand| {
        format!("<tr><td>{}</td><td>{}</td></tr>\n", scene.words.brand, escape(brand))
    });
    let mut facts = brand.unwrap_or_default();
    for (label, value) in scene.codes().into_iter().chain(scene.notes()) {
        let _ = writeln!(facts, "<tr><td>{label}</td><td>{}</td></tr>", escape(&value));
    }
    format!(
        "{}<table class=\"artikel\"><tr><td valign=\"top\">{images}</td><td valign=\"top\">\
         <h1>{}</h1>\n<p class=\"preis\">{}</p>\n{}{}{}<table class=\"info\">{facts}\
         </table>{}{}</td></tr>\n<tr><td colspan=\"2\" class=\"text\">{}</td></tr>\
         </table>\n{}{}{}",
        scene.trail(2, "pfad"),
        scene.name(),
        price(scene),
        scene.lures("hinweis"),
        stock(scene),
        scene.stars("sterne"),
        scene.selects("auswahl"),
        scene.button("kaufen"),
        scene.description(0),
        scene.features("punkte"),
        scene.rows(0, "daten"),
        scene.asides()
    )
}

fn boxes(scene: &Scene<'_>, images: &str) -> String {
    let brand =
        scene.good.shown_brand().map(|brand| format!("<i class=\"marke\">{}</i>", escape(brand)));
    format!(
        "{}<div id=\"artikel\"><div class=\"kopf\">{}<h1>{}</h1></div>\n\
         <div class=\"bild\">{images}</div>\n<div class=\"kasten\"><div class=\"preis\">{}\
         </div>{}{}{}{}{}</div>\n<div class=\"beschrieb\">{}</div>{}{}{}</div>\n{}",
        scene.trail(1, "wo"),
        brand.unwrap_or_default(),
        scene.name(),
        price(scene),
        scene.lures("klein"),
        stock(scene),
        scene.code_lines("nummer"),
        scene.selects("auswahl"),
        scene.button("kaufen"),
        scene.description(1),
        scene.stars("sterne"),
        scene.rows(1, "tabelle"),
        scene.features("punkte"),
        scene.asides()
    )
}
