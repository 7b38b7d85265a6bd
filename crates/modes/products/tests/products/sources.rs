//! Each source of product data alone.

use contract::{Availability, Condition, ProductSource};

use crate::bad_input::{kettle, read};

const SHOWN: &str = "<main><h1>Blue Kettle</h1><p class=price>£49.00</p>\
    <button>Add to cart</button></main>";

#[test]
fn json_ld_references_are_resolved() {
    let data = r##"{"@graph":[
        {"@type":"WebPage","@id":"#page","mainEntity":{"@id":"#it"}},
        {"@type":"Brand","@id":"#brand","name":"Acme"},
        {"@type":"Product","@id":"#it","name":"Blue Kettle","brand":{"@id":"#brand"},
         "offers":{"@id":"#offer"},"image":{"@id":"#image"}},
        {"@type":"Offer","@id":"#offer","price":49,"priceCurrency":"GBP","itemCondition":"NewCondition"},
        {"@type":"ImageObject","@id":"#image","url":"/kettle.jpg"}]}"##;
    let product = read(&kettle(data)).expect("a product");
    assert_eq!(product.brand.as_deref(), Some("Acme"));
    assert_eq!(product.condition, Some(Condition::New));
    assert_eq!(product.images[0].url, "https://shop.test/kettle.jpg");
    assert_eq!(product.provenance["price"], ProductSource::JsonLd);
}

#[test]
fn malformed_json_ld_is_repaired() {
    let data = "//<![CDATA[\n{\"@type\":\"Product\",\"name\":\"Blue Kettle\",\"sku\":\"K 24\" wide\",\
        \"description\":\"Boils\nwater.\",}\n//]]>";
    let product = read(&kettle(data)).expect("a product");
    assert_eq!(product.sku.as_deref(), Some("K 24\" wide"));
    assert_eq!(product.description.as_deref(), Some("Boils\nwater."));
}

#[test]
fn microdata_and_rdfa_give_the_same_record() {
    let microdata = "<title>Blue Kettle</title><div itemscope itemtype='https://schema.org/Product'>\
        <h1 itemprop=name>Blue Kettle</h1><a itemprop=brand href=/acme>Acme</a><meta itemprop=sku content=K1>\
        <div itemprop=offers itemscope itemtype='https://schema.org/Offer'><span itemprop=price content=49>£49</span>\
        <meta itemprop=priceCurrency content=GBP><link itemprop=availability href='https://schema.org/InStock'></div></div>";
    let rdfa = "<title>Blue Kettle</title><div vocab='https://schema.org/' typeof=Product>\
        <h1 property=name>Blue Kettle</h1><span property=brand typeof=Brand><span property=name>Acme</span></span>\
        <span property=sku>K1</span><div property=offers typeof=Offer><span property=price content=49>£49</span>\
        <meta property=priceCurrency content=GBP><link property=availability href='https://schema.org/InStock'></div></div>";
    for (html, source) in [(microdata, ProductSource::Microdata), (rdfa, ProductSource::Rdfa)] {
        let product = read(html).expect("a product");
        assert_eq!(product.brand.as_deref(), Some("Acme"), "{source:?}");
        assert_eq!(product.sku.as_deref(), Some("K1"));
        assert_eq!(product.price.as_deref(), Some("49.00"));
        assert_eq!(product.currency.as_deref(), Some("GBP"));
        assert_eq!(product.availability, Availability::InStock);
        assert_eq!(product.provenance["brand"], source);
    }
}

#[test]
fn nested_microdata_is_read_and_items_without_a_type_are_hints() {
    let nested = "<title>Blue Kettle</title><body itemscope itemtype='https://schema.org/ItemPage'>\
        <main itemprop=mainEntity itemscope itemtype='https://schema.org/Product'><h1 itemprop=name>Blue Kettle</h1>\
        <div itemprop=brand itemscope itemtype='https://schema.org/Brand'><meta itemprop=name content=Acme></div>\
        <div itemprop=offers itemscope itemtype='https://schema.org/AggregateOffer'><div itemprop=offers itemscope \
        itemtype='https://schema.org/Offer'><meta itemprop=price content=49><meta itemprop=priceCurrency content=GBP>\
        </div></div><button>Add to cart</button></main>";
    let product = read(nested).expect("a product");
    assert_eq!(product.price.as_deref(), Some("49.00"));
    assert_eq!(product.currency.as_deref(), Some("GBP"));
    assert_eq!(product.brand.as_deref(), Some("Acme"));
    assert_eq!(product.provenance["price"], ProductSource::Microdata);
    // Without the type of the item, its properties are weaker than what the page shows.
    let untyped = "<title>Blue Kettle</title><main itemscope><h1 itemprop=name>Blue Kettle</h1>\
        <p class=price itemprop=price>£49.00</p><button>Add to cart</button></main>";
    let product = read(untyped).expect("a product");
    assert_eq!(product.price.as_deref(), Some("49.00"));
    assert_eq!(product.provenance["price"], ProductSource::Dom);
}

