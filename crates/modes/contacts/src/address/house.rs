//! Houses that have a name, as the British Isles write them before the street.

/// The name of a house before its street: "The Old Dairy", "Finch House".
pub(super) fn is_house(text: &str) -> bool {
    let names = [
        "house",
        "barn",
        "barns",
        "dairy",
        "mill",
        "mills",
        "chambers",
        "centre",
        "works",
        "studio",
        "studios",
        "farm",
        "lodge",
        "hall",
        "buildings",
        "building",
        "exchange",
        "tower",
        "court",
        "wharf",
        "yard",
        "estate",
        "park",
        "stables",
        "forge",
        "granary",
        "bakery",
        "warehouse",
        "workshop",
        "foundry",
        "brewery",
        "maltings",
        "vicarage",
        "rectory",
        "chapel",
        "malthouse",
        "hub",
        "arcade",
        "pavilion",
        "gatehouse",
        "schoolhouse",
        "priory",
        "manor",
        "cottage",
        "lofts",
    ];
    let count = text.split_whitespace().count();
    let last = text.split_whitespace().last().unwrap_or_default().to_lowercase();
    (2..=5).contains(&count)
        && !text.bytes().any(|byte| byte.is_ascii_digit())
        && names.contains(&last.as_str())
        && text.chars().next().is_some_and(char::is_uppercase)
}
