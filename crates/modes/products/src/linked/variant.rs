//! The forms of a product in linked data: members of a group, or offers of their own.

use hashbrown::HashSet;
use serde_json::{Map, Value};

use super::super::context::Context;
use super::super::draft::{Draft, Form, MAX_VARIANTS};
use super::super::price::PriceForm;
use super::Things;
use super::offer::{Offers, single};
use super::product::{gtins, images};
use super::value::{each, text};

/// What forms usually differ in, where the data has no name of its own for it.
const OPTIONS: &[&str] =
    &["color", "size", "material", "pattern", "suggestedAge", "suggestedGender"];

pub(super) fn forms<'v>(
    product: &'v Map<String, Value>,
    things: &Things<'v>,
    offers: &Offers<'v>,
    context: &Context<'_>,
) -> Vec<Form> {
    let members = each(product.get("hasVariant"));
    if !members.is_empty() {
        let axes = axes(product);
        let members = members.iter().take(MAX_VARIANTS).filter_map(|one| things.resolve_whole(one));
        return members.map(|member| form(member, &axes, things, context)).collect();
    }
    offered(offers, context)
}

/// What a group says its members differ in.
fn axes(group: &Map<String, Value>) -> Vec<String> {
    let local = |term: String| {
        let from = term.rfind(['/', '#']).map_or(0, |at| at + 1);
        term[from..].to_owned()
    };
    each(group.get("variesBy"))
        .iter()
        .take(8)
        .filter_map(|one| text(Some(one)))
        .map(local)
        .collect()
}

fn form<'v>(
    member: &'v Map<String, Value>,
    axes: &[String],
    things: &Things<'v>,
    context: &Context<'_>,
) -> Form {
    let offers = Offers::of(member, things);
    let mut options: Vec<(String, String)> = Vec::new();
    for property in each(member.get("additionalProperty")).iter().take(16) {
        let name = property.get("name").and_then(|name| text(Some(name)));
        let value = property.get("value").and_then(|value| text(Some(value)));
        options.extend(name.zip(value));
    }
    let stated = OPTIONS.iter().map(|key| (*key).to_owned());
    for key in axes.iter().cloned().chain(stated) {
        let known = options.iter().any(|(name, _)| name.eq_ignore_ascii_case(&key));
        if !known && let Some(value) = text(member.get(&key)) {
            options.push((key, value));
        }
    }
    let first = offers.single.first();
    let of_offer = |key: &str| first.and_then(|offer| text(offer.get(key)));
    let address = text(member.get("url")).or_else(|| of_offer("url"));
    let mut gtin = gtins(member);
    if gtin.is_empty() {
        gtin = first.map(|offer| gtins(offer)).unwrap_or_default();
    }
    Form {
        id: text(member.get("productID"))
            .or_else(|| text(member.get("@id")).filter(|id| is_id(id))),
        options,
        sku: text(member.get("sku")).or_else(|| of_offer("sku")),
        gtin,
        offer: offers.summary(context),
        url: address.and_then(|url| context.absolute(&url)),
        images: images(member.get("image"), things, context),
    }
}

fn is_id(id: &str) -> bool {
    !id.starts_with("http") && !id.starts_with('#') && !id.starts_with("_:")
}

/// Offers that each have a number of their own are forms; those of several sellers are not.
fn offered(offers: &Offers<'_>, context: &Context<'_>) -> Vec<Form> {
    let numbers: HashSet<String> =
        offers.single.iter().filter_map(|offer| text(offer.get("sku"))).collect();
    if offers.single.len() < 2 || numbers.len() != offers.single.len() {
        return Vec::new();
    }
    let form = |offer: &&Map<String, Value>| {
        let name = text(offer.get("name")).or_else(|| text(offer.get("itemOffered")));
        Form {
            id: None,
            options: name.map(|name| ("name".to_owned(), name)).into_iter().collect(),
            sku: text(offer.get("sku")),
            gtin: gtins(offer),
            offer: single(offer, context),
            url: text(offer.get("url")).and_then(|url| context.absolute(&url)),
            images: Vec::new(),
        }
    };
    offers.single.iter().take(MAX_VARIANTS).map(form).collect()
}

/// A group without a price of its own costs what its forms cost.
pub(crate) fn complete(draft: &mut Draft) {
    use contract::Availability;
    let prices = || draft.variants.iter().filter_map(|form| form.offer.low);
    if draft.offer.low.is_none()
        && let Some(low) = prices().min()
    {
        let high = prices().max().filter(|high| *high > low);
        draft.offer.low = Some(low);
        draft.offer.high = high;
        draft.offer.form = Some(if high.is_some() { PriceForm::Range } else { PriceForm::Exact });
        let cheapest = draft.variants.iter().find(|form| form.offer.low == Some(low));
        draft.offer.regular = cheapest.and_then(|form| form.offer.regular);
    }
    if draft.offer.currency.is_none() {
        draft.offer.currency = draft.variants.iter().find_map(|form| form.offer.currency);
    }
    if draft.offer.availability.is_none() {
        let mut stocks = draft.variants.iter().filter_map(|form| form.offer.availability);
        let first = stocks.next();
        let in_stock = first == Some(Availability::InStock)
            || stocks.any(|stock| stock == Availability::InStock);
        draft.offer.availability = if in_stock { Some(Availability::InStock) } else { first };
    }
}
