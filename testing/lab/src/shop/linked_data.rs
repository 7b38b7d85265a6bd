//! JSON-LD as shops write it: the parts of a product, for templates to put together.

use serde_json::{Map, Value, json};

use super::good::{Good, Trouble};
use super::markup::{description, escape};
use super::plan::Facet;
use super::scene::Scene;
use super::truth::{Availability, PriceType};

/// An object under construction.
pub(super) type Object = Map<String, Value>;

/// A script element with this value.
pub(super) fn script(value: &Value) -> String {
    format!("<script type=\"application/ld+json\">{}</script>\n", embedded(value))
}

/// JSON that can stand in a script element.
pub(super) fn embedded(value: &Value) -> String {
    value.to_string().replace("</", "<\\/")
}

/// The product without its offers. For a page whose data is about another product, that one.
pub(super) fn product(scene: &Scene<'_>) -> Object {
    let scene = &subject(scene);
    let (good, shop) = (scene.good, scene.shop);
    let mut object = Object::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    put("@type", json!("Product"));
    put("name", json!(good.data_name));
    let images: Vec<String> =
        good.pictures.iter().map(|picture| shop.absolute(&picture.full)).collect();
    // One image is often not in a list.
    match &images[..] {
        [only] => put("image", json!(only)),
        _ => put("image", json!(images)),
    };
    if good.tells(Facet::Description) {
        put("description", json!(described(good)));
    }
    if let Some(sku) = good.sku.as_ref().filter(|_| good.tells(Facet::Sku)) {
        put("sku", json!(sku));
    }
    if let Some(mpn) = good.mpn.as_ref().filter(|_| good.tells(Facet::Mpn)) {
        put("mpn", json!(mpn));
    }
    if let Some(gtin) = good.gtin.as_ref().filter(|_| good.tells(Facet::Gtin)) {
        let key = [good.gtin_property(), good.gtin_property(), "gtin"][good.number % 3];
        put(key, json!(gtin));
    }
    if let Some(brand) = good.brand.filter(|_| good.tells(Facet::Brand)) {
        match good.number % 3 {
            0 => put("brand", json!(brand)),
            1 => put("brand", json!({"@type": "Brand", "name": brand})),
            _ => put("brand", json!({"@type": "Thing", "name": brand})),
        };
    }
    if good.tells(Facet::Category) {
        put("category", json!(shop.category_of(good)));
    }
    if let Some(rating) = good.rating.filter(|_| good.tells(Facet::Rating)) {
        put(
            "aggregateRating",
            json!({"@type": "AggregateRating", "ratingValue": rating.value(), "bestRating": "5",
                   "reviewCount": rating.count}),
        );
    }
    object
}

/// Whom the data is about.
fn subject<'a>(scene: &Scene<'a>) -> Scene<'a> {
    if scene.good.trouble != Trouble::OtherProduct {
        return *scene;
    }
    let other = scene
        .shop
        .goods
        .iter()
        .find(|other| other.trouble == Trouble::None && other.number > scene.good.number % 16);
    Scene { good: other.unwrap_or(scene.good), ..*scene }
}

/// The text of the description as the data has it: the beginning when the page shows the
/// rest, all of it when it does not.
pub(super) fn described(good: &Good) -> String {
    let shown = good.shows(Facet::Description);
    match good.number % 5 {
        // With its tags, or with its entities.
        3 if shown => description(&good.blocks[..good.blocks.len().min(1)], 0),
        3 => description(&good.blocks, 0),
        4 if shown => escape(&good.summary()),
        _ if shown => good.summary(),
        _ => good.text(true),
    }
}

/// What the data says it costs; prices are text in one half of the shops and numbers in
/// the other.
pub(super) fn amount(scene: &Scene<'_>, cents: i64) -> Value {
    let text = scene.good.locale.decimal(cents);
    if scene.shop.plan.seed.is_multiple_of(2) {
        return json!(text);
    }
    text.parse::<f64>().map_or(Value::Null, |number| json!(number))
}

