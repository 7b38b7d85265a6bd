//! Parses GTINs (EAN, UPC, ISBN) and verifies their check digits.
//!
//! Invented numbers, such as 1234567890128, are rejected although their check digit is correct.
//! Numbers of the ranges for use within a shop are accepted: shops print them as the EAN.

use contract::{Gtin, GtinType};

use text::vocabulary::TermList;

/// Labels that may precede the digits. Longer labels come first.
static LABELS: TermList = phrase_list!("gtin_labels.txt");

/// The GTIN of a text that has nothing else. Spaces and hyphens between the digits and a label
/// before them are skipped.
pub(crate) fn gtin(text: &str) -> Option<Gtin> {
    let digits = digits(text)?;
    let kind = match digits.len() {
        8 => GtinType::Gtin8,
        12 => GtinType::Gtin12,
        13 => GtinType::Gtin13,
        14 => GtinType::Gtin14,
        _ => return None,
    };
    let is_valid = has_correct_check_digit(&digits) && !is_invented(&digits);
    is_valid.then_some(Gtin { kind, value: digits })
}

/// The digits of the text; an ISBN-10 is converted to a GTIN-13.
fn digits(text: &str) -> Option<String> {
    let text = text.trim();
    // A longer text has more than one number.
    if text.len() > 60 {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let label = LABELS.iter().find_map(|label| lower.strip_prefix(label));
    let rest = label.unwrap_or(&lower).trim_start_matches([':', '#', ' ', '.', '\u{a0}']);
    // Spreadsheets export article numbers as decimals.
    let rest = rest.strip_suffix(".0").unwrap_or(rest);
    let is_gap = |c: char| matches!(c, ' ' | '\u{a0}' | '-' | '‐' | '‑' | '–' | '\u{202f}');
    let kept: String = rest.chars().filter(|c| !is_gap(*c)).collect();
    let is_book = lower.starts_with("isbn") && kept.len() == 10;
    if is_book {
        return gtin_of_isbn10(&kept);
    }
    kept.bytes().all(|byte| byte.is_ascii_digit()).then_some(kept)
}

/// The GTIN-13 of an ISBN-10. The caller requires the label: ten digits alone can be any number.
fn gtin_of_isbn10(isbn: &str) -> Option<String> {
    let value = |(at, byte): (usize, u8)| match byte {
        b'0'..=b'9' => Some(u32::from(byte - b'0') * (10 - u32::try_from(at).ok()?)),
        b'x' if at == 9 => Some(10),
        _ => None,
    };
    let sum = isbn.bytes().enumerate().map(value).sum::<Option<u32>>()?;
    let first = format!("978{}", isbn.get(..9)?);
    sum.is_multiple_of(11).then(|| format!("{first}{}", check_digit(&first)))
}

/// The check digit: from the right, every second digit has weight three.
fn check_digit(digits: &str) -> u32 {
    let weighed = digits.bytes().rev().zip([3, 1].into_iter().cycle());
    let sum: u32 = weighed.map(|(byte, weight)| u32::from(byte - b'0') * weight).sum();
    (10 - sum % 10) % 10
}

fn has_correct_check_digit(digits: &str) -> bool {
    let Some((first, last)) = digits.split_at_checked(digits.len() - 1) else { return false };
    last.parse() == Ok(check_digit(first))
}

/// Whether the number is invented: one repeated digit, or digits that count up or down.
fn is_invented(digits: &str) -> bool {
    let number = digits.trim_start_matches('0');
    // 00000017 has a correct check digit and was never assigned.
    if number.len() < 6 {
        return true;
    }
    let body = &number[..number.len() - 1];
    let steps = |step: i32| {
        let pairs = body.bytes().zip(body.bytes().skip(1));
        pairs.into_iter().all(|(a, b)| (i32::from(b) - i32::from(a) + 10) % 10 == step)
    };
    // 1234567890128 is the example of many manuals.
    steps(0) || steps(1) || steps(9)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn value(text: &str) -> Option<String> {
        gtin(text).map(|gtin| format!("{} {}", gtin.kind.as_str(), gtin.value))
    }

    #[test]
    fn numbers_with_a_correct_check_digit_are_accepted() {
        for (text, expected) in [
            ("4006381333931", "gtin13 4006381333931"),
            (" 4006381333931 ", "gtin13 4006381333931"),
            ("4006381 333931", "gtin13 4006381333931"),
            ("400-6381-33393-1", "gtin13 4006381333931"),
            ("EAN: 4006381333931", "gtin13 4006381333931"),
            ("gtin13:4006381333931", "gtin13 4006381333931"),
            ("4006381333931.0", "gtin13 4006381333931"),
            ("036000291452", "gtin12 036000291452"),
            ("0036000291452", "gtin13 0036000291452"),
            ("96385074", "gtin8 96385074"),
            ("10614141000415", "gtin14 10614141000415"),
            ("04006381333931", "gtin14 04006381333931"),
            ("978-3-16-148410-0", "gtin13 9783161484100"),
            ("ISBN 978-0-306-40615-7", "gtin13 9780306406157"),
            ("ISBN 0-306-40615-2", "gtin13 9780306406157"),
            ("ISBN: 080442957X", "gtin13 9780804429573"),
        ] {
            assert_eq!(value(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn invalid_and_invented_numbers_are_rejected() {
        for text in [
            "",
            "4006381333932",
            "036000291453",
            "123",
            "abc",
            "400638133393",
            "4006381333931 x",
            "0000000000000",
            "00000000",
            "000000000000",
            "1111111111116",
            "1234567890128",
            "12345670",
            "0000000000017",
            "0-306-40615-2",
            "ISBN 0-306-40615-3",
            "ISBN xxxxxxxxxx",
            "4006381333931/2",
            "n/a",
            "does not apply",
            "4006381333931, 4006381333948",
        ] {
            assert_eq!(value(text), None, "{text}");
        }
        assert_eq!(value(&"4006381333931".repeat(100)), None);
    }

    proptest! {
        #[test]
        fn single_wrong_digit_is_rejected(body in "[0-9]{12}", at in 0..12_usize, by in 1..10_u8) {
            let right = format!("{body}{}", check_digit(&body));
            prop_assume!(gtin(&right).is_some());
            let mut wrong = right.into_bytes();
            wrong[at] = (wrong[at] - b'0' + by) % 10 + b'0';
            prop_assert!(gtin(&String::from_utf8_lossy(&wrong)).is_none());
        }

        #[test]
        fn no_text_causes_a_panic(text in "\\PC{0,40}|[0-9 -]{0,20}|isbn[0-9xX-]{0,14}") {
            let _ = gtin(&text);
        }
    }
}
