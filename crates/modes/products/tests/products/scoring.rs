//! Compares records with the truth of the lab shops, field by field.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

use contract::Availability;
use lab::{PageKind, ProductTruth, Shop, VariantTruth};
use page::{PageHead, PageLimits};
use products::{ExtractionTemplate, Product, ProductOptions, ProductPage, TemplateLearner};
use urls::CanonicalUrl;

/// The minimum share of common words of two equal texts.
const SAME_TEXT: f64 = 0.95;

/// Counts of correct, wrong and missing values.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    pub right: usize,
    pub wrong: usize,
    pub missed: usize,
}

impl Tally {
    pub fn precision(self) -> f64 {
        share(self.right, self.right + self.wrong)
    }

    pub fn recall(self) -> f64 {
        share(self.right, self.right + self.missed)
    }

    pub fn add(&mut self, other: Self) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.missed += other.missed;
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// The score of one or several shops.
#[derive(Debug, Default)]
pub struct Score {
    pub fields: BTreeMap<&'static str, Tally>,
    pub pages: Tally,
    /// The field, and a text with page, expected value and found value.
    pub misses: Vec<(&'static str, String)>,
}

impl Score {
    pub fn add(&mut self, other: &Self) {
        for (field, tally) in &other.fields {
            self.fields.entry(field).or_default().add(*tally);
        }
        self.pages.add(other.pages);
    }

    fn tally(&mut self, field: &'static str, tally: Tally, miss: impl FnOnce() -> String) {
        self.fields.entry(field).or_default().add(tally);
        if tally.wrong + tally.missed > 0 {
            self.misses.push((field, miss()));
        }
    }

    fn one<T: PartialEq + std::fmt::Debug + ?Sized>(
        &mut self,
        field: &'static str,
        path: &str,
        expected: Option<&T>,
        found: Option<&T>,
        same: impl Fn(&T, &T) -> bool,
    ) {
        let tally = match (expected, found) {
            (Some(expected), Some(found)) if same(expected, found) => {
                Tally { right: 1, ..Tally::default() }
            }
            (expected, found) => Tally {
                right: 0,
                wrong: usize::from(found.is_some()),
                missed: usize::from(expected.is_some()),
            },
        };
        self.tally(field, tally, || {
            format!("{path}\n      expected {expected:?}\n      found    {found:?}")
        });
    }

    fn many<T: Eq + Hash + Clone + std::fmt::Debug>(
        &mut self,
        field: &'static str,
        path: &str,
        expected: &[T],
        found: &[T],
    ) {
        let mut left: HashMap<&T, usize> = HashMap::new();
        expected.iter().for_each(|one| *left.entry(one).or_default() += 1);
        let right = found
            .iter()
            .filter(|one| match left.get_mut(one) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    true
                }
                _ => false,
            })
            .count();
        let tally = Tally { right, wrong: found.len() - right, missed: expected.len() - right };
        self.tally(field, tally, || {
            let short = |list: &[T]| format!("{:?}", list.iter().take(12).collect::<Vec<_>>());
            format!("{path}\n      expected {}\n      found    {}", short(expected), short(found))
        });
    }
}

/// Reads one page of a shop.
pub fn read(
    shop: &Shop,
    path: &str,
    html: &str,
    options: ProductOptions,
    template: Option<&ExtractionTemplate>,
) -> ProductPage {
    let url = CanonicalUrl::parse(&format!("http://{}{path}", shop.host())).expect("a URL");
    let head = PageHead { content_type: Some("text/html; charset=utf-8"), ..PageHead::default() };
    let limits = PageLimits::default();
    let (_, page) = ProductPage::read(html.as_bytes(), &head, &url, &limits, options, template);
    page
}

