//! Reading the text of a price, as shops of every country spell it.
//!
//! A text is taken apart once; of the amounts in it the price is the first that is not said to
//! be something else: what was saved, what it used to cost, what a kilogram or a month costs.
//! The currency is the one the text names; a sign that several countries use means the one
//! that the page names or that its country uses, or none.

mod amounts;
mod currency;
mod decimal;
mod number;
mod request;
mod symbol;
mod tax;
mod tokens;
mod wording;

pub(crate) use currency::Currency;
pub(crate) use decimal::Decimal;
pub(crate) use request::is_on_request;
pub(crate) use tax::tax_hint;

use amounts::{Role, amounts};

/// What a price text says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PriceText {
    pub low: Decimal,
    /// The upper end of a range.
    pub high: Option<Decimal>,
    pub currency: Option<Currency>,
    pub form: PriceForm,
    /// What a measure costs: a kilogram, a litre, a metre. A piece is none.
    pub is_unit_price: bool,
    /// What is due a month, or one of several payments.
    pub is_instalment: bool,
    pub tax_included: Option<bool>,
}

/// How the price is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PriceForm {
    Exact,
    /// The lowest of several.
    From,
    Range,
}

/// What the page says about its prices elsewhere.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PriceHints<'a> {
    pub currency: Option<Currency>,
    /// A tag of BCP 47.
    pub language: Option<&'a str>,
    /// A code of ISO 3166 in capitals, or a domain of a country in small letters.
    pub country: Option<&'a str>,
}

/// The price that a text states; none when it states none, or only what is saved or what it
/// costs to have it sent.
pub(crate) fn read_price(text: &str, hints: &PriceHints<'_>) -> Option<PriceText> {
    let tokens = tokens::tokens(text);
    let found = amounts(&tokens, hints);
    let price = found.iter().min_by_key(|amount| amount.role)?;
    let (is_unit_price, is_instalment) = match price.role {
        Role::Price | Role::Old => (false, false),
        Role::Measure => (true, false),
        Role::Instalment => (false, true),
        Role::Saving | Role::Sending => return None,
    };
    Some(PriceText {
        low: price.low,
        high: price.high,
        currency: price.currency,
        form: price.form,
        is_unit_price,
        is_instalment,
        tax_included: tax_hint(text),
    })
}

#[cfg(test)]
mod tests;
