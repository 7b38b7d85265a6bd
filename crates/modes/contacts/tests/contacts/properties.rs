//! Properties on generated values: a mailbox is found behind every obfuscation, a number in
//! every spelling, an id only with valid check digits, an address with its parts in every
//! layout.

use contacts::{ContactAggregator, Contacts};
use contract::ContactAddress;
use proptest::prelude::*;
use urls::CanonicalUrl;

use crate::scoring::read;

/// The record of a company whose legal notice has this body.
fn record(domain: &str, language: &str, body: &str) -> Contacts {
    let html = format!(
        "<html lang={language}><title>Impressum</title><body><main><h1>Impressum</h1>{body}</main>"
    );
    let url = CanonicalUrl::parse(&format!("https://{domain}/impressum")).expect("a page");
    let mut aggregator = ContactAggregator::new(domain);
    let page = read(&html, &url);
    aggregator.add(url, page);
    aggregator.finish()
}

fn mailboxes(domain: &str, body: &str) -> Vec<String> {
    record(domain, "de", body).emails.into_iter().map(|email| email.value).collect()
}

/// A mailbox in one of the obfuscations of real sites.
fn obfuscated(method: usize, user: &str, host: &str) -> String {
    let (name, ending) = host.rsplit_once('.').expect("two labels");
    let plain = format!("{user}@{host}");
    match method {
        0 => format!("<p>{plain}</p>"),
        1 => format!("<a href='mailto:{plain}?subject=x'>Mail</a>"),
        2 => format!("<p>{user} [at] {name} [dot] {ending}</p>"),
        3 => format!("<p>{user}(at){name}(punkt){ending}</p>"),
        4 => {
            let entities: String = plain.chars().map(|c| format!("&#{};", u32::from(c))).collect();
            format!("<p>{entities}</p>")
        }
        5 => {
            let back: String = plain.chars().rev().collect();
            format!("<span style='unicode-bidi:bidi-override;direction:rtl'>{back}</span>")
        }
        6 => {
            let key = 0x5a_u8;
            let code: String = plain.bytes().map(|byte| format!("{:02x}", byte ^ key)).collect();
            format!(
                "<a class='__cf_email__' data-cfemail='{key:02x}{code}'>[email&#160;protected]</a>"
            )
        }
        7 => format!("<p>{user}<b>@</b><i>{host}</i></p>"),
        _ => format!("<script>document.write('{user}'+'@'+'{host}')</script>"),
    }
}

/// A Berlin number in one of the usual spellings.
fn spelled(spelling: usize, rest: u32) -> String {
    let (a, b) = (rest / 10_000, rest % 10_000);
    match spelling {
        0 => format!("+49 30 {a:03} {b:04}"),
        1 => format!("030 / {a:03}{b:04}"),
        2 => format!("(030) {a:03}-{b:04}"),
        3 => format!("+49 (0)30 {a:03}{b:04}"),
        4 => format!("0049 30 {a:03} {b:04}"),
        _ => format!("+49.30.{a:03}.{b:04}"),
    }
}

/// A German VAT id with its check digit (ISO 7064, MOD 11,10).
fn german_vat(body: u32) -> String {
    let mut product = 10;
    for digit in format!("{body:08}").bytes().map(|byte| u32::from(byte - b'0')) {
        let sum = (digit + product) % 10;
        product = 2 * (if sum == 0 { 10 } else { sum }) % 11;
    }
    format!("DE{body:08}{}", (11 - product) % 10)
}

/// A Belgian VAT id with its check digits (modulo 97).
fn belgian_vat(body: u32) -> String {
    format!("BE0{body:07}{:02}", 97 - body % 97)
}

/// A Polish VAT id with its check digit (weights, modulo 11); none for the unassigned remainder
/// 10.
fn polish_vat(body: u32) -> Option<String> {
    let digits = format!("{body:09}");
    let weights = [6, 5, 7, 2, 3, 4, 5, 6, 7];
    let sum: u32 = digits.bytes().zip(weights).map(|(byte, w)| u32::from(byte - b'0') * w).sum();
    (sum % 11 < 10).then(|| format!("PL{digits}{}", sum % 11))
}

/// An Italian VAT id with its Luhn check digit.
fn italian_vat(body: u32) -> String {
    let digits = format!("{body:07}001");
    let sum: u32 = digits
        .bytes()
        .enumerate()
        .map(|(at, byte)| {
            let digit = u32::from(byte - b'0') * (1 + at as u32 % 2);
            if digit > 9 { digit - 9 } else { digit }
        })
        .sum();
    format!("IT{digits}{}", (10 - sum % 10) % 10)
}

fn vat_of(body: &str, domain: &str, language: &str) -> Option<String> {
    record(domain, language, body).company.vat_id
}

/// The id with one digit changed.
fn altered(id: &str, place: usize, by: u8) -> String {
    let mut bytes = id.as_bytes().to_vec();
    let at = 2 + place % (bytes.len() - 2);
    bytes[at] = b'0' + (bytes[at] - b'0' + by) % 10;
    String::from_utf8(bytes).expect("ASCII")
}

