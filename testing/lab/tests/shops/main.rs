//! The shops are as they say: every page is linked and served, every value of the truth
//! stands on its page, and what should parse does.

mod data;
mod reading;
mod values;

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use lab::{Availability, Lab, PageKind, PriceType, ProductTruth, Reply, Shop, Site, VariantTruth};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::reading::{between, page, shops, unescaped, without};

#[test]
fn there_are_shops_of_many_kinds_with_products_enough() {
    let shops: Vec<_> = shops().collect();
    assert!(shops.len() >= 16);
    let hosts: HashSet<&str> = shops.iter().map(|(shop, _)| shop.host()).collect();
    assert_eq!(hosts.len(), shops.len());
    let mut currencies = HashSet::new();
    for (shop, truth) in &shops {
        assert!((30..=90).contains(&truth.products.len()), "{}", shop.host());
        let paths: HashSet<&str> = truth.products.iter().map(|one| one.path.as_str()).collect();
        assert_eq!(paths.len(), truth.products.len(), "{}", shop.host());
        let kinds: HashSet<PageKind> = truth.pages.values().copied().collect();
        assert_eq!(kinds.len(), 7, "{} has every kind of page", shop.host());
        currencies.extend(truth.products.iter().filter_map(|one| one.price.currency.clone()));
    }
    assert_eq!(currencies.len(), 9, "{currencies:?}");
}

#[test]
fn a_shop_is_the_same_each_time() {
    for (shop, truth) in shops() {
        let again = Shop::named(shop.host()).expect("a shop of that name");
        assert_eq!(*truth, again.shop_truth());
        assert!(shop.pages().eq(again.pages()), "{}", shop.host());
    }
}

#[test]
fn every_page_can_be_reached_and_every_link_leads_somewhere() {
    for (shop, truth) in shops() {
        let mut seen = BTreeSet::from(["/".to_owned()]);
        let mut queue = VecDeque::from(["/".to_owned()]);
        let mut pages = BTreeSet::new();
        while let Some(path) = queue.pop_front() {
            let Reply::Whole(whole) = shop.answer(&path) else { panic!("{path} is raw") };
            assert_eq!(whole.status, 200, "{}{path}", shop.host());
            let html = String::from_utf8_lossy(&whole.body).into_owned();
            if !html.starts_with("<!doctype") {
                continue;
            }
            let html = without(&html, "<script", "</script>");
            for link in between(&html, "<a ", ">") {
                let Some(href) = between(link, "href=\"", "\"").next() else { continue };
                let href = unescaped(href);
                let inner = href.starts_with('/') && !href.starts_with("//");
                if inner && href != "/checkout" && seen.insert(href.clone()) {
                    queue.push_back(href);
                }
            }
            pages.insert(path);
        }
        let mut told: BTreeSet<String> = truth.pages.keys().cloned().collect();
        // A product that is listed under its collection is linked there, not everywhere.
        let aliases: HashMap<&str, &str> = truth
            .products
            .iter()
            .flat_map(|one| one.also_at.iter().map(|other| (one.path.as_str(), other.as_str())))
            .collect();
        told.retain(|path| pages.contains(path) || !aliases.contains_key(path.as_str()));
        let apart: Vec<&String> = pages.symmetric_difference(&told).collect();
        assert!(apart.is_empty(), "{}: {apart:?}", shop.host());
    }
}

