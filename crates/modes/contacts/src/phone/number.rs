//! Parses phone numbers to E.164.

use contract::PhoneType;
use rlibphonenumber::{PHONE_NUMBER_UTIL, PhoneNumberFormat, PhoneNumberType, Region};

use text::vocabulary::{TermList, TermSet};

/// Minimum digits of a number in E.164, with its calling code.
const MIN_DIGITS: usize = 8;

/// A phone number of a known country.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DialableNumber {
    pub e164: String,
    /// Type by the numbering plan.
    pub kind: PhoneType,
    /// The numbering plan assigns the number; an unassigned one may be fictional.
    pub is_valid: bool,
    /// The digits are grouped as the country writes its numbers.
    pub has_usual_groups: bool,
}

/// The number in E.164 that the spellings of one number (as dialled, as shown) denote.
///
/// The international format decides; then the first of `countries` (ISO 3166-1, best evidence
/// first) in which a spelling is valid; then the form of North American numbers, which no other
/// country writes. The last resort is a number of the first country that has the right length.
pub(crate) fn resolve_number(spellings: &[&str], countries: &[String]) -> Option<DialableNumber> {
    let international = spellings.iter().filter_map(|spelled| parse_number(spelled, None));
    if let Some(number) = international.into_iter().find(|number| number.is_valid) {
        return Some(number);
    }
    for country in countries {
        // A national number may be written with a plus sign by mistake: "+206-555-0100".
        let national = spellings.iter().filter_map(|spelled| {
            parse_number(spelled, Some(country))
                .filter(|number| number.is_valid)
                .or_else(|| parse_number(spelled.trim().strip_prefix('+')?, Some(country)))
        });
        if let Some(number) = national.into_iter().find(|number| number.is_valid) {
            return Some(number);
        }
    }
    let american = spellings.iter().filter(|spelled| has_american_form(spelled));
    let mut american = american.filter_map(|spelled| parse_number(spelled, Some("US")));
    if let Some(number) = american.find(|number| number.is_valid) {
        return Some(number);
    }
    let first = countries.first().map(String::as_str);
    spellings.iter().find_map(|spelled| parse_number(spelled, first))
}

/// Whether a number is written as in North America: "(212) 555-0100", "1-800-555-0100".
fn has_american_form(spelled: &str) -> bool {
    let groups = digit_groups(spelled);
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    let is_grouped = lengths == [3, 3, 4]
        || lengths == [1, 3, 3, 4] && groups.first().is_some_and(|group| *group == "1");
    is_grouped && !spelled.trim_start().starts_with("+2")
}

fn digit_groups(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).take(12).collect()
}

/// The country of a number in international format.
pub(crate) fn country_of(raw: &str) -> Option<String> {
    let parsed = PHONE_NUMBER_UTIL.parse(normalized(raw, None), None).ok()?;
    let region = PHONE_NUMBER_UTIL.get_region_for_number(&parsed)?;
    Some(region.to_string())
}