/// Scores every page of a shop.
pub fn score(shop: &Shop, options: ProductOptions) -> Score {
    let truth = shop.shop_truth();
    let mut by_path: HashMap<&str, &ProductTruth> = HashMap::new();
    for product in &truth.products {
        by_path.insert(&product.path, product);
        product.also_at.iter().for_each(|path| {
            by_path.insert(path, product);
        });
    }
    let mut score = Score::default();
    for (path, html) in shop.pages() {
        let found = read(shop, &path, &html, options, None).product;
        let is_product = truth.pages[&path] == PageKind::Product;
        let page = Tally {
            right: usize::from(is_product && found.is_some()),
            wrong: usize::from(!is_product && found.is_some()),
            missed: usize::from(is_product && found.is_none()),
        };
        score.pages.add(page);
        if page.wrong + page.missed > 0 {
            score.misses.push(("page", format!("{path} is {:?}", truth.pages[&path])));
        }
        if let Some(truth) = by_path.get(path.as_str()).filter(|_| is_product) {
            let url = format!("{}{path}", shop.host());
            compare(&mut score, &url, truth, found.as_deref(), options);
        }
    }
    score
}

/// Learns a template from the pages with structured data and scores the product pages without.
pub fn score_learned(shop: &Shop, options: ProductOptions) -> Score {
    let options = ProductOptions { template_examples: true, ..options };
    let shop = shop.stripped();
    let truth = shop.shop_truth();
    let (bare, whole): (Vec<_>, Vec<_>) =
        truth.products.iter().partition(|product| product.stripped);
    let page = |product: &ProductTruth, template: Option<&ExtractionTemplate>| {
        let html = shop.page_at(&product.path).expect("a page");
        read(&shop, &product.path, &html, options, template)
    };
    let mut learner = TemplateLearner::default();
    let mut template = None;
    for product in whole {
        let example = page(product, template.as_ref()).template_example;
        template = example.and_then(|example| learner.learn(&example)).or(template);
    }
    let mut score = Score::default();
    for product in bare {
        let found = page(product, template.as_ref()).product;
        let url = format!("{}{}", shop.host(), product.path);
        compare(&mut score, &url, product, found.as_deref(), options);
    }
    score
}

