//! Postal codes and their towns, by the formats of the countries.

use super::region::{CANADIAN_PROVINCES, US_STATES, is_listed};
use super::town::city;
use crate::country;
use crate::words::placed_words;
use text::vocabulary::{TermList, TermSet};

/// A town with its postal code.
#[derive(Debug, Clone, Default)]
pub(super) struct PostalTown {
    pub postal: String,
    /// Empty if the town precedes the code.
    pub city: String,
    pub region: Option<String>,
    pub country: Option<&'static str>,
    pub shape: &'static [&'static str],
    /// A region may follow the town.
    pub takes_region: bool,
}

/// Formats of postal codes with the countries that use them: 9 is a digit, A a capital letter. A code
/// with a space has two words.
const FORMATS: &[(&str, &[&str])] = &[
    ("99999-999", &["BR"]),
    ("9999-999", &["PT"]),
    ("99-999", &["PL"]),
    ("9999 AA", &["NL"]),
    ("9999AA", &["NL"]),
    ("99999", &["DE", "FR", "ES", "IT", "MX"]),
    ("9999", &["AT", "CH", "BE", "LU", "LI"]),
    ("A9A 9A9", &["CA"]),
];

/// The first parts of British codes; the second is `9AA`.
const BRITISH_FORMATS: [&str; 6] = ["A9", "A99", "AA9", "AA99", "A9A", "AA9A"];

/// A postal code in a line.
struct FoundCode {
    /// Number of words that the code takes up.
    words: usize,
    postal: String,
    countries: &'static [&'static str],
    /// The country of its prefix: `D-10115`.
    prefix: Option<&'static str>,
}

/// The format of a word, see [`FORMATS`].
fn format_of(word: &str) -> String {
    let kind = |c: char| match c {
        '0'..='9' => '9',
        'A'..='Z' => 'A',
        '-' | '–' => '-',
        _ => '?',
    };
    word.chars().map(kind).collect()
}

/// The countries whose postal codes have this format, in one word or in two.
fn countries_of(word: &str, next: Option<&str>) -> Option<&'static [&'static str]> {
    let first = format_of(word);
    let format = match next {
        Some(next) => format!("{first} {}", format_of(next)),
        None => first,
    };
    if let Some((_, countries)) = FORMATS.iter().find(|(known, _)| *known == format) {
        return Some(*countries);
    }
    // A British or Irish code may be written as one word.
    let split = |at: usize| Some((word.get(..at)?, word.get(at..)?));
    let parts = |at: Option<usize>| match next {
        Some(next) => Some((word, next)),
        None => split(at?),
    };
    let is_british = parts(word.len().checked_sub(3)).is_some_and(|(outward, inward)| {
        BRITISH_FORMATS.contains(&format_of(outward).as_str()) && format_of(inward) == "9AA"
    });
    let is_irish = parts(Some(3)).is_some_and(|(routing, unique)| {
        let format = format_of(unique);
        (format_of(routing) == "A99" || (format_of(routing) == "A9A" && routing.ends_with('W')))
            && format.len() == 4
            && format.contains('9')
            && !format.contains(['?', '-'])
    });
    match (is_british, is_irish) {
        (true, _) => Some(&["GB"]),
        (false, true) => Some(&["IE"]),
        (false, false) => None,
    }
}

/// The postal code at a word.
fn code_at(words: &[(usize, &str)], at: usize) -> Option<FoundCode> {
    let word = words.get(at)?.1.trim_matches(['(', ')', ',', ';', '[', ']']);
    let (word, prefix) = match word.split_once(['-', '–']) {
        Some((letters, rest)) if matches!(format_of(letters).as_str(), "A" | "AA") => {
            (rest, Some(country::of_postal_prefix(letters)?))
        }
        _ => (word, None),
    };
    let next = words.get(at + 1).map(|(_, next)| next.trim_matches(['(', ')', ',', ';']));
    // A Dutch code needs a town after it: "1234 AB Amsterdam".
    let of_two = next.and_then(|next| countries_of(word, Some(next)));
    let of_two = of_two.filter(|countries| *countries != ["NL"] || words.len() > at + 2);
    let prefix = prefix.filter(|_| word.starts_with(|c: char| c.is_ascii_digit()));
    if let (Some(countries), Some(next)) = (of_two, next) {
        return Some(FoundCode { words: 2, postal: format!("{word} {next}"), countries, prefix });
    }
    let countries = countries_of(word, None)?;
    // A number that may be a year needs a following word.
    let is_year =
        word.len() == 4 && word.parse::<u32>().is_ok_and(|year| (1900..=2035).contains(&year));
    if is_year && prefix.is_none() && next.is_none() {
        return None;
    }
    Some(FoundCode { words: 1, postal: word.replace('–', "-"), countries, prefix })
}

