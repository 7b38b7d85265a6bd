//! Offers of a product: price, availability, condition, seller.

use std::sync::LazyLock;

use contract::{Availability, Condition, Seller};
use hashbrown::HashMap;
use serde_json::{Map, Value};
use text::vocabulary;

use super::SchemaThings;
use super::value::{decimal, text};
use crate::page_context::PageContext;
use crate::price::{Currency, Decimal, PriceForm};
use crate::source_record::Offer;
use html::structured::{each, is_a, local_name};

/// How many offers of one product are read.
const MAX_OFFERS: usize = 10_000;

/// How many aggregate offers are read, each with its offers.
const MAX_AGGREGATES: usize = 64;

/// The length of the shortest reference to an offer, in bytes.
const REFERENCE_BYTES: usize = 12;

#[derive(Debug, Default)]
pub(super) struct Offers<'v> {
    /// Single offers, including those within aggregate offers.
    pub single: Vec<&'v Map<String, Value>>,
    aggregates: Vec<&'v Map<String, Value>>,
}

impl<'v> Offers<'v> {
    pub fn of(product: &'v Map<String, Value>, things: &SchemaThings<'v>) -> Self {
        let mut offers = Self::default();
        let mut pending: Vec<&Value> = each(product.get("offers")).iter().rev().collect();
        while let Some(value) = pending.pop() {
            // Every offer is longer than this, so that only repeated references exhaust the
            // budget.
            let is_full = offers.single.len() + offers.aggregates.len() >= MAX_OFFERS;
            if is_full || !things.may_copy(REFERENCE_BYTES) {
                break;
            }
            let Some(offer) = things.resolve(value) else { continue };
            if is_a(offer, &["AggregateOffer"]) || offer.contains_key("lowPrice") {
                // An aggregate offer may contain itself.
                if offers.aggregates.len() < MAX_AGGREGATES {
                    offers.aggregates.push(offer);
                    pending.extend(each(offer.get("offers")).iter().rev());
                }
            } else {
                offers.single.push(offer);
            }
        }
        offers
    }

    /// The first condition that an offer states.
    pub fn condition(&self) -> Option<Condition> {
        let all = self.single.iter().chain(&self.aggregates);
        all.filter_map(|offer| condition(&text(offer.get("itemCondition"))?)).next()
    }

    /// The seller, if all offers have the same one.
    pub fn seller(&self, things: &SchemaThings<'v>, context: &PageContext<'_>) -> Option<Seller> {
        let mut sellers = self.single.iter().filter_map(|offer| {
            let seller = offer.get("seller").or_else(|| offer.get("offeredBy"))?;
            let thing = things.resolve(seller);
            let name = match thing {
                Some(thing) => text(thing.get("name")),
                None => text(Some(seller)),
            }?;
            let url = thing.and_then(|thing| text(thing.get("url")));
            Some(Seller { name, url: url.and_then(|url| context.absolute(&url)) })
        });
        let first = sellers.next()?;
        sellers.all(|other| other.name == first.name).then_some(first)
    }

    /// All offers combined into one.
    pub fn summary(&self, context: &PageContext<'_>) -> Offer {
        let mut summary = Offer::default();
        for offer in &self.aggregates {
            let mut read = single(offer, context);
            read.low = decimal(offer.get("lowPrice")).filter(is_price).or(read.low);
            read.high = decimal(offer.get("highPrice")).filter(|high| Some(*high) > read.low);
            read.form = Some(if read.high.is_some() { PriceForm::Range } else { PriceForm::Exact });
            summary.fill_from(read);
        }
        let mut combined = Offer::default();
        for offer in &self.single {
            let read = single(offer, context);
            match (combined.low, read.low) {
                (Some(low), Some(other)) if read.currency == combined.currency => {
                    let high = combined.high.unwrap_or(low).max(other);
                    combined.low = Some(low.min(other));
                    combined.high = Some(high).filter(|high| Some(*high) > combined.low);
                }
                (None, Some(_)) => {
                    (combined.low, combined.currency) = (read.low, read.currency);
                    combined.regular = read.regular;
                    combined.tax_included = read.tax_included;
                }
                _ => {}
            }
            combined.currency = combined.currency.or(read.currency);
            // In stock with one offer is in stock.
            combined.availability = match (combined.availability, read.availability) {
                (Some(Availability::InStock), _) | (_, Some(Availability::InStock)) => {
                    Some(Availability::InStock)
                }
                (known, read) => known.or(read),
            };
        }
        if combined.low.is_some() {
            let ranges = combined.high.is_some();
            combined.form = Some(if ranges { PriceForm::Range } else { PriceForm::Exact });
            combined.regular = combined.regular.filter(|_| !ranges);
        }
        summary.fill_from(combined);
        summary
    }
}

