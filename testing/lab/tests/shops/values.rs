//! Every value of the truth stands on its page, with and without structured data.

use std::collections::BTreeMap;

use lab::{ProductTruth, Shop};

use crate::reading::{page, shops, squeezed, unescaped, visible, without};

/// Every text of the truth that must stand on the page, with the name of its field.
fn texts(product: &ProductTruth) -> Vec<(&'static str, String)> {
    let mut texts = vec![("name", product.name.clone())];
    let mut add =
        |field, text: Option<&String>| texts.extend(text.map(|text| (field, text.clone())));
    add("price", product.price.price_raw.as_ref());
    add("brand", product.brand.as_ref());
    add("category", product.category.as_ref());
    add("sku", product.sku.as_ref());
    add("mpn", product.mpn.as_ref());
    add("stock", product.availability_raw.as_ref());
    add("seller", product.seller.as_ref().map(|seller| &seller.name));
    for gtin in &product.gtin {
        add("gtin", Some(&gtin.value));
    }
    for crumb in &product.breadcrumbs {
        add("crumb", Some(&crumb.name));
    }
    for feature in &product.features {
        add("feature", Some(feature));
    }
    for (label, value) in &product.attributes {
        add("attribute", Some(label));
        add("attribute", Some(value));
    }
    if let Some(text) = &product.description_with_contacts {
        for line in text.lines() {
            add("description", Some(&line.to_owned()));
        }
    }
    if let Some(rating) = &product.rating {
        add("rating", Some(&rating.count.to_string()));
    }
    if let Some(before) = &product.price.regular_price {
        // Its whole part, as far as it stands before the first mark of grouping.
        let whole = before.split('.').next().unwrap_or_default();
        let lead = if whole.len() > 3 { &whole[whole.len() - 3..] } else { whole };
        add("regular price", Some(&lead.to_owned()));
    }
    for variant in product.variants.iter().take(50) {
        for (label, value) in &variant.options {
            add("option", Some(label));
            add("option", Some(value));
        }
    }
    texts
}

/// What a test missed, by shop and field, with one example of each.
#[derive(Default)]
struct Missing(BTreeMap<(&'static str, &'static str), (usize, String)>);

impl Missing {
    fn look(&mut self, shop: &Shop, product: &ProductTruth, page: &str) {
        for (field, text) in texts(product) {
            if !page.contains(&squeezed(&text)) {
                let example = format!("{}: {text}", product.path);
                self.0.entry((shop.host(), field)).or_insert((0, example)).0 += 1;
            }
        }
    }

    #[track_caller]
    fn assert_none(&self) {
        assert!(self.0.is_empty(), "{:#?}", self.0);
    }
}

#[test]
fn what_the_truth_says_stands_on_the_page() {
    let mut missing = Missing::default();
    for (shop, truth) in shops() {
        for product in &truth.products {
            let html = without(&page(shop, &product.path), "<style", "</style>");
            // Codes are escaped in attributes and in JSON, raw line ends are one shop's trouble.
            let source = squeezed(&unescaped(&unescaped(&html)).replace("\\n", "\n"));
            let seen = visible(&html);
            // A text may be HTML within JSON.
            let nested = without(&html.replace("\\\"", "\""), "<", ">");
            let all = format!("{seen}\n{source}\n{}", squeezed(&unescaped(&nested)));
            missing.look(shop, product, &all);
            let price = product.price.price_raw.as_deref().map(squeezed).unwrap_or_default();
            for text in [squeezed(&product.name), price] {
                assert!(seen.contains(&text), "{}{}: {text}", shop.host(), product.path);
            }
            for image in &product.images {
                let path = image.url.trim_start_matches("http:");
                let path = path.trim_start_matches(&format!("//{}", shop.host()));
                assert!(html.contains(path), "{}{}: {path}", shop.host(), product.path);
            }
        }
    }
    missing.assert_none();
}

#[test]
fn a_page_without_data_shows_all_that_its_truth_says() {
    let mut missing = Missing::default();
    let marks = [
        "itemprop",
        "itemscope",
        "itemref",
        "ld+json",
        "property=",
        "typeof",
        "__NEXT_DATA__",
        "__NUXT",
        "x-magento-init",
        "data-product=",
        "product_variations",
        "BCData",
        "var meta",
        "application/json",
        "data-price-amount",
    ];
    for (shop, whole) in shops() {
        let (unstripped, shop) = (shop, &shop.stripped());
        let truth = shop.shop_truth();
        assert_eq!(truth.pages, whole.pages);
        let bare = truth.products.iter().filter(|product| product.stripped);
        assert_eq!(bare.clone().count(), truth.products.len() / 2, "{}", shop.host());
        for product in bare {
            let html = without(&page(shop, &product.path), "<style", "</style>");
            for mark in marks {
                assert!(!html.contains(mark), "{}{}: {mark}", shop.host(), product.path);
            }
            let seen = visible(&html);
            missing.look(shop, product, &seen);
        }
        for (kept, same) in
            truth.products.iter().zip(&whole.products).filter(|(one, _)| !one.stripped)
        {
            assert_eq!(kept, same);
            assert_eq!(page(shop, &kept.path), page(unstripped, &kept.path));
        }
    }
    missing.assert_none();
}

#[test]
fn what_is_said_about_tax_and_state_is_there_to_be_read() {
    let with = ["incl.VAT", "inkl.MwSt.", "TTC", "税込", "brutto", "impostosinclusos", "inkl.moms"];
    for (shop, _) in shops() {
        let shop = &shop.stripped();
        for product in shop.shop_truth().products.iter().filter(|product| product.stripped) {
            let seen = visible(&page(shop, &product.path));
            let at = format!("{}{}", shop.host(), product.path);
            let included = with.iter().any(|word| seen.contains(word));
            assert_eq!(included, product.tax_included == Some(true), "{at}");
            assert_eq!(seen.contains("zzgl.MwSt."), product.tax_included == Some(false), "{at}");
            let named = ["Condition", "Zustand", "Condição", "状態"];
            let named = named.iter().any(|word| seen.contains(word));
            assert!(named || product.condition.is_none(), "{at}");
        }
    }
}

#[test]
fn contact_details_go_and_codes_stay() {
    let mut contacts = 0;
    let mut codes = 0;
    for (shop, truth) in shops() {
        for product in &truth.products {
            let clean = product.description.clone().unwrap_or_default();
            let whole = product.description_with_contacts.clone().unwrap_or_default();
            for detail in &product.contacts {
                assert!(whole.contains(detail.as_str()), "{}{}", shop.host(), product.path);
                assert!(!clean.contains(detail.as_str()), "{}{}", shop.host(), product.path);
            }
            for code in &product.codes {
                assert!(clean.contains(code.as_str()), "{}{}: {code}", shop.host(), product.path);
            }
            contacts += product.contacts.len();
            codes += product.codes.len();
        }
    }
    assert!(contacts > 200 && codes > 400, "{contacts} {codes}");
}

#[test]
fn prices_are_decimal_numbers_and_a_former_price_is_higher() {
    for (shop, truth) in shops() {
        for product in &truth.products {
            let number = |text: &String| text.parse::<f64>().expect("a decimal number");
            let price = &product.price;
            if let (Some(now), Some(before)) = (&price.price, &price.regular_price) {
                assert!(number(now) < number(before), "{}{}", shop.host(), product.path);
            }
            assert_eq!(price.price.is_some(), price.currency.is_some());
            assert!(price.price.as_ref().map(number).is_none_or(|now| now > 0.0));
        }
    }
}
