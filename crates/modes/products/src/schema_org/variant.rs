//! The variants of a schema.org product: members of a product group, or offers with their own SKU.

use hashbrown::HashSet;
use serde_json::{Map, Value};

use super::SchemaThings;
use super::images::images;
use super::offer::{Offers, single};
use super::value::{gtins, text};
use crate::page_context::PageContext;
use crate::price::PriceForm;
use crate::source_record::{MAX_VARIANTS, SourceRecord, VariantRecord};
use html::structured::each;

/// Properties in which variants usually differ.
const OPTION_KEYS: &[&str] =
    &["color", "size", "material", "pattern", "suggestedAge", "suggestedGender"];

pub(super) fn variants<'v>(
    product: &'v Map<String, Value>,
    things: &SchemaThings<'v>,
    offers: &Offers<'v>,
    context: &PageContext<'_>,
) -> Vec<VariantRecord> {
    let members = each(product.get("hasVariant"));
    if !members.is_empty() {
        let axes = axes(product);
        let members = members.iter().take(MAX_VARIANTS).filter_map(|one| things.resolve_whole(one));
        return members.map(|member| variant(member, &axes, things, context)).collect();
    }
    variants_of_offers(offers, context)
}

/// The properties in which the members of a group differ, from `variesBy`. A colon is part of the
/// name of a property: "Size: EU".
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

fn variant<'v>(
    member: &'v Map<String, Value>,
    axes: &[String],
    things: &SchemaThings<'v>,
    context: &PageContext<'_>,
) -> VariantRecord {
    let offers = Offers::of(member, things);
    let mut options: Vec<(String, String)> = Vec::new();
    for property in each(member.get("additionalProperty")).iter().take(16) {
        let name = property.get("name").and_then(|name| text(Some(name)));
        let value = property.get("value").and_then(|value| text(Some(value)));
        options.extend(name.zip(value));
    }
    let stated = OPTION_KEYS.iter().map(|key| (*key).to_owned());
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
    VariantRecord {
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

/// Whether an `@id` is an identifier of the shop and not a URL or a blank node.
fn is_id(id: &str) -> bool {
    !id.starts_with("http") && !id.starts_with('#') && !id.starts_with("_:")
}

/// Offers with distinct SKUs are variants; offers of several sellers are not.
fn variants_of_offers(offers: &Offers<'_>, context: &PageContext<'_>) -> Vec<VariantRecord> {
    let numbers: HashSet<String> =
        offers.single.iter().filter_map(|offer| text(offer.get("sku"))).collect();
    if offers.single.len() < 2 || numbers.len() != offers.single.len() {
        return Vec::new();
    }
    let variant = |offer: &&Map<String, Value>| {
        let name = text(offer.get("name")).or_else(|| text(offer.get("itemOffered")));
        VariantRecord {
            id: None,
            options: name.map(|name| ("name".to_owned(), name)).into_iter().collect(),
            sku: text(offer.get("sku")),
            gtin: gtins(offer),
            offer: single(offer, context),
            url: text(offer.get("url")).and_then(|url| context.absolute(&url)),
            images: Vec::new(),
        }
    };
    offers.single.iter().take(MAX_VARIANTS).map(variant).collect()
}

/// Fills price, currency and availability of the product from its variants.
pub(crate) fn complete_from_variants(record: &mut SourceRecord) {
    use contract::Availability;
    let prices = || record.variants.iter().filter_map(|variant| variant.offer.low);
    if record.offer.low.is_none()
        && let Some(low) = prices().min()
    {
        let high = prices().max().filter(|high| *high > low);
        record.offer.low = Some(low);
        record.offer.high = high;
        record.offer.form = Some(if high.is_some() { PriceForm::Range } else { PriceForm::Exact });
        let cheapest = record.variants.iter().find(|variant| variant.offer.low == Some(low));
        record.offer.regular = cheapest.and_then(|variant| variant.offer.regular);
    }
    if record.offer.regular.is_none() {
        let mut same = record.variants.iter().filter(|one| one.offer.low == record.offer.low);
        record.offer.regular = same.find_map(|variant| variant.offer.regular);
    }
    if record.offer.currency.is_none() {
        record.offer.currency = record.variants.iter().find_map(|variant| variant.offer.currency);
    }
    if record.offer.availability.is_none() {
        let mut stocks = record.variants.iter().filter_map(|variant| variant.offer.availability);
        let first = stocks.next();
        let in_stock = first == Some(Availability::InStock)
            || stocks.any(|stock| stock == Availability::InStock);
        record.offer.availability = if in_stock { Some(Availability::InStock) } else { first };
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_of_varying_properties_keep_their_colons() {
        let group = json!({ "variesBy": ["https://schema.org/color", "Size: EU", "ns#depth"] });
        let group = group.as_object().expect("an object");
        assert_eq!(axes(group), ["color", "Size: EU", "depth"]);
    }
}
