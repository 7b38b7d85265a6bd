//! What is written in a country's manner is read back, and nothing makes it panic.

use proptest::prelude::*;

use super::super::{Currency, PriceHints, is_on_request, read_price, tax_hint};

/// How a country writes: what groups, what is decimal, by how many the groups are after the
/// first, the sign before and behind.
#[derive(Debug, Clone, Copy)]
struct Manner {
    group: &'static str,
    mark: &'static str,
    by_two: bool,
    before: &'static str,
    behind: &'static str,
    code: &'static str,
}

const fn manner(
    group: &'static str,
    mark: &'static str,
    before: &'static str,
    behind: &'static str,
    code: &'static str,
) -> Manner {
    Manner { group, mark, by_two: false, before, behind, code }
}

const MANNERS: &[Manner] = &[
    manner(".", ",", "", " €", "EUR"),
    manner(".", ",", "€ ", "", "EUR"),
    manner("\u{202f}", ",", "", "\u{a0}€", "EUR"),
    manner("\u{a0}", ",", "", " zł", "PLN"),
    manner(" ", ",", "", " Kč", "CZK"),
    manner("'", ".", "CHF ", "", "CHF"),
    manner("’", ".", "Fr. ", "", "CHF"),
    manner(",", ".", "US$", "", "USD"),
    manner(",", ".", "£", "", "GBP"),
    manner(",", ".", "", " GBP", "GBP"),
    manner(".", ",", "R$ ", "", "BRL"),
    manner(".", ",", "", " TL", "TRY"),
    manner(" ", ",", "", " SEK", "SEK"),
    manner("", ".", "", " EUR", "EUR"),
    manner("", ",", "", " EUR", "EUR"),
    Manner { by_two: true, ..manner(",", ".", "₹", "", "INR") },
    Manner { by_two: true, ..manner(",", ".", "INR ", "", "INR") },
];

impl Manner {
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
        format!("{}{text}{}{:02}{}", self.before, self.mark, cents % 100, self.behind)
    }
}

proptest! {
    #[test]
    fn what_a_country_writes_is_read_back(
        cents in prop_oneof![0..1_000_u64, 0..1_000_000_u64, 0..100_000_000_000_u64],
        at in 0..MANNERS.len(),
        around in prop_oneof![Just(("", "")), Just(("Preis: ", "")), Just(("", " inkl. MwSt."))],
    ) {
        let manner = MANNERS[at];
        let text = format!("{}{}{}", around.0, manner.write(cents), around.1);
        let price = read_price(&text, &PriceHints::default());
        let price = price.ok_or_else(|| TestCaseError::fail(text.clone()))?;
        let expected = format!("{}.{:02}", cents / 100, cents % 100);
        prop_assert_eq!(price.low.in_currency(price.currency), expected, "{}", text);
        prop_assert_eq!(price.currency.map(Currency::as_str), Some(manner.code), "{}", text);
    }

    #[test]
    fn no_text_makes_it_panic(text in "(\\PC|[0-9.,' €$%/x–-]|kr|ab|MwSt|[0-9]{1,5}){0,80}") {
        let hints = PriceHints { language: Some("de-DE"), country: Some("de"), currency: None };
        let _ = (read_price(&text, &hints), is_on_request(&text), tax_hint(&text));
    }
}

#[test]
fn a_long_text_costs_no_more_than_its_beginning() {
    for part in ["1", "1.", "1 ", "€", "12 € - ", "ab ", "- ", "inkl. "] {
        let text = part.repeat(100_000);
        let _ = (read_price(&text, &PriceHints::default()), is_on_request(&text), tax_hint(&text));
    }
}
