//! Layouts of shops: rows, choices, buttons and prices in the forms that sites use.

use contract::{Availability, PriceType};
use products::Product;

use crate::bad_input::read;

/// A product page of a kettle with this part between the price and the button.
fn page(part: &str) -> Product {
    let html = format!(
        "<html lang=en><head><title>Blue Kettle</title></head><body><main><h1>Blue Kettle</h1>\
         <p class=price>£49.00</p>{part}<button>Add to cart</button></main></body>"
    );
    read(&html).expect("a product")
}

fn options(product: &Product) -> Vec<String> {
    let lines = product.variants.iter().map(|variant| {
        let options = variant.options.iter().map(|(name, value)| format!("{name}={value}"));
        options.collect::<Vec<_>>().join(" ")
    });
    lines.collect()
}

/// A table with the number and two properties of a product.
const ROWS: &str = "<table><tr><th>SKU</th><td>KX-300</td></tr><tr><th>Weight</th><td>2 kg</td></tr>\
    <tr><th>Colour</th><td>blue</td></tr></table>";

#[test]
fn product_without_a_price_is_read_on_other_evidence() {
    let html = format!(
        "<title>Blue Kettle</title><main><h1>Blue Kettle</h1><button>Add to cart</button>{ROWS}</main>"
    );
    let product = read(&html).expect("a product");
    assert_eq!((product.price_type, product.price), (PriceType::None, None));
    assert_eq!(product.sku.as_deref(), Some("KX-300"));
}

#[test]
fn article_by_its_meta_tag_is_a_product_beside_a_cart_button() {
    let html = "<title>Blue Kettle</title><meta property=og:type content=article><main><h1>Blue Kettle</h1>\
        <p class=price>£49.00</p><button>Add to cart</button></main>";
    assert_eq!(read(html).expect("a product").price.as_deref(), Some("49.00"));
}

#[test]
fn product_without_a_heading_has_the_name_of_its_meta_tags() {
    let html = format!(
        "<title>Blue Kettle | Kitchen Shop</title><meta property=og:type content=product>\
         <meta property=og:title content='Blue Kettle'><main><p class=price>£49.00</p>\
         <button>Add to cart</button>{ROWS}</main>"
    );
    assert_eq!(read(&html).expect("a product").name, "Blue Kettle");
}

#[test]
fn properties_without_an_item_are_hints_like_classes() {
    let price = |attribute: &str| {
        let html = format!(
            "<title>Blue Kettle</title><main><h1>Blue Kettle</h1><p {attribute}=price>£49.00</p>\
             <button>Add to cart</button></main>"
        );
        read(&html).expect("a product").price
    };
    assert_eq!(price("itemprop"), price("class"));
}

#[test]
fn choices_of_every_form_give_variants() {
    for part in [
        "<label for=s>Size</label><select id=s><option value=''>Choose</option><option>S - £39.00</option>\
         <option>M (+ £5)</option></select>",
        "<fieldset><legend>Size</legend><input type=radio name=s id=a><label for=a>S</label>\
         <input type=radio name=s id=b><label for=b>M</label></fieldset>",
        "<div id=variation_size><label>Size:</label> <span>M</span><ul role=radiogroup>\
         <li title='Click to select S'><button><span>S</span><span class=price>£39.00</span></button></li>\
         <li title='Click to select M'><button><span>M</span></button></li></ul></div>",
        "<h4>Select Size</h4><ul class=swatch><li><a href=#>S</a></li><li><a href=#>M</a></li></ul>",
        "<div style='display:none' class=sizes><label>Size :</label><div class=sizes-section>\
         <span>S</span><span>M</span></div></div>",
        "<div class=variants><div class=title>Choose size</div><select name=variant>\
         <option value=/s>S</option><option value=/m>M</option></select></div>",
    ] {
        let product = page(part);
        let values: Vec<&str> = product
            .variants
            .iter()
            .flat_map(|one| one.options.values().map(String::as_str))
            .collect();
        assert_eq!(values, ["S", "M"], "{part}");
        let name = product.variants[0].options.keys().next().expect("a name");
        assert!(name.eq_ignore_ascii_case("size"), "{name} {part}");
    }
}

#[test]
fn several_choices_are_combined() {
    let product = page(
        "<div class=swatches><p>Colour:</p><ul><li><button><img alt=Blue></button></li>\
         <li><button><img alt=Red></button></li></ul><p>Size:</p><ul><li><button>1 l</button></li>\
         <li><button>2 l</button></li></ul></div>",
    );
    assert_eq!(
        options(&product),
        [
            "Colour=Blue Size=1 l",
            "Colour=Blue Size=2 l",
            "Colour=Red Size=1 l",
            "Colour=Red Size=2 l"
        ]
    );
}