/// The offer, or `None` when the data names no price.
pub(super) fn offer(scene: &Scene<'_>) -> Option<Object> {
    let scene = &subject(scene);
    let (good, money) = (scene.good, &scene.good.money);
    let cents = money.data?;
    let mut object = Object::new();
    let mut put = |key: &str, value: Value| object.insert(key.to_owned(), value);
    let spread = matches!(money.kind, PriceType::From | PriceType::Range);
    if spread {
        put("@type", json!("AggregateOffer"));
        put("lowPrice", amount(scene, cents));
        put("highPrice", amount(scene, money.high));
        put("offerCount", json!(good.variants.len()));
    } else {
        put("@type", json!("Offer"));
        put("url", json!(scene.url()));
        match good.trouble {
            Trouble::PriceAsText => {
                put("price", json!(format!("about {} each, ask us", cents / 100)))
            }
            _ => put("price", amount(scene, cents)),
        };
        put("priceValidUntil", json!("2027-12-31"));
    }
    match good.trouble {
        Trouble::NoSuchCurrency => {
            put("priceCurrency", json!(["XXQ", "POUNDS", "£££"][good.number % 3]))
        }
        _ => put("priceCurrency", json!(good.locale.currency)),
    };
    if let Some(stock) = good.stock.filter(|_| good.tells(Facet::Stock)) {
        put("availability", json!(stock_term(stock, good.number)));
    }
    if let Some(condition) = good.condition.filter(|_| good.tells(Facet::Condition)) {
        put("itemCondition", json!(format!("https://schema.org/{}", condition.term())));
    }
    if let Some(seller) = good.seller.as_ref().filter(|_| good.tells(Facet::Seller)) {
        put("seller", json!({"@type": "Organization", "name": seller}));
    }
    if let Some(tax) = good.tax.filter(|_| good.tells(Facet::Tax)) {
        put(
            "priceSpecification",
            json!({"@type": "PriceSpecification", "price": amount(scene, cents),
                   "priceCurrency": good.locale.currency, "valueAddedTaxIncluded": tax}),
        );
    }
    Some(object)
}

/// Availability in one of the ways it is written.
pub(super) fn stock_term(stock: Availability, habit: usize) -> String {
    match habit % 3 {
        0 => format!("https://schema.org/{}", stock.term()),
        1 => format!("http://schema.org/{}", stock.term()),
        _ => stock.term().to_owned(),
    }
}

/// The product with its offer.
pub(super) fn whole(scene: &Scene<'_>) -> Object {
    let mut object = product(scene);
    if let Some(offer) = offer(scene) {
        let offers =
            if scene.good.number.is_multiple_of(2) { json!(offer) } else { json!([offer]) };
        object.insert("offers".to_owned(), offers);
    }
    object
}

/// The trail, where the data has it.
pub(super) fn trail(scene: &Scene<'_>) -> Option<Value> {
    if !scene.good.tells(Facet::Trail) {
        return None;
    }
    let steps = scene.shop.trail(scene.good).into_iter().enumerate();
    let items: Vec<Value> = steps
        .map(|(at, (name, path))| match path {
            Some(path) => json!({"@type": "ListItem", "position": at + 1,
                "item": {"@id": scene.shop.absolute(&path), "name": name}}),
            None => json!({"@type": "ListItem", "position": at + 1, "name": name}),
        })
        .collect();
    Some(json!({"@type": "BreadcrumbList", "itemListElement": items}))
}

/// The object with a context.
pub(super) fn standing(mut object: Object) -> Value {
    object.insert("@context".to_owned(), json!("https://schema.org"));
    Value::Object(object)
}

/// Product and trail in scripts of their own.
pub(super) fn scripts(scene: &Scene<'_>) -> String {
    let trail = trail(scene).and_then(|value| match value {
        Value::Object(object) => Some(script(&standing(object))),
        _ => None,
    });
    script(&standing(whole(scene))) + &trail.unwrap_or_default()
}

/// A list of other products, whole ones, as apps for recommendations write it.
pub(super) fn related(scene: &Scene<'_>) -> String {
    let others = scene.shop.goods.iter().filter(|other| other.number != scene.good.number);
    let items: Vec<Value> = others
        .skip(scene.good.number % 11)
        .take(3)
        .enumerate()
        .map(|(at, other)| {
            let other = Scene { good: other, ..*scene };
            json!({"@type": "ListItem", "position": at + 1, "item": whole(&other)})
        })
        .collect();
    script(&json!({"@context": "https://schema.org", "@type": "ItemList",
        "name": scene.words.related, "itemListElement": items}))
}
