//! Shopify: product JSON with prices in cents, `var meta`, `og:price`, JSON-LD. One template
//! as current themes write it, one as older ones do.

use serde_json::{Value, json};

use crate::shop::good::Variant;
use crate::shop::linked_data;
use crate::shop::markup::{description, escape};
use crate::shop::plan::Facet;
use crate::shop::scene::Scene;
use crate::shop::truth::Availability;

pub(super) fn page(scene: &Scene<'_>) -> String {
    let body = if scene.good.layout == 0 { current(scene) } else { older(scene) };
    let class =
        if scene.good.layout == 0 { "template-product gradient" } else { "product-template" };
    scene.document(&head(scene), class, &body)
}

fn head(scene: &Scene<'_>) -> String {
    let (good, shop) = (scene.good, scene.shop);
    let amount = good.locale.decimal(good.money.low);
    let mut head = format!(
        "<meta property=\"og:site_name\" content=\"{shop}\">\n\
         <meta property=\"og:url\" content=\"{url}\">\n<meta property=\"og:title\" \
         content=\"{name}\">\n<meta property=\"og:type\" content=\"product\">\n\
         <meta property=\"og:image\" content=\"{image}\">\n\
         <meta property=\"og:image:secure_url\" content=\"{image}\">\n\
         <meta property=\"og:price:amount\" content=\"{amount}\">\n\
         <meta property=\"og:price:currency\" content=\"{currency}\">\n",
        shop = escape(shop.plan.name),
        url = scene.url(),
        name = scene.name(),
        image = scene.image(),
        currency = good.locale.currency,
    );
    if good.layout == 0 {
        head.push_str(&linked_data::scripts(scene));
    }
    let meta = json!({"product": {"id": number(&good.id),
        "gid": format!("gid://shopify/Product/{}", good.id),
        "vendor": good.brand.filter(|_| good.tells(Facet::Brand)), "type": kind(scene),
        "variants": variants(scene).into_iter().map(|variant| json!({"id": variant["id"],
        "price": variant["price"],
            "name": variant["name"], "public_title": variant["public_title"],
            "sku": variant["sku"]}))
            .collect::<Vec<_>>()}, "page": {"pageType": "product", "resourceType": "product"}});
    head.push_str(&format!(
        "<script>window.ShopifyAnalytics = window.ShopifyAnalytics || {{}};\n\
         var meta = {};\nfor (var attr in meta) {{ window.ShopifyAnalytics.meta[attr] = \
         meta[attr]; }}</script>\n",
        linked_data::embedded(&meta)
    ));
    head
}

