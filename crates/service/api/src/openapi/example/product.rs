//! A product of a shop, as the examples of the document tell it.

use std::collections::BTreeMap;

use contract::{
    Alternate, Availability, Breadcrumb, Condition, Gtin, GtinType, Item, Mode, PriceType,
    ProductAttribute, ProductImage, ProductItem, ProductSource, ProductVariant, Rating,
    ResultsPage, Seller,
};

use super::{NOW, job_id};

const SHOP: &str = "https://shop.example.com";

pub(crate) fn results() -> ResultsPage {
    ResultsPage {
        job_id: job_id(),
        mode: Mode::Products,
        items: vec![Item::Product(Box::new(product()))],
        total: 1,
        page: 1,
        page_size: 100,
        has_more: false,
        offset: 0,
    }
}

fn product() -> ProductItem {
    let text = |text: &str| Some(text.to_owned());
    let image = |name: &str| ProductImage {
        url: format!("{SHOP}/images/{name}.jpg"),
        alt: text("Storm lantern"),
    };
    let variant = |colour: &str, price: &str| ProductVariant {
        variant_id: format!("LAN-7-{}", &colour[..1]),
        options: BTreeMap::from([("colour".to_owned(), colour.to_owned())]),
        sku: Some(format!("LAN-7-{}", &colour[..1])),
        gtin: Vec::new(),
        price: text(price),
        regular_price: None,
        currency: text("EUR"),
        availability: Availability::InStock,
        url: None,
        images: vec![image(colour)],
    };
    let provenance = [
        ("name", ProductSource::JsonLd),
        ("price", ProductSource::JsonLd),
        ("availability", ProductSource::Dom),
        ("attributes", ProductSource::Template),
    ];
    ProductItem {
        url: format!("{SHOP}/de/sturmlaterne-7"),
        name: "Sturmlaterne 7\"".to_owned(),
        product_id: "LAN-7".to_owned(),
        canonical_url: Some(format!("{SHOP}/de/sturmlaterne-7")),
        brand: text("Leuchtwerk"),
        category: text("Laternen"),
        description: text("Eine Laterne für draußen.\n\nSie brennt zwölf Stunden."),
        breadcrumbs: vec![Breadcrumb {
            name: "Laternen".to_owned(),
            url: Some(format!("{SHOP}/de/laternen")),
        }],
        features: vec!["windfest".to_owned()],
        attributes: vec![ProductAttribute { name: "Höhe".to_owned(), value: "18 cm".to_owned() }],
        sku: text("LAN-7"),
        mpn: None,
        gtin: vec![Gtin { kind: GtinType::Gtin13, value: "4006381333931".to_owned() }],
        price: text("39.90"),
        regular_price: text("49.90"),
        currency: text("EUR"),
        price_raw: text("39,90 €"),
        price_type: PriceType::Exact,
        tax_included: Some(true),
        availability: Availability::InStock,
        availability_raw: text("sofort lieferbar"),
        condition: Some(Condition::New),
        seller: Some(Seller { name: "Leuchtwerk GmbH".to_owned(), url: None }),
        images: vec![image("front"), image("side")],
        rating: Some(Rating { value: 4.6, best: 5.0, count: 31 }),
        variants: vec![variant("red", "39.90"), variant("black", "41.90")],
        language: text("de"),
        alternates: vec![Alternate {
            lang: "en".to_owned(),
            url: format!("{SHOP}/en/storm-lantern-7"),
        }],
        provenance: provenance.map(|(field, source)| (field.to_owned(), source)).into(),
        template_id: text("5f2c9a0713e8b46d"),
        confidence: 0.97,
        fetched_at: NOW,
        content_hash: "8a2c31f7d05e94b6".to_owned(),
    }
}
