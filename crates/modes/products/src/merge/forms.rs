//! The forms of the product: the fullest list of them, completed from the others.

use std::collections::BTreeMap;

use contract::{Availability, ProductSource, ProductVariant};
use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::super::draft::{Form, MAX_VARIANTS};
use super::super::field::Field;
use super::Said;
use super::money::Money;

pub(super) fn forms(
    said: &Said,
    money: &Money,
    note: &mut impl FnMut(Field, ProductSource),
) -> Vec<ProductVariant> {
    let all =
        || said.drafts.iter().chain([&said.sight.draft]).filter(|draft| !draft.variants.is_empty());
    // More forms are better than fewer, and of as many those that say more.
    let fullness = |forms: &[Form]| {
        let told: usize = forms.iter().take(50).map(told).sum();
        (forms.len(), told)
    };
    let Some(best) = all().rev_max_by(|draft| fullness(&draft.variants)) else { return Vec::new() };
    note(Field::Variant, best.source);
    let mut others: HashMap<&str, &Form> = HashMap::new();
    for draft in all().filter(|draft| draft.source != best.source) {
        for form in &draft.variants {
            if let Some(sku) = form.sku.as_deref() {
                others.entry(sku).or_insert(form);
            }
        }
    }
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut variants = Vec::new();
    for form in best.variants.iter().take(MAX_VARIANTS) {
        let other = form.sku.as_deref().and_then(|sku| others.get(sku).copied());
        let mut variant = variant(form, other, money);
        variant.options = labelled(variant.options, &said.sight.choices);
        // Stable within the product, and one for each.
        let count = seen.entry(variant.variant_id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            variant.variant_id = format!("{}-{count}", variant.variant_id);
        }
        variants.push(variant);
    }
    variants
}

/// The first of the greatest.
trait RevMax: Iterator + Sized {
    fn rev_max_by<K: Ord>(self, key: impl Fn(&Self::Item) -> K) -> Option<Self::Item> {
        let mut best: Option<(K, Self::Item)> = None;
        for item in self {
            let rank = key(&item);
            if best.as_ref().is_none_or(|(known, _)| rank > *known) {
                best = Some((rank, item));
            }
        }
        best.map(|(_, item)| item)
    }
}

impl<I: Iterator> RevMax for I {}

/// Options under the labels that the page has for them.
fn labelled(options: BTreeMap<String, String>, labels: &[String]) -> BTreeMap<String, String> {
    let shown = |name: String| {
        let label = labels.iter().find(|label| label.eq_ignore_ascii_case(&name));
        label.cloned().unwrap_or(name)
    };
    options.into_iter().map(|(name, value)| (shown(name), value)).collect()
}

/// How much a form tells.
fn told(form: &Form) -> usize {
    form.options.len() * 2
        + usize::from(form.sku.is_some())
        + usize::from(form.offer.low.is_some())
        + usize::from(form.offer.availability.is_some())
        + form.gtin.len().min(1)
}

fn variant(form: &Form, other: Option<&Form>, money: &Money) -> ProductVariant {
    let offer = &form.offer;
    let other_offer = other.map(|other| &other.offer);
    let low = offer.low.or(other_offer.and_then(|offer| offer.low));
    let currency = offer.currency.or(other_offer.and_then(|offer| offer.currency)).or(money.spoken);
    let regular = offer.regular.or(other_offer.and_then(|offer| offer.regular));
    let regular = regular.filter(|regular| Some(*regular) > low);
    let options = if form.options.is_empty() {
        other.map_or(&form.options, |other| &other.options)
    } else {
        &form.options
    };
    let options: BTreeMap<String, String> = options.iter().cloned().collect();
    let availability = offer.availability.or(other_offer.and_then(|offer| offer.availability));
    let id = form
        .id
        .clone()
        .or_else(|| form.sku.clone())
        .or_else(|| other.and_then(|other| other.id.clone()));
    let hashed = || format!("{:016x}", xxh3_64(format!("{options:?}").as_bytes()));
    ProductVariant {
        variant_id: id.unwrap_or_else(hashed),
        sku: form.sku.clone(),
        gtin: if form.gtin.is_empty() {
            other.map_or_else(Vec::new, |other| other.gtin.clone())
        } else {
            form.gtin.clone()
        },
        price: low.map(|low| low.in_currency(currency)),
        regular_price: regular.map(|regular| regular.in_currency(currency)),
        currency: low.and(currency).map(|currency| currency.as_str().to_owned()),
        availability: availability.unwrap_or(Availability::Unknown),
        url: form.url.clone().or_else(|| other.and_then(|other| other.url.clone())),
        images: form.images.clone(),
        options,
    }
}