/// The type of the product, which many shops leave empty.
fn kind(scene: &Scene<'_>) -> &'static str {
    if scene.good.tells(Facet::Category) { scene.shop.category_of(scene.good) } else { "" }
}

fn number(text: &str) -> u64 {
    text.parse::<u64>().unwrap_or_default() + 6_700_000_000
}

/// The variants as the platform has them; a product without choice has one of its own.
fn variants(scene: &Scene<'_>) -> Vec<Value> {
    let good = scene.good;
    let told = |facet| good.tells(facet);
    if good.variants.is_empty() {
        let sku = good.sku.as_ref().filter(|_| told(Facet::Sku));
        let barcode = good.gtin.as_ref().filter(|_| told(Facet::Gtin));
        return vec![
            json!({"id": number(&good.id), "title": "Default Title", "option1": "Default Title",
            "option2": null, "option3": null, "sku": sku, "requires_shipping": true,
            "taxable": true,
            "available": good.stock.map(|stock| stock.sells()), "name": good.name,
            "public_title": null,
            "options": ["Default Title"], "price": good.money.low, "weight": 340,
            "compare_at_price": good.money.regular, "barcode": barcode}),
        ];
    }
    let variant = |variant: &Variant| {
        let values: Vec<&str> = variant.options.iter().map(|(_, value)| value.as_str()).collect();
        let title = values.join(" / ");
        json!({"id": variant.id.parse::<u64>().unwrap_or_default(), "title": title,
        "option1": values.first(),
            "option2": values.get(1), "option3": null, "sku": variant.sku,
            "requires_shipping": true,
            "taxable": true, "available": variant.stock == Availability::InStock,
            "name": format!("{} - {title}", good.name), "public_title": title, "options": values,
            "price": variant.price, "weight": 340, "compare_at_price": variant.regular,
            "barcode": variant.gtin})
    };
    good.variants.iter().map(variant).collect()
}

/// The product as `product | json` gives it.
fn state(scene: &Scene<'_>) -> Value {
    let good = scene.good;
    let images: Vec<&str> = good.pictures.iter().map(|picture| picture.full.as_str()).collect();
    let options: Vec<&str> = match good.axes.is_empty() {
        true => vec!["Title"],
        false => good.axes.iter().map(|(label, _)| *label).collect(),
    };
    let handle = good.path.rsplit('/').next().unwrap_or_default();
    let low = good.variants.iter().map(|variant| variant.price).min().unwrap_or(good.money.low);
    let text = match good.tells(Facet::Description) || good.shows(Facet::Description) {
        true => description(&good.blocks, 0),
        false => String::new(),
    };
    json!({"id": number(&good.id), "title": good.name, "handle": handle, "description": text,
        "published_at": "2025-02-11T09:12:44-05:00",
        "vendor": good.brand.filter(|_| good.tells(Facet::Brand)),
        "type": kind(scene), "tags": ["new", "spring"], "price": low,
        "price_min": low, "price_max": good.money.high, "available": good.sells(),
        "price_varies": low != good.money.high, "compare_at_price": good.money.regular,
        "variants": variants(scene), "images": images, "featured_image": images.first(),
        "options": options, "content": text})
}

fn gallery(scene: &Scene<'_>) -> String {
    let slide = |picture: &crate::shop::good::Picture| {
        format!(
            "<li class=\"product__media-item\"><div class=\"product__media media\">\
             <img srcset=\"{} 100w, {} 600w, {} 1200w\" src=\"{}\" alt=\"{}\"></div></li>\n",
            picture.thumb,
            picture.medium,
            picture.full,
            picture.full,
            escape(&picture.alt)
        )
    };
    let slides: String = scene.good.pictures.iter().map(slide).collect();
    format!("<ul class=\"product__media-list\">\n{slides}</ul>\n")
}

fn current(scene: &Scene<'_>) -> String {
    let (good, words) = (scene.good, scene.words);
    let vendor = good.shown_brand().map(|brand| {
        format!("<p class=\"product__text caption-with-letter-spacing\">{}</p>\n", escape(brand))
    });
    // The theme writes both, and hides one by a class.
    let price = match scene.regular() {
        Some(regular) => format!(
            "<div class=\"price price--large price--on-sale\"><div class=\"price__sale\">\
             <span class=\"visually-hidden\">{was}</span><s class=\"price-item \
             price-item--regular\">{regular}</s><span class=\"price-item price-item--sale \
             price-item--last\">{price}</span></div><span class=\"badge \
             price__badge-sale\">{sale}</span></div>\n",
            was = words.was,
            price = scene.price(),
            sale = words.sale,
        ),
        None => format!(
            "<div class=\"price price--large\"><div class=\"price__regular\">\
             <span class=\"price-item price-item--regular\">{}</span></div></div>\n",
            scene.price()
        ),
    };
    let stock = good
        .shown_stock()
        .map(|text| format!("<p class=\"product__inventory\">{}</p>\n", escape(text)));
    format!(
        "<main id=\"MainContent\"><section class=\"product grid\">{trail}\
         <div class=\"product__media-wrapper\">{gallery}</div>\n\
         <div class=\"product__info-container\">{vendor}<div class=\"product__title\">\
         <h1>{name}</h1></div>\n{stars}{price}<div class=\"product__tax caption rte\">{tax}\
         </div>{lures}<form action=\"/cart/add\" method=\"post\" class=\"form\">\
         <input type=\"hidden\" name=\"id\" value=\"{id}\"><variant-radios>{options}\
         <script type=\"application/json\">{variants}</script></variant-radios>{button}\
         </form>{stock}{codes}{features}<div class=\"product__description rte \
         quick-add-hidden\">{text}</div>\n<details><summary>{details}</summary>{rows}\
         </details></div></section>\n{asides}</main>\n",
        trail = scene.trail(1, "breadcrumbs"),
        gallery = gallery(scene),
        vendor = vendor.unwrap_or_default(),
        name = scene.name(),
        stars = scene.stars("rating"),
        tax = scene.tax(),
        lures = scene.lures("product__note"),
        id = number(&good.id),
        options = scene.radios("product-form__input"),
        variants = linked_data::embedded(&Value::Array(variants(scene))),
        button = scene.button("product-form__submit button"),
        stock = stock.unwrap_or_default(),
        codes = scene.code_lines("product__sku"),
        features = scene.features("product__highlights"),
        text = scene.description(0),
        details = words.details,
        rows = scene.rows(2, "specs"),
        asides = scene.asides(),
    )
}

fn older(scene: &Scene<'_>) -> String {
    let (good, words) = (scene.good, scene.words);
    let old = scene.regular().map(|regular| {
        format!("<s id=\"ComparePrice\" class=\"product-single__price--compare\">{regular}</s>")
    });
    let by = good
        .shown_brand()
        .map(|brand| format!("<div class=\"product-single__vendor\">{}</div>\n", escape(brand)));
    let stock = good
        .shown_stock()
        .map(|text| format!("<span class=\"stock-level\">{}</span>\n", escape(text)));
    format!(
        "<main class=\"main-content\"><div class=\"product-single\">{gallery}\
         <div class=\"product-single__meta\">\n<h1 class=\"product-single__title\">{name}\
         </h1>\n{by}{trail}<p class=\"product-single__prices\">\
         <span id=\"ProductPrice\" class=\"product-single__price\">{price}\
         </span>{old} {tax}</p>\n{lures}<form action=\"/cart/add\">{selects}{button}\
         </form>\n{stock}{features}<div class=\"product-single__description rte\">{text}\
         </div>{rows}{codes}{stars}</div></div>\n{asides}\
         <h2 class=\"visually-hidden\">{related}</h2><script type=\"application/json\" \
         id=\"ProductJson-product-template\">{state}</script></main>\n",
        gallery = gallery(scene),
        name = scene.name(),
        by = by.unwrap_or_default(),
        trail = scene.trail(2, "breadcrumb"),
        price = scene.price(),
        old = old.unwrap_or_default(),
        tax = scene.tax(),
        lures = scene.lures("product-note"),
        selects = scene.selects("single-option-selector"),
        button = scene.button("btn add-to-cart"),
        stock = stock.unwrap_or_default(),
        features = scene.features("bullets"),
        text = scene.description(1),
        rows = scene.rows(0, "spec-table"),
        codes = scene.code_lines("variant-sku"),
        stars = scene.stars("spr-badge"),
        asides = scene.asides(),
        related = words.related,
        state = linked_data::embedded(&state(scene)),
    )
}
