//! Numbers with their check digits, as each country reckons them.

use crate::draw::Draw;

fn values(digits: &str) -> impl DoubleEndedIterator<Item = u32> + '_ {
    digits.chars().filter_map(|digit| digit.to_digit(10))
}

fn weighted(digits: &str, weights: &[u32]) -> u32 {
    values(digits).zip(weights).map(|(value, weight)| value * weight).sum()
}

/// The sum of a number's digits, for numbers below 20.
fn across(number: u32) -> u32 {
    number / 10 + number % 10
}

/// Cut into parts of these sizes.
pub(in crate::company) fn dotted(digits: &str, sizes: &[usize], mark: &str) -> String {
    let mut parts = Vec::with_capacity(sizes.len());
    let mut rest = digits;
    for size in sizes {
        let (part, after) = rest.split_at((*size).min(rest.len()));
        parts.push(part);
        rest = after;
    }
    parts.join(mark)
}

/// ISO 7064, modulus 11 and 10.
pub(super) fn german(eight: &str) -> String {
    let product = values(eight).fold(10, |product, value| {
        let sum = (value + product) % 10;
        2 * (if sum == 0 { 10 } else { sum }) % 11
    });
    format!("{eight}{}", (11 - product) % 10)
}

pub(super) fn austrian(seven: &str) -> String {
    let sum: u32 = values(seven)
        .enumerate()
        .map(|(at, value)| if at % 2 == 0 { value } else { across(2 * value) })
        .sum();
    format!("{seven}{}", (10 - (sum + 4) % 10) % 10)
}

/// Draws until the check digit is one digit.
pub(super) fn swiss(draw: &mut Draw) -> String {
    loop {
        let eight = draw.line_digits(8);
        let check = (11 - weighted(&eight, &[5, 4, 3, 2, 7, 6, 5, 4]) % 11) % 11;
        if check < 10 {
            return format!("{eight}{check}");
        }
    }
}

/// For SIREN, SIRET and Italian VAT numbers.
pub(in crate::company) fn luhn(digits: &str) -> String {
    let sum: u32 = values(digits)
        .rev()
        .enumerate()
        .map(|(at, value)| if at % 2 == 0 { across(2 * value) } else { value })
        .sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}

pub(super) fn french_key(siren: &str) -> String {
    let rest = values(siren).fold(0, |rest, value| (rest * 10 + value) % 97);
    format!("{:02}", (12 + 3 * rest) % 97)
}

pub(super) fn belgian(eight: &str) -> String {
    let rest = values(eight).fold(0, |rest, value| (rest * 10 + value) % 97);
    format!("{eight}{:02}", 97 - rest)
}

pub(super) fn spanish(seven: &str) -> String {
    let sum: u32 = values(seven)
        .enumerate()
        .map(|(at, value)| if at % 2 == 0 { across(2 * value) } else { value })
        .sum();
    format!("{seven}{}", (10 - sum % 10) % 10)
}

/// Draws until the check digit is one digit.
pub(super) fn dutch(draw: &mut Draw) -> String {
    loop {
        let eight = draw.line_digits(8);
        let check = weighted(&eight, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
        if check < 10 {
            return format!("{eight}{check}");
        }
    }
}

pub(super) fn portuguese(eight: &str) -> String {
    let check = 11 - weighted(eight, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    format!("{eight}{}", if check > 9 { 0 } else { check })
}

/// Draws until the check digit is one digit.
pub(super) fn polish(draw: &mut Draw) -> String {
    loop {
        let nine = draw.line_digits(9);
        let check = weighted(&nine, &[6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11;
        if check < 10 {
            return format!("{nine}{check}");
        }
    }
}

pub(super) fn regon(eight: &str) -> String {
    let check = weighted(eight, &[8, 9, 2, 3, 4, 5, 6, 7]) % 11 % 10;
    format!("{eight}{check}")
}

pub(super) fn british(seven: &str) -> String {
    let rest = weighted(seven, &[8, 7, 6, 5, 4, 3, 2]) % 97;
    format!("{seven}{:02}", 97 - rest)
}

pub(super) fn irish(seven: &str) -> String {
    let rest = weighted(seven, &[8, 7, 6, 5, 4, 3, 2]) % 23;
    let letter = "WABCDEFGHIJKLMNOPQRSTUV".chars().nth(rest as usize).unwrap_or('W');
    format!("{seven}{letter}")
}

/// The RFC of a company: three letters, a date, two letters and the check.
pub(super) fn mexican(letters: &str, date: &str) -> String {
    const ORDER: &str = "0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ";
    let body = format!("{letters}{date}QX");
    let value = |letter| ORDER.chars().position(|known| known == letter).unwrap_or(0) as u32;
    // The names of companies have a letter less than those of people: a blank stands for it.
    let padded = format!(" {body}");
    let sum: u32 = padded.chars().map(value).zip((2..=13).rev()).map(|(v, w)| v * w).sum();
    let check = match 11 - sum % 11 {
        11 => "0".to_owned(),
        10 => "A".to_owned(),
        digit => digit.to_string(),
    };
    format!("{body}{check}")
}

pub(super) fn brazilian(twelve: &str) -> String {
    let check = |digits: &str, weights: &[u32]| match weighted(digits, weights) % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    };
    let first = check(twelve, &[5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]);
    let thirteen = format!("{twelve}{first}");
    let second = check(&thirteen, &[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]);
    format!("{thirteen}{second}")
}
