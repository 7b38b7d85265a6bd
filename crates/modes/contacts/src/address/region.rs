//! Regions in addresses: states, counties, provinces.

use std::sync::LazyLock;

use hashbrown::HashSet;
use text::vocabulary::{TermSet, TermTable};

static REGIONS: TermTable<3> = term_table!("address/regions.tsv");

/// The abbreviations, and the last words of the names.
static LAST_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let last = |name: &'static str| name.rsplit(' ').next().unwrap_or(name);
    REGIONS.iter().flat_map(|[_, code, name]| [*code, last(name)]).collect()
});

/// Maximum words of the name of a region.
const MAX_WORDS: usize = 4;

/// A state or province, with its country as a list of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Region<'t> {
    /// As the text writes it.
    pub text: &'t str,
    pub country: &'static [&'static str],
}

/// The region at the end of a text, and the text before it: "Riverton TX", "Milltown, Gujarat".
pub(super) fn ending<'t>(
    text: &'t str,
    fits: impl Fn(&str) -> bool,
) -> Option<(&'t str, Region<'t>)> {
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || ",-–(".contains(c));
    let last = text.rsplit([' ', ',']).next()?;
    if !LAST_WORDS.contains(last) && !LAST_WORDS.contains(last.to_lowercase().as_str()) {
        return None;
    }
    let starts = text.char_indices().rev().filter(|(_, c)| c.is_whitespace() || *c == ',');
    let starts = starts.map(|(at, c)| at + c.len_utf8()).take(MAX_WORDS).chain([0]);
    let mut best = None;
    for start in starts {
        let name = text.get(start..)?;
        if name.len() > 40 {
            break;
        }
        let lower = name.to_lowercase();
        let found = REGIONS.iter().find(|[country, code, known]| {
            (*code == name || !known.is_empty() && *known == lower) && fits(country)
        });
        if let Some([country, ..]) = found {
            let before = text
                .get(..start)?
                .trim_end_matches(|c: char| c.is_whitespace() || ",-–".contains(c));
            let region = Region { text: name, country: std::slice::from_ref(country) };
            best = Some((before, region));
        }
    }
    best
}

static AREA_WORDS: TermSet = word_set!("address/area_words.txt");

/// Whether a text is a county or an area between town and state: "Bucks County", "Dallas area".
pub(super) fn is_area(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    let last = lower.rsplit(' ').next().unwrap_or_default();
    county(text).is_some() || AREA_WORDS.contains(last)
}

/// A county of Great Britain or Ireland.
pub(super) fn county(text: &str) -> Option<String> {
    let text = text.trim();
    let lower = text.to_lowercase();
    static COUNTIES: TermSet = phrase_set!("address/british_counties.txt");
    let is_county = lower.ends_with("shire")
        || COUNTIES.contains(lower.as_str())
        || lower.starts_with("co. ")
        || lower.starts_with("county ");
    is_county.then(|| text.to_owned())
}

/// A region after the town: two or three capitals, or a state of Mexico.
pub(super) fn region_after(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches('.');
    let is_letters =
        (2..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_uppercase());
    static MEXICAN_STATES: TermSet = phrase_set!("address/mexican_states.txt");
    (is_letters || MEXICAN_STATES.contains(text.to_lowercase().as_str())).then(|| text.to_owned())
}
