//! Regions as addresses write them: states, counties, provinces.

use crate::vocabulary::TermSet;

/// States of the United States and provinces of Canada.
pub(super) static US_STATES: TermSet = word_set!("address/us_states.txt");
pub(super) static CANADIAN_PROVINCES: TermSet = word_set!("address/canadian_provinces.txt");
static BRAZILIAN_STATES: TermSet = word_set!("address/brazilian_states.txt");

pub(super) fn listed(list: &TermSet, word: &str) -> bool {
    word.len() == 2 && list.contains(word)
}

/// A region that stands before a code: a county, a state of Brazil or of America.
pub(super) fn region(text: &str) -> Option<String> {
    let text = text.trim();
    let is_state = listed(&BRAZILIAN_STATES, text)
        || listed(&US_STATES, text)
        || listed(&CANADIAN_PROVINCES, text);
    if is_state { Some(text.to_owned()) } else { county(text) }
}

/// A county of the British Isles.
pub(super) fn county(text: &str) -> Option<String> {
    let text = text.trim();
    let small = text.to_lowercase();
    static COUNTIES: TermSet = phrase_set!("address/british_counties.txt");
    let is_county = small.ends_with("shire")
        || COUNTIES.contains(small.as_str())
        || small.starts_with("co. ")
        || small.starts_with("county ");
    is_county.then(|| text.to_owned())
}

/// A region that follows the town.
pub(super) fn region_behind(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches('.');
    let is_letters =
        (2..=3).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_uppercase());
    static MEXICAN_STATES: TermSet = phrase_set!("address/mexican_states.txt");
    (is_letters || MEXICAN_STATES.contains(text.to_lowercase().as_str())).then(|| text.to_owned())
}
