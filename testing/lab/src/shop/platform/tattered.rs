//! A shop whose JSON-LD does not parse: commas too many, raw line ends, comments around it,
//! quotes that nobody escaped, entities of HTML. What was meant is plain in each case.

use std::fmt::Write as _;

use serde_json::Value;

use crate::shop::good::Good;
use crate::shop::linked_data;
use crate::shop::markup::escape;
use crate::shop::plan::Facet;
use crate::shop::scene::Scene;

pub(super) fn page(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let value = linked_data::standing(linked_data::whole(scene));
    let head = format!("<script type=\"application/ld+json\">{}</script>\n", torn(&value, good));
    let mut images = String::new();
    for picture in &good.pictures {
        // Writing to a String cannot fail.
        let _ = writeln!(
            images,
            "<a class=\"shot\" href=\"{}\"><img src=\"{}\" alt=\"{}\"></a>",
            picture.full,
            picture.thumb,
            escape(&picture.alt)
        );
    }
    let images = format!("<div class=\"shots\">\n{images}</div>\n");
    let brand = good.shown_brand().map(|brand| format!("<p class=\"maker\">{}</p>", escape(brand)));
    let old = scene.regular().map(|regular| format!("<span class=\"oldprice\">{regular}</span> "));
    let stock =
        good.shown_stock().map(|text| format!("<p class=\"instock-line\">{}</p>", escape(text)));
    // On one template the shop's own name is the first heading.
    let (store, title) = match good.layout {
        0 => (String::new(), format!("<h1 class=\"prodname\">{}</h1>", scene.name())),
        _ => (
            format!("<h1 class=\"storename\">{}</h1>\n", escape(scene.shop.plan.name)),
            format!("<h2 class=\"prodname\">{}</h2>", scene.name()),
        ),
    };
    let buy = format!(
        "<div class=\"buybox\">{}{}{}<p class=\"yourprice\">{}\
         <span class=\"now\">{}</span> {}</p>{}{}{}{}{}</div>\n",
        title,
        brand.unwrap_or_default(),
        scene.stars("prodstars"),
        old.unwrap_or_default(),
        scene.price(),
        scene.tax(),
        scene.lures("fine"),
        stock.unwrap_or_default(),
        scene.selects("pick"),
        scene.button("addbtn"),
        scene.code_lines("prodcode"),
    );
    let text = format!(
        "<div class=\"prodtext\">{}{}</div>\n",
        scene.description(good.layout),
        scene.features("prodbullets")
    );
    let facts = scene.rows(good.layout * 3, "prodspecs");
    let parts = match good.layout {
        0 => [images, buy, text, facts],
        _ => [buy, facts, images, text],
    };
    let body = format!(
        "{store}{}{}{}",
        scene.trail(good.layout, "prodtrail"),
        parts.concat(),
        scene.asides()
    );
    scene.document(&head, "prod", &body)
}

/// The JSON as careless templates leave it.
fn torn(value: &Value, good: &Good) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    match good.number % 7 {
        // A comma after the last member of every object and list.
        0 => text
            .replace("\n}", ",\n}")
            .replace("\"\n  }", "\",\n  }")
            .replace("\"\n  ]", "\",\n  ]"),
        // Line ends within strings.
        1 => text.replace(". ", ".\n"),
        2 => format!("\n<!--\n{text}\n-->\n"),
        3 => format!("\n//<![CDATA[\n{text}\n//]]>\n"),
        // A quote that ends nothing: an inch, and a word in quotes.
        4 if good.shows(Facet::Description) => {
            text.replacen("\"description\": \"", "\"description\": \"The 5\" \"classic\" size. ", 1)
        }
        5 => text.replace('"', "&quot;"),
        _ => text,
    }
}
