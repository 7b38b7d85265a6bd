//! Merges the prices. If the sources disagree, the visible price wins.

use contract::{PriceType, ProductSource};

use super::{MergeInput, Provenance};
use crate::ProductOptions;
use crate::field::ProductField;
use crate::price::{Currency, Decimal, PriceForm};
use crate::source_record::Offer;

/// The price fields of the product.
#[derive(Debug)]
pub(super) struct MergedPrice {
    pub price: Option<String>,
    pub regular_price: Option<String>,
    pub currency: Option<String>,
    pub price_raw: Option<String>,
    pub price_type: PriceType,
    pub tax_included: Option<bool>,
    /// The currency of the page, also without a price.
    pub page_currency: Option<Currency>,
}

impl Default for MergedPrice {
    fn default() -> Self {
        Self {
            price: None,
            regular_price: None,
            currency: None,
            price_raw: None,
            price_type: PriceType::None,
            tax_included: None,
            page_currency: None,
        }
    }
}

pub(super) fn price(
    input: &MergeInput,
    options: ProductOptions,
    provenance: &mut Provenance,
) -> MergedPrice {
    let shown = &input.visible.record.offer;
    let stated = || input.records.iter().map(|record| (&record.offer, record.source));
    let page_currency = stated().find_map(|(offer, _)| offer.currency).or(shown.currency);
    let tax_included =
        shown.tax_included.or_else(|| stated().find_map(|(offer, _)| offer.tax_included));
    let on_request = input.visible.on_request.as_ref();
    let priced = stated().find(|(offer, _)| offer.low.is_some());
    if let Some(raw) = on_request {
        let mut merged = MergedPrice {
            price_type: PriceType::OnRequest,
            price_raw: Some(raw.clone()),
            page_currency,
            ..MergedPrice::default()
        };
        if let (true, Some((offer, source))) = (options.collect_hidden_prices, priced) {
            merged.price = offer.low.map(|low| low.in_currency(offer.currency.or(page_currency)));
            merged.currency =
                offer.currency.or(page_currency).map(|currency| currency.as_str().to_owned());
            merged.price_type = PriceType::Hidden;
            provenance.note(ProductField::Price, source);
            provenance.note(ProductField::Currency, source);
        }
        return merged;
    }
    let (offer, source) = match (shown.low, priced) {
        (Some(low), Some((stated, source))) if stated.low == Some(low) => {
            (completed(shown, stated), source)
        }
        // The page may show the price without its decimals.
        (Some(low), Some((stated, source))) if adds_decimals(stated, low) => {
            (completed(stated, stated), source)
        }
        (Some(_), _) if input.visible.price_is_sure => (shown.clone(), ProductSource::Dom),
        (_, Some((stated, source))) => (stated.clone(), source),
        (Some(_), None) => (shown.clone(), ProductSource::Dom),
        (None, None) => return MergedPrice { page_currency, ..MergedPrice::default() },
    };
    provenance.note(ProductField::Price, source);
    let source_of = |named: Option<(&Offer, ProductSource)>| {
        named.map_or(ProductSource::Dom, |(_, source)| source)
    };
    let currency = offer.currency.or(page_currency);
    if let Some(currency) = currency {
        let named = stated().find(|(offer, _)| offer.currency == Some(currency));
        provenance.note(ProductField::Currency, source_of(named));
    }
    // Another source may state the former price beside the same price.
    let same =
        || stated().chain([(shown, ProductSource::Dom)]).filter(|(one, _)| one.low == offer.low);
    let regular = offer.regular.or_else(|| same().find_map(|(one, _)| one.regular));
    let regular = regular.filter(|regular| Some(*regular) > offer.low);
    if regular.is_some() {
        let named = stated().find(|(stated, _)| stated.regular == regular);
        provenance.note(ProductField::RegularPrice, source_of(named));
    }
    MergedPrice {
        price: offer.low.map(|low| low.in_currency(currency)),
        regular_price: regular.map(|regular| regular.in_currency(currency)),
        currency: currency.map(|currency| currency.as_str().to_owned()),
        price_raw: shown.raw.clone().filter(|_| shown.low == offer.low),
        price_type: match offer.form {
            Some(PriceForm::From) => PriceType::From,
            Some(PriceForm::Range) => PriceType::Range,
            Some(PriceForm::Exact) | None => PriceType::Exact,
        },
        tax_included,
        page_currency,
    }
}

/// Whether the data states the visible price with additional decimals.
fn adds_decimals(stated: &Offer, shown: Decimal) -> bool {
    shown.is_whole() && stated.low.is_some_and(|low| low.whole() == shown.whole() && low != shown)
}

/// The visible offer, completed with regular price and currency of the data.
fn completed(shown: &Offer, stated: &Offer) -> Offer {
    Offer {
        regular: shown.regular.or(stated.regular),
        currency: shown.currency.or(stated.currency),
        ..shown.clone()
    }
}