/// Parses a number as people write it. `country` (ISO 3166-1) is that of national numbers.
pub(crate) fn parse_number(raw: &str, country: Option<&str>) -> Option<DialableNumber> {
    let spelled = normalized(raw, country);
    let region = country.and_then(|country| country.parse::<Region>().ok());
    let parsed = PHONE_NUMBER_UTIL.parse(&spelled, region).ok()?;
    if !PHONE_NUMBER_UTIL.is_possible_number(&parsed) {
        return None;
    }
    let e164: String = PHONE_NUMBER_UTIL.format(&parsed, PhoneNumberFormat::E164).into_owned();
    let is_valid = PHONE_NUMBER_UTIL.is_valid_number(&parsed) || is_fictional(&e164);
    let kind = match PHONE_NUMBER_UTIL.get_number_type(&parsed) {
        PhoneNumberType::Mobile | PhoneNumberType::Pager => PhoneType::Mobile,
        PhoneNumberType::FixedLineOrMobile | PhoneNumberType::Unknown => PhoneType::Unknown,
        _ => PhoneType::Voice,
    };
    // Fictional numbers have no type in the plan; their prefix gives it.
    let kind = match kind {
        PhoneType::Unknown if is_mobile(&e164) => PhoneType::Mobile,
        kind => kind,
    };
    let formats = [PhoneNumberFormat::National, PhoneNumberFormat::International];
    let shown = digit_groups(&spelled);
    let has_usual_groups = formats.into_iter().any(|format| {
        let usual = PHONE_NUMBER_UTIL.format(&parsed, format);
        let usual = digit_groups(&usual);
        // A prefix for calls within the country may precede the groups.
        shown.len() > 1 && (shown == usual || shown.get(1..) == Some(&usual[..]) && usual.len() > 1)
    });
    // Shorter numbers cannot be dialled from abroad.
    let digits = e164.bytes().filter(u8::is_ascii_digit).count();
    (digits >= MIN_DIGITS).then_some(DialableNumber { e164, kind, is_valid, has_usual_groups })
}

/// Whether the number is in a range that is reserved for fiction.
fn is_fictional(e164: &str) -> bool {
    let american = e164.strip_prefix("+1").and_then(|number| number.get(3..8));
    static FICTIONAL_PREFIXES: TermList = phrase_list!("phone/fictional_prefixes.txt");
    american == Some("55501") || FICTIONAL_PREFIXES.iter().any(|start| e164.starts_with(start))
}

/// Whether the prefix of a number is that of mobile phones.
fn is_mobile(e164: &str) -> bool {
    static MOBILE_PREFIXES: TermList = phrase_list!("phone/mobile_prefixes.txt");
    MOBILE_PREFIXES.iter().any(|prefix| e164.starts_with(prefix))
        && !e164.starts_with("+4470")
        && !e164.starts_with("+4476")
}

/// Normalises separators, and removes the zero in brackets and the extension.
fn normalized(raw: &str, country: Option<&str>) -> String {
    let mut text: String = raw
        .chars()
        .map(|c| match c {
            '‐' | '‑' | '–' | '—' | '\u{2212}' | '·' => '-',
            '\u{a0}' | '\u{202f}' | '\u{2009}' => ' ',
            c => c,
        })
        .collect();
    // A lower-case word begins the extension. Letters that stand for digits follow a dash.
    let extension = text.char_indices().find(|(at, c)| {
        c.is_lowercase()
            || (c.is_alphabetic()
                && !text.get(..*at).unwrap_or_default().ends_with(['-', '.'])
                && !text
                    .get(..*at)
                    .is_some_and(|head| head.ends_with(|c: char| c.is_ascii_uppercase())))
    });
    if let Some((at, _)) = extension {
        text.truncate(at);
    }
    let text = text.trim_end_matches([' ', ',', '-', '(']).replace("(+", "+(");
    let text = text.replace("+(", "+");
    let is_international = text.trim_start().starts_with('+');
    let is_doubled = text.starts_with("00") && !text.starts_with("000");
    let mut text = if is_international || is_doubled {
        let italian = text.starts_with("+39") || text.starts_with("0039");
        let without = text.replace("(0)", " ").replace("( 0 )", " ").replace("[0]", " ");
        if italian { text.replace("(0)", "0") } else { without }
    } else {
        text
    };
    if is_doubled && country != Some("US") {
        text = format!("+{}", text.get(2..).unwrap_or_default());
    }
    text
}

static PLACEHOLDERS: TermSet = word_set!("phone/placeholders.txt");