/// An address and its parts, in the layout of a country.
fn layout(
    place: usize,
    number: u32,
    code: u32,
) -> (&'static str, &'static str, String, [String; 3]) {
    let german = format!("{:05}", 10_000 + code % 89_000);
    let dutch = format!("{} AB", 1_000 + code % 8_999);
    let polish = format!("{:02}-{:03}", code % 90 + 10, code % 900 + 100);
    let (domain, language, street, code, city, text) = match place {
        0 => {
            let street = format!("Lindenstraße {number}");
            let text = format!("{street}<br>{german} Regensburg");
            ("firma.de", "de", street, german, "Regensburg", text)
        }
        1 => {
            let street = format!("{number} rue des Tanneurs");
            let text = format!("{street}, {german} Strasbourg");
            ("societe.fr", "fr", street, german, "Strasbourg", text)
        }
        2 => {
            let street = format!("Via Garibaldi, {number}");
            let text = format!("{street} - {german} Bologna");
            ("azienda.it", "it", street, german, "Bologna", text)
        }
        3 => {
            let street = format!("Keizersgracht {number}");
            let text = format!("{street}<br>{dutch} Amsterdam");
            ("bedrijf.nl", "nl", street, dutch, "Amsterdam", text)
        }
        4 => {
            let street = format!("ul. Długa {number}");
            let text = format!("{street}, {polish} Gdańsk");
            ("firma.pl", "pl", street, polish, "Gdańsk", text)
        }
        _ => {
            let street = format!("{number} Station Road");
            let code = format!("LS{} {}AB", code % 29 + 1, code % 9 + 1);
            let text = format!("{street}<br>Leeds<br>{code}");
            ("company.co.uk", "en", street, code, "Leeds", text)
        }
    };
    (domain, language, text, [street, code, city.to_owned()])
}

fn parts(address: &ContactAddress) -> [String; 3] {
    [&address.street, &address.postal_code, &address.city]
        .map(|part| part.clone().unwrap_or_default())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn mailbox_is_found_behind_every_obfuscation(
        method in 0_usize..9,
        user in "[a-z][a-z]{1,8}([.][a-z]{2,8})?",
        name in "[a-z]{4,12}",
    ) {
        let host = format!("{name}.de");
        prop_assert_eq!(mailboxes(&host, &obfuscated(method, &user, &host)), [format!("{user}@{host}")]);
    }

    #[test]
    fn prose_yields_no_mailbox(words in prop::collection::vec("[a-z]{2,9}", 3..12)) {
        // "at" and "dot" as ordinary words.
        let text = words.join(" at ") + ". " + &words.join(" dot ");
        prop_assert_eq!(mailboxes("firma.de", &format!("<p>{text}</p>")), Vec::<String>::new());
    }

    #[test]
    fn phone_number_has_one_e164_form_in_every_spelling(spelling in 0_usize..6, rest in 2_000_000_u32..9_999_999) {
        let text = spelled(spelling, rest);
        let record = record("firma.de", "de", &format!("<p>Telefon: {text}</p>"));
        let numbers: Vec<_> = record.phones.iter().filter_map(|phone| phone.e164.clone()).collect();
        prop_assert_eq!(numbers, [format!("+4930{rest:07}")]);
    }

    #[test]
    fn order_numbers_dates_and_accounts_are_not_phone_numbers(
        order in 1_000_000_u64..99_999_999,
        day in 1_u32..28,
        account in 10_000_000_000_000_000_u64..99_999_999_999_999_999,
    ) {
        let text = format!(
            "<p>Artikelnummer {order}</p><p>Stand: {day:02}.04.2025</p><p>IBAN DE8{account}0</p>\
             <p>Steuernummer 143/{:03}/{:05}</p>", order % 1_000, order % 100_000
        );
        prop_assert!(record("firma.de", "de", &text).phones.is_empty(), "{text}");
    }

    #[test]
    fn vat_id_is_kept_only_with_valid_check_digits(
        body in 10_000_000_u32..99_999_999,
        place in 0_usize..9,
        by in 1_u8..10,
    ) {
        for (id, label, domain, language) in [
            (Some(german_vat(body)), "USt-IdNr.:", "firma.de", "de"),
            (Some(belgian_vat(body % 10_000_000)), "BTW", "bedrijf.be", "nl"),
            (polish_vat(body * 2 % 999_999_999), "NIP:", "firma.pl", "pl"),
            (Some(italian_vat(body % 10_000_000)), "Partita IVA", "azienda.it", "it"),
        ] {
            let Some(id) = id else { continue };
            let read = vat_of(&format!("<p>{label} {id}</p>"), domain, language);
            prop_assert_eq!(read, Some(id.clone()));
            let wrong = altered(&id, place, by);
            let read = vat_of(&format!("<p>{label} {wrong}</p>"), domain, language);
            prop_assert_eq!(read, None, "{}", wrong);
        }
    }

    #[test]
    fn address_is_split_in_every_layout(
        place in 0_usize..6,
        number in 1_u32..199,
        code in 0_u32..89_000,
    ) {
        let (domain, language, text, truth) = layout(place, number, code);
        let record = record(domain, language, &format!("<p>Muster<br>{text}</p>"));
        let read: Vec<_> = record.addresses.iter().map(parts).collect();
        prop_assert_eq!(read, [truth], "{}", text);
    }
}
