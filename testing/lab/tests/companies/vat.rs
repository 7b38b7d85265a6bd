//! VAT ids: every one in a truth passes the check of its country, those left out fail it.
//! The checks are written from the rules once more, over whole numbers.

use crate::reading::firms;

fn numbers(text: &str) -> Vec<u64> {
    text.chars().filter_map(|letter| letter.to_digit(10)).map(u64::from).collect()
}

fn number(digits: &[u64]) -> u64 {
    digits.iter().fold(0, |sum, digit| sum * 10 + digit)
}

/// The digit doubled, its cross sum taken.
fn doubled(digit: u64) -> u64 {
    [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][digit as usize]
}

fn dot(digits: &[u64], weights: &[u64]) -> u64 {
    digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum()
}

/// From the right, every second doubled, the last one not.
fn passes_luhn(digits: &[u64]) -> bool {
    let from_right = digits.iter().rev().enumerate();
    let sum: u64 =
        from_right.map(|(at, digit)| if at % 2 == 1 { doubled(*digit) } else { *digit }).sum();
    sum.is_multiple_of(10)
}

/// Whether an id without punctuation is right for its country.
pub(crate) fn is_right(country: &str, id: &str) -> bool {
    let bare = id.strip_prefix(country).unwrap_or(id);
    let d = numbers(bare);
    match country {
        "DE" => {
            // The last product and the check digit come to one.
            let p = d[..8].iter().fold(10, |p, digit| {
                let s = (digit + p) % 10;
                (if s == 0 { 20 } else { 2 * s }) % 11
            });
            d.len() == 9 && (p + d[8]) % 10 == 1
        }
        "AT" => {
            let sum = d[0] + doubled(d[1]) + d[2] + doubled(d[3]) + d[4] + doubled(d[5]) + d[6];
            bare.starts_with('U') && d.len() == 8 && (sum + 4 + d[7]).is_multiple_of(10)
        }
        "CH" => d.len() == 9 && dot(&d, &[5, 4, 3, 2, 7, 6, 5, 4, 1]).is_multiple_of(11),
        "FR" => {
            let (key, siren) = (number(&d[..2]), number(&d[2..]));
            d.len() == 11 && passes_luhn(&d[2..]) && (siren * 100 + 12) % 97 == key
        }
        "BE" => d.len() == 10 && number(&d[..8]) % 97 + number(&d[8..]) == 97,
        "ES" => {
            let odd = doubled(d[0]) + doubled(d[2]) + doubled(d[4]) + doubled(d[6]);
            d.len() == 8 && (odd + d[1] + d[3] + d[5] + d[7]).is_multiple_of(10)
        }
        // Before the check digit stands the office of a province.
        "IT" => d.len() == 11 && passes_luhn(&d) && (1..=100).contains(&number(&d[7..10])),
        "NL" => {
            bare.ends_with("B01") && {
                let sum = dot(&d[..8], &[9, 8, 7, 6, 5, 4, 3, 2]);
                sum % 11 == d[8]
            }
        }
        "PT" => {
            let sum = dot(&d, &[9, 8, 7, 6, 5, 4, 3, 2, 1]);
            d.len() == 9 && (sum.is_multiple_of(11) || (d[8] == 0 && sum % 11 == 1))
        }
        "PL" => d.len() == 10 && dot(&d, &[6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 == d[9],
        "GB" => {
            let sum = dot(&d[..7], &[8, 7, 6, 5, 4, 3, 2]) + number(&d[7..]);
            d.len() == 9 && sum.is_multiple_of(97)
        }
        "IE" => {
            let letter = bare.chars().last().expect("a letter");
            let place = if letter == 'W' { 0 } else { u64::from(letter as u32 - 'A' as u32) + 1 };
            d.len() == 7 && dot(&d, &[8, 7, 6, 5, 4, 3, 2]) % 23 == place
        }
        "MX" => {
            let order = "0123456789ABCDEFGHIJKLMN&OPQRSTUVWXYZ Ñ";
            let value =
                |letter| order.chars().position(|known| known == letter).expect("known") as u64;
            let all: Vec<u64> = format!(" {bare}").chars().map(value).collect();
            let sum = dot(&all[..12], &[13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
            bare.len() == 12 && (sum + all[12]).is_multiple_of(11)
        }
        "BR" => {
            let first = dot(&d[..13], &[5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11;
            let second = dot(&d, &[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11;
            let fits = |rest: u64, digit: u64| rest == 0 || (digit == 0 && rest == 1);
            d.len() == 14 && fits(first, d[12]) && fits(second, d[13])
        }
        other => panic!("no rule for {other}"),
    }
}

#[test]
fn the_rules_know_right_ids_from_wrong_ones() {
    // Examples from the rules' own descriptions.
    for (country, id) in [("DE", "DE136695976"), ("AT", "ATU13585627"), ("FR", "FR40303265045")] {
        assert!(is_right(country, id), "{id}");
    }
    for (country, id) in [("DE", "DE136695978"), ("AT", "ATU13585626"), ("PL", "8567346216")] {
        assert!(!is_right(country, id), "{id}");
    }
    assert!(is_right("PL", "8567346215"));
    assert!(is_right("PT", "501964843"));
    assert!(is_right("BR", "16727230000197"));
}

#[test]
fn every_vat_id_of_a_truth_is_right_and_every_wrong_one_is_left_out() {
    let mut countries = std::collections::BTreeSet::new();
    for (company, truth) in firms() {
        let home = truth.home.as_deref().expect("a home");
        if let Some(vat) = &truth.company.vat_id {
            assert!(is_right(home, &vat.value), "{}: {}", company.host(), vat.value);
            countries.insert(home);
        }
        if home == "BR" {
            let number = truth.company.registration_number.as_ref().expect("a CNPJ");
            assert!(is_right("BR", &number.value), "{}", number.value);
        }
        if home == "CH" {
            let number = truth.company.registration_number.as_ref().expect("a UID");
            assert!(is_right("CH", &number.value), "{}", number.value);
        }
    }
    assert!(countries.len() >= 12, "{countries:?}");
    for (host, country) in
        [("schrijnwerk-brugsepoort.test", "BE"), ("boutique-quevillon.test", "FR")]
    {
        let (_, truth) = firms().find(|(company, _)| company.host() == host).expect("a company");
        assert!(truth.company.vat_id.is_none());
        let wrong = truth.foreign.iter().find(|value| {
            value.starts_with(country) && value.chars().all(|letter| letter.is_ascii_alphanumeric())
        });
        assert!(!is_right(country, wrong.expect("the wrong id is foreign")), "{host}");
    }
}
