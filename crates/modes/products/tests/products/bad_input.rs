//! Broken and hostile pages: a record without invalid values, or none, in bounded time.

use contract::{Availability, PriceType};
use page::{PageHead, PageLimits};
use products::{Product, ProductOptions, ProductPage};
use proptest::prelude::*;
use urls::CanonicalUrl;

const OPTIONS: ProductOptions = ProductOptions {
    suppress_contact: true,
    collect_hidden_prices: false,
    template_examples: true,
};

pub fn read(html: &str) -> Option<Product> {
    read_bytes(html.as_bytes(), OPTIONS)
}

pub fn read_bytes(html: &[u8], options: ProductOptions) -> Option<Product> {
    let url = CanonicalUrl::parse("https://shop.test/p/blue-kettle").expect("a URL");
    let head = PageHead::default();
    let (_, page) = ProductPage::read(html, &head, &url, &PageLimits::default(), options, None);
    page.product.map(|product| *product)
}

/// A product page of a kettle with this JSON-LD.
pub fn kettle(data: &str) -> String {
    format!(
        "<html lang=en-GB><head><title>Blue Kettle</title>\
         <script type=\"application/ld+json\">{data}</script></head><body><main>\
         <h1>Blue Kettle</h1><p class=price>£49.00</p><button>Add to cart</button></main></body>"
    )
}

#[test]
fn invalid_amounts_are_no_prices() {
    for price in ["0", "-5", "\"call for price\"", "\"\"", "null", "[]", "1e400", "\"NaN\""] {
        let data = format!(
            r#"{{"@type":"Product","name":"Blue Kettle","sku":"K1","offers":{{"price":{price},"priceCurrency":"XXQ"}}}}"#
        );
        let html = kettle(&data).replace("£49.00", "");
        let product = read(&html).expect("a product");
        assert_eq!((product.price, product.currency), (None, None), "{price}");
        assert_eq!(product.price_type, PriceType::None, "{price}");
    }
}

#[test]
fn gtin_with_wrong_check_digit_is_dropped() {
    let data = r#"{"@type":"Product","name":"Blue Kettle","gtin13":"4006381333932"}"#;
    assert_eq!(read(&kettle(data)).expect("a product").gtin, []);
}

#[test]
fn structured_data_of_another_product_is_ignored() {
    let data = r#"{"@type":"Product","name":"Steel Toaster","sku":"T9","brand":"Toastwell",
        "offers":{"price":"99.00","priceCurrency":"USD"}}"#;
    let product = read(&kettle(data)).expect("a product");
    assert_eq!((product.sku, product.brand), (None, None));
    assert_eq!(product.price.as_deref(), Some("49.00"));
    assert_eq!(product.currency.as_deref(), Some("GBP"));
}

#[test]
fn visible_price_wins_over_structured_data() {
    let data = r#"{"@type":"Product","name":"Blue Kettle",
        "offers":{"price":"59.00","priceCurrency":"GBP","availability":"InStock"}}"#;
    let product = read(&kettle(data)).expect("a product");
    assert_eq!(product.price.as_deref(), Some("49.00"));
    assert_eq!(product.availability, Availability::InStock);
}

#[test]
fn price_on_request_is_hidden_unless_hidden_prices_are_collected() {
    let data = r#"{"@type":"Product","name":"Blue Kettle","offers":{"price":"59.00","priceCurrency":"GBP"}}"#;
    let html = kettle(data).replace("£49.00", "Price on request");
    let product = read(&html).expect("a product");
    assert_eq!((product.price, product.price_type), (None, PriceType::OnRequest));
    let options = ProductOptions { collect_hidden_prices: true, ..OPTIONS };
    let product = read_bytes(html.as_bytes(), options).expect("a product");
    assert_eq!(product.price.as_deref(), Some("59.00"));
    assert_eq!(product.price_type, PriceType::Hidden);
}

