//! Entries in company registers: the number, and the court or office that keeps the register.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use text::vocabulary;

use super::vat::{is_cnpj, is_company, is_luhn};

mod office;

use office::offices;

/// Maximum entries per page.
const MAX_ENTRIES: usize = 40;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RegisterEntry {
    /// In compact form, without separators.
    pub number: Option<String>,
    /// Name of the court or office, as the page writes it.
    pub office: Option<String>,
    pub country: Option<&'static str>,
}

/// A register entry with its position.
#[derive(Debug, Clone)]
pub(crate) struct RegisterEntryOccurrence {
    pub entry: RegisterEntry,
    pub line: usize,
    pub at: usize,
}

named_enum! {
    /// Format of a number after its label.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum NumberShape {
        /// The label is part of the number: HRB 12345, FN 123456a.
        WithLabel = "with_label",
        Digits = "digits",
        /// Nine digits of a French company (SIREN), or the first nine of an establishment (SIRET).
        Siren = "siren",
        Cnpj = "cnpj",
        Belgian = "belgian",
        Portuguese = "portuguese",
        Swiss = "swiss",
        /// Letters, a dash, digits: M-123456.
        Lettered = "lettered",
        /// Two letters of an Italian province, then digits.
        Rea = "rea",
        /// Eight characters, of which the first two may be letters.
        British = "british",
        /// The letter B and digits: B 123456.
        Luxembourg = "luxembourg",
    }
}

/// A label before register numbers.
struct RegisterLabel {
    /// The label in lower case.
    text: &'static str,
    shape: NumberShape,
    /// Minimum and maximum number of digits, for shapes without a fixed number.
    digits: RangeInclusive<usize>,
    /// ISO 3166-1 code of the register's country.
    country: &'static str,
}

static LABELS: LazyLock<Vec<RegisterLabel>> = LazyLock::new(|| {
    let rows = vocabulary::rows::<4>(term_file!("company/register_numbers.tsv")).into_iter();
    let label = |[text, shape, digits, country]: [&'static str; 4]| {
        let shape = NumberShape::ALL.into_iter().find(|known| known.as_str() == shape)?;
        let (least, most) = digits.split_once('-').unwrap_or(("0", "0"));
        let digits = least.parse().ok()?..=most.parse().ok()?;
        Some(RegisterLabel { text, shape, digits, country })
    };
    rows.filter_map(label).collect()
});

pub(crate) fn find_entries(text: &str, line: usize, found: &mut Vec<RegisterEntryOccurrence>) {
    if text.len() > 4_000 || found.len() >= MAX_ENTRIES {
        return;
    }
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return;
    }
    let offices = offices(text, &lower);
    let mut numbers: Vec<(String, &'static str, usize)> = Vec::new();
    for label in LABELS.iter() {
        for (at, _) in lower.match_indices(label.text).take(6) {
            let end = at + label.text.len();
            let before = text.get(..at).and_then(|head| head.chars().next_back());
            let after = lower.get(end..).and_then(|rest| rest.chars().next());
            let is_word = before.is_none_or(|c| !c.is_alphanumeric())
                && (label.text.len() > 4
                    || after.is_none_or(|c| !c.is_alphabetic() || label.text == "kvk"));
            if !is_word {
                continue;
            }
            let number = match label.shape {
                NumberShape::WithLabel => keep_label(text, at, label),
                _ => after_label(text, end, label),
            };
            if let Some(number) = number
                && !numbers.iter().any(|(known, _, _)| {
                    known.ends_with(&number) || number.ends_with(known.as_str())
                })
            {
                numbers.push((number, label.country, at));
            }
        }
    }
    if numbers.is_empty() {
        for (office, country, at) in offices {
            let entry =
                RegisterEntry { number: None, office: Some(office), country: Some(country) };
            found.push(RegisterEntryOccurrence { entry, line, at });
        }
        return;
    }
    for (number, country, at) in numbers {
        let office = offices
            .iter()
            .filter(|(_, of, _)| *of == country || (*of == "GB" && country == "IE"))
            .min_by_key(|(_, _, place)| place.abs_diff(at))
            .map(|(office, _, _)| office.clone());
        let country = match office.as_deref() {
            Some("Ireland") => "IE",
            _ => country,
        };
        let entry = RegisterEntry { number: Some(number), office, country: Some(country) };
        found.push(RegisterEntryOccurrence { entry, line, at });
    }
}

/// Reads a number with its letters: "HRB 12345 B", "FN 123456a".
fn keep_label(text: &str, at: usize, label: &RegisterLabel) -> Option<String> {
    let (letters, rest) = text.get(at..)?.split_at_checked(label.text.len())?;
    let is_named = label.text == "firmenbuchnummer";
    // In lower case these letters are parts of words.
    if !is_named && !letters.chars().next()?.is_uppercase() {
        return None;
    }
    let skipped = rest.trim_start_matches(|c: char| {
        matches!(c, ' ' | '\u{a0}' | '.' | ':' | '-' | '–' | '#') || c.is_alphabetic()
    });
    let gap = rest.get(..rest.len() - skipped.len())?;
    let is_plain = gap.split(|c: char| !c.is_alphabetic()).all(|word| {
        matches!(word.to_lowercase().as_str(), "" | "nr" | "no" | "nummer" | "fn" | "n")
    });
    let count = skipped.bytes().take_while(u8::is_ascii_digit).count();
    if !is_plain || !label.digits.contains(&count) {
        return None;
    }
    let digits = skipped.get(..count)?;
    let after = skipped.get(count..)?;
    let letters = if is_named { "FN".to_owned() } else { letters.to_owned() };
    if label.text == "fn" || is_named {
        let letter = after.trim_start().chars().next().filter(char::is_ascii_lowercase)?;
        let ends = after.trim_start().chars().nth(1).is_none_or(|c| !c.is_alphanumeric());
        return ends.then(|| format!("{letters}{digits}{letter}"));
    }
    // A court may add a letter: HRB 12345 B.
    let suffix = after.strip_prefix(' ').and_then(|rest| {
        let letters: String = rest.chars().take_while(char::is_ascii_uppercase).collect();
        let next = rest.chars().nth(letters.len());
        ((1..=2).contains(&letters.len()) && next.is_none_or(|c| !c.is_alphanumeric()))
            .then_some(letters)
    });
    Some(format!("{}{digits}{}", letters.to_uppercase(), suffix.unwrap_or_default()))
}

