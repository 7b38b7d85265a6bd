//! The goals for precision and recall of each field over all lab shops.

use lab::Shop;
use products::{ExtractionTemplate, ProductOptions, TemplateLearner};

use crate::scoring::{Score, Tally, read, score, score_learned};

const OPTIONS: ProductOptions = ProductOptions {
    suppress_contact: true,
    collect_hidden_prices: false,
    template_examples: false,
};

fn all(options: ProductOptions) -> Score {
    let mut all = Score::default();
    for shop in Shop::all() {
        all.add(&score(&shop, options));
    }
    all
}

#[track_caller]
fn assert_at_least(score: &Score, goal: f64, fields: &[&str]) {
    for field in fields {
        let tally = score.fields[field];
        let least = tally.precision().min(tally.recall());
        assert!(least >= goal, "{field}: {tally:?}");
    }
}

#[test]
fn every_field_reaches_its_goal_over_the_lab_shops() {
    let all = all(OPTIONS);
    let pages = all.pages;
    assert!(pages.precision().min(pages.recall()) >= 0.99, "page classification: {pages:?}");
    assert_at_least(
        &all,
        0.97,
        &[
            "name",
            "price",
            "currency",
            "availability",
            "sku",
            "gtin",
            "brand",
            "images",
            "description",
        ],
    );
    assert_at_least(&all, 0.93, &["breadcrumbs", "attributes", "variants"]);
    assert_at_least(&all, 0.95, &["price_type", "category", "mpn", "rating", "condition"]);
}

#[test]
fn hidden_prices_and_contacts_are_kept_if_the_options_ask_for_them() {
    let options =
        ProductOptions { suppress_contact: false, collect_hidden_prices: true, ..OPTIONS };
    let all = all(options);
    assert_at_least(&all, 0.97, &["price", "currency", "price_type", "description"]);
}

/// The template votes on the fields of a page together with the other sources.
#[test]
fn agreeing_template_raises_the_confidence() {
    let shop = Shop::named("ironridge.lab.test").expect("a shop");
    let truth = shop.shop_truth();
    let options = ProductOptions { template_examples: true, ..OPTIONS };
    let page = |path: &str, template: Option<&ExtractionTemplate>| {
        read(&shop, path, &shop.page_at(path).expect("a page"), options, template)
    };
    let mut learner = TemplateLearner::default();
    let examples =
        truth.products.iter().filter_map(|product| page(&product.path, None).template_example);
    let template =
        examples.filter_map(|example| learner.learn(&example)).last().expect("a template");
    let confidence = |template| {
        let products = truth.products.iter().filter_map(|it| page(&it.path, template).product);
        products.map(|product| product.confidence).sum::<f64>()
    };
    let (alone, checked) = (confidence(None), confidence(Some(&template)));
    assert!(checked > alone, "{checked} with the template, {alone} without");
}

/// Pages without structured data are read by the template that the other pages teach.
#[test]
fn template_recovers_nine_of_ten_fields_on_pages_without_data() {
    let mut all = Tally::default();
    for shop in Shop::all() {
        let mut fields = Tally::default();
        score_learned(&shop, OPTIONS).fields.into_values().for_each(|tally| fields.add(tally));
        assert!(fields.recall() >= 0.80, "{}: {fields:?}", shop.host());
        all.add(fields);
    }
    assert!(all.recall().min(all.precision()) >= 0.90, "{all:?}");
}