#[test]
fn offers_of_a_hundred_sellers_are_no_variants() {
    let offer = |number: u32| {
        format!(
            r#"{{"@type":"Offer","price":"{}.00","priceCurrency":"GBP","seller":{{"name":"S{number}"}}}}"#,
            49 + number
        )
    };
    let offers: Vec<String> = (0..100).map(offer).collect();
    let data =
        format!(r#"{{"@type":"Product","name":"Blue Kettle","offers":[{}]}}"#, offers.join(","));
    let product = read(&kettle(&data)).expect("a product");
    assert_eq!(product.price.as_deref(), Some("49.00"));
    assert_eq!((product.variants.len(), product.seller), (0, None));
}

#[test]
fn variants_are_limited_to_ten_thousand() {
    let variant = |number: u32| {
        format!(
            r#"{{"@type":"Product","sku":"K-{number}","size":"{number}","offers":{{"price":"49","priceCurrency":"GBP"}}}}"#
        )
    };
    let variants: Vec<String> = (0..12_000).map(variant).collect();
    let data = format!(
        r#"{{"@type":"ProductGroup","name":"Blue Kettle","hasVariant":[{}]}}"#,
        variants.join(",")
    );
    let product = read(&kettle(&data)).expect("a product");
    assert_eq!(product.variants.len(), 10_000);
}

#[test]
fn cyclic_microdata_items_terminate() {
    let html = "<title>Blue Kettle</title><h1>Blue Kettle</h1>\
        <div id=a itemscope itemtype='http://schema.org/Product' itemref='b c a'>\
        <span itemprop=name>Blue Kettle</span></div>\
        <div id=b itemprop=isRelatedTo itemscope itemtype='http://schema.org/Product' itemref='a c'></div>\
        <div id=c itemprop=offers itemscope itemtype='http://schema.org/Offer' itemref='b'>\
        <meta itemprop=price content=49><meta itemprop=priceCurrency content=GBP></div>\
        <button>Add to cart</button>";
    let product = read(html).expect("a product");
    assert_eq!(product.price.as_deref(), Some("49.00"));
}

#[test]
fn large_repetitive_pages_are_read_in_linear_time() {
    for part in [
        "<div><span class=price>£1.00</span>",
        "<li><a href=/x><img src=/x.jpg></a><b>£9.99</b></li>",
        "<table><tr><td>a<td>b",
        "<div itemscope itemprop=a itemref=x id=x>",
        "<script type='application/ld+json'>{\"@graph\":[{\"@type\":\"Product\",\"name\":\"x\"</script>",
        "<script>var a = {\"price\": [{[{\"</script>",
        "<p>a sentence of several words, and one more.",
        "<select><option>x",
        "<div data-product='{\"price\":{\"a\":{\"a\":{\"sku\":\"xxxxxxxx\"'>",
        "<h2>Description</h2><div class=description>",
    ] {
        let html = format!("<title>x</title><h1>x</h1>{}", part.repeat(400_000 / part.len()));
        // The test runner ends tests that exceed their time limit.
        let _ = read(&html);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_bytes_cause_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        read_bytes(&bytes, OPTIONS);
    }

    #[test]
    fn random_markup_causes_no_panic(pieces in proptest::collection::vec(prop_oneof![
        Just("<h1>Kettle</h1>"), Just("<div class=price>"), Just("£1.5"), Just("</div>"), Just("<s>"),
        Just("<table><tr><th>SKU<td>1"), Just("<dl><dt>"), Just("<dd>"), Just("<a href=/x>"),
        Just("<img src=/a.jpg srcset='b.jpg 2x,'>"), Just("<button>Add to cart"), Just("<ul><li>"),
        Just("<script type='application/ld+json'>{\"@type\":\"Product\",\"offers\":[{\"price\":"),
        Just("</script>"), Just("<div itemscope itemtype=Product itemprop=offers>"), Just("<nav class=breadcrumb>"),
        Just("<select name=a><option value=b>c"), Just("<fieldset><legend>x<input type=radio name=r>"),
        Just("4.5 out of 5 (12)"), Just("In stock: "), Just("\u{3000}商品番号：ä"), Just("<p class=description>Text. "),
    ], 0..40)) {
        read(&pieces.concat());
    }
}
