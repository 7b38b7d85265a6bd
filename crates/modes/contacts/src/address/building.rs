//! Building names that British and Irish addresses write before the street.

use text::vocabulary::TermSet;

/// Whether a text is a building name: "The Old Dairy", "Finch House".
pub(super) fn is_building_name(text: &str) -> bool {
    static BUILDING_NAMES: TermSet = word_set!("address/building_names.txt");
    let count = text.split_whitespace().count();
    let last = text.split_whitespace().last().unwrap_or_default().to_lowercase();
    (2..=5).contains(&count)
        && !text.bytes().any(|byte| byte.is_ascii_digit())
        && BUILDING_NAMES.contains(last.as_str())
        && text.chars().next().is_some_and(char::is_uppercase)
}
