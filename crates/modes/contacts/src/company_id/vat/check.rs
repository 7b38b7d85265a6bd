//! Check digits of VAT ids by country.

use std::sync::LazyLock;

use text::vocabulary;

/// Prefix, country, and lengths of the ids without the prefix.
static SHAPES: LazyLock<Vec<(&str, &str, Vec<usize>)>> = LazyLock::new(|| {
    let rows = vocabulary::rows::<3>(term_file!("company/vat_lengths.tsv")).into_iter();
    let lengths = |text: &str| text.split(' ').filter_map(|length| length.parse().ok()).collect();
    rows.map(|[prefix, country, text]| (prefix, country, lengths(text))).collect()
});

/// The country of a prefix, and the lengths of its ids without the prefix.
pub(super) fn shape(letters: &str) -> Option<(&'static str, &'static [usize])> {
    let (_, country, lengths) = SHAPES.iter().find(|(prefix, ..)| *prefix == letters)?;
    Some((*country, lengths.as_slice()))
}

fn digits(text: &str) -> Option<Vec<u32>> {
    text.chars().map(|c| c.to_digit(10)).collect()
}

fn weighted_sum(digits: &[u32], weights: &[u32]) -> u32 {
    digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum()
}

/// The sum of the digits after doubling every second one, the first at index `from`.
fn sum_doubling<'d>(digits: impl Iterator<Item = &'d u32>, from: usize) -> u32 {
    let products =
        digits.enumerate().map(|(at, digit)| if at % 2 == from { digit * 2 } else { *digit });
    products.map(|product| product / 10 + product % 10).sum()
}

/// Whether an id without prefix has a valid length and valid check digits.
pub(super) fn is_valid(country: &str, id: &str) -> bool {
    let has_length = shape(country).is_some_and(|(_, lengths)| lengths.contains(&id.len()));
    if !has_length || !id.is_ascii() {
        return false;
    }
    match country {
        "AT" => id.strip_prefix('U').and_then(digits).is_some_and(|digits| austrian(&digits)),
        "ES" => spanish(id).unwrap_or(false),
        "FR" => french(id).unwrap_or(false),
        "IE" => irish(id).unwrap_or(false),
        "CY" => cypriot(id).unwrap_or(false),
        "NL" => dutch(id).unwrap_or(false),
        "MX" => mexican(id).unwrap_or(false),
        _ => digits(id).is_some_and(|digits| of_digits(country, &digits)),
    }
}