/// Compares one record with its truth.
fn compare(
    score: &mut Score,
    path: &str,
    truth: &ProductTruth,
    found: Option<&Product>,
    options: ProductOptions,
) {
    let equal = |one: &String, other: &String| one == other;
    let mut text = |field, expected: Option<&String>, found: Option<&String>| {
        score.one(field, path, expected, found, equal);
    };
    let price = if options.collect_hidden_prices { &truth.price_with_hidden } else { &truth.price };
    text("name", Some(&truth.name), found.map(|found| &found.name));
    text("brand", truth.brand.as_ref(), found.and_then(|found| found.brand.as_ref()));
    text("category", truth.category.as_ref(), found.and_then(|found| found.category.as_ref()));
    text("sku", truth.sku.as_ref(), found.and_then(|found| found.sku.as_ref()));
    text("mpn", truth.mpn.as_ref(), found.and_then(|found| found.mpn.as_ref()));
    text("price", price.price.as_ref(), found.and_then(|found| found.price.as_ref()));
    text(
        "regular_price",
        price.regular_price.as_ref(),
        found.and_then(|found| found.regular_price.as_ref()),
    );
    text("currency", price.currency.as_ref(), found.and_then(|found| found.currency.as_ref()));
    text("price_raw", price.price_raw.as_ref(), found.and_then(|found| found.price_raw.as_ref()));
    text(
        "price_type",
        Some(&price.price_type.as_str().to_owned()),
        found.map(|found| found.price_type.as_str().to_owned()).as_ref(),
    );
    let stock = Some(truth.availability.as_str().to_owned())
        .filter(|_| truth.availability != Availability::Unknown);
    let seen = found
        .map(|found| found.availability.as_str().to_owned())
        .filter(|stock| stock != "unknown")
        // A page that states nothing and has an active cart button counts as in stock.
        .filter(|seen| stock.is_some() || seen != "in_stock");
    text("availability", stock.as_ref(), seen.as_ref());
    text(
        "availability_raw",
        truth.availability_raw.as_ref(),
        found.and_then(|found| found.availability_raw.as_ref()),
    );
    text(
        "seller",
        truth.seller.as_ref().map(|seller| &seller.name),
        found.and_then(|found| found.seller.as_ref()).map(|seller| &seller.name),
    );
    text(
        "condition",
        truth.condition.map(|condition| condition.as_str().to_owned()).as_ref(),
        found
            .and_then(|found| found.condition)
            .map(|condition| condition.as_str().to_owned())
            .as_ref(),
    );
    score.one(
        "tax",
        path,
        truth.tax_included.as_ref(),
        found.and_then(|found| found.tax_included.as_ref()),
        |one, other| one == other,
    );
    let rating = truth
        .rating
        .as_ref()
        .map(|rating| (rating.value.parse::<f64>().expect("a number"), u64::from(rating.count)));
    let seen =
        found.and_then(|found| found.rating.as_ref()).map(|rating| (rating.value, rating.count));
    score.one("rating", path, rating.as_ref(), seen.as_ref(), |one, other| one == other);
    let described = if options.suppress_contact {
        &truth.description
    } else {
        &truth.description_with_contacts
    };
    let seen = found.and_then(|found| found.description.as_ref());
    score.one("description", path, described.as_ref(), seen, |one, other| {
        similarity(one, other) >= SAME_TEXT
    });
    let gtins: Vec<String> =
        truth.gtin.iter().map(|gtin| format!("{} {}", gtin.kind, gtin.value)).collect();
    let seen: Vec<String> = list(found, |found| &found.gtin)
        .iter()
        .map(|gtin| format!("{} {}", gtin.kind.as_str(), gtin.value))
        .collect();
    score.many("gtin", path, &gtins, &seen);
    let images: Vec<String> = truth.images.iter().map(|image| image.url.clone()).collect();
    let seen: Vec<String> =
        list(found, |found| &found.images).iter().map(|image| image.url.clone()).collect();
    score.many("images", path, &images, &seen);
    let breadcrumbs: Vec<_> =
        truth.breadcrumbs.iter().map(|step| (step.name.clone(), step.url.clone())).collect();
    let seen: Vec<_> = list(found, |found| &found.breadcrumbs)
        .iter()
        .map(|step| (step.name.clone(), step.url.clone()))
        .collect();
    score.many("breadcrumbs", path, &breadcrumbs, &seen);
    let seen: Vec<_> = list(found, |found| &found.attributes)
        .iter()
        .map(|row| (row.name.clone(), row.value.clone()))
        .collect();
    score.many("attributes", path, &truth.attributes, &seen);
    score.many("features", path, &truth.features, list(found, |found| &found.features));
    let variants: Vec<String> = truth.variants.iter().map(variant_line).collect();
    let seen: Vec<String> = list(found, |found| &found.variants)
        .iter()
        .map(|one| {
            let stock = one.availability.as_str();
            let gtin: Vec<&str> = one.gtin.iter().map(|gtin| gtin.value.as_str()).collect();
            format!(
                "{:?} {:?} {gtin:?} {:?} {:?} {:?} {stock}",
                one.options, one.sku, one.price, one.regular_price, one.currency
            )
        })
        .collect();
    score.many("variants", path, &variants, &seen);
}

fn list<'f, T>(found: Option<&'f Product>, of: impl Fn(&'f Product) -> &'f Vec<T>) -> &'f [T] {
    found.map_or(&[], |found| of(found).as_slice())
}

fn variant_line(one: &VariantTruth) -> String {
    let options: BTreeMap<_, _> = one.options.iter().cloned().collect();
    let gtin: Vec<&str> = one.gtin.iter().map(|gtin| gtin.value.as_str()).collect();
    let stock = one.availability.as_str();
    format!(
        "{options:?} {:?} {gtin:?} {:?} {:?} {:?} {stock}",
        one.sku, one.price, one.regular_price, one.currency
    )
}

/// The share of common words of two texts.
fn similarity(one: &str, other: &str) -> f64 {
    let words =
        |text: &str| -> HashSet<String> { text.split_whitespace().map(str::to_owned).collect() };
    let (one, other) = (words(one), words(other));
    let both = one.intersection(&other).count() as f64;
    if one.is_empty() && other.is_empty() {
        1.0
    } else {
        2.0 * both / (one.len() + other.len()) as f64
    }
}
