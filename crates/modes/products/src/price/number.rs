//! The digits of an amount: which mark groups them, and which is the decimal mark.

use super::{Currency, Decimal};

/// What helps to tell a decimal mark from one that groups.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spelling {
    pub currency: Option<Currency>,
    /// A colon stands before the smaller coin.
    pub has_colon: bool,
    /// It is the price of a measure, which may have three decimals, and this is the decimal
    /// mark of the page's language.
    pub fine_mark: Option<char>,
}

/// The amount that a number spells; none when its marks make no sense.
pub(super) fn amount(text: &str, spelling: Spelling) -> Option<Decimal> {
    if text.is_empty() {
        return None;
    }
    let (text, cents) = match text.split_once(':') {
        Some((whole, cents)) if spelling.has_colon => (whole, Some(cents)),
        Some(_) => return None,
        None => (text, None),
    };
    let marks: Vec<(usize, char)> =
        text.char_indices().filter(|(_, c)| !c.is_ascii_digit()).collect();
    let Some(&(last_at, last)) = marks.last() else {
        return Decimal::from_digits(text, cents.unwrap_or_default());
    };
    let same = marks.iter().filter(|(_, mark)| *mark == last).count();
    let behind = &text[last_at + 1..];
    let is_decimal = cents.is_none()
        && matches!(last, '.' | ',')
        && same == 1
        && (marks.len() > 1 || stands_alone_as_decimal(&text[..last_at], last, behind, spelling));
    let (whole, fraction) =
        if is_decimal { (&text[..last_at], behind) } else { (text, cents.unwrap_or_default()) };
    Decimal::from_digits(&ungrouped(whole)?, fraction)
}

/// Whether the only mark of a number is decimal. Three digits behind it are a group, unless
/// the currency has thousandths or nothing could be grouped: nobody asks 1.299 € where he can
/// ask 1.30 €.
fn stands_alone_as_decimal(before: &str, mark: char, behind: &str, spelling: Spelling) -> bool {
    if behind.len() != 3 {
        return behind.len() <= 6;
    }
    let thousandths = spelling.currency.is_some_and(|currency| currency.decimals() == 3);
    // Only in Tunis and Tripoli is the comma decimal; elsewhere it groups thousands of fils.
    let comma_counts = spelling.currency.is_some_and(|c| matches!(c.as_str(), "TND" | "LYD"));
    (thousandths && (mark == '.' || comma_counts))
        || before.trim_start_matches('0').is_empty()
        || before.len() > 3
        || spelling.fine_mark == Some(mark)
}

/// The digits without the marks that group them by three, or by two before the last three.
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
        let spelling = Spelling { currency: Currency::from_code(code), ..Spelling::default() };
        amount(text, spelling).map(|amount| amount.to_string())
    }

    #[test]
    fn marks_are_told_by_their_places() {
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
