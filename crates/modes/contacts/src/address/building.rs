//! Building names that addresses write before the street.

use text::vocabulary::TermSet;

static BUILDING_NAMES: TermSet = word_set!("address/building_names.txt");

/// Whether a text is a building name: "The Old Dairy", "Finch House".
pub(super) fn is_building_name(text: &str) -> bool {
    let count = text.split_whitespace().count();
    let last = text.split_whitespace().last().unwrap_or_default().to_lowercase();
    (2..=5).contains(&count)
        && !text.bytes().any(|byte| byte.is_ascii_digit())
        && BUILDING_NAMES.contains(last.as_str())
        && text.chars().next().is_some_and(char::is_uppercase)
}

/// Whether a text is a building with a number of a floor or unit: "#23 Mill Tower", "7F Finch
/// House", "Harbour Point 2".
pub(super) fn is_numbered_building(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let has_digit = |word: &str| word.bytes().any(|byte| byte.is_ascii_digit());
    let numbers = words.iter().filter(|word| has_digit(word)).count();
    let is_name = |word: &&str| word.starts_with(char::is_uppercase);
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    (2..=6).contains(&words.len())
        && numbers == 1
        && digits <= 4
        && words.iter().filter(|word| !has_digit(word)).all(is_name)
        && words.iter().any(|word| BUILDING_NAMES.contains(word.to_lowercase().as_str()))
}
