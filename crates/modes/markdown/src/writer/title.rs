//! What links and images say when one points at them.

use super::escape;
use html::text::Collapsed;

/// The longest title that is written.
const MAX_BYTES: usize = 512;

/// The title of a link or an image; none when it has none.
pub(super) fn read(value: &str) -> Option<String> {
    Some(Collapsed::of(value, MAX_BYTES)).filter(|title| !title.is_empty())
}

/// Whether a title says what the text does not say anyway.
pub(super) fn adds(title: &str, text: &str) -> bool {
    let letters = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let bare = letters(title);
    !bare.is_empty() && !letters(text).contains(&bare)
}

/// Appends a title behind an address.
pub(super) fn push(out: &mut String, title: Option<&str>, in_cell: bool) {
    let Some(title) = title else { return };
    out.push_str(" \"");
    for (at, character) in title.char_indices() {
        let rest = &title.as_bytes()[at + 1..];
        let escaped = match character {
            '"' => true,
            '\\' => rest.first().is_none_or(u8::is_ascii_punctuation),
            '&' => escape::is_reference(rest),
            '|' => in_cell,
            _ => false,
        };
        if escaped {
            out.push('\\');
        }
        out.push(character);
    }
    out.push('"');
}
