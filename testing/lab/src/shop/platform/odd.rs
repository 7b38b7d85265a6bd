//! A shop with wrong data: prices of nought and below, currencies nobody knows, numbers
//! that fail their check, and pages whose data is about another product.

use std::fmt::Write as _;

use crate::shop::linked_data;
use crate::shop::markup::escape;
use crate::shop::scene::Scene;

pub(super) fn page(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let head = linked_data::scripts(scene);
    let mut images = String::new();
    for picture in &good.pictures {
        // Writing to a String cannot fail.
        let _ = writeln!(
            images,
            "<img class=\"pic\" src=\"{}\" alt=\"{}\">",
            picture.full,
            escape(&picture.alt)
        );
    }
    let brand =
        good.shown_brand().map(|brand| format!("<span class=\"by\">{}</span>", escape(brand)));
    let price = match scene.regular() {
        Some(regular) => format!("<div class=\"amount\"><s>{regular}</s> {}</div>", scene.price()),
        None => format!("<div class=\"amount\">{}</div>", scene.price()),
    };
    let stock =
        good.shown_stock().map(|text| format!("<div class=\"avail\">{}</div>\n", escape(text)));
    let top = format!(
        "<div class=\"top\"><h1>{}</h1>{}{price}<em>{}</em>{}{}{}{}{}{}</div>\n",
        scene.name(),
        brand.unwrap_or_default(),
        scene.tax(),
        scene.stars("rated"),
        scene.lures("terms"),
        scene.selects("kind"),
        scene.button("buy"),
        stock.unwrap_or_default(),
        scene.code_lines("ref"),
    );
    let text = format!("<div class=\"body-text\">{}</div>\n", scene.description(good.layout));
    let facts = format!("{}{}", scene.features("pros"), scene.rows(good.layout, "sheet"));
    let images = format!("<div class=\"pics\">\n{images}</div>\n");
    let parts = match good.layout {
        0 => [images, top, text, facts],
        _ => [top, images, facts, text],
    };
    let body =
        format!("{}{}{}", scene.trail(good.layout, "crumbs"), parts.concat(), scene.asides());
    scene.document(&head, "object", &body)
}