/// Whether a number is a sample: "+00 000 0000000", "123456789".
pub(crate) fn is_placeholder(text: &str) -> bool {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).collect();
    let tail = digits.get(digits.len().saturating_sub(7)..).unwrap_or_default();
    let is_same = digits.len() >= 7 && tail.iter().all(|digit| Some(digit) == tail.first());
    let joined = std::str::from_utf8(&digits).unwrap_or_default();
    let counts = PLACEHOLDERS.contains(joined);
    is_same || counts || digits.iter().all(|digit| *digit == b'0')
}

/// Whether the shown and the dialled number are the same: their last digits match.
pub(crate) fn is_same_number(shown: &str, dialled: &str) -> bool {
    let tail = |text: &str| -> Vec<u8> {
        let stop = text.find(|c: char| c.is_lowercase()).unwrap_or(text.len());
        text.as_bytes()[..stop]
            .iter()
            .filter(|byte| byte.is_ascii_digit())
            .rev()
            .take(6)
            .copied()
            .collect()
    };
    let (one, other) = (tail(shown), tail(dialled));
    let has_letters = shown.chars().any(|c| c.is_ascii_uppercase());
    has_letters || (one.len() >= 3 && (one.starts_with(&other) || other.starts_with(&one)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phone_numbers_are_parsed_with_the_home_country() {
        let cases = [
            ("+49 (0)30 12345-0", "FR", "+4930123450"),
            ("030 / 12 34 56 7", "DE", "+49301234567"),
            ("0043 1 234 56 78", "DE", "+4312345678"),
            ("01 23 45 67 89", "FR", "+33123456789"),
            ("06 1234 5678", "IT", "+390612345678"),
            ("+39 (0)6 1234 5678", "IT", "+390612345678"),
            ("(555) 010-1234", "US", "+15550101234"),
            ("1-800-555-FIRM", "US", "+18005553476"),
            ("020 7946 0123 ext. 12", "GB", "+442079460123"),
            ("(11) 91234-5678", "BR", "+5511912345678"),
            ("22 123 45 67", "PL", "+48221234567"),
            ("912 345 678", "PT", "+351912345678"),
            ("044 668 18 00", "CH", "+41446681800"),
        ];
        for (raw, country, expected) in cases {
            let number = parse_number(raw, Some(country));
            assert_eq!(number.map(|one| one.e164).as_deref(), Some(expected), "{raw} in {country}");
        }
        assert_eq!(parse_number("115", Some("DE")), None);
        assert_eq!(parse_number("030 1234567", None), None);
    }

    #[test]
    fn country_of_a_number_is_found_by_evidence() {
        let resolved = |spellings: &[&str], countries: &[&str]| {
            let countries: Vec<String> = countries.iter().map(|one| (*one).to_owned()).collect();
            resolve_number(spellings, &countries).map(|number| number.e164)
        };
        let number = |text: &str| Some(text.to_owned());
        // The international format decides, also if the link dials a national number.
        assert_eq!(resolved(&["9812345670", "+91 98123 45670"], &["US"]), number("+919812345670"));
        // A plus sign before a national number.
        assert_eq!(resolved(&["+2065550123"], &["US"]), number("+12065550123"));
        // The first country in which the number is valid.
        assert_eq!(resolved(&["020 7946 0123"], &["US", "GB"]), number("+442079460123"));
        // Without evidence only the American form counts.
        assert_eq!(resolved(&["(212) 555-0147"], &[]), number("+12125550147"));
        assert_eq!(resolved(&["030 1234567"], &[]), None);
        assert_eq!(country_of("+61 2 5550 1234").as_deref(), Some("AU"));
    }

    #[test]
    fn usual_groups_of_a_country_are_recognised() {
        let is_usual = |raw: &str, country: &str| {
            parse_number(raw, Some(country)).is_some_and(|number| number.has_usual_groups)
        };
        assert!(is_usual("(212) 555-0147", "US") && is_usual("212.555.0147", "US"));
        assert!(is_usual("01 99 00 12 34", "FR"));
        assert!(!is_usual("21-255-501-47", "US") && !is_usual("2125550147", "US"));
    }
}
