//! Results of `products`: a card for each, with the source of every value.

use contract::{Availability, PriceType, ProductItem, ProductSource};
use maud::{Markup, html};

use super::item_files::item_files;
use crate::link::link_as;
use crate::number_format::count;

pub(super) fn card(item: &ProductItem) -> Markup {
    html! {
        article.card {
            @if let Some(image) = item.images.first().filter(|image| image.url.starts_with("https://")) {
                // No referrer: the shop does not learn who reads this.
                img.picture src=(image.url) alt="" loading="lazy" referrerpolicy="no-referrer"
                    width="88" height="88";
            }
            h2 { (link_as(&item.url, &item.name)) }
            @if item.files.is_some() { p { (item_files(item.files.as_deref())) } }
            p.price { (price(item)) " " (source(item, "price")) }
            p { (availability(item.availability)) " " (source(item, "availability")) }
            dl.pairs {
                (pair(item, "brand", "Brand", item.brand.as_deref()))
                (pair(item, "category", "Category", item.category.as_deref()))
                (pair(item, "sku", "SKU", item.sku.as_deref()))
                (pair(item, "mpn", "MPN", item.mpn.as_deref()))
                @for gtin in &item.gtin {
                    dt { (gtin.kind.as_str().to_uppercase()) } dd { (gtin.value) " " (source(item, "gtin")) }
                }
                @if let Some(condition) = item.condition {
                    dt { "Condition" } dd { (condition) " " (source(item, "condition")) }
                }
                @if let Some(seller) = &item.seller {
                    dt { "Seller" } dd { (seller.name) " " (source(item, "seller")) }
                }
                @if let Some(rating) = &item.rating {
                    dt { "Rating" }
                    dd { (rating.value) "/" (rating.best) " (" (count(rating.count, "review", "reviews")) ") " (source(item, "rating")) }
                }
                (pair(item, "language", "Language", item.language.as_deref()))
            }
            @if item.description.is_some() || !item.attributes.is_empty() || !item.variants.is_empty() {
                details.more {
                    summary { "More" @if !item.variants.is_empty() { " · " (count(item.variants.len() as u64, "variant", "variants")) } }
                    @if let Some(description) = &item.description {
                        p { (description) " " (source(item, "description")) }
                    }
                    @if !item.attributes.is_empty() {
                        dl.pairs {
                            @for attribute in &item.attributes { dt { (attribute.name) } dd { (attribute.value) } }
                        }
                    }
                    @if !item.variants.is_empty() {
                        ul {
                            @for variant in &item.variants {
                                li {
                                    (variant.sku.as_deref().unwrap_or("variant")) " "
                                    @if let Some(price) = &variant.price { (price) " " (variant.currency.as_deref().unwrap_or_default()) " " }
                                    (availability(variant.availability))
                                }
                            }
                        }
                    }
                }
            }
            p.source {
                "Confidence " (format_args!("{:.0}", item.confidence * 100.0)) " %"
                @if let Some(image) = item.images.first() { " · " (link_as(&image.url, "image")) " " (source(item, "images")) }
            }
        }
    }
}

fn price(item: &ProductItem) -> Markup {
    let currency = item.currency.as_deref().unwrap_or_default();
    html! {
        @match (item.price_type, &item.price) {
            (PriceType::OnRequest, None) => "Price on request",
            (_, None) => span.quiet { "No price" },
            (kind, Some(price)) => {
                @match kind {
                    PriceType::From | PriceType::Range => "from ",
                    PriceType::Hidden => "hidden: ",
                    PriceType::Exact | PriceType::OnRequest | PriceType::None => "",
                }
                (price) " " (currency)
                @if let Some(regular) = &item.regular_price { " " del { (regular) " " (currency) } }
            }
        }
    }
}

fn availability(availability: Availability) -> Markup {
    let tone = match availability {
        Availability::InStock => "chip good",
        Availability::OutOfStock | Availability::Discontinued => "chip bad",
        Availability::Preorder | Availability::Backorder => "chip warn",
        Availability::Unknown => "chip",
    };
    let words = match availability {
        Availability::Unknown => "availability unknown".to_owned(),
        known => known.as_str().replace('_', " "),
    };
    html! { span class=(tone) { (words) } }
}

fn pair(item: &ProductItem, field: &str, name: &str, value: Option<&str>) -> Markup {
    html! {
        @if let Some(value) = value { dt { (name) } dd { (value) " " (source(item, field)) } }
    }
}

/// The readable name of a source.
fn source_name(source: ProductSource) -> &'static str {
    match source {
        ProductSource::JsonLd => "JSON-LD",
        ProductSource::Microdata => "Microdata",
        ProductSource::Rdfa => "RDFa",
        ProductSource::State => "page data",
        ProductSource::Meta => "meta tags",
        ProductSource::Template => "template",
        ProductSource::Dom => "page",
    }
}

/// The source of a value.
fn source(item: &ProductItem, field: &str) -> Markup {
    html! {
        @if let Some(source) = item.provenance.get(field) {
            span.source title={ "Found in: " (source) } { (source_name(*source)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn product(with: &Value) -> ProductItem {
        let mut item = json!({
            "url": "https://shop.test/lamp", "name": "Lamp", "product_id": "L-1",
            "canonical_url": null, "brand": null, "category": null, "description": null,
            "breadcrumbs": [], "features": [], "attributes": [], "sku": null, "mpn": null,
            "gtin": [], "price": "9.90", "regular_price": "12.00", "currency": "EUR",
            "price_raw": null, "price_type": "from", "tax_included": null,
            "availability": "in_stock", "availability_raw": null, "condition": null,
            "seller": null, "images": [], "rating": null, "variants": [], "language": null,
            "alternates": [], "provenance": {"price": "jsonld"}, "template_id": null,
            "confidence": 0.5, "fetched_at": "2026-11-15T09:30:00.000Z", "content_hash": "00",
        });
        for (name, value) in with.as_object().expect("members") {
            item[name] = value.clone();
        }
        serde_json::from_value(item).expect("a product")
    }

    #[test]
    fn card_shows_price_and_its_source() {
        let image = json!([{"url": "https://shop.test/lamp.png", "alt": null}]);
        let shown = card(&product(&json!({"images": image}))).into_string();
        assert!(shown.contains("from 9.90 EUR <del>12.00 EUR</del>"), "{shown}");
        assert!(shown.contains("title=\"Found in: jsonld\""));
        assert!(shown.contains("src=\"https://shop.test/lamp.png\""));
        assert!(shown.contains("referrerpolicy=\"no-referrer\""));
    }

    #[test]
    fn product_data_is_escaped() {
        let evil = "\"><script>alert(1)</script>";
        let shown = card(&product(&json!({
            "url": "javascript:alert(1)", "name": evil, "brand": evil, "category": evil,
            "sku": evil, "mpn": evil, "price": evil, "currency": evil, "description": evil,
            "seller": {"name": evil, "url": "javascript:alert(1)"},
            "attributes": [{"name": evil, "value": evil}], "language": evil,
            "images": [{"url": "javascript:alert(1)", "alt": evil}],
        })))
        .into_string();
        for forbidden in ["<script", "href", "<img", "javascript:"] {
            assert!(!shown.contains(forbidden), "{forbidden}: {shown}");
        }
    }
}
