//! An exact, non-negative amount of money with at most 15 digits before and six after the decimal
//! point. Amounts are equal if their values are, whatever their notation.

use std::fmt;

use super::Currency;

/// The maximum number of digits before the decimal point.
const MAX_WHOLE: usize = 15;
/// The maximum number of digits after it. More digits come from floating-point numbers.
const MAX_FRACTION: usize = 6;
/// The number of millionths in one unit.
const SCALE: u128 = 1_000_000;

/// An exact amount in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(crate) struct Decimal {
    millionths: u128,
}

impl Decimal {
    /// From the digits before and after the decimal point; `None` for too many digits or other
    /// characters.
    pub fn from_digits(whole: &str, fraction: &str) -> Option<Self> {
        let whole = whole.trim_start_matches('0');
        let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() > MAX_WHOLE || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        let number =
            |text: &str| text.bytes().fold(0, |sum, byte| sum * 10 + u128::from(byte - b'0'));
        let mut millionths = number(whole) * SCALE;
        match fraction.get(..MAX_FRACTION) {
            // 19.990000000000002 and 19.989999771 mean 19.99.
            Some(first) if fraction.len() > MAX_FRACTION => {
                millionths += (number(first) + 50) / 100 * 100;
            }
            _ => {
                let missing = u32::try_from(MAX_FRACTION - fraction.len()).ok()?;
                millionths += number(fraction) * 10_u128.pow(missing);
            }
        }
        Some(Self { millionths })
    }

    /// From a number in a machine-readable format: the point is the decimal mark. A comma before
    /// three digits groups; another comma, or the last mark of two kinds, is decimal.
    pub fn from_machine(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix('+').unwrap_or(text);
        if text.len() > 40
            || !text.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        {
            return None;
        }
        if let Some((digits, power)) = text.split_once(['e', 'E']) {
            return Self::with_power(digits, power);
        }
        let (point, comma) = (text.rfind('.'), text.rfind(','));
        let (whole, fraction) = match (point, comma) {
            (None, None) => (text.to_owned(), ""),
            (Some(point), None) => (text[..point].to_owned(), &text[point + 1..]),
            (None, Some(comma)) if text[comma + 1..].len() != 3 => {
                (text[..comma].to_owned(), &text[comma + 1..])
            }
            (None, Some(_)) => (ungrouped(text, ',')?, ""),
            (Some(point), Some(comma)) if comma < point => {
                (ungrouped(&text[..point], ',')?, &text[point + 1..])
            }
            (Some(_), Some(comma)) => (ungrouped(&text[..comma], '.')?, &text[comma + 1..]),
        };
        (!whole.is_empty() || !fraction.is_empty()).then_some(())?;
        Self::from_digits(&whole, fraction)
    }

    /// From a mantissa and an exponent: `1.2995` and `3` give 1299.5.
    fn with_power(digits: &str, power: &str) -> Option<Self> {
        let power: usize =
            power.trim_start_matches('+').parse().ok().filter(|p| *p <= MAX_WHOLE)?;
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let fraction = format!("{fraction:0<power$}");
        let (more, rest) = fraction.split_at_checked(power)?;
        Self::from_digits(&format!("{whole}{more}"), rest)
    }

    pub fn is_zero(self) -> bool {
        self.millionths == 0
    }

    pub fn is_whole(self) -> bool {
        self.millionths.is_multiple_of(SCALE)
    }

    /// The amount without its decimals.
    pub fn whole(self) -> u128 {
        self.millionths / SCALE
    }

    /// The number of digits before the decimal point, at least one.
    pub fn whole_digits(self) -> u32 {
        self.whole().checked_ilog10().unwrap_or_default() + 1
    }

    /// As text with all decimals of the currency.
    pub fn in_currency(self, currency: Option<Currency>) -> String {
        let decimals = currency.map_or(2, Currency::decimals);
        self.written(if currency.is_none() && self.is_whole() { 0 } else { decimals })
    }

    /// As text with at least this many decimals.
    fn written(self, least: usize) -> String {
        let (whole, rest) = (self.whole(), self.millionths % SCALE);
        let fraction = format!("{rest:06}");
        let needed = fraction.trim_end_matches('0').len().max(least.min(MAX_FRACTION));
        match fraction.get(..needed) {
            Some(fraction) if !fraction.is_empty() => format!("{whole}.{fraction}"),
            _ => whole.to_string(),
        }
    }
}

/// The digits without the mark between their groups of three.
fn ungrouped(text: &str, mark: char) -> Option<String> {
    let mut groups = text.split(mark);
    let first = groups.next().filter(|first| (1..=3).contains(&first.len()))?;
    let mut whole = first.to_owned();
    for group in groups {
        (group.len() == 3).then(|| whole.push_str(group))?;
    }
    Some(whole)
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written(if self.is_whole() { 0 } else { 2 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(text: &str) -> Option<String> {
        Decimal::from_machine(text).map(|amount| amount.to_string())
    }

    #[test]
    fn machine_readable_numbers_are_parsed() {
        for (text, amount) in [
            ("1234.5", "1234.50"),
            ("1234.56", "1234.56"),
            (" 12 ", "12"),
            ("0", "0"),
            ("0.00", "0"),
            (".5", "0.50"),
            ("12.", "12"),
            ("1,234.50", "1234.50"),
            ("1,234", "1234"),
            ("1,234,567", "1234567"),
            ("1.234,56", "1234.56"),
            ("1.234.567,8", "1234567.80"),
            ("12,5", "12.50"),
            ("12,99", "12.99"),
            ("1.234", "1.234"),
            ("1.2995e3", "1299.50"),
            ("1E2", "100"),
            ("19.990000000000002", "19.99"),
            ("19.989999771118164", "19.99"),
            ("007.10", "7.10"),
        ] {
            assert_eq!(machine(text).as_deref(), Some(amount), "{text}");
        }
        for text in [
            "",
            ".",
            "-5",
            "- 5",
            "abc",
            "12 EUR",
            "1.2.3",
            "1,23,4",
            "1,2345.6",
            "1e99",
            "1e-2",
            "NaN",
            "inf",
            "0x10",
            "1234567890123456",
            "12.3a",
        ] {
            assert_eq!(machine(text), None, "{text}");
        }
    }

    #[test]
    fn different_notations_of_one_amount_are_equal() {
        let read = |text| Decimal::from_machine(text).expect(text);
        assert_eq!(read("12.5"), read("12.50"));
        assert!(read("12.5") > read("12.49"));
        assert!(read("9.99") < read("10"));
    }

    #[test]
    fn amounts_are_written_with_all_decimals_of_the_currency() {
        let written = |text, code| {
            let currency = Currency::from_code(code);
            Decimal::from_machine(text).expect(text).in_currency(currency)
        };
        assert_eq!(written("12", "EUR"), "12.00");
        assert_eq!(written("12.5", "EUR"), "12.50");
        assert_eq!(written("0.125", "EUR"), "0.125");
        assert_eq!(written("1200", "JPY"), "1200");
        assert_eq!(written("1.5", "KWD"), "1.500");
        assert_eq!(written("12", "?"), "12");
        assert_eq!(written("12.5", "?"), "12.50");
    }
}
