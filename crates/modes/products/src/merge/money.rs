//! What the product costs. When sources disagree, the price that the buyer sees wins.

use contract::{PriceType, ProductSource};

use super::super::ProductWishes;
use super::super::draft::Offer;
use super::super::field::Field;
use super::super::price::{Currency, Decimal, PriceForm};
use super::Said;

/// What was decided.
#[derive(Debug)]
pub(super) struct Money {
    pub price: Option<String>,
    pub regular_price: Option<String>,
    pub currency: Option<String>,
    pub price_raw: Option<String>,
    pub price_type: PriceType,
    pub tax_included: Option<bool>,
    /// The currency of the page, whether or not it shows a price.
    pub spoken: Option<Currency>,
}

impl Default for Money {
    fn default() -> Self {
        Self {
            price: None,
            regular_price: None,
            currency: None,
            price_raw: None,
            price_type: PriceType::None,
            tax_included: None,
            spoken: None,
        }
    }
}

pub(super) fn money(
    said: &Said,
    wishes: ProductWishes,
    note: &mut impl FnMut(Field, ProductSource),
) -> Money {
    let shown = &said.sight.draft.offer;
    let told = || said.drafts.iter().map(|draft| (&draft.offer, draft.source));
    let spoken = told().find_map(|(offer, _)| offer.currency).or(shown.currency);
    let tax_included =
        shown.tax_included.or_else(|| told().find_map(|(offer, _)| offer.tax_included));
    let asked = said.sight.on_request.as_ref();
    let priced = told().find(|(offer, _)| offer.low.is_some());
    if let Some(raw) = asked {
        let mut money = Money {
            price_type: PriceType::OnRequest,
            price_raw: Some(raw.clone()),
            spoken,
            ..Money::default()
        };
        if let (true, Some((offer, source))) = (wishes.collect_hidden_prices, priced) {
            money.price = offer.low.map(|low| low.in_currency(offer.currency.or(spoken)));
            money.currency = offer.currency.or(spoken).map(|currency| currency.as_str().to_owned());
            money.price_type = PriceType::Hidden;
            note(Field::Price, source);
            note(Field::Currency, source);
        }
        return money;
    }
    let (offer, source) = match (shown.low, priced) {
        (Some(low), Some((told, source))) if told.low == Some(low) => (both(shown, told), source),
        // Decimals that the page only draws are known to its data.
        (Some(low), Some((told, source))) if adds_decimals(told, low) => (both(told, told), source),
        (Some(_), _) if said.sight.price_is_sure => (shown.clone(), ProductSource::Dom),
        (_, Some((told, source))) => (told.clone(), source),
        (Some(_), None) => (shown.clone(), ProductSource::Dom),
        (None, None) => return Money { spoken, ..Money::default() },
    };
    note(Field::Price, source);
    let currency = offer.currency.or(spoken);
    if let Some(currency) = currency {
        let named = told().find(|(offer, _)| offer.currency == Some(currency));
        note(Field::Currency, named.map_or(ProductSource::Dom, |(_, source)| source));
    }
    let regular = offer.regular.filter(|regular| Some(*regular) > offer.low);
    if regular.is_some() {
        let named = told().find(|(told, _)| told.regular == regular);
        note(Field::RegularPrice, named.map_or(ProductSource::Dom, |(_, source)| source));
    }
    Money {
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
        spoken,
    }
}

/// Whether data says the same price with its decimals.
fn adds_decimals(told: &Offer, shown: Decimal) -> bool {
    let (shown, told) = (shown.to_string(), told.low.map(|low| low.to_string()));
    let whole = |text: &str| text.split('.').next().unwrap_or_default().to_owned();
    let is_round =
        shown.split('.').nth(1).is_none_or(|rest| rest.bytes().all(|digit| digit == b'0'));
    is_round && told.is_some_and(|told| whole(&told) == whole(&shown) && told != shown)
}

/// A price that is shown and told: how it is meant is shown, what it was may only be told.
fn both(shown: &Offer, told: &Offer) -> Offer {
    Offer {
        regular: shown.regular.or(told.regular),
        currency: shown.currency.or(told.currency),
        ..shown.clone()
    }
}
