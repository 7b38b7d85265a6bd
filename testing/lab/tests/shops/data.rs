//! The structured data parses where it should, and agrees with the truth.

use std::collections::HashMap;

use lab::PageKind;

use crate::reading::{between, page, shops, unescaped};

#[test]
fn linked_data_parses_where_it_should_and_only_there() {
    for (shop, truth) in shops() {
        let (mut good, mut torn) = (0, 0);
        for (path, html) in shop.pages() {
            for text in between(&html, "<script type=\"application/ld+json\">", "</script>") {
                match serde_json::from_str::<serde_json::Value>(text) {
                    Ok(_) => good += 1,
                    Err(_) if truth.pages.get(&path) == Some(&PageKind::Product) => torn += 1,
                    Err(error) => panic!("{}{path}: {error}", shop.host()),
                }
            }
        }
        let tattered = shop.host() == "grainhouse.lab.test";
        assert_eq!(torn > 0, tattered, "{}: {good} whole, {torn} torn", shop.host());
        assert!(good > 0, "{}", shop.host());
    }
}

/// Every object of a type that begins with `Product`, at any depth.
fn products_in<'a>(value: &'a serde_json::Value, found: &mut Vec<&'a serde_json::Value>) {
    match value {
        serde_json::Value::Array(items) => items.iter().for_each(|item| products_in(item, found)),
        serde_json::Value::Object(members) => {
            let kind = members.get("@type").and_then(serde_json::Value::as_str);
            if kind.is_some_and(|kind| kind.starts_with("Product")) {
                found.push(value);
            }
            members.values().for_each(|member| products_in(member, found));
        }
        _ => {}
    }
}

#[test]
fn linked_data_tells_nothing_that_the_truth_leaves_out() {
    let mut looked_at = 0;
    for (shop, truth) in shops() {
        for product in &truth.products {
            let html = page(shop, &product.path);
            let scripts = between(&html, "<script type=\"application/ld+json\">", "</script>");
            let values: Vec<serde_json::Value> =
                scripts.filter_map(|text| serde_json::from_str(text).ok()).collect();
            let mut found = Vec::new();
            values.iter().for_each(|value| products_in(value, &mut found));
            let own = found.into_iter().find(|node| {
                node["name"].as_str().is_some_and(|name| name.ends_with(&product.name))
            });
            let Some(own) = own else { continue };
            looked_at += 1;
            let at = format!("{}{}", shop.host(), product.path);
            for (key, known) in [("sku", &product.sku), ("mpn", &product.mpn)] {
                if let Some(told) = own[key].as_str() {
                    assert_eq!(Some(told), known.as_deref(), "{at}: {key}");
                }
            }
            let brand = own["brand"].as_str().or(own["brand"]["name"].as_str());
            assert!(brand.is_none() || brand == product.brand.as_deref(), "{at}: brand");
            let rated = own["aggregateRating"]["ratingValue"].as_str();
            let known = product.rating.as_ref().map(|rating| rating.value.as_str());
            assert!(rated.is_none() || rated == known, "{at}: rating");
            assert!(own["description"].is_null() || product.description.is_some(), "{at}");
            assert!(own["category"].is_null() || product.category.is_some(), "{at}");
            let offers = if own["offers"].is_array() { &own["offers"][0] } else { &own["offers"] };
            if let Some(term) = offers["availability"].as_str() {
                let term = term.rsplit('/').next().unwrap_or_default().to_lowercase();
                let known = product.availability.as_str().replace('_', "");
                assert_eq!(term, known, "{at}: availability");
            }
        }
    }
    assert!(looked_at > 350, "{looked_at}");
}

#[test]
fn the_state_of_each_platform_parses() {
    let mut found: HashMap<&str, usize> = HashMap::new();
    let open = [
        ("<script type=\"application/json\">", "</script>"),
        ("<script type=\"application/json\" id=\"ProductJson-product-template\">", "</script>"),
        ("<script type=\"application/json\" id=\"__NUXT_DATA__\" data-ssr=\"true\">", "</script>"),
        ("<script id=\"__NEXT_DATA__\" type=\"application/json\">", "</script>"),
        ("<script type=\"text/x-magento-init\">", "</script>"),
        ("var meta = ", ";\n"),
        ("var BCData = ", ";</script>"),
        ("<script>window.__NUXT__={\"", ";</script>"),
        (" data-product=\"", "\""),
        (" data-product_variations=\"", "\""),
    ];
    for (shop, truth) in shops() {
        for product in &truth.products {
            let html = page(shop, &product.path);
            for (open, close) in open {
                for text in between(&html, open, close) {
                    let text =
                        if open.starts_with(' ') { unescaped(text) } else { text.to_owned() };
                    let text = if open.ends_with("={\"") { format!("{{\"{text}") } else { text };
                    let parsed = serde_json::from_str::<serde_json::Value>(&text);
                    assert!(parsed.is_ok(), "{}{}: {open} {parsed:?}", shop.host(), product.path);
                    *found.entry(open).or_default() += 1;
                }
            }
        }
    }
    assert_eq!(found.len(), open.len(), "{found:?}");
}

