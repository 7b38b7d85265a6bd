//! Half of a lab shop's product pages teach; the other half, without any structured data, is
//! read.

use std::collections::BTreeMap;

use lab::{ProductTruth, Shop};

use super::super::page_text::letters;
use super::super::{Template, TemplateLearner, TemplateLesson, TemplateValue};
use crate::dom::Dom;
use crate::product::field::Field;
use crate::product::price::{Decimal, PriceHints, read_price};

/// What is known of a product, as structured data would name it.
pub(super) fn known(truth: &ProductTruth) -> Vec<(Field, String)> {
    let mut known = vec![(Field::Name, truth.name.clone())];
    let mut add = |field, value: &Option<String>| {
        known.extend(value.clone().map(|value| (field, value)));
    };
    add(Field::Brand, &truth.brand);
    add(Field::Category, &truth.category);
    add(Field::Description, &truth.description_with_contacts);
    add(Field::Sku, &truth.sku);
    add(Field::Mpn, &truth.mpn);
    add(Field::Price, &truth.price.price);
    add(Field::RegularPrice, &truth.price.regular_price);
    add(Field::Availability, &truth.availability_raw);
    add(Field::Seller, &truth.seller.as_ref().map(|seller| seller.name.clone()));
    add(Field::Rating, &truth.rating.as_ref().map(|rating| rating.value.clone()));
    known.extend(truth.gtin.iter().map(|gtin| (Field::Gtin, gtin.value.clone())));
    known.extend(truth.breadcrumbs.iter().map(|crumb| (Field::Breadcrumb, crumb.name.clone())));
    known.extend(truth.features.iter().map(|feature| (Field::Feature, feature.clone())));
    let rows = truth.attributes.iter().map(|(name, value)| format!("{name}\t{value}"));
    known.extend(rows.map(|row| (Field::Attribute, row)));
    known.extend(truth.images.iter().map(|image| (Field::Image, image.url.clone())));
    known
}

fn same(field: Field, found: &str, truth: &str) -> bool {
    match field {
        Field::Price | Field::RegularPrice => {
            read_price(found, &PriceHints::default()).map(|price| price.low)
                == Decimal::from_machine(truth)
        }
        Field::Rating => {
            let first = found
                .split_whitespace()
                .find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
            first.and_then(Decimal::from_machine) == Decimal::from_machine(truth)
        }
        Field::Image => truth.ends_with(found.trim_start_matches("./")) || truth == found,
        Field::Description => {
            let (found, truth) = (letters(found), letters(truth));
            found.contains(&truth) && found.len() <= truth.len() + truth.len() / 5 + 40
        }
        _ => letters(found) == letters(truth),
    }
}

#[derive(Default, Clone, Copy)]
struct Count {
    right: f64,
    found: f64,
    there: f64,
}

fn learned(shop: &Shop) -> Option<Template> {
    let mut learner = TemplateLearner::after(None);
    let mut template = None;
    for truth in shop.shop_truth().products.iter().filter(|truth| !truth.stripped) {
        let Some(html) = shop.page_at(&truth.path) else { continue };
        let known = known(truth);
        let known: Vec<_> = known.iter().map(|(field, value)| (*field, value.as_str())).collect();
        let lesson = TemplateLesson::of(&Dom::parse(&html), &known, true);
        template = learner.see(&lesson).or(template);
    }
    template
}

fn score(values: &[TemplateValue], truth: &ProductTruth, counts: &mut BTreeMap<Field, Count>) {
    let known = known(truth);
    for field in Field::ALL {
        let there: Vec<_> = known.iter().filter(|(known, _)| *known == field).collect();
        let found: Vec<_> = values.iter().filter(|value| value.field == field).collect();
        let right =
            there.iter().filter(|(_, truth)| found.iter().any(|v| same(field, &v.value, truth)));
        let right = right.count() as f64;
        let count = counts.entry(field).or_default();
        // Of a list, each page counts once.
        let (all, seen) = (there.len().max(1) as f64, found.len().max(1) as f64);
        count.right += right / all;
        count.there += f64::from(u8::from(!there.is_empty()));
        count.found += if found.is_empty() {
            0.0
        } else {
            (right / all).max((right / seen).min(1.0)).max(f64::from(u8::from(right == 0.0)))
        };
    }
}

#[test]
fn what_half_of_a_shop_teaches_reads_the_other_half() {
    let mut all: BTreeMap<Field, Count> = BTreeMap::new();
    for shop in Shop::all() {
        let shop = shop.stripped();
        let mut counts = BTreeMap::new();
        let template = learned(&shop);
        for truth in shop.shop_truth().products.iter().filter(|truth| truth.stripped) {
            let Some(html) = shop.page_at(&truth.path) else { continue };
            let values = template.as_ref().map(|t| t.read(&Dom::parse(&html))).unwrap_or_default();
            score(&values, truth, &mut counts);
        }
        let (mut right, mut there) = (0.0, 0.0);
        let mut line = String::new();
        for (field, count) in &counts {
            right += count.right;
            there += count.there;
            let sum = all.entry(*field).or_default();
            sum.right += count.right;
            sum.found += count.found;
            sum.there += count.there;
            if count.there > 0.0 && count.right < count.there * 0.95 {
                line += &format!(" {} {:.0}/{:.0}", field.as_str(), count.right, count.there);
            }
        }
        println!("{:<24} {:.3} {line}", shop.host(), right / f64::max(there, 1.0));
    }
    let (mut right, mut found, mut there) = (0.0, 0.0, 0.0);
    for (field, count) in &all {
        println!(
            "{:<14} recall {:.3} precision {:.3} of {:.0}",
            field.as_str(),
            count.right / f64::max(count.there, 1.0),
            count.right / f64::max(count.found, 1.0),
            count.there
        );
        right += count.right;
        found += count.found;
        there += count.there;
    }
    println!("all recall {:.4} precision {:.4}", right / there, right / found);
    assert!(right / there >= 0.90, "{:.3} of the fields were recovered", right / there);
    assert!(right / found >= 0.95, "{:.3} of what was read is right", right / found);
}
