//! Parses the digits of an amount: which mark groups them, and which is the decimal mark.

use super::{Currency, Decimal};

/// What distinguishes decimal marks from grouping marks.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NumberFormat {
    pub currency: Option<Currency>,
    /// Whether a colon is a decimal mark.
    pub has_colon: bool,
    /// For unit prices, which may have three decimals: the decimal mark of the page's language.
    pub fine_mark: Option<char>,
}

/// The amount of a number; `None` if its marks are inconsistent.
pub(super) fn amount(text: &str, format: NumberFormat) -> Option<Decimal> {
    if text.is_empty() {
        return None;
    }
    let (text, cents) = match text.split_once(':') {
        Some((whole, cents)) if format.has_colon => (whole, Some(cents)),
        Some(_) => return None,
        None => (text, None),
    };
    let marks: Vec<(usize, char)> =
        text.char_indices().filter(|(_, c)| !c.is_ascii_digit()).collect();
    let Some(&(last_at, last)) = marks.last() else {
        return Decimal::from_digits(text, cents.unwrap_or_default());
    };
    let same = marks.iter().filter(|(_, mark)| *mark == last).count();
    let after = &text[last_at + 1..];
    let is_decimal = cents.is_none()
        && matches!(last, '.' | ',')
        && same == 1
        && (marks.len() > 1 || is_single_mark_decimal(&text[..last_at], last, after, format));
    let (whole, fraction) =
        if is_decimal { (&text[..last_at], after) } else { (text, cents.unwrap_or_default()) };
    Decimal::from_digits(&ungrouped(whole)?, fraction)
}

/// Whether the only mark of a number is decimal. Three digits after it are a group, unless the
/// currency has three decimals or the digits before it cannot be a group.
fn is_single_mark_decimal(before: &str, mark: char, after: &str, format: NumberFormat) -> bool {
    if after.len() != 3 {
        return after.len() <= 6;
    }
    let thousandths = format.currency.is_some_and(|currency| currency.decimals() == 3);
    // Of the currencies with three decimals only TND and LYD use a decimal comma.
    let comma_counts = format.currency.is_some_and(|c| matches!(c.as_str(), "TND" | "LYD"));
    (thousandths && (mark == '.' || comma_counts))
        || before.trim_start_matches('0').is_empty()
        || before.len() > 3
        || format.fine_mark == Some(mark)
}

/// The digits without grouping marks: groups of three, or Indian groups of two before the last.
fn ungrouped(text: &str) -> Option<String> {
    let Some(mark) = text.chars().find(|c| !c.is_ascii_digit()) else {
        return Some(text.to_owned());
    };
    let groups: Vec<&str> = text.split(mark).collect();
    let (first, rest) = groups.split_first()?;
    let (last, between) = rest.split_last()?;
    let by = |size: usize| between.iter().all(|group| group.len() == size);
    let western = by(3) && (1..=3).contains(&first.len());
    let indian = mark == ',' && by(2) && (1..=2).contains(&first.len());
    (last.len() == 3 && (western || indian)).then(|| groups.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, code: &str) -> Option<String> {
        let format =
            NumberFormat { currency: Currency::from_code(code), ..NumberFormat::default() };
        amount(text, format).map(|amount| amount.to_string())
    }

    #[test]
    fn decimal_and_grouping_marks_are_distinguished() {
        for (text, code, expected) in [
            ("12", "", "12"),
            ("12,5", "", "12.50"),
            ("12.50", "", "12.50"),
            ("1,299", "", "1299"),
            ("1.299", "EUR", "1299"),
            ("1.299", "KWD", "1.299"),
            ("1,299", "KWD", "1299"),
            ("12,500", "TND", "12.50"),
            ("0,125", "EUR", "0.125"),
            ("1234.567", "", "1234.567"),
            ("1.234,56", "", "1234.56"),
            ("1,234.56", "", "1234.56"),
            ("1,23,456.00", "INR", "123456"),
            ("1,23,456", "INR", "123456"),
            ("12,34,56,789", "INR", "123456789"),
            ("1'234'567.80", "CHF", "1234567.80"),
            ("1 234 567,8", "", "1234567.80"),
            ("1.234.567", "", "1234567"),
            ("0.0125", "", "0.0125"),
        ] {
            assert_eq!(read(text, code).as_deref(), Some(expected), "{text} {code}");
        }
        for text in
            ["1.2.3", "12.11.2025", "1,2,3", "1.23,456,7", "1,2345,6", "12:50", "1.234.56", ""]
        {
            assert_eq!(read(text, ""), None, "{text}");
        }
    }
}
