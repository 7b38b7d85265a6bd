//! Broken, hostile and odd pages: a record with what is sure, or none, and always soon.

use contract::{Availability, PriceType};
use page::{PageHead, PageLimits};
use products::{Product, ProductPage, ProductWishes};
use proptest::prelude::*;
use urls::CanonicalUrl;

const WISHES: ProductWishes =
    ProductWishes { suppress_contact: true, collect_hidden_prices: false, lessons: true };

pub fn read(html: &str) -> Option<Product> {
    read_bytes(html.as_bytes(), WISHES)
}

pub fn read_bytes(html: &[u8], wishes: ProductWishes) -> Option<Product> {
    let url = CanonicalUrl::parse("https://shop.test/p/blue-kettle").expect("a URL");
    let head = PageHead::default();
    let (_, page) = ProductPage::read(html, &head, &url, &PageLimits::default(), wishes, None);
    page.product.map(|product| *product)
}

/// A page that shows a kettle, with this data.
pub fn kettle(data: &str) -> String {
    format!(
        "<html lang=en-GB><head><title>Blue Kettle</title>\
         <script type=\"application/ld+json\">{data}</script></head><body><main>\
         <h1>Blue Kettle</h1><p class=price>£49.00</p><button>Add to cart</button></main></body>"
    )
}

#[test]
fn amounts_that_cannot_be_prices_are_none() {
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
fn an_article_number_with_a_wrong_check_digit_is_dropped() {
    let data = r#"{"@type":"Product","name":"Blue Kettle","gtin13":"4006381333932"}"#;
    assert_eq!(read(&kettle(data)).expect("a product").gtin, []);
}

#[test]
fn data_about_another_product_is_not_taken() {
    let data = r#"{"@type":"Product","name":"Steel Toaster","sku":"T9","brand":"Toastwell",
        "offers":{"price":"99.00","priceCurrency":"USD"}}"#;
    let product = read(&kettle(data)).expect("a product");
    assert_eq!((product.sku, product.brand), (None, None));
    assert_eq!(product.price.as_deref(), Some("49.00"));
    assert_eq!(product.currency.as_deref(), Some("GBP"));
}

#[test]
fn the_price_that_is_shown_wins() {
    let data = r#"{"@type":"Product","name":"Blue Kettle",
        "offers":{"price":"59.00","priceCurrency":"GBP","availability":"InStock"}}"#;
    let product = read(&kettle(data)).expect("a product");
    assert_eq!(product.price.as_deref(), Some("49.00"));
    assert_eq!(product.availability, Availability::InStock);
}

#[test]
fn a_price_on_request_stays_hidden_unless_it_is_wished_for() {
    let data = r#"{"@type":"Product","name":"Blue Kettle","offers":{"price":"59.00","priceCurrency":"GBP"}}"#;
    let html = kettle(data).replace("£49.00", "Price on request");
    let product = read(&html).expect("a product");
    assert_eq!((product.price, product.price_type), (None, PriceType::OnRequest));
    let wishes = ProductWishes { collect_hidden_prices: true, ..WISHES };
    let product = read_bytes(html.as_bytes(), wishes).expect("a product");
    assert_eq!(product.price.as_deref(), Some("59.00"));
    assert_eq!(product.price_type, PriceType::Hidden);
}

#[test]
fn a_hundred_offers_are_one_product() {
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
fn ten_thousand_forms_are_kept_and_no_more() {
    let form = |number: u32| {
        format!(
            r#"{{"@type":"Product","sku":"K-{number}","size":"{number}","offers":{{"price":"49","priceCurrency":"GBP"}}}}"#
        )
    };
    let forms: Vec<String> = (0..12_000).map(form).collect();
    let data = format!(
        r#"{{"@type":"ProductGroup","name":"Blue Kettle","hasVariant":[{}]}}"#,
        forms.join(",")
    );
    let product = read(&kettle(&data)).expect("a product");
    assert_eq!(product.variants.len(), 10_000);
}

#[test]
fn items_that_include_each_other_end() {
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
fn large_pages_of_one_kind_are_read_in_linear_time() {
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
        // The runner of the tests ends what takes more than its time.
        let _ = read(&html);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_bytes_break_it(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        read_bytes(&bytes, WISHES);
    }

    #[test]
    fn nor_do_pieces_of_pages(pieces in proptest::collection::vec(prop_oneof![
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
