//! Finds VAT ids and validates their check digits.

mod check;

use std::sync::LazyLock;

use super::compact;
pub(super) use check::{is_cnpj, is_luhn};
use text::vocabulary;

/// Maximum VAT ids per page.
const MAX_IDS: usize = 40;

/// A VAT id with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VatIdOccurrence {
    pub value: String,
    pub country: &'static str,
    pub line: usize,
    pub at: usize,
}

/// Lower-case label, and the countries whose ids may follow it without a country prefix.
static LABELS: LazyLock<Vec<(&str, Vec<&str>)>> = LazyLock::new(|| {
    let rows = vocabulary::rows::<2>(term_file!("company/vat_labels.tsv"));
    let codes = |text: &'static str| text.split(' ').filter(|code| *code != "-").collect();
    rows.into_iter().map(|[label, countries]| (label, codes(countries))).collect()
});

pub(crate) fn find_vat_ids(text: &str, line: usize, found: &mut Vec<VatIdOccurrence>) {
    if text.len() > 4_000 || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return;
    }
    let lower = text.to_lowercase();
    let is_same = lower.len() == text.len();
    let mut push = |seen: VatIdOccurrence| {
        let is_known = found.iter().any(|known| {
            known.line == line
                && (known.value.ends_with(&seen.value) || seen.value.ends_with(&known.value))
        });
        if !is_known && found.len() < MAX_IDS {
            found.push(seen);
        }
    };
    if is_same {
        for (label, countries) in LABELS.iter() {
            for (at, _) in lower.match_indices(label).take(8) {
                let begins = text.get(..at).is_none_or(|head| !head.ends_with(char::is_alphabetic));
                if !begins && label.len() < 5 {
                    continue;
                }
                let after = at + label.len();
                if let Some(((value, country), at)) = first_id(text, after, countries) {
                    push(VatIdOccurrence { value, country, line, at });
                }
            }
        }
    }
    // An id with a country prefix and valid check digits needs no label.
    for (at, _) in text.char_indices().filter(|(_, c)| c.is_ascii_uppercase()).take(2_000) {
        let begins = text.get(..at).is_none_or(|head| !head.ends_with(char::is_alphanumeric));
        let Some(head) = text.get(at..at + 2).filter(|_| begins) else { continue };
        if !head.bytes().all(|byte| byte.is_ascii_uppercase()) {
            continue;
        }
        if let Some((value, country)) = prefixed_id(text.get(at..).unwrap_or_default()) {
            push(VatIdOccurrence { value, country, line, at });
        }
    }
}

/// Validates an id from structured data.
pub(crate) fn validate_vat_id(text: &str, home: Option<&str>) -> Option<(String, &'static str)> {
    let text = text.trim();
    prefixed_id(text).or_else(|| {
        let known = ["ES", "IT", "PT", "PL", "MX", "GB", "BE"];
        let countries: Vec<&'static str> =
            known.into_iter().filter(|code| home.is_none_or(|home| home == *code)).collect();
        national_id(text, &countries)
    })
}

