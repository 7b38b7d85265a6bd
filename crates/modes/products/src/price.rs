//! Parses price texts in the formats of shops of every country.
//!
//! `tokens` splits a text, `amounts` finds the amounts and their roles. The price is the first
//! amount that is not a discount, a former price, a unit price or an instalment. The currency is
//! the one that the text names; a sign of several currencies means the one that the page names or
//! that its country uses, or none. Words, signs and currencies are in `data/`.

mod amounts;
mod currency;
mod currency_symbol;
mod decimal;
mod number_format;
mod on_request;
mod price_words;
mod tax;
mod tokens;

pub(crate) use currency::Currency;
pub(crate) use decimal::Decimal;
pub(crate) use on_request::is_on_request;
pub(crate) use tax::tax_hint;

use amounts::{AmountRole, amounts};

/// The result of parsing a price text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PriceText {
    pub low: Decimal,
    /// The upper end of a range.
    pub high: Option<Decimal>,
    pub currency: Option<Currency>,
    pub form: PriceForm,
    /// The price of a unit: a kilogram, a litre, a metre. A piece is not a unit.
    pub is_unit_price: bool,
    /// A monthly payment, or one of several payments.
    pub is_instalment: bool,
    pub tax_included: Option<bool>,
}

/// Whether the price is exact or one end of several prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PriceForm {
    Exact,
    /// The lowest of several.
    From,
    Range,
}

/// What the rest of the page says about its prices.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PriceHints<'a> {
    pub currency: Option<Currency>,
    /// A BCP 47 language tag.
    pub language: Option<&'a str>,
    /// An ISO 3166 code in upper case, or a country domain in lower case.
    pub country: Option<&'a str>,
}

/// The price that a text states; `None` if it states only discounts, shipping costs or no amount.
pub(crate) fn read_price(text: &str, hints: &PriceHints<'_>) -> Option<PriceText> {
    let tokens = tokens::tokens(text);
    let found = amounts(&tokens, hints);
    let price = found.iter().min_by_key(|amount| amount.role)?;
    let (is_unit_price, is_instalment) = match price.role {
        AmountRole::Price | AmountRole::Former => (false, false),
        AmountRole::UnitPrice => (true, false),
        AmountRole::Instalment => (false, true),
        AmountRole::Discount | AmountRole::Shipping => return None,
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