pub(super) fn single(offer: &Map<String, Value>, context: &PageContext<'_>) -> Offer {
    let mut read = Offer {
        currency: currency(offer.get("priceCurrency")),
        low: amount(offer.get("price"), context),
        availability: text(offer.get("availability")).and_then(|term| availability(&term)),
        ..Offer::default()
    };
    if read.currency.is_none() {
        read.currency = offer.get("price").and_then(|price| currency(price.get("currency")));
    }
    for specification in each(offer.get("priceSpecification")) {
        let Some(specification) = specification.as_object() else { continue };
        read.currency = read.currency.or_else(|| currency(specification.get("priceCurrency")));
        if specification.contains_key("referenceQuantity") {
            // This is a unit price.
            continue;
        }
        let price = amount(specification.get("price"), context);
        let kind = text(specification.get("priceType")).unwrap_or_default();
        if ["ListPrice", "SRP", "MSRP", "Strikethrough"].iter().any(|word| kind.contains(word)) {
            read.regular = read.regular.or(price);
            continue;
        }
        read.low = read.low.or(price).or_else(|| amount(specification.get("minPrice"), context));
        read.tax_included =
            read.tax_included.or(specification.get("valueAddedTaxIncluded").and_then(boolean));
    }
    read.form = read.low.map(|_| PriceForm::Exact);
    read
}

fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(is) => Some(*is),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// A price that is not zero. Zero means that the shop states none.
fn amount(value: Option<&Value>, context: &PageContext<'_>) -> Option<Decimal> {
    let read = decimal(value).or_else(|| {
        // A price text for people.
        let text = value?.as_str()?;
        context.price(text).filter(|price| !price.is_unit_price).map(|price| price.low)
    });
    read.filter(is_price)
}

pub(crate) fn is_price(amount: &Decimal) -> bool {
    !amount.is_zero()
}

pub(crate) fn currency(value: Option<&Value>) -> Option<Currency> {
    Currency::from_code(text(value)?.trim())
}

/// The last segment of a schema.org term, its letters in lower case.
fn term(text: &str) -> String {
    let letters = local_name(text).chars().filter(|letter| letter.is_alphabetic());
    letters.flat_map(char::to_lowercase).take(40).collect()
}

/// The availability of a schema.org term, or of a common variant of it.
pub(crate) fn availability(text: &str) -> Option<Availability> {
    static TERMS: LazyLock<HashMap<&str, Availability>> =
        LazyLock::new(|| terms(Availability::ALL, Availability::as_str));
    TERMS.get(term(text).as_str()).copied()
}

/// The condition of a schema.org term, or of a common variant of it.
pub(crate) fn condition(text: &str) -> Option<Condition> {
    static TERMS: LazyLock<HashMap<&str, Condition>> =
        LazyLock::new(|| terms(Condition::ALL, Condition::as_str));
    TERMS.get(term(text).as_str()).copied()
}

fn terms<T: Copy>(values: &[T], name: fn(T) -> &'static str) -> HashMap<&'static str, T> {
    let terms_of = |value: &T| {
        let (value, file) = (*value, term_file!("schema_terms.tsv"));
        let terms = vocabulary::group(file, name(value)).flat_map(str::split_ascii_whitespace);
        terms.map(move |term| (term, value))
    };
    values.iter().flat_map(terms_of).collect()
}