/// The first valid id within 70 bytes after a label.
fn first_id(
    text: &str,
    from: usize,
    countries: &[&'static str],
) -> Option<((String, &'static str), usize)> {
    let rest = text.get(from..)?;
    let reach = rest.floor_char_boundary(70);
    let mut last_was_word = true;
    for (at, c) in rest.get(..reach)?.char_indices() {
        let is_word = c.is_ascii_alphanumeric();
        if is_word && !last_was_word && (c.is_ascii_digit() || c.is_ascii_uppercase()) {
            let here = rest.get(at..)?;
            if let Some(found) = prefixed_id(here).or_else(|| national_id(here, countries)) {
                return Some((found, from + at));
            }
            // Another number comes first: the label does not belong to this id.
            if c.is_ascii_digit() {
                return None;
            }
        }
        last_was_word = is_word;
    }
    None
}

/// Takes `length` letters and digits, skipping separators between groups.
fn take_id(text: &str, length: usize) -> Option<String> {
    let mut id = String::new();
    let mut gap = 0;
    for (at, c) in text.char_indices() {
        if c.is_ascii_alphanumeric() {
            id.push(c.to_ascii_uppercase());
            gap = 0;
            if id.len() == length {
                let next = text.get(at + 1..)?.chars().next();
                return next.is_none_or(|c| !c.is_alphanumeric()).then_some(id);
            }
        } else if matches!(c, ' ' | '\u{a0}' | '.' | '-' | '‑' | '–' | '/') && gap < 2 {
            gap += 1;
        } else {
            return None;
        }
    }
    None
}

/// Reads an id that begins with its country prefix.
fn prefixed_id(text: &str) -> Option<(String, &'static str)> {
    let letters = text.get(..2)?;
    if text.starts_with("CHE") {
        let id = take_id(text, 12)?;
        return check::swiss(id.get(3..)?).then_some((id, "CH"));
    }
    let (country, lengths) = check::shape(letters)?;
    lengths.iter().rev().find_map(|length| {
        let id = take_id(text, length + 2)?;
        check::is_valid(country, id.get(2..)?).then_some((id, country))
    })
}

/// Reads an id without country prefix, after a label of its country.
fn national_id(text: &str, countries: &[&'static str]) -> Option<(String, &'static str)> {
    countries.iter().find_map(|country| {
        let (_, lengths) = check::shape(country)?;
        lengths.iter().rev().find_map(|length| {
            let id = take_id(text, *length)?;
            check::is_valid(country, &id).then_some((compact(&id), *country))
        })
    })
}

/// Whether a number is a valid company number of Switzerland, Belgium or Portugal.
pub(super) fn is_company(country: &str, digits: &str) -> bool {
    match country {
        "CH" => check::swiss(digits),
        _ => check::is_valid(country, digits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        find_vat_ids(text, 0, &mut found);
        found.into_iter().map(|one| one.value).collect()
    }

    #[test]
    fn vat_id_of_wrong_length_is_rejected() {
        let letters = (b'A'..=b'Z').map(char::from);
        let countries = letters.clone().flat_map(|one| letters.clone().map(move |two| [one, two]));
        for country in countries.map(String::from_iter) {
            for length in 0..20 {
                let is_length =
                    check::shape(&country).is_some_and(|(_, all)| all.contains(&length));
                for id in ["0".repeat(length), "1".repeat(length), "9".repeat(length)] {
                    assert!(
                        is_length || !is_company(&country, &id) || country == "CH",
                        "{country}{id}"
                    );
                }
            }
        }
    }

    #[test]
    fn vat_ids_with_valid_check_digits_are_found() {
        let cases = [
            ("USt-IdNr.: DE 136 695 976", "DE136695976"),
            ("UID-Nr: ATU13585627", "ATU13585627"),
            ("TVA : BE 0428.759.497", "BE0428759497"),
            ("MwSt-Nr. CHE-116.281.710 MWST", "CHE116281710"),
            ("N° TVA intracommunautaire : FR 83 404 833 048", "FR83404833048"),
            ("VAT Reg. No. GB 980 7806 84", "GB980780684"),
            ("VAT number: 980 7806 84", "980780684"),
            ("P. IVA 00743110157", "00743110157"),
            ("NIP: 856-734-62-15", "8567346215"),
            ("NIPC: 501 964 843", "501964843"),
            ("CIF: A-58818501", "A58818501"),
            ("Btw-id: NL004495445B01", "NL004495445B01"),
            ("VAT No: IE6433435F", "IE6433435F"),
            ("LU15027442", "LU15027442"),
            ("org.nr. NO 995 525 828 MVA", "NO995525828"),
        ];
        for (text, expected) in cases {
            assert_eq!(ids(text), [expected], "{text}");
        }
    }

    #[test]
    fn vat_ids_with_invalid_check_digits_are_rejected() {
        for text in [
            "USt-IdNr.: DE 136 695 977",
            "Tel. 136695976",
            "NIP: 856-734-62-16",
            "HRB 12345",
            "IBAN DE44 3705 0198 1234 5678 90",
            "VAT number: 980 7806 85",
        ] {
            assert_eq!(ids(text), Vec::<String>::new(), "{text}");
        }
    }
}
