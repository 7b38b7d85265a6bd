//! Regions in addresses: states, counties, provinces.

use text::vocabulary::TermSet;

pub(super) static US_STATES: TermSet = word_set!("address/us_states.txt");
pub(super) static CANADIAN_PROVINCES: TermSet = word_set!("address/canadian_provinces.txt");
static BRAZILIAN_STATES: TermSet = word_set!("address/brazilian_states.txt");

pub(super) fn is_listed(list: &TermSet, word: &str) -> bool {
    word.len() == 2 && list.contains(word)
}

/// A region before a postal code: a state of Brazil, the United States or Canada, or a county.
pub(super) fn region(text: &str) -> Option<String> {
    let text = text.trim();
    let is_state = is_listed(&BRAZILIAN_STATES, text)
        || is_listed(&US_STATES, text)
        || is_listed(&CANADIAN_PROVINCES, text);
    if is_state { Some(text.to_owned()) } else { county(text) }
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