#[test]
fn other_choices_are_no_variants() {
    for part in [
        "<label for=q>Quantity</label><select id=q><option>1</option><option>2</option></select>",
        "<label for=c>Ship to</label><select id=shCountry><option>France</option><option>Spain</option></select>",
        "<ul class=tabs><li><a href=#a>Details</a></li><li><a href=#b>Reviews</a></li></ul>",
        "<p>Colour:</p><ul><li><a href=/green>Green Kettle</a></li><li><a href=/red>Red Kettle</a></li></ul>",
    ] {
        assert_eq!(options(&page(part)), Vec::<String>::new(), "{part}");
    }
}

#[test]
fn labelled_rows_of_every_form_give_attributes() {
    for part in [
        "<table><tr><th>Weight</th><td>2 kg</td></tr><tr><th>Power</th><td>1 kW</td></tr>\
         <tr><th>Colour</th><td>blue</td></tr></table>",
        "<table><tr><td>Weight:</td><td>2 kg</td><td>Power:</td><td>1 kW</td></tr>\
         <tr><td>Colour:</td><td>blue</td></tr></table>",
        "<p><span>Weight: <b>2 kg</b></span><br><span>Power: <b>1 kW</b></span><br>\
         <span>Colour: <b>blue</b></span></p>",
        "<section><p>Weight: 2 kg</p><p>Power: 1 kW</p><p>Colour: blue</p></section>",
        "<div class=w><div><span class=k>Weight</span><span class=v>2 kg</span></div></div>\
         <div class=w><div><span class=k>Power</span><span class=v>1 kW</span></div></div>\
         <div class=w><div><span class=k>Colour</span><span class=v>blue</span></div></div>",
        "<div><div><div><span>Weight</span></div><div></div><div><span>2 kg</span></div></div></div>\
         <div><div><div><span>Power</span></div><div></div><div><span>1 kW</span></div></div></div>\
         <div><div><div><span>Colour</span></div><div></div><div><span>blue</span></div></div></div>",
        "<div><h4>Weight:</h4><div>2 kg<br></div><h4>Power:</h4><div>1 kW<br></div><h4>Colour:</h4>\
         <div>blue</div></div>",
    ] {
        let rows = page(part).attributes;
        let rows: Vec<String> =
            rows.iter().map(|row| format!("{}={}", row.name, row.value)).collect();
        for row in ["Weight=2 kg", "Power=1 kW", "Colour=blue"] {
            assert!(rows.contains(&row.to_owned()), "{rows:?} {part}");
        }
    }
}

#[test]
fn numbers_and_brand_are_read_from_their_labels() {
    let product = page(
        "<table><tr><th>Item model number</th><td>KX-300</td></tr><tr><th>ASIN</th><td>B00KETTLE1</td></tr>\
         <tr><th>Reference</th><td>77-1</td></tr></table><p>Výrobca</p><p><a href=/acme>Acme</a></p>",
    );
    assert_eq!(product.sku.as_deref(), Some("B00KETTLE1"));
    assert_eq!(product.mpn.as_deref(), Some("KX-300"));
    assert_eq!(product.brand.as_deref(), Some("Acme"));
    let product = page(
        "<table><tr><th>Model</th><td>Number</td></tr><tr><th>Brand</th><td>Unbranded</td></tr></table>",
    );
    assert_eq!((product.sku, product.mpn, product.brand), (None, None, None));
}

#[test]
fn link_beside_the_heading_is_the_brand_if_its_address_names_it() {
    let read_brand = |link: &str| {
        let html = format!(
            "<title>Blue Kettle</title><main><div><h1>Blue Kettle</h1>{link}</div>\
             <p class=price>£49.00</p><button>Add to cart</button></main>"
        );
        read(&html).expect("a product").brand
    };
    assert_eq!(read_brand("<a href=/brands/acme>Acme</a>").as_deref(), Some("Acme"));
    assert_eq!(read_brand("<a href=/flag?id=1>Report Ad</a>"), None);
    let byline = "<a id=bylineInfo href=/stores/1>Visit the Acme Store</a>";
    assert_eq!(read_brand(byline).as_deref(), Some("Acme"));
}