#[test]
fn script_state_is_read() {
    for (script, sku) in [
        (
            r#"<script id=__NEXT_DATA__ type=application/json>{"props":{"related":[{"name":"Toaster","sku":"T","price":1}],
            "product":{"name":"Blue Kettle","sku":"K1","price":{"value":49,"currency":"GBP"}}}}</script>"#,
            "K1",
        ),
        (
            r#"<script>window.__NUXT__=(function(a,b){return {data:[{product:{name:"Blue Kettle",sku:a,price:b}}]}}("K2",49));</script>"#,
            "K2",
        ),
        (
            r#"<script type=application/json id=__NUXT_DATA__>[{"product":1},{"name":2,"sku":3,"price":4},"Blue Kettle","K3",49]</script>"#,
            "K3",
        ),
        (
            r#"<script>dataLayer.push({'ecommerce':{'detail':{'products':[{'name':'Blue Kettle','sku':'K4','price':'49.00','brand':'Acme'}]}}});</script>"#,
            "K4",
        ),
    ] {
        let product =
            read(&format!("<title>Blue Kettle</title>{script}{SHOWN}")).expect("a product");
        assert_eq!(product.sku.as_deref(), Some(sku), "{script}");
        assert_eq!(product.provenance["sku"], ProductSource::State);
    }
}

#[test]
fn variants_get_the_visible_option_labels() {
    let html = r#"<title>Blue Kettle</title><main><h1>Blue Kettle</h1><p class=price>€49.00</p>
        <form data-product_variations='[{"variation_id":7,"sku":"K-S","attributes":{"attribute_pa_size":"s"},
        "display_price":49,"is_in_stock":true},{"variation_id":8,"sku":"K-L","attributes":{"attribute_pa_size":"l"},
        "display_price":59,"is_in_stock":false}]'><label for=s>Size</label><select id=s name=attribute_pa_size>
        <option value=''>Choose</option><option value=s>Small</option><option value=l>Large</option></select>
        <button>Add to cart</button></form></main>"#;
    let product = read(html).expect("a product");
    let [small, large] = &product.variants[..] else { panic!("{:?}", product.variants) };
    assert_eq!((small.variant_id.as_str(), small.options["Size"].as_str()), ("7", "Small"));
    assert_eq!(large.price.as_deref(), Some("59.00"));
    assert_eq!(large.availability, Availability::OutOfStock);
}

#[test]
fn page_without_structured_data_is_read() {
    let html = "<html lang=de-DE><title>Wasserkocher Blau | Laden</title><body>\
        <header><a href=/>Laden</a></header><p><a href=/>Start</a> › <a href=/k>Küche</a> › Wasserkocher Blau</p>\
        <h1>Wasserkocher Blau</h1><img src=/k-600.jpg alt='Wasserkocher Blau'>\
        <div><del>59,00 €</del> <b>49,00 €</b> inkl. MwSt.</div><p>(98,00 € / l)</p><p>zzgl. Versand 4,90 €</p>\
        <p>Auf Lager</p><p>Art.-Nr.: WK-100</p><p>EAN: 4006381333931</p><button>In den Warenkorb</button>\
        <h2>Beschreibung</h2><div><p>Kocht Wasser in zwei Minuten.</p><p>Der Griff bleibt kühl.</p></div>\
        <h2>Technische Daten</h2><table><tr><th>Inhalt<td>1,7 l<tr><th>Leistung<td>2200 W</table>\
        <h2>Das könnte Ihnen auch gefallen</h2><ul><li><a href=/t><img src=/t.jpg></a> 19,00 €\
        <li><a href=/u><img src=/u.jpg></a> 29,00 €</ul></body>";
    let product = read(html).expect("a product");
    assert_eq!(product.name, "Wasserkocher Blau");
    assert_eq!(product.price.as_deref(), Some("49.00"));
    assert_eq!(product.regular_price.as_deref(), Some("59.00"));
    assert_eq!(product.currency.as_deref(), Some("EUR"));
    assert_eq!(product.tax_included, Some(true));
    assert_eq!(product.availability, Availability::InStock);
    assert_eq!(product.sku.as_deref(), Some("WK-100"));
    assert_eq!(product.gtin[0].value, "4006381333931");
    assert_eq!(product.category.as_deref(), Some("Küche"));
    assert_eq!(
        product.description.as_deref(),
        Some("Kocht Wasser in zwei Minuten.\n\nDer Griff bleibt kühl.")
    );
    assert_eq!(product.attributes.len(), 2);
    assert_eq!(product.images.len(), 1);
}

#[test]
fn single_image_beside_the_heading_is_the_product_image() {
    let html = "<title>Copper kettle | Shop</title><h1>Copper kettle</h1><img src=/img/7.jpg alt='Front'>\
        <div class=price>£69.50</div><form method=post><button>Add to basket</button></form>\
        <footer><img src=/img/cards.png></footer>";
    let product = read(html).expect("a product");
    let images: Vec<_> = product.images.iter().map(|image| image.url.as_str()).collect();
    assert_eq!(images.len(), 1, "{images:?}");
    assert!(images[0].ends_with("/img/7.jpg"), "{images:?}");
}

#[test]
fn lists_articles_and_carts_are_no_products() {
    let card = "<li><a href=/a><img src=/a.jpg><h3>Toaster</h3></a><span class=price>£9.00</span><button>Add to cart</button>";
    let list = format!(
        "<title>Kettles</title><h1>Kettles</h1><ul>{}</ul>\
         <script type='application/ld+json'>[{{\"@type\":\"Product\",\"name\":\"Blue Kettle\",\"url\":\"/b\"}},\
         {{\"@type\":\"Product\",\"name\":\"Red Kettle\",\"url\":\"/r\"}}]</script>",
        card.repeat(8)
    );
    let story = "<title>How to boil water</title><article><h1>How to boil water</h1>\
        <p>First buy a kettle. It costs about £20.</p></article>";
    let cart = "<title>Cart</title><h1>Your cart</h1><table><tr><td><a href=/k><img src=/k.jpg></a>\
        <td>Blue Kettle<td>£49.00</table><p class=total>Total £49.00</p><button>Checkout</button>";
    for html in [list.as_str(), story, cart] {
        assert_eq!(read(html), None, "{html}");
    }
}
