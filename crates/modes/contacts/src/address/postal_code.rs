//! Postal codes by the formats of the countries.

use std::sync::LazyLock;

use hashbrown::HashMap;

use crate::country;
use crate::words::placed_words;
use text::vocabulary::{self, TermList, TermSet};

/// What the table says about a format of postal codes.
#[derive(Debug)]
struct CodeFormat {
    countries: Vec<&'static str>,
    may_precede: bool,
    may_follow: bool,
    is_weak: bool,
}

/// Formats of postal codes: 9 is a digit, A a capital letter. A code with a space has two words.
static FORMATS: LazyLock<HashMap<&'static str, CodeFormat>> = LazyLock::new(|| {
    let rows = vocabulary::rows::<4>(term_file!("address/postal_codes.tsv"));
    let format = |[format, countries, place, strength]: [&'static str; 4]| {
        let row = CodeFormat {
            countries: countries.split(' ').collect(),
            may_precede: place != "last",
            may_follow: place != "first",
            is_weak: strength == "weak",
        };
        (format, row)
    };
    rows.into_iter().map(format).collect()
});

/// The first parts of British codes; the second is `9AA`.
const BRITISH_FORMATS: [&str; 6] = ["A9", "A99", "AA9", "AA99", "A9A", "AA9A"];

/// Codes of sample addresses.
const PLACEHOLDERS: [&str; 3] = ["00000", "99999", "000000"];

/// Maximum length of a text with a code, in bytes.
const MAX_BYTES: usize = 160;

/// A postal code in a text.
#[derive(Debug, Clone)]
pub(super) struct FoundCode<'t> {
    pub postal: String,
    pub countries: &'static [&'static str],
    /// The country of its prefix: `D-10115`.
    pub prefix: Option<&'static str>,
    /// The town may follow the code.
    pub may_precede: bool,
    /// The town may precede the code.
    pub may_follow: bool,
    /// Many other numbers have this format.
    pub is_weak: bool,
    /// Text before and after the code.
    pub head: &'t str,
    pub tail: &'t str,
}

impl FoundCode<'_> {
    /// Whether the code may be a year.
    pub fn is_year(&self) -> bool {
        self.prefix.is_none()
            && self.postal.len() == 4
            && self.postal.parse::<u32>().is_ok_and(|year| (1900..=2035).contains(&year))
    }
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

/// Countries and places of codes of this format, in one word or in two.
fn known_format(
    word: &str,
    next: Option<&str>,
) -> Option<(&'static [&'static str], bool, bool, bool)> {
    let first = format_of(word);
    let format = match next {
        Some(next) => format!("{first} {}", format_of(next)),
        None => first,
    };
    if let Some(known) = FORMATS.get(format.as_str()) {
        return Some((&known.countries, known.may_precede, known.may_follow, known.is_weak));
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
        (true, _) => Some((&["GB"], false, true, false)),
        (false, true) => Some((&["IE"], false, true, false)),
        (false, false) => None,
    }
}

/// The postal codes of a part of a line, the last one first: a house number with as many digits
/// may precede the code.
pub(super) fn codes(text: &str) -> Vec<FoundCode<'_>> {
    if text.len() > MAX_BYTES || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    let words: Vec<(usize, &str)> = placed_words(text).collect();
    (0..words.len()).rev().filter_map(|at| code_at(text, &words, at)).collect()
}

/// The postal code at a word.
fn code_at<'t>(text: &'t str, words: &[(usize, &'t str)], at: usize) -> Option<FoundCode<'t>> {
    const EDGES: [char; 7] = ['(', ')', ',', ';', '[', ']', '.'];
    let (start, shown) = *words.get(at)?;
    let word = shown.trim_matches(EDGES);
    let mut from = start + shown.find(word).unwrap_or(0);
    let (word, prefix) = match word.split_once(['-', '–']) {
        Some((letters, rest)) if matches!(format_of(letters).as_str(), "A" | "AA") => {
            (rest, Some(country::of_postal_prefix(letters)?))
        }
        // "Gujarat-380999"
        Some((name, rest)) if name.len() > 3 && name.chars().all(char::is_alphabetic) => {
            from += word.len() - rest.len();
            (rest, None)
        }
        _ => (word, None),
    };
    let next = words.get(at + 1).map(|(_, next)| next.trim_matches(EDGES));
    let of_two = next.and_then(|next| known_format(word, Some(next)));
    // A Dutch code needs a town after it: "1234 AB Amsterdam".
    let of_two = of_two.filter(|(countries, ..)| *countries != ["NL"] || words.len() > at + 2);
    let prefix = prefix.filter(|_| word.starts_with(|c: char| c.is_ascii_digit()));
    let (count, postal, (countries, may_precede, may_follow, is_weak)) = match (of_two, next) {
        (Some(format), Some(next)) => (2, format!("{word} {next}"), format),
        _ => (1, word.replace('–', "-"), known_format(word, None)?),
    };
    if PLACEHOLDERS.contains(&postal.as_str()) {
        return None;
    }
    let end = words.get(at + count - 1).map_or(text.len(), |(at, word)| at + word.len());
    let head = without_code_label(text.get(..from)?.trim());
    let tail = text.get(end..)?.trim();
    let is_weak = is_weak && prefix.is_none();
    let (may_precede, may_follow) =
        if prefix.is_some() { (true, may_follow) } else { (may_precede, may_follow) };
    Some(FoundCode { postal, countries, prefix, may_precede, may_follow, is_weak, head, tail })
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
pub(super) fn is_other_number(head: &str) -> bool {
    let last = head.rsplit(' ').next().unwrap_or_default().to_lowercase();
    let last = last.trim_matches(|c: char| !c.is_alphanumeric());
    NOT_POSTAL_CODE.contains(last)
}
