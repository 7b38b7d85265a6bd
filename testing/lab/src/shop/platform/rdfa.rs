//! A shop that marks its pages with RDFa: plain names in one template, prefixed ones in
//! the other.

use std::fmt::Write as _;

use crate::shop::markup::escape;
use crate::shop::plan::Facet;
use crate::shop::scene::Scene;

/// How the names of a template are spelled.
struct Names {
    prefix: &'static str,
}

impl Names {
    fn of(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// A value that only machines read.
    fn meta(&self, name: &str, value: &str) -> String {
        format!("<meta property=\"{}\" content=\"{}\">\n", self.of(name), escape(value))
    }

    /// The attribute, where the data has the fact.
    fn told(&self, scene: &Scene<'_>, facet: Facet, name: &str) -> String {
        if scene.good.tells(facet) {
            format!(" property=\"{}\"", self.of(name))
        } else {
            String::new()
        }
    }
}

pub(super) fn page(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let (names, open) = match good.layout {
        0 => (Names { prefix: "" }, "vocab=\"https://schema.org/\" typeof=\"Product\""),
        _ => (
            Names { prefix: "schema:" },
            "prefix=\"schema: http://schema.org/\" typeof=\"schema:Product\"",
        ),
    };
    let mut images = String::new();
    for picture in &good.pictures {
        // Writing to a String cannot fail.
        let _ = writeln!(
            images,
            "<a href=\"{0}\" property=\"{1}\"><img src=\"{2}\" alt=\"{3}\"></a>",
            picture.full,
            names.of("image"),
            picture.medium,
            escape(&picture.alt)
        );
    }
    let text = format!(
        "<div class=\"story\"{}>{}</div>\n",
        if good.shows(Facet::Description) {
            names.told(scene, Facet::Description, "description")
        } else {
            String::new()
        },
        scene.description(good.layout)
    );
    let facts = format!(
        "<div class=\"facts\"><h3>{}</h3>{}</div>\n",
        scene.words.details,
        scene.rows(1 + good.layout, "facts-list")
    );
    let title = format!("<h1 property=\"{}\">{}</h1>\n", names.of("name"), scene.name());
    let parts = match good.layout {
        0 => [title, images, offer(scene, &names), text, facts],
        _ => [images, title, offer(scene, &names), facts, text],
    };
    let body = format!(
        "<div class=\"page\">{}<div class=\"thing\" {open} resource=\"{}#this\">\n{}{}{}{}\
         </div>\n{}</div>\n",
        scene.trail(1, "you-are-here"),
        good.path,
        hidden(scene, &names),
        parts.concat(),
        stars(scene, &names),
        codes(scene, &names),
        scene.asides()
    );
    scene.document("", "thing-page", &body)
}

fn hidden(scene: &Scene<'_>, names: &Names) -> String {
    let good = scene.good;
    let mut html = String::new();
    if good.tells(Facet::Description) && !good.shows(Facet::Description) {
        html.push_str(&names.meta("description", &good.text(true)));
    }
    if let (Some(brand), None) = (good.brand, good.shown_brand()) {
        html.push_str(&names.meta("brand", brand));
    }
    if let (Some(sku), None) = (&good.sku, good.shown_sku()) {
        html.push_str(&names.meta("sku", sku));
    }
    if let Some(gtin) = good.gtin.as_ref().filter(|_| !good.shows(Facet::Gtin)) {
        html.push_str(&names.meta(good.gtin_property(), gtin));
    }
    if let Some(mpn) = good.mpn.as_ref().filter(|_| !good.shows(Facet::Mpn)) {
        html.push_str(&names.meta("mpn", mpn));
    }
    html
}

fn offer(scene: &Scene<'_>, names: &Names) -> String {
    let good = scene.good;
    let amount = good.locale.decimal(good.money.data.unwrap_or(good.money.low));
    let old = scene
        .regular()
        .map(|regular| format!("<span class=\"was\">{} {regular}</span> ", scene.words.was));
    let stock = good.stock.filter(|_| good.tells(Facet::Stock)).map(|stock| {
        format!(
            "<link property=\"{}\" href=\"http://schema.org/{}\">",
            names.of("availability"),
            stock.term()
        )
    });
    let shown =
        good.shown_stock().map(|text| format!("<p class=\"stock-note\">{}</p>\n", escape(text)));
    let condition = good.condition.filter(|_| good.tells(Facet::Condition)).map(|condition| {
        format!(
            "<link property=\"{}\" href=\"http://schema.org/{}\">",
            names.of("itemCondition"),
            condition.term()
        )
    });
    let seller = good
        .seller
        .as_ref()
        .filter(|_| good.tells(Facet::Seller))
        .map(|seller| names.meta("seller", seller));
    format!(
        "<div class=\"buy\" property=\"{}\" typeof=\"{}\">{}<span class=\"cost\">\
         <span property=\"{}\" content=\"{}\"></span><span property=\"{}\" \
         content=\"{amount}\">{}</span></span> <small>{}</small>{}{}{}{}{}{}{}</div>\n",
        names.of("offers"),
        names.of("Offer"),
        old.unwrap_or_default(),
        names.of("priceCurrency"),
        good.locale.currency,
        names.of("price"),
        scene.price(),
        scene.tax(),
        stock.unwrap_or_default() + &condition.unwrap_or_default(),
        shown.unwrap_or_default(),
        seller.unwrap_or_default(),
        scene.lures("small-print"),
        scene.radios("choice"),
        scene.button("buy-button"),
        scene.features("reasons"),
    )
}

fn stars(scene: &Scene<'_>, names: &Names) -> String {
    let Some(rating) = scene.good.shown_rating() else { return String::new() };
    format!(
        "<p class=\"score\" property=\"{}\" typeof=\"{}\">{}<span property=\"{}\">{}\
         </span> out of 5, <span property=\"{}\">{}</span> reviews</p>\n",
        names.of("aggregateRating"),
        names.of("AggregateRating"),
        names.meta("bestRating", "5"),
        names.of("ratingValue"),
        rating.value(),
        names.of("reviewCount"),
        rating.count
    )
}

fn codes(scene: &Scene<'_>, names: &Names) -> String {
    let (good, words) = (scene.good, scene.words);
    let mut html = String::new();
    if let Some(brand) = good.shown_brand() {
        let _ = writeln!(
            html,
            "<p>{}: <b{}>{}</b></p>",
            words.brand,
            names.told(scene, Facet::Brand, "brand"),
            escape(brand)
        );
    }
    for (label, value) in scene.codes().into_iter().chain(scene.notes()) {
        let told = match label {
            _ if label == words.sku => names.told(scene, Facet::Sku, "sku"),
            _ if label == good.gtin_label() => names.told(scene, Facet::Gtin, good.gtin_property()),
            _ if label == words.mpn => names.told(scene, Facet::Mpn, "mpn"),
            _ => String::new(),
        };
        let _ = writeln!(html, "<p>{label}: <b{told}>{}</b></p>", escape(&value));
    }
    html
}
