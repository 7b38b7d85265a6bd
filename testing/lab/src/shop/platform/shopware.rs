//! Shopware 6: microdata through the whole detail page, base prices, an asterisk at prices.

use std::fmt::Write as _;

use crate::shop::linked_data;
use crate::shop::markup::escape;
use crate::shop::plan::Facet;
use crate::shop::scene::Scene;
use crate::shop::truth::PriceType;

pub(super) fn page(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let mut head = format!(
        "<meta property=\"og:type\" content=\"product\">\n\
         <meta property=\"og:title\" content=\"{name}\">\n\
         <meta property=\"product:price:amount\" content=\"{}\">\n\
         <meta property=\"product:price:currency\" content=\"{}\">\n\
         <meta property=\"product:product_link\" content=\"{}\">\n\
         <meta name=\"twitter:card\" content=\"product\">\n\
         <meta name=\"twitter:title\" content=\"{name}\">\n",
        good.locale.decimal(good.money.low),
        good.locale.currency,
        scene.url(),
        name = scene.name(),
    );
    if let Some(brand) = good.brand.filter(|_| good.tells(Facet::Brand)) {
        // Writing to a String cannot fail.
        let _ = writeln!(head, "<meta property=\"product:brand\" content=\"{}\">", escape(brand));
    }
    if good.tells(Facet::Trail) {
        head.push_str(
            &linked_data::trail(scene).map(|value| linked_data::script(&value)).unwrap_or_default(),
        );
    }
    let blocks = match good.layout {
        0 => [heading(scene), content(scene), tabs(scene)],
        _ => [content(scene), heading(scene), tabs(scene)],
    };
    let body = format!(
        "<div class=\"container-main\">{}<div class=\"product-detail\" itemscope \
         itemtype=\"https://schema.org/Product\">\n{}</div>{}</div>\n",
        scene.trail(0, "breadcrumb"),
        blocks.concat(),
        scene.asides()
    );
    scene.document(&head, "is-ctl-product is-act-index", &body)
}

fn heading(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let maker = good.shown_brand().map(|brand| {
        format!(
            "<div class=\"product-detail-manufacturer\" itemprop=\"brand\" \
             itemtype=\"https://schema.org/Brand\" itemscope><span itemprop=\"name\">{}</span>\
             </div>\n",
            escape(brand)
        )
    });
    format!(
        "<div class=\"row product-detail-headline\"><h1 class=\"product-detail-name\" \
         itemprop=\"name\">{}</h1>{}{}</div>\n",
        scene.name(),
        maker.unwrap_or_default(),
        stars(scene)
    )
}

fn stars(scene: &Scene<'_>) -> String {
    let Some(rating) = scene.good.shown_rating() else { return String::new() };
    format!(
        "<div class=\"product-detail-reviews\" itemprop=\"aggregateRating\" itemscope \
         itemtype=\"https://schema.org/AggregateRating\">\
         <meta itemprop=\"worstRating\" content=\"0.5\">\
         <meta itemprop=\"bestRating\" content=\"5\"><meta itemprop=\"ratingValue\" \
         content=\"{}\"><meta itemprop=\"ratingCount\" content=\"{}\"><span>{} ({})</span>\
         </div>\n",
        rating.value(),
        rating.count,
        scene.words.stars.replace("{}", &scene.rated()),
        scene.words.review_count.replace("{}", &rating.count.to_string())
    )
}