#[test]
fn every_trouble_occurs() {
    let products = || shops().flat_map(|(_, truth)| &truth.products);
    let count = |test: fn(&&ProductTruth) -> bool| products().filter(test).count();
    for kind in
        [PriceType::Exact, PriceType::From, PriceType::Range, PriceType::OnRequest, PriceType::None]
    {
        assert!(products().filter(|one| one.price.price_type == kind).count() > 1, "{kind:?}");
    }
    for stock in [
        Availability::InStock,
        Availability::OutOfStock,
        Availability::Preorder,
        Availability::Backorder,
        Availability::Discontinued,
        Availability::Unknown,
    ] {
        assert!(products().filter(|one| one.availability == stock).count() > 4, "{stock:?}");
    }
    assert!(count(|one| one.price_with_hidden.price_type == PriceType::Hidden) > 4);
    assert!(
        count(|one| one.price.price_type == PriceType::OnRequest
            && one.price_with_hidden.price.is_none())
            > 4
    );
    assert!(count(|one| one.price.regular_price.is_some()) > 100);
    assert_eq!(count(|one| one.variants.len() == 10_000), 1);
    assert_eq!(count(|one| one.alternates.len() == 2), 90);
    assert_eq!(count(|one| one.alternates.len() == 1), 64);
    for kind in ["gtin8", "gtin12", "gtin13", "gtin14"] {
        assert!(products().any(|one| one.gtin.iter().any(|gtin| gtin.kind == kind)), "{kind}");
    }
    assert!(count(|one| one.canonical_url.is_none()) > 20);
    assert!(count(|one| one.tax_included == Some(false)) > 4);
    let complete = |variant: &VariantTruth| variant.price.is_some() && !variant.gtin.is_empty();
    assert!(products().filter(|one| one.variants.iter().any(complete)).count() > 40);

    let page = |host: &str, test: &dyn Fn(&str) -> bool| {
        let shop = Shop::named(host).expect("a shop");
        shop.pages().filter(|(_, html)| test(html)).count()
    };
    let odd = Shop::named("saltmarsh.lab.test").expect("a shop");
    let odd_products = odd.shop_truth().products;
    let pages = || odd_products.iter().filter_map(|one| Some((one, odd.page_at(&one.path)?)));
    let wrong =
        |(one, html): &(&ProductTruth, String)| one.gtin.is_empty() && html.contains("EAN:");
    assert!(pages().filter(wrong).count() > 2, "numbers that fail their check");
    let foreign = |(one, html): &(&ProductTruth, String)| {
        let told = between(html, "\"@type\":\"Product\",\"name\":\"", "\"").next();
        told.is_some_and(|told| !told.ends_with(&one.name))
    };
    assert!(pages().filter(foreign).count() > 2, "data about another product");
    assert!(page("saltmarsh.lab.test", &|html| html.contains("\"price\":-1.0")) > 2);
    assert!(page("saltmarsh.lab.test", &|html| html.contains("\"price\":0.0")) > 2);
    assert!(page("saltmarsh.lab.test", &|html| html.contains("\"priceCurrency\":\"XXQ\"")) > 0);
    assert!(page("saltmarsh.lab.test", &|html| html.contains("ask us")) > 2);
    assert!(page("mandacaru.lab.test", &|html| html.contains("itemref=\"produto twin\"")) > 2);
    assert_eq!(page("bazaar.lab.test", &|html| html.matches("\"seller\"").count() >= 98), 1);
}

#[test]
fn the_same_article_has_one_sku_in_every_language() {
    for host in ["holzwurm.lab.test", "murmelberg.lab.test"] {
        assert_twins_agree(&Shop::named(host).expect("a shop"));
    }
}

#[track_caller]
fn assert_twins_agree(shop: &Shop) {
    let truth = shop.shop_truth();
    let by_url: HashMap<&str, &ProductTruth> =
        truth.products.iter().map(|one| (one.url.as_str(), one)).collect();
    for product in &truth.products {
        for other in &product.alternates {
            let twin = by_url[other.url.as_str()];
            assert_eq!(twin.language.as_ref(), Some(&other.lang));
            // A page may leave its number out, but none has another's.
            let both = twin.sku.as_ref().zip(product.sku.as_ref());
            assert!(both.is_none_or(|(one, same)| one == same), "{}", product.path);
            let link = format!("hreflang=\"{}\" href=\"{}\"", other.lang, other.url);
            // What the page does not name is known by the number.
            let known = page(shop, &product.path).contains(&link) || both.is_some();
            assert!(known, "{}", product.path);
        }
    }
}

#[tokio::test]
async fn the_lab_serves_a_shop_under_its_name() {
    let lab = Lab::start().await.expect("a port is free");
    for shop in Shop::all() {
        lab.serve(shop.host(), shop);
    }
    let mut stream = tokio::net::TcpStream::connect(lab.address()).await.expect("the lab listens");
    let request = "GET /item/1000 HTTP/1.1\r\nHost: inkwell.lab.test\r\nConnection: close\r\n\r\n";
    stream.write_all(request.replace("/item/1000", "/").as_bytes()).await.expect("the lab reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("the lab answers");
    assert!(answer.contains("<title>Inkwell &amp; Co</title>"));
    assert_eq!(lab.truth("inkwell.lab.test").expect("a site").delivered.get("/"), Some(&200));
}
