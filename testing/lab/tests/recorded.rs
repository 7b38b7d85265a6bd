//! Recorded shops and companies agree with their truth.

use std::collections::BTreeSet;

use contract::ContactStatus;
use lab::{Company, PageKind, Reply, Shop, Site};

#[test]
fn every_page_of_a_shop_is_served_and_has_a_kind() {
    let shops = Shop::all();
    assert_eq!(shops.len(), 20);
    for shop in shops {
        let truth = shop.shop_truth();
        let paths: BTreeSet<String> = shop.pages().map(|(path, _)| path).collect();
        assert_eq!(paths, truth.pages.keys().cloned().collect(), "{}", shop.host());
        for product in &truth.products {
            for path in product.also_at.iter().chain([&product.path]) {
                assert_eq!(truth.pages.get(path), Some(&PageKind::Product), "{path}");
            }
            assert!(matches!(shop.answer(&product.path), Reply::Full(page) if page.status == 200));
        }
    }
}

#[test]
fn stripped_product_pages_have_no_structured_data() {
    let shop = Shop::named("ironridge.lab.test").expect("a recorded shop").stripped();
    let truth = shop.shop_truth();
    let stripped: Vec<_> = truth.products.iter().filter(|product| product.stripped).collect();
    assert_eq!(stripped.len(), truth.products.len() / 2);
    for product in stripped {
        let html = shop.page_at(&product.path).expect("a page");
        assert!(!html.contains("ld+json") && !html.contains("itemprop"), "{}", product.path);
    }
}

#[test]
fn every_value_of_a_company_is_on_the_pages_that_its_truth_names() {
    let companies = Company::all();
    assert_eq!(companies.len(), 44);
    for company in companies.iter().filter(|company| company.pages().count() > 1) {
        let truth = company.company_truth();
        let emails = truth.emails.iter().flat_map(|email| &email.sources);
        let phones = truth.phones.iter().flat_map(|phone| &phone.sources);
        for place in emails.chain(phones) {
            let text = company.text_at(&place.path).expect("a page of the company");
            assert!(text.contains(&place.spelling), "{}{}", company.host(), place.path);
        }
    }
}

#[test]
fn moved_domain_has_the_truth_of_its_target() {
    let moved = Company::named("altename-hohenrode.test").expect("a domain").company_truth();
    let target = Company::named("hohenrode-lab.de").expect("a domain").company_truth();
    assert_eq!(moved.redirected_to.as_deref(), Some("hohenrode-lab.de"));
    assert_eq!(moved.emails, target.emails);
}

#[test]
fn one_in_ten_generated_companies_is_dead_or_slow() {
    let generated = Company::generated(1_000);
    let hosts: BTreeSet<&str> = generated.iter().map(Company::host).collect();
    assert_eq!(hosts.len(), 1_000);
    let dead =
        generated.iter().filter(|one| one.company_truth().status == ContactStatus::Unreachable);
    assert_eq!(dead.count(), 80);
    let slow = generated.iter().filter(|one| matches!(one.answer("/"), Reply::Raw(_)));
    assert_eq!(slow.filter(|one| one.pages().count() > 1).count(), 20);
}
