//! Prices written in the format of a country are parsed back, and no text causes a panic.

use proptest::prelude::*;

use super::super::{Currency, PriceHints, is_on_request, read_price, tax_hint};

/// The price format of a country: grouping mark, decimal mark, Indian grouping, and the symbol
/// before or after the amount.
#[derive(Debug, Clone, Copy)]
struct PriceFormat {
    group: &'static str,
    mark: &'static str,
    by_two: bool,
    before: &'static str,
    after: &'static str,
    code: &'static str,
}

const fn format_of(
    group: &'static str,
    mark: &'static str,
    before: &'static str,
    after: &'static str,
    code: &'static str,
) -> PriceFormat {
    PriceFormat { group, mark, by_two: false, before, after, code }
}

const FORMATS: &[PriceFormat] = &[
    format_of(".", ",", "", " €", "EUR"),
    format_of(".", ",", "€ ", "", "EUR"),
    format_of("\u{202f}", ",", "", "\u{a0}€", "EUR"),
    format_of("\u{a0}", ",", "", " zł", "PLN"),
    format_of(" ", ",", "", " Kč", "CZK"),
    format_of("'", ".", "CHF ", "", "CHF"),
    format_of("’", ".", "Fr. ", "", "CHF"),
    format_of(",", ".", "US$", "", "USD"),
    format_of(",", ".", "£", "", "GBP"),
    format_of(",", ".", "", " GBP", "GBP"),
    format_of(".", ",", "R$ ", "", "BRL"),
    format_of(".", ",", "", " TL", "TRY"),
    format_of(" ", ",", "", " SEK", "SEK"),
    format_of("", ".", "", " EUR", "EUR"),
    format_of("", ",", "", " EUR", "EUR"),
    PriceFormat { by_two: true, ..format_of(",", ".", "₹", "", "INR") },
    PriceFormat { by_two: true, ..format_of(",", ".", "INR ", "", "INR") },
];

impl PriceFormat {
    fn write(self, cents: u64) -> String {
        let whole = (cents / 100).to_string();
        let mut text = String::new();
        for (at, digit) in whole.chars().enumerate() {
            let left = whole.len() - at;
            let begins = match self.by_two {
                true => left >= 3 && (left - 3).is_multiple_of(2),
                false => left.is_multiple_of(3),
            };
            if at > 0 && begins {
                text.push_str(self.group);
            }
            text.push(digit);
        }
        format!("{}{text}{}{:02}{}", self.before, self.mark, cents % 100, self.after)
    }
}

proptest! {
    #[test]
    fn formatted_prices_are_parsed_back(
        cents in prop_oneof![0..1_000_u64, 0..1_000_000_u64, 0..100_000_000_000_u64],
        at in 0..FORMATS.len(),
        around in prop_oneof![Just(("", "")), Just(("Preis: ", "")), Just(("", " inkl. MwSt."))],
    ) {
        let format = FORMATS[at];
        let text = format!("{}{}{}", around.0, format.write(cents), around.1);
        let price = read_price(&text, &PriceHints::default());
        let price = price.ok_or_else(|| TestCaseError::fail(text.clone()))?;
        let expected = format!("{}.{:02}", cents / 100, cents % 100);
        prop_assert_eq!(price.low.in_currency(price.currency), expected, "{}", text);
        prop_assert_eq!(price.currency.map(Currency::as_str), Some(format.code), "{}", text);
    }

    #[test]
    fn no_text_causes_a_panic(text in "(\\PC|[0-9.,' €$%/x–-]|kr|ab|MwSt|[0-9]{1,5}){0,80}") {
        let hints = PriceHints { language: Some("de-DE"), country: Some("de"), currency: None };
        let _ = (read_price(&text, &hints), is_on_request(&text), tax_hint(&text));
    }
}

#[test]
fn long_texts_are_parsed_in_bounded_time() {
    for part in ["1", "1.", "1 ", "€", "12 € - ", "ab ", "- ", "inkl. "] {
        let text = part.repeat(100_000);
        let _ = (read_price(&text, &PriceHints::default()), is_on_request(&text), tax_hint(&text));
    }
}
