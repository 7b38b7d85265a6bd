//! Learns from half of the product pages of each lab shop and reads the other half, which has no
//! structured data.

use std::collections::BTreeMap;

use lab::{ProductTruth, Shop};

use super::super::known_values::numbers;
use super::super::page_text::letters;
use super::super::{ExtractionTemplate, TemplateExample, TemplateLearner, TemplateValue};
use crate::field::ProductField;
use crate::price::{Decimal, PriceHints, read_price};
use html::dom::Dom;

/// The values of a product as structured data would state them.
pub(super) fn known(truth: &ProductTruth) -> Vec<(ProductField, String)> {
    let mut known = vec![(ProductField::Name, truth.name.clone())];
    let mut add = |field, value: &Option<String>| {
        known.extend(value.clone().map(|value| (field, value)));
    };
    add(ProductField::Brand, &truth.brand);
    add(ProductField::Category, &truth.category);
    add(ProductField::Description, &truth.description_with_contacts);
    add(ProductField::Sku, &truth.sku);
    add(ProductField::Mpn, &truth.mpn);
    add(ProductField::Price, &truth.price.price);
    add(ProductField::RegularPrice, &truth.price.regular_price);
    add(ProductField::Availability, &truth.availability_raw);
    add(ProductField::Seller, &truth.seller.as_ref().map(|seller| seller.name.clone()));
    add(ProductField::Rating, &truth.rating.as_ref().map(|rating| rating.value.clone()));
    known.extend(truth.gtin.iter().map(|gtin| (ProductField::Gtin, gtin.value.clone())));
    known.extend(
        truth.breadcrumbs.iter().map(|crumb| (ProductField::Breadcrumb, crumb.name.clone())),
    );
    known.extend(truth.features.iter().map(|feature| (ProductField::Feature, feature.clone())));
    let rows = truth.attributes.iter().map(|(name, value)| format!("{name}\t{value}"));
    known.extend(rows.map(|row| (ProductField::Attribute, row)));
    known.extend(truth.images.iter().map(|image| (ProductField::Image, image.url.clone())));
    known
}

fn same(field: ProductField, found: &str, truth: &str) -> bool {
    match field {
        ProductField::Price | ProductField::RegularPrice => {
            read_price(found, &PriceHints::default()).map(|price| price.low)
                == Decimal::from_machine(truth)
        }
        ProductField::Rating => {
            let truth = Decimal::from_machine(truth);
            numbers(found).any(|number| Some(number) == truth)
        }
        ProductField::Image => truth.ends_with(found.trim_start_matches("./")) || truth == found,
        ProductField::Description => {
            let (found, truth) = (letters(found), letters(truth));
            found.contains(&truth) && found.len() <= truth.len() + truth.len() / 5 + 40
        }
        _ => letters(found) == letters(truth),
    }
}

#[derive(Default, Clone, Copy)]
struct Count {
    recalled: f64,
    there: f64,
    right: f64,
    found: f64,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.recalled += other.recalled;
        self.there += other.there;
        self.right += other.right;
        self.found += other.found;
    }

    fn recall(self) -> f64 {
        self.recalled / f64::max(self.there, 1.0)
    }

    fn precision(self) -> f64 {
        self.right / f64::max(self.found, 1.0)
    }
}

fn learned(shop: &Shop) -> Option<ExtractionTemplate> {
    let mut learner = TemplateLearner::after(None);
    let mut template = None;
    for truth in shop.shop_truth().products.iter().filter(|truth| !truth.stripped) {
        let Some(html) = shop.page_at(&truth.path) else { continue };
        let known = known(truth);
        let known: Vec<_> = known.iter().map(|(field, value)| (*field, value.as_str())).collect();
        let example = TemplateExample::of(&Dom::parse(&html), &known);
        template = learner.learn(&example).or(template);
    }
    template
}

fn score(
    values: &[TemplateValue],
    truth: &ProductTruth,
    counts: &mut BTreeMap<ProductField, Count>,
) {
    let known = known(truth);
    for field in ProductField::ALL {
        let there: Vec<_> = known.iter().filter(|(known, _)| *known == field).collect();
        let found: Vec<_> = values.iter().filter(|value| value.field == field).collect();
        let right =
            there.iter().filter(|(_, truth)| found.iter().any(|v| same(field, &v.value, truth)));
        let right = right.count() as f64;
        let count = counts.entry(field).or_default();
        // Each page counts once: for a list field by the share of its values.
        let share = |all: usize| if all == 0 { 0.0 } else { (right / all as f64).min(1.0) };
        count.recalled += share(there.len());
        count.there += f64::from(u8::from(!there.is_empty()));
        count.right += share(found.len());
        count.found += f64::from(u8::from(!found.is_empty()));
    }
}

#[test]
fn template_of_half_a_shop_reads_the_other_half() {
    let mut all: BTreeMap<ProductField, Count> = BTreeMap::new();
    for shop in Shop::all() {
        let shop = shop.stripped();
        let mut counts = BTreeMap::new();
        let template = learned(&shop);
        for truth in shop.shop_truth().products.iter().filter(|truth| truth.stripped) {
            let Some(html) = shop.page_at(&truth.path) else { continue };
            let values = template.as_ref().map(|t| t.read(&Dom::parse(&html))).unwrap_or_default();
            score(&values, truth, &mut counts);
        }
        let (mut sum, mut line) = (Count::default(), String::new());
        for (field, count) in &counts {
            sum.add(*count);
            all.entry(*field).or_default().add(*count);
            if count.there > 0.0 && count.recall() < 0.95 {
                line += &format!(" {} {:.1}/{}", field.as_str(), count.recalled, count.there);
            }
        }
        println!("{:<24} {:.3}{line}", shop.host(), sum.recall());
        assert!(sum.recall() >= 0.85, "{}: {:.3}", shop.host(), sum.recall());
    }
    let mut sum = Count::default();
    for (field, count) in all.iter().filter(|(_, count)| count.there > 0.0) {
        let (recall, precision) = (count.recall(), count.precision());
        println!("{:<14} {recall:.3} {precision:.3} of {}", field.as_str(), count.there);
        sum.add(*count);
    }
    println!("recall {:.3} precision {:.3}", sum.recall(), sum.precision());
    assert!(sum.recall() >= 0.95, "{:.3} of the fields were recovered", sum.recall());
    assert!(sum.precision() >= 0.95, "{:.3} of what was read is right", sum.precision());
}
