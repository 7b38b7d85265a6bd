//! The goals: precision and recall of each field over all shops together.

use lab::Shop;
use products::{ProductWishes, Template, TemplateLearner};

use crate::scoring::{Score, Tally, read, score, score_learned};

const WISHES: ProductWishes =
    ProductWishes { suppress_contact: true, collect_hidden_prices: false, lessons: false };

fn all(wishes: ProductWishes) -> Score {
    let mut all = Score::default();
    for shop in Shop::all() {
        all.add(&score(&shop, wishes));
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
fn every_field_reaches_its_goal_over_the_shops_of_the_lab() {
    let all = all(WISHES);
    let pages = all.pages;
    assert!(pages.precision().min(pages.recall()) >= 0.99, "pages told apart: {pages:?}");
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
fn hidden_prices_and_contacts_are_kept_when_they_are_wished_for() {
    let wishes = ProductWishes { suppress_contact: false, collect_hidden_prices: true, ..WISHES };
    let all = all(wishes);
    assert_at_least(&all, 0.97, &["price", "currency", "price_type", "description"]);
}

/// Where pages of the site show a value is held against what this page's sources say of it.
#[test]
fn a_template_that_finds_the_same_makes_a_record_surer() {
    let shop = Shop::named("ironridge.lab.test").expect("a shop");
    let truth = shop.shop_truth();
    let wishes = ProductWishes { lessons: true, ..WISHES };
    let page = |path: &str, template: Option<&Template>| {
        read(&shop, path, &shop.page_at(path).expect("a page"), wishes, template)
    };
    let mut learner = TemplateLearner::default();
    let lessons = truth.products.iter().filter_map(|product| page(&product.path, None).lesson);
    let template = lessons.filter_map(|lesson| learner.see(&lesson)).last().expect("a template");
    let confidence = |template| {
        let products = truth.products.iter().filter_map(|it| page(&it.path, template).product);
        products.map(|product| product.confidence).sum::<f64>()
    };
    let (alone, checked) = (confidence(None), confidence(Some(&template)));
    assert!(checked > alone, "{checked} with the template, {alone} without");
}

/// The fields of a record without data are found where the pages with data show theirs.
#[test]
fn nine_of_ten_fields_come_back_on_pages_that_lost_their_data() {
    let mut all = Tally::default();
    for shop in Shop::all() {
        let mut fields = Tally::default();
        score_learned(&shop, WISHES).fields.into_values().for_each(|tally| fields.add(tally));
        assert!(fields.recall() >= 0.80, "{}: {fields:?}", shop.host());
        all.add(fields);
    }
    assert!(all.recall().min(all.precision()) >= 0.90, "{all:?}");
}
