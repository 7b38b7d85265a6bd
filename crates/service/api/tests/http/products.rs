//! Jobs of mode `products`: price, options, items, exports.

use contract::{
    Alternate, Availability, Credits, Gtin, GtinType, Item, JobId, Millis, Options, PriceType,
    ProductImage, ProductItem, ProductSource, ProductVariant,
};
use journal::{
    Commit, DiscoveredUrl, Finished, ItemIdentity, Outcome, Overlay, Revision, Step, UrlId, Via,
    ViaSet,
};
use serde_json::{Value, json};
use store::{Appended, Lease};

use crate::harness::TestApi;

const NOW: Millis = Millis(1_780_000_000_000);

fn product(number: u32) -> Item {
    let text = |text: &str| Some(text.to_owned());
    let variant = |size: &str| ProductVariant {
        variant_id: format!("L-{number}-{size}"),
        options: [("size".to_owned(), size.to_owned())].into(),
        sku: None,
        gtin: Vec::new(),
        price: text("12.50"),
        regular_price: None,
        currency: text("EUR"),
        availability: Availability::InStock,
        url: None,
        images: vec![ProductImage { url: "https://example.com/i.png".to_owned(), alt: None }],
    };
    Item::Product(Box::new(ProductItem {
        url: format!("https://example.com/{number}"),
        name: format!("Lamp {number}"),
        product_id: format!("L-{number}"),
        canonical_url: None,
        brand: text("=Acme"),
        category: None,
        description: text("A lamp.\n\nIt shines."),
        breadcrumbs: Vec::new(),
        features: vec!["bright".to_owned(), "small".to_owned()],
        attributes: Vec::new(),
        sku: Some(format!("L-{number}")),
        mpn: None,
        gtin: vec![Gtin { kind: GtinType::Gtin13, value: "4006381333931".to_owned() }],
        price: text("12.50"),
        regular_price: text("15.00"),
        currency: text("EUR"),
        price_raw: text("12,50 €"),
        price_type: PriceType::Exact,
        tax_included: Some(true),
        availability: Availability::InStock,
        availability_raw: None,
        condition: None,
        seller: None,
        images: Vec::new(),
        rating: None,
        variants: vec![variant("s"), variant("m")],
        language: text("en"),
        alternates: Vec::new(),
        provenance: [("price".to_owned(), ProductSource::JsonLd)].into(),
        template_id: None,
        confidence: 0.9,
        fetched_at: NOW,
        content_hash: format!("{number:016x}"),
        files: None,
    }))
}

/// Delivers products, each with a page that sells the same and is not delivered.
async fn sell(api: &TestApi, lease: &mut Lease, products: u32) -> Vec<Item> {
    let items: Vec<_> = (0..products).map(product).collect();
    let mut steps = Vec::new();
    for ordinal in 0..products * 2 {
        let delivered = ordinal % 2 == 0;
        let url = format!("https://example.com/{}", ordinal + 1);
        steps.push(Step::Finished(Finished {
            found: vec![DiscoveredUrl::page(url, Via::Link, None)],
            identity: Some(Box::new(ItemIdentity::default())),
            delivered,
            units: u32::from(delivered),
            ..Finished::bare(UrlId(ordinal), Outcome::Answered(200))
        }));
    }
    let appended = api.store.append(lease, &Commit { steps }, &items, &[], NOW).await;
    assert_eq!(appended.expect("the database answers"), Appended::Stored);
    items
}

#[tokio::test]
async fn products_are_returned_as_delivered() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running_in("products", "example.com").await;
    let items = sell(&api, &mut lease, 3).await;
    let answer = api.get(&format!("/v1/jobs/{id}/results")).await;
    assert_eq!((answer.status, &answer.body["mode"]), (200, &json!("products")));
    assert_eq!(answer.body["items"], serde_json::to_value(&items).expect("JSON"));
    let job = api.get(&format!("/v1/jobs/{id}")).await;
    assert_eq!(job.body["credit_per_unit"], 5);
    assert_eq!(job.body["credits_used"], 15, "one unit a delivered product");
    let counts = &job.body["counts"];
    assert_eq!((&counts["products"], &counts["results"]), (&json!(6), &json!(3)));
}

