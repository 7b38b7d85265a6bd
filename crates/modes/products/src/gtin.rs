//! Article numbers that everybody uses: GTINs, with their check digits verified.
//!
//! The ones that people make up to fill a field are refused, however right their check digit
//! is. Numbers of the ranges that a shop may give out for itself are kept: on its page they
//! name the article as well as any other, and shops print them as its EAN.

use contract::{Gtin, GtinType};

/// What may stand before the digits.
const LABELS: &[&str] = &[
    "gtin-8", "gtin-12", "gtin-13", "gtin-14", "gtin8", "gtin12", "gtin13", "gtin14", "gtin",
    "ean-13", "ean13", "ean-8", "ean8", "ean", "upc-a", "upc", "jan", "isbn-13", "isbn13", "isbn",
];

/// The number in a text, which holds nothing else: spaces and hyphens between the digits and
/// the name of the number before them are passed over.
pub(crate) fn gtin(text: &str) -> Option<Gtin> {
    let digits = digits(text)?;
    let kind = match digits.len() {
        8 => GtinType::Gtin8,
        12 => GtinType::Gtin12,
        13 => GtinType::Gtin13,
        14 => GtinType::Gtin14,
        _ => return None,
    };
    let is_right = has_right_check_digit(&digits) && !is_made_up(&digits);
    is_right.then_some(Gtin { kind, value: digits })
}

/// The digits of the text; those of an ISBN of ten become the article number of the book.
fn digits(text: &str) -> Option<String> {
    let text = text.trim();
    // Nothing that is longer holds one number and nothing else.
    if text.len() > 60 {
        return None;
    }
    let small = text.to_ascii_lowercase();
    let label = LABELS.iter().find_map(|label| small.strip_prefix(label));
    let rest = label.unwrap_or(&small).trim_start_matches([':', '#', ' ', '.', '\u{a0}']);
    // Spreadsheets write an article number as a number with decimals.
    let rest = rest.strip_suffix(".0").unwrap_or(rest);
    let is_gap = |c: char| matches!(c, ' ' | '\u{a0}' | '-' | '‐' | '‑' | '–' | '\u{202f}');
    let kept: String = rest.chars().filter(|c| !is_gap(*c)).collect();
    let is_book = small.starts_with("isbn") && kept.len() == 10;
    if is_book {
        return article_number_of_book(&kept);
    }
    kept.bytes().all(|byte| byte.is_ascii_digit()).then_some(kept)
}

/// An ISBN of ten digits counts only where it is called one: by its length alone it could be
/// any number.
fn article_number_of_book(isbn: &str) -> Option<String> {
    let value = |(at, byte): (usize, u8)| match byte {
        b'0'..=b'9' => Some(u32::from(byte - b'0') * (10 - u32::try_from(at).ok()?)),
        b'x' if at == 9 => Some(10),
        _ => None,
    };
    let sum = isbn.bytes().enumerate().map(value).sum::<Option<u32>>()?;
    let first = format!("978{}", isbn.get(..9)?);
    sum.is_multiple_of(11).then(|| format!("{first}{}", check_digit(&first)))
}

/// The digit that belongs behind these: from the right, every second one counts thrice.
fn check_digit(digits: &str) -> u32 {
    let weighed = digits.bytes().rev().zip([3, 1].into_iter().cycle());
    let sum: u32 = weighed.map(|(byte, weight)| u32::from(byte - b'0') * weight).sum();
    (10 - sum % 10) % 10
}

fn has_right_check_digit(digits: &str) -> bool {
    let Some((first, last)) = digits.split_at_checked(digits.len() - 1) else { return false };
    last.parse() == Ok(check_digit(first))
}

/// Filled in by hand: one digit all the way, or counted up or down.
fn is_made_up(digits: &str) -> bool {
    let number = digits.trim_start_matches('0');
    // 00000017 has a right check digit, and nobody was ever given it.
    if number.len() < 6 {
        return true;
    }
    let body = &number[..number.len() - 1];
    let steps = |step: i32| {
        let pairs = body.bytes().zip(body.bytes().skip(1));
        pairs.into_iter().all(|(a, b)| (i32::from(b) - i32::from(a) + 10) % 10 == step)
    };
    // 123456789012 with the check digit 8 is in every manual.
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
    fn numbers_with_a_right_check_digit_are_taken() {
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
    fn others_are_not() {
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
        fn one_wrong_digit_is_noticed(body in "[0-9]{12}", at in 0..12_usize, by in 1..10_u8) {
            let right = format!("{body}{}", check_digit(&body));
            prop_assume!(gtin(&right).is_some());
            let mut wrong = right.into_bytes();
            wrong[at] = (wrong[at] - b'0' + by) % 10 + b'0';
            prop_assert!(gtin(&String::from_utf8_lossy(&wrong)).is_none());
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,40}|[0-9 -]{0,20}|isbn[0-9xX-]{0,14}") {
            let _ = gtin(&text);
        }
    }
}