/// The number of a given format within a limited distance after its label.
fn after_label(text: &str, from: usize, label: &RegisterLabel) -> Option<String> {
    let rest = text.get(from..)?;
    let shape = label.shape;
    let reach = rest.floor_char_boundary(match shape {
        NumberShape::Portuguese | NumberShape::British => 90,
        _ => 60,
    });
    let rest = rest.get(..rest.floor_char_boundary(reach + 30)).unwrap_or(rest);
    let mut last = ' ';
    for (at, c) in rest.char_indices() {
        if at > reach {
            break;
        }
        let begins = !last.is_alphanumeric();
        last = c;
        if !begins || !(c.is_ascii_digit() || c.is_ascii_uppercase()) {
            continue;
        }
        let here = rest.get(at..)?;
        if let Some(number) = shaped(here, label) {
            return Some(number);
        }
        if c.is_ascii_digit() && shape != NumberShape::Lettered && shape != NumberShape::Portuguese
        {
            return None;
        }
    }
    None
}

/// Digits at the beginning of a text, with separators between groups removed.
fn grouped(text: &str, signs: &[char]) -> String {
    let mut digits = String::new();
    let mut gap = 0;
    for c in text.chars() {
        if c.is_ascii_digit() {
            digits.push(c);
            gap = 0;
        } else if (signs.contains(&c) || c == '\u{a0}') && gap == 0 && !digits.is_empty() {
            gap += 1;
        } else {
            break;
        }
        if digits.len() > 20 {
            break;
        }
    }
    digits
}

fn shaped(text: &str, label: &RegisterLabel) -> Option<String> {
    match label.shape {
        NumberShape::WithLabel => None,
        NumberShape::Digits => {
            let numbers = [grouped(text, &['.', ' ']), grouped(text, &['.'])];
            numbers.into_iter().find(|digits| label.digits.contains(&digits.len()))
        }
        NumberShape::Siren => {
            let text = text.strip_prefix(['B', 'A', 'D']).map_or(text, str::trim_start);
            let digits = grouped(text, &[' ', '.']);
            let siren = digits.get(..9)?;
            let fits = matches!(digits.len(), 9 | 14) && is_luhn(siren);
            fits.then(|| siren.to_owned())
        }
        NumberShape::Cnpj => {
            let digits = grouped(text, &['.', '/', '-', ' ']);
            is_cnpj(&digits).then_some(digits)
        }
        NumberShape::Belgian => {
            let text = text
                .strip_prefix("BE")
                .map_or(text, |rest| rest.trim_start_matches([' ', '-', '.']));
            let digits = grouped(text, &['.', ' ', '-']);
            is_company("BE", &digits).then_some(digits).filter(|digits| digits.len() == 10)
        }
        NumberShape::Portuguese => {
            let digits = grouped(text, &[' ', '.']);
            (digits.len() == 9 && is_company("PT", &digits)).then_some(digits)
        }
        NumberShape::Swiss => {
            let digits = grouped(text, &['.', '-', ' ']);
            (label.text == "che" && is_company("CH", &digits)).then(|| format!("CHE{digits}"))
        }
        NumberShape::Lettered => {
            let letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
            let rest = text.get(letters..)?.trim_start_matches([' ', '-', '.', '–']);
            let digits = grouped(rest, &['.']);
            ((1..=3).contains(&letters) && (2..=8).contains(&digits.len()))
                .then(|| format!("{}{digits}", &text[..letters]))
        }
        NumberShape::Rea => {
            let letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
            if letters == 0 {
                let digits = grouped(text, &[]);
                return (4..=8).contains(&digits.len()).then_some(digits);
            }
            let rest = text
                .get(letters..)?
                .trim_start_matches([' ', '-', '.', '–', '/', 'n', '°', '\u{a0}']);
            let digits = grouped(rest, &[]);
            (letters == 2 && (4..=8).contains(&digits.len()))
                .then(|| format!("{}{digits}", &text[..2]))
        }
        NumberShape::British => {
            let letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
            let known = ["SC", "NI", "OC", "SO", "NC", "CE", "FC", "BR", "LP", "IP", "RS", "RC"];
            let digits = grouped(text.get(letters..)?, &[' ']);
            let digits = if digits.len() > 8 { grouped(text.get(letters..)?, &[]) } else { digits };
            match letters {
                0 => (6..=8).contains(&digits.len()).then_some(digits),
                2 if known.contains(&&text[..2]) && (5..=6).contains(&digits.len()) => {
                    Some(format!("{}{digits}", &text[..2]))
                }
                _ => None,
            }
        }
        NumberShape::Luxembourg => {
            let rest = text.strip_prefix('B')?.trim_start_matches([' ', '.', '\u{a0}']);
            let digits = grouped(rest, &['.', ' ']);
            (4..=6).contains(&digits.len()).then(|| format!("B{digits}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_the_vocabulary_has_a_known_format() {
        let rows = vocabulary::rows::<4>(term_file!("company/register_numbers.tsv"));
        assert_eq!(LABELS.len(), rows.len());
    }
}