#[tokio::test]
async fn alternates_of_the_overlay_are_merged() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running_in("products", "example.com").await;
    sell(&api, &mut lease, 3).await;
    let ways = ViaSet::default();
    let revision = Revision { depth: None, inlinks: 1, ways, orphan: false, in_sitemap: false };
    let german = Alternate { lang: "de".to_owned(), url: "https://example.com/de/1".to_owned() };
    let overlay = Overlay {
        revisions: vec![revision; 3],
        translations: [(1, vec![german.clone()])].into(),
        ..Overlay::default()
    };
    assert!(api.store.write_overlay(&lease, &overlay).await.expect("it answers"));
    let items = api.get(&format!("/v1/jobs/{id}/results")).await.body["items"].clone();
    assert_eq!(items[1]["alternates"], json!([german]));
    assert_eq!(items[0]["alternates"], json!([]));
    assert_eq!(items[0].get("inlinks"), None, "an overlay adds no member");
}

#[tokio::test(flavor = "multi_thread")]
async fn products_are_exported_in_every_format() {
    let api = TestApi::start().await;
    let (id, mut lease) = api.running_in("products", "example.com").await;
    let items = sell(&api, &mut lease, 2).await;
    for (format, pieces) in [
        ("json", &["\"product_id\":\"L-1\""][..]),
        ("csv", &["product_id", "L-1", "'=Acme", "bright; small", "L-1-s; L-1-m"]),
        ("xml", &["<results>", "<product_id>L-1</product_id>", "<variant_id>L-1-s</variant_id>"]),
        ("md", &["| url | name |", "Lamp 1"]),
        ("xlsx", &["PK"]),
    ] {
        let file = api.take_away(&id, format).await;
        for piece in pieces {
            assert!(file.text.contains(piece), "{piece} in {format}: {}", file.text);
        }
        if format == "json" {
            assert_eq!(file.body, serde_json::to_value(&items).expect("JSON"));
        }
    }
}

#[tokio::test]
async fn product_costs_five_credits() {
    let api = TestApi::start().await;
    let (_, key) = api.account("poor@example.com", 4).await;
    let body = json!({"mode": "products", "url": "https://example.com/"});
    let answer = api.post_as(&key, "/v1/jobs", &body).await;
    assert_eq!(answer.refusal(), (402, "insufficient_credits"));
    assert_eq!((&answer.body["required"], &answer.body["available"]), (&json!(5), &json!(4)));
    api.store.grant("poor@example.com", Credits(1), NOW).await.expect("a grant");
    assert_eq!(api.post_as(&key, "/v1/jobs", &body).await.status, 202);
    let low = json!({"mode": "products", "url": "https://b.example/", "max_credit_per_unit": 4});
    let answer = api.post("/v1/jobs", &low).await;
    assert_eq!((answer.status, answer.fields()), (422, vec!["max_credit_per_unit"]));
}

/// The options of a job that was created with these.
async fn options(api: &TestApi, options: Value) -> Options {
    let body = json!({"mode": "products", "url": "https://example.com/", "options": options});
    let answer = api.post("/v1/jobs", &body).await;
    assert_eq!(answer.status, 202, "{}", answer.text);
    let id: JobId = answer.job_id().parse().expect("an id");
    let job = api.store.job(&id).await.expect("the database answers").expect("a job");
    job.options
}

/// An option is kept as given, has its default if it is missing, and is a boolean.
async fn is_an_option(name: &str, default: bool, read: fn(&Options) -> bool) {
    for given in [true, false] {
        let kept = options(&TestApi::start().await, json!({name: given})).await;
        assert_eq!(read(&kept), given, "{name}");
    }
    let api = TestApi::start().await;
    for wrong in [json!("yes"), json!(1), json!([])] {
        let body =
            json!({"mode": "products", "url": "https://a.example/", "options": {name: wrong}});
        let answer = api.post("/v1/jobs", &body).await;
        let field = format!("options.{name}");
        assert_eq!((answer.status, answer.fields()), (422, vec![field.as_str()]));
    }
    assert_eq!(read(&options(&api, json!({})).await), default, "{name}");
}

#[tokio::test]
async fn all_languages_is_stored_with_the_job() {
    is_an_option("all_languages", false, |options| options.all_languages).await;
}

#[tokio::test]
async fn use_template_extraction_is_stored_with_the_job() {
    is_an_option("use_template_extraction", true, |options| options.use_template_extraction).await;
}

#[tokio::test]
async fn suppress_contact_is_stored_with_the_job() {
    is_an_option("suppress_contact", true, |options| options.suppress_contact).await;
}

#[tokio::test]
async fn collect_hidden_prices_is_stored_with_the_job() {
    is_an_option("collect_hidden_prices", false, |options| options.collect_hidden_prices).await;
}