#[test]
fn the_buyers_price_is_not_always_that_of_the_data() {
    let (shop, truth) =
        shops().find(|(shop, _)| shop.host() == "inkwell.lab.test").expect("a shop");
    let stale = truth.products.iter().filter(|product| {
        let html = page(shop, &product.path);
        let told = between(&html, "property=\"product:price:amount\" content=\"", "\"").next();
        told != product.price.price.as_deref()
    });
    let (stale, all) = (stale.count(), truth.products.len());
    assert!(stale > all / 2 && stale < all, "{stale} of {all}");
}

#[test]
fn marks_in_the_page_tell_nothing_that_the_truth_leaves_out() {
    let mut looked_at = HashMap::new();
    for (shop, truth) in shops() {
        for product in &truth.products {
            let html = page(shop, &product.path);
            let at = format!("{}{}", shop.host(), product.path);
            let gtin = product.gtin.first().map(|gtin| gtin.value.clone());
            let condition = product.condition.map(|condition| condition.as_str().to_owned());
            for (mark, known) in [
                ("itemprop=\"sku\" content=\"", &product.sku),
                ("itemprop=\"mpn\" content=\"", &product.mpn),
                ("itemprop=\"brand\" content=\"", &product.brand),
                ("property=\"sku\" content=\"", &product.sku),
                ("property=\"schema:mpn\" content=\"", &product.mpn),
                ("property=\"brand\" content=\"", &product.brand),
                ("property=\"product:brand\" content=\"", &product.brand),
                ("property=\"product:ean\" content=\"", &gtin),
                ("property=\"product:condition\" content=\"", &condition),
                ("property=\"product:retailer_item_id\" content=\"", &product.sku),
            ] {
                for told in between(&html, mark, "\"") {
                    assert_eq!(Some(&unescaped(told)), known.as_ref(), "{at}: {mark}");
                    *looked_at.entry(mark).or_insert(0) += 1;
                }
            }
            for mark in ["itemprop=\"availability\" href=\"", "property=\"availability\" href=\""] {
                for told in between(&html, mark, "\"") {
                    let term = told.rsplit('/').next().unwrap_or_default().to_lowercase();
                    assert_eq!(term, product.availability.as_str().replace('_', ""), "{at}");
                    *looked_at.entry(mark).or_insert(0) += 1;
                }
            }
        }
    }
    assert_eq!(looked_at.len(), 12, "{looked_at:?}");
}

#[test]
fn the_state_of_a_headless_shop_agrees_with_the_truth() {
    let mut looked_at = 0;
    for (shop, truth) in shops().filter(|(shop, _)| shop.host() == "ljus.lab.test") {
        for product in &truth.products {
            let html = page(shop, &product.path);
            let open = "<script id=\"__NEXT_DATA__\" type=\"application/json\">";
            let text = between(&html, open, "</script>").next().expect("the state");
            let state: serde_json::Value = serde_json::from_str(text).expect("JSON");
            let item = &state["props"]["pageProps"]["product"];
            assert_eq!(item["name"].as_str(), Some(product.name.as_str()));
            for (key, known) in [("sku", &product.sku), ("mpn", &product.mpn)] {
                let told = item[key].as_str();
                assert!(told.is_none() || told == known.as_deref(), "{}: {key}", product.path);
            }
            let variants = item["variants"].as_array().expect("a list");
            assert_eq!(variants.len(), product.variants.len(), "{}", product.path);
            for (told, known) in variants.iter().zip(&product.variants) {
                assert_eq!(told["sku"].as_str(), known.sku.as_deref());
                let price = known.price.as_ref().and_then(|price| price.parse::<f64>().ok());
                assert_eq!(told["price"]["value"].as_f64(), price);
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 30, "{looked_at}");
}