/// The town in a part of a line, and the text before it.
pub(super) fn town(text: &str) -> Option<(PostalTown, String)> {
    if text.len() > 160 || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let words: Vec<(usize, &str)> = placed_words(text).collect();
    // The last code counts: a house number of five digits may precede it.
    for at in (0..words.len()).rev() {
        let Some(code) = code_at(&words, at) else { continue };
        let (postal, shape) = (code.postal, code.countries);
        let rest: Vec<&str> = words.iter().skip(at + code.words).map(|(_, word)| *word).collect();
        let head = text.get(..words[at].0).unwrap_or_default().trim();
        let mut town = PostalTown { postal, shape, country: code.prefix, ..PostalTown::default() };
        let mut head = without_code_label(head);
        match shape {
            ["GB" | "IE" | "CA"] => {
                if !rest.is_empty() {
                    let tail = rest.join(" ");
                    let (left, code) = country::ending(&tail).unzip();
                    if left.is_some_and(str::is_empty) {
                        town.country = code;
                    } else {
                        continue;
                    }
                }
                if let ["CA"] = shape {
                    let state = head.rsplit(' ').next().unwrap_or_default();
                    if is_listed(&CANADIAN_PROVINCES, state) {
                        town.region = Some(state.to_owned());
                        head = head[..head.len() - state.len()].trim_end();
                    }
                }
                return Some((town, head.trim_end_matches(',').to_owned()));
            }
            ["BR"] => {
                town.takes_region = true;
                if rest.is_empty() {
                    return Some((town, head.to_owned()));
                }
            }
            _ => {}
        }
        // "OR 97209": a state before five digits makes it a US code.
        let state = head.rsplit([' ', ',']).next().unwrap_or_default();
        if town.postal.len() == 5 && is_listed(&US_STATES, state) {
            let tail_is_fit = rest.is_empty() || country::named(&rest.join(" ")) == Some("US");
            if tail_is_fit {
                town.region = Some(state.to_owned());
                town.shape = &["US"];
                town.country = country::named(&rest.join(" "));
                let head = head[..head.len() - state.len()].trim_end().trim_end_matches(',');
                return Some((town, head.to_owned()));
            }
        }
        let Some((city, region, named)) = city(&rest.join(" ")) else { continue };
        if is_other_number(head) {
            continue;
        }
        town.city = city;
        town.region = region;
        town.country = town.country.or(named);
        town.takes_region = matches!(town.shape, ["BR"] | ["DE", "FR", "ES", "IT", "MX"]);
        return Some((town, head.to_owned()));
    }
    // "OR 97209-1234"
    let (at, word) =
        words.iter().enumerate().find(|(_, (_, word))| format_of(word) == "99999-9999")?;
    let head = text.get(..word.0)?.trim();
    let state = head.rsplit([' ', ',']).next().unwrap_or_default();
    let fits = is_listed(&US_STATES, state) && words.len() <= at + 4;
    let town = PostalTown {
        postal: word.1.to_owned(),
        region: Some(state.to_owned()),
        shape: &["US"],
        ..PostalTown::default()
    };
    fits.then(|| {
        (town, head[..head.len() - state.len()].trim_end().trim_end_matches(',').to_owned())
    })
}

/// Removes a label such as "CP" before a code.
fn without_code_label(head: &str) -> &str {
    static POSTAL_CODE_LABELS: TermList = phrase_list!("address/postal_code_labels.txt");
    for label in POSTAL_CODE_LABELS.iter() {
        if let Some(rest) = head.strip_suffix(label) {
            return rest.trim_end();
        }
    }
    head
}

static NOT_POSTAL_CODE: TermSet = word_set!("address/words_before_other_numbers.txt");

/// Whether the word before a number shows that the number is not a postal code.
fn is_other_number(head: &str) -> bool {
    let last = head.rsplit(' ').next().unwrap_or_default().to_lowercase();
    let last = last.trim_matches(|c: char| !c.is_alphanumeric());
    NOT_POSTAL_CODE.contains(last)
}