#[test]
fn active_button_means_in_stock() {
    let read_stock = |button: &str| {
        let html = format!(
            "<title>Blue Kettle</title><main><h1>Blue Kettle</h1><p class=price>£49.00</p>{button}</main>"
        );
        read(&html).expect("a product").availability
    };
    assert_eq!(read_stock("<button>Add to cart</button>"), Availability::InStock);
    assert_eq!(read_stock("<button disabled>Add to cart</button>"), Availability::Unknown);
    let states = "<a href=# class=add-to-basket><span>Add to basket</span>\
        <span class=unavailable-label>Not available</span></a>";
    assert_eq!(read_stock(states), Availability::InStock);
    assert_eq!(
        read_stock("<img id=addToCartButton src=a.png alt='Add to cart'>"),
        Availability::InStock
    );
}

#[test]
fn prices_in_parts_are_read_as_a_whole() {
    for (price, amount, currency) in [
        ("<div class=price>£249<span class=end>99</span></div>", "249.99", Some("GBP")),
        ("<div class=price><strong>€ <span>20,-</span></strong></div>", "20.00", Some("EUR")),
        ("<div class=price>£1,249<span>50</span></div>", "1249.50", Some("GBP")),
    ] {
        let html = format!(
            "<title>Blue Kettle</title><main><h1>Blue Kettle</h1>{price}<button>Add to cart</button></main>"
        );
        let product = read(&html).expect("a product");
        assert_eq!(product.price.as_deref(), Some(amount), "{price}");
        assert_eq!(product.currency.as_deref(), currency, "{price}");
    }
}

#[test]
fn price_of_other_offers_is_not_the_price() {
    let html = "<title>Blue Kettle</title><main><h1>Blue Kettle</h1><table><tr><td>RRP:</td>\
        <td><span class=text-strike>£55.00</span></td></tr><tr><td>Price:</td><td><span class=price>£48.99</span></td></tr></table>\
        <a href=/offers/1><span class=price>New (5) from £36.61</span></a><button>Add to cart</button></main>";
    let product = read(html).expect("a product");
    assert_eq!(product.price.as_deref(), Some("48.99"));
    assert_eq!(product.regular_price.as_deref(), Some("55.00"));
}

#[test]
fn preview_image_is_the_first_of_the_gallery() {
    let html = "<title>Blue Kettle</title><meta property=og:image content='https://cdn.test/a/kettle-2.jpg'>\
        <main><h1>Blue Kettle</h1><div class=gallery><img src=/i/kettle-1.jpg><img src=/i/kettle-2.jpg></div>\
        <p class=price>£49.00</p><button>Add to cart</button></main>";
    let images = read(html).expect("a product").images;
    assert_eq!(images[0].url, "https://shop.test/i/kettle-2.jpg");
    assert_eq!(images.len(), 2);
}

#[test]
fn links_beside_the_list_are_no_breadcrumbs() {
    let html = "<title>Blue Kettle</title><div class=breadcrumbs><a href=/saved>Saved</a>\
        <ol><li><a href=/>Home</a></li><li><a href=/kitchen>Kitchen</a></li></ol>\
        <a href=/p/next>Next</a></div><main><h1>Blue Kettle</h1><p class=price>£49.00</p>\
        <button>Add to cart</button></main>";
    let names: Vec<String> =
        read(html).expect("a product").breadcrumbs.into_iter().map(|step| step.name).collect();
    assert_eq!(names, ["Home", "Kitchen"]);
}

#[test]
fn ratings_in_labels_of_stars_are_read() {
    for (part, expected) in [
        (
            "<div role=img aria-label='Rated 4.5 out of 5 stars from 1,997 reviews'></div>",
            Some(1_997),
        ),
        ("<a href=#r aria-label='4.5 out of 5 stars, 120 ratings'><svg></svg></a>", Some(120)),
        (
            "<p><span aria-label='Rating: 4.5 out of 5 stars'><i></i></span> <a href=#r>(120 customer reviews)</a></p>",
            Some(120),
        ),
        (
            "<p><span aria-label='4,5 von 5 Sternen'><i></i></span><span>79 Bewertungen</span></p>",
            Some(79),
        ),
        // A single review, a share of the reviews, and the rating of another product.
        (
            "<div><span aria-label='Rated 4.5 out of 5'></span><span>12 March 2024</span></div>",
            None,
        ),
        ("<span aria-label='12 percent of reviews have 4 stars'></span>", None),
        (
            "<aside class=related><a href=/red><img alt=Red><h3>Red Kettle</h3>\
          <span aria-label='4.5 out of 5 stars, 60 ratings'></span></a></aside>",
            None,
        ),
    ] {
        let rating = page(part).rating;
        assert_eq!(rating.as_ref().map(|rating| rating.count), expected, "{part}");
        assert!(rating.is_none_or(|rating| rating.value == 4.5 && rating.best == 5.0), "{part}");
    }
}