fn content(scene: &Scene<'_>) -> String {
    let (good, words) = (scene.good, scene.words);
    let mut images = String::from("<div class=\"gallery-slider\">\n");
    for picture in &good.pictures {
        let _ = writeln!(
            images,
            "<div class=\"gallery-slider-item\"><img src=\"{0}\" srcset=\"{1} 800w, {0} \
             1920w\" class=\"img-fluid gallery-slider-image\" alt=\"{2}\" itemprop=\"image\">\
             </div>",
            picture.full,
            picture.medium,
            escape(&picture.alt)
        );
    }
    images.push_str("</div>\n");
    let amount = good.locale.decimal(good.money.low);
    let price = match (&scene.regular(), good.money.kind) {
        (Some(regular), _) => format!(
            "<p class=\"product-detail-price with-list-price\">{}*</p>\
             <div class=\"product-detail-list-price-wrapper\">\
             <span class=\"list-price-price\">{regular}*</span>\
             <span class=\"list-price-percentage\">(gespart)</span></div>",
            scene.price()
        ),
        (None, PriceType::Exact) => {
            format!("<p class=\"product-detail-price\">{}*</p>", scene.price())
        }
        (None, _) => format!("<p class=\"product-detail-price\">{}</p>", scene.price()),
    };
    let term = good.stock.filter(|_| good.tells(Facet::Stock)).map(|stock| {
        format!("<link itemprop=\"availability\" href=\"https://schema.org/{}\">", stock.term())
    });
    let delivery = good.shown_stock().map(|text| {
        let class = if good.sells() { "delivery-available" } else { "delivery-soldout" };
        format!(
            "<p class=\"delivery-information {class}\"><span \
             class=\"delivery-status-indicator\"></span> {}</p>",
            escape(text)
        )
    });
    let order = good.shown_sku().map(|sku| {
        format!(
            "<div class=\"product-detail-ordernumber-container\">\
             <span class=\"product-detail-ordernumber-label\">{}:</span> \
             <span class=\"product-detail-ordernumber\" itemprop=\"sku\">{}</span></div>\n",
            words.sku,
            escape(sku)
        )
    });
    let mut hidden = String::new();
    if let (Some(sku), None) = (&good.sku, good.shown_sku()) {
        let _ = write!(hidden, "<meta itemprop=\"sku\" content=\"{}\">", escape(sku));
    }
    if let Some(gtin) = good.gtin.as_ref().filter(|_| good.tells(Facet::Gtin)) {
        // Whatever its length, that is what the platform calls it.
        let _ = write!(hidden, "<meta itemprop=\"gtin13\" content=\"{gtin}\">");
    }
    if let Some(mpn) = good.mpn.as_ref().filter(|_| good.tells(Facet::Mpn)) {
        let _ = write!(hidden, "<meta itemprop=\"mpn\" content=\"{mpn}\">");
    }
    let mut codes = String::new();
    for (label, value) in
        scene.codes().into_iter().filter(|(label, _)| *label != words.sku).chain(scene.notes())
    {
        let _ = writeln!(
            codes,
            "<div class=\"product-detail-code\">{label}: <span>{}</span></div>",
            escape(&value)
        );
    }
    let shipping = match scene.tax() {
        "" => String::new(),
        tax => format!(
            "<div class=\"product-detail-tax-container\"><p class=\"product-detail-tax\">* \
             {tax}</p></div>\n"
        ),
    };
    format!(
        "<div class=\"row product-detail-content\"><div \
         class=\"product-detail-media\">{images}</div><div \
         class=\"product-detail-buy\">{hidden}<div itemprop=\"offers\" itemscope \
         itemtype=\"https://schema.org/Offer\"><meta itemprop=\"url\" content=\"{}\">\
         <meta itemprop=\"priceCurrency\" content=\"{}\">\
         <div class=\"product-detail-price-container\"><meta itemprop=\"price\" \
         content=\"{amount}\">{price}</div>\n{}{shipping}{}{}</div>\n\
         <div class=\"product-detail-configurator\">{}</div>\
         <form id=\"productDetailPageBuyProductForm\">{}</form>{}{codes}{}</div></div>\n",
        scene.url(),
        good.locale.currency,
        scene.lures("product-detail-price-unit"),
        term.unwrap_or_default(),
        delivery.unwrap_or_default(),
        scene.radios("product-detail-configurator-group"),
        scene.button("btn btn-primary btn-buy"),
        order.unwrap_or_default(),
        scene.features("product-detail-usp"),
    )
}

fn tabs(scene: &Scene<'_>) -> String {
    let good = scene.good;
    let text = scene.description(good.layout * 2);
    let text = if text.is_empty() {
        match good.tells(Facet::Description) {
            true => {
                format!("<meta itemprop=\"description\" content=\"{}\">", escape(&good.text(true)))
            }
            false => String::new(),
        }
    } else {
        format!(
            "<div class=\"product-detail-description-text\" itemprop=\"description\">{text}\
             </div>\n"
        )
    };
    format!(
        "<div class=\"product-detail-tabs\"><div class=\"card-header\">\
         <a class=\"nav-link\" href=\"#description-tab-pane\">{}</a></div>\
         <div class=\"product-detail-description tab-pane-container\">\
         <h2 class=\"product-detail-description-title\">{} „{}“</h2>{text}\
         <div class=\"product-detail-properties\">{}</div></div></div>\n",
        scene.words.description,
        scene.words.description,
        scene.name(),
        scene.rows(0, "table table-striped product-detail-properties-table")
    )
}