fn of_digits(country: &str, d: &[u32]) -> bool {
    let Some((check, body)) = d.split_last() else { return false };
    // A number of zeros only is invalid.
    if d.iter().all(|digit| *digit == 0) {
        return false;
    }
    let two = |at: usize| d.get(at..at + 2).map_or(0, |pair| pair[0] * 10 + pair[1]);
    let number = |part: &[u32]| part.iter().fold(0_u64, |sum, digit| sum * 10 + u64::from(*digit));
    let by_two_sums = |second: [u32; 8]| {
        let first = weighted_sum(body, &[1, 2, 3, 4, 5, 6, 7, 8]) % 11;
        *check == if first == 10 { weighted_sum(body, &second) % 11 % 10 } else { first }
    };
    match country {
        "BE" => d[0] <= 1 && 97 - number(&d[..8]) % 97 == u64::from(two(8)),
        "BG" => d.len() == 10 || by_two_sums([3, 4, 5, 6, 7, 8, 9, 10]),
        "CZ" => {
            d.len() != 8 || {
                let rest = 11 - weighted_sum(body, &[8, 7, 6, 5, 4, 3, 2]) % 11;
                *check
                    == match rest {
                        10 => 0,
                        11 => 1,
                        rest => rest,
                    }
            }
        }
        "DE" | "HR" => has_iso_7064_check(d),
        "DK" => weighted_sum(d, &[2, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11),
        "EE" => *check == (10 - weighted_sum(body, &[3, 7, 1, 3, 7, 1, 3, 7]) % 10) % 10,
        "GR" => *check == weighted_sum(body, &[256, 128, 64, 32, 16, 8, 4, 2]) % 11 % 10,
        "FI" => *check == (11 - weighted_sum(body, &[7, 9, 10, 5, 8, 4, 2]) % 11) % 11,
        "GB" => {
            let sum = weighted_sum(&d[..7], &[8, 7, 6, 5, 4, 3, 2]) + two(7);
            sum.is_multiple_of(97) || (sum + 55).is_multiple_of(97)
        }
        "HU" => *check == (10 - weighted_sum(body, &[9, 7, 3, 1, 9, 7, 3]) % 10) % 10,
        "IT" => has_luhn_check(d),
        "LT" => d.len() == 12 || by_two_sums([3, 4, 5, 6, 7, 8, 9, 1]),
        "LU" => number(&d[..6]) % 89 == u64::from(two(6)),
        "LV" => {
            d[0] <= 3 || {
                let sum = weighted_sum(body, &[9, 1, 4, 8, 3, 10, 2, 5, 7, 6]) % 11;
                *check == if sum > 4 { 14 - sum } else { (4 + 11 - sum - 1) % 11 }
            }
        }
        "MT" => 37 - weighted_sum(&d[..6], &[3, 4, 6, 7, 8, 9]) % 37 == two(6),
        "NO" => *check == (11 - weighted_sum(body, &[3, 2, 7, 6, 5, 4, 3, 2]) % 11) % 11,
        "PL" => *check == weighted_sum(body, &[6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11,
        "PT" => {
            let rest = 11 - weighted_sum(body, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
            d[0] != 0 && *check == if rest >= 10 { 0 } else { rest }
        }
        "RO" => {
            let weights = [7, 5, 3, 2, 1, 7, 5, 3, 2];
            let weights =
                weights.get(weights.len().saturating_sub(body.len())..).unwrap_or_default();
            *check == weighted_sum(body, weights) * 10 % 11 % 10
        }
        "SE" => has_luhn_check(&d[..10]),
        "SI" => {
            let rest = 11 - weighted_sum(body, &[8, 7, 6, 5, 4, 3, 2]) % 11;
            rest != 11 && *check == rest % 10
        }
        "SK" => number(d).is_multiple_of(11),
        _ => false,
    }
}

/// Whether the check digit is right by ISO 7064, MOD 11,10.
fn has_iso_7064_check(digits: &[u32]) -> bool {
    let Some((check, body)) = digits.split_last() else { return false };
    let mut product = 10;
    for digit in body {
        let sum = (digit + product) % 10;
        product = 2 * if sum == 0 { 10 } else { sum } % 11;
    }
    *check == (11 - product) % 10
}

fn has_luhn_check(digits: &[u32]) -> bool {
    let sum = sum_doubling(digits.iter().rev(), 1);
    sum.is_multiple_of(10) && digits.iter().any(|digit| *digit > 0)
}

pub(in crate::company_id) fn is_luhn(text: &str) -> bool {
    digits(text).is_some_and(|digits| has_luhn_check(&digits))
}

fn austrian(digits: &[u32]) -> bool {
    let Some((check, body)) = digits.split_last() else { return false };
    let sum = sum_doubling(body.iter(), 1);
    body.len() == 7 && *check == (96 - sum % 96) % 10
}

fn spanish(id: &str) -> Option<bool> {
    const LETTERS: &[u8] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let bytes = id.as_bytes();
    let (first, last) = (*bytes.first()?, *bytes.last()?);
    let middle = digits(id.get(1..8)?);
    if first.is_ascii_digit() || matches!(first, b'X' | b'Y' | b'Z') {
        let lead = match first {
            b'X' => "0",
            b'Y' => "1",
            b'Z' => "2",
            _ => id.get(..1)?,
        };
        let number: usize = format!("{lead}{}", id.get(1..8)?).parse().ok()?;
        return Some(LETTERS.get(number % 23) == Some(&last));
    }
    if !b"ABCDEFGHJNPQRSUVW".contains(&first) {
        return Some(false);
    }
    let sum = sum_doubling(middle?.iter(), 0);
    let check = (10 - sum % 10) % 10;
    let letter = b"JABCDEFGHI".get(check as usize)?;
    Some(last == *letter || u32::from(last) == u32::from(b'0') + check)
}

fn french(id: &str) -> Option<bool> {
    let siren = id.get(2..)?;
    let number: u64 = siren.parse().ok()?;
    if !is_luhn(siren) {
        return Some(false);
    }
    match id.get(..2)?.parse::<u64>() {
        Ok(key) => Some(key == (12 + 3 * (number % 97)) % 97),
        // Keys with letters follow another rule; only the number itself is checked.
        Err(_) => Some(
            id.bytes()
                .take(2)
                .all(|byte| byte.is_ascii_alphanumeric() && byte != b'O' && byte != b'I'),
        ),
    }
}

fn irish(id: &str) -> Option<bool> {
    let body = digits(id.get(..7)?)?;
    let letter = *id.as_bytes().get(7)?;
    let more = match id.as_bytes().get(8) {
        None | Some(b'W') => 0,
        Some(letter @ b'A'..=b'I') => u32::from(letter - b'A' + 1) * 9,
        Some(_) => return Some(false),
    };
    let sum = (weighted_sum(&body, &[8, 7, 6, 5, 4, 3, 2]) + more) % 23;
    let expected = if sum == 0 { b'W' } else { b'A' + u8::try_from(sum).ok()? - 1 };
    Some(letter == expected)
}

fn cypriot(id: &str) -> Option<bool> {
    let body = digits(id.get(..8)?)?;
    let odd = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21];
    let sum: u32 = body
        .iter()
        .enumerate()
        .map(
            |(at, digit)| {
                if at % 2 == 0 { odd.get(*digit as usize).copied().unwrap_or(0) } else { *digit }
            },
        )
        .sum();
    Some(u32::from(*id.as_bytes().get(8)?) == u32::from(b'A') + sum % 26)
}

fn dutch(id: &str) -> Option<bool> {
    let (body, rest) = (id.get(..9)?, id.get(9..)?);
    let digits = digits(body)?;
    let is_shape =
        rest.starts_with('B') && rest.get(1..)?.bytes().all(|byte| byte.is_ascii_digit());
    if !is_shape {
        return Some(false);
    }
    let old = weighted_sum(digits.get(..8)?, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11 == *digits.get(8)?;
    let whole: u64 = format!("2321{body}11{}", rest.get(1..)?)
        .bytes()
        .fold(0, |sum, byte| (sum * 10 + u64::from(byte - b'0')) % 97);
    Some(old || whole == 1)
}

fn mexican(id: &str) -> Option<bool> {
    const SIGNS: &str = "0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ ";
    let letters = id.len().checked_sub(9)?;
    let is_shape = id.bytes().take(letters).all(|byte| byte.is_ascii_uppercase())
        && id.get(letters..letters + 6)?.bytes().all(|byte| byte.is_ascii_digit());
    if !is_shape {
        return Some(false);
    }
    let padded = if id.len() == 12 { format!(" {id}") } else { id.to_owned() };
    let (body, check) = (padded.get(..12)?, padded.chars().nth(12)?);
    let mut sum = 0;
    for (at, c) in body.chars().enumerate() {
        sum += SIGNS.find(c)? * (13 - at);
    }
    let expected = match 11 - sum % 11 {
        11 => '0',
        10 => 'A',
        digit => char::from_digit(u32::try_from(digit).ok()?, 10)?,
    };
    Some(check == expected)
}

pub(super) fn swiss(text: &str) -> bool {
    let Some(digits) = digits(text).filter(|digits| digits.len() == 9) else { return false };
    let rest = 11 - weighted_sum(&digits[..8], &[5, 4, 3, 2, 7, 6, 5, 4]) % 11;
    rest != 10 && digits[8] == rest % 11 && digits.iter().any(|digit| *digit > 0)
}

/// Whether a number is a valid Brazilian CNPJ.
pub(in crate::company_id) fn is_cnpj(text: &str) -> bool {
    let Some(digits) = digits(text).filter(|digits| digits.len() == 14) else { return false };
    let check =
        |count: usize, weights: &[u32]| match 11 - weighted_sum(&digits[..count], weights) % 11 {
            10 | 11 => 0,
            digit => digit,
        };
    let first = check(12, &[5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]);
    let second = check(13, &[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]);
    digits[12] == first && digits[13] == second && digits.iter().any(|digit| *digit != digits[0])
}
