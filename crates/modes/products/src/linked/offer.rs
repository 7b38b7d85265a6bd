//! Offers: what a product costs, whether it can be had, and from whom.

use contract::{Availability, Condition, Seller};
use serde_json::{Map, Value};

use super::super::context::Context;
use super::super::draft::Offer;
use super::super::price::{Currency, Decimal, PriceForm};
use super::value::{decimal, each, text};
use super::{Things, is_a};

/// How many offers of one product are read.
const MAX_OFFERS: usize = 10_000;

/// How many summaries of offers are read, each with its offers.
const MAX_SUMMARIES: usize = 64;

/// The bytes of the shortest reference to an offer.
const REFERENCE_BYTES: usize = 12;

/// All offers of a product.
#[derive(Debug, Default)]
pub(super) struct Offers<'v> {
    /// Each offer, those within a summary included.
    pub single: Vec<&'v Map<String, Value>>,
    summaries: Vec<&'v Map<String, Value>>,
}

impl<'v> Offers<'v> {
    pub fn of(product: &'v Map<String, Value>, things: &Things<'v>) -> Self {
        let mut offers = Self::default();
        let mut left: Vec<&Value> = each(product.get("offers")).iter().rev().collect();
        while let Some(value) = left.pop() {
            // Less than any offer is long: only offers that are referred to again and again cost
            // more than there is.
            let is_most = offers.single.len() + offers.summaries.len() >= MAX_OFFERS;
            if is_most || !things.may_copy(REFERENCE_BYTES) {
                break;
            }
            let Some(offer) = things.resolve(value) else { continue };
            if is_a(offer, &["AggregateOffer"]) || offer.contains_key("lowPrice") {
                // A summary may be one of its own offers.
                if offers.summaries.len() < MAX_SUMMARIES {
                    offers.summaries.push(offer);
                    left.extend(each(offer.get("offers")).iter().rev());
                }
            } else {
                offers.single.push(offer);
            }
        }
        offers
    }

    /// The condition that the offers name.
    pub fn condition(&self) -> Option<Condition> {
        let all = self.single.iter().chain(&self.summaries);
        all.filter_map(|offer| condition(&text(offer.get("itemCondition"))?)).next()
    }

    /// Who sells, when all offers are of one.
    pub fn seller(&self, things: &Things<'v>, context: &Context<'_>) -> Option<Seller> {
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

    /// The offers in one.
    pub fn summary(&self, context: &Context<'_>) -> Offer {
        let mut summary = Offer::default();
        for offer in &self.summaries {
            let mut read = single(offer, context);
            read.low = decimal(offer.get("lowPrice")).filter(is_price).or(read.low);
            read.high = decimal(offer.get("highPrice")).filter(|high| Some(*high) > read.low);
            read.form = Some(if read.high.is_some() { PriceForm::Range } else { PriceForm::Exact });
            summary.fill_from(read);
        }
        let mut several = Offer::default();
        for offer in &self.single {
            let read = single(offer, context);
            match (several.low, read.low) {
                (Some(low), Some(other)) if read.currency == several.currency => {
                    let high = several.high.unwrap_or(low).max(other);
                    several.low = Some(low.min(other));
                    several.high = Some(high).filter(|high| Some(*high) > several.low);
                }
                (None, Some(_)) => {
                    (several.low, several.currency) = (read.low, read.currency);
                    several.regular = read.regular;
                    several.tax_included = read.tax_included;
                }
                _ => {}
            }
            several.currency = several.currency.or(read.currency);
            // What can be had of any seller or in any form can be had.
            several.availability = match (several.availability, read.availability) {
                (Some(Availability::InStock), _) | (_, Some(Availability::InStock)) => {
                    Some(Availability::InStock)
                }
                (known, read) => known.or(read),
            };
        }
        if several.low.is_some() {
            let ranges = several.high.is_some();
            several.form = Some(if ranges { PriceForm::Range } else { PriceForm::Exact });
            several.regular = several.regular.filter(|_| !ranges);
        }
        summary.fill_from(several);
        summary
    }
}

/// One offer.
pub(super) fn single(offer: &Map<String, Value>, context: &Context<'_>) -> Offer {
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
            // What a kilogram costs, not what the product costs.
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
            read.tax_included.or(specification.get("valueAddedTaxIncluded").and_then(truth));
    }
    read.form = read.low.map(|_| PriceForm::Exact);
    read
}

fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(is) => Some(*is),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// An amount that somebody may ask for: zero means that the shop does not tell.
fn amount(value: Option<&Value>, context: &Context<'_>) -> Option<Decimal> {
    let read = decimal(value).or_else(|| {
        // Written for people: with its sign, its own marks, and nothing else.
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

/// The last word of a term, its letters small and nothing else.
fn term(text: &str) -> String {
    let from = text.trim_end_matches('/').rfind(['/', '#', ':']).map_or(0, |at| at + 1);
    let letters = text[from..].chars().filter(|letter| letter.is_alphabetic());
    letters.flat_map(char::to_lowercase).take(40).collect()
}

/// Availability as data spells it.
pub(crate) fn availability(text: &str) -> Option<Availability> {
    Some(match term(text).as_str() {
        "instock"
        | "instoreonly"
        | "onlineonly"
        | "limitedavailability"
        | "available"
        | "availablefororder"
        | "limitedstock"
        | "lowstock"
        | "true"
        | "yes"
        | "purchasable" => Availability::InStock,
        "outofstock" | "soldout" | "oos" | "unavailable" | "notavailable" | "false"
        | "reserved" => Availability::OutOfStock,
        "preorder" | "presale" | "pending" => Availability::Preorder,
        "backorder" | "madetoorder" | "backordered" | "onbackorder" => Availability::Backorder,
        "discontinued" | "endoflife" => Availability::Discontinued,
        _ => return None,
    })
}

/// A condition as data spells it.
pub(crate) fn condition(text: &str) -> Option<Condition> {
    Some(match term(text).as_str() {
        "new" | "newcondition" => Condition::New,
        "used" | "usedcondition" | "damagedcondition" | "preowned" | "secondhand" => {
            Condition::Used
        }
        "refurbished" | "refurbishedcondition" | "renewed" => Condition::Refurbished,
        _ => return None,
    })
}
