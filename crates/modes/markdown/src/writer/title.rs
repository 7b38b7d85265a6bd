//! The `title` attribute of links and images.

use super::escape;
use html::text::Collapsed;

/// Maximum length of a title.
const MAX_BYTES: usize = 512;

/// The title of a link or image; `None` if it is empty.
pub(super) fn read(value: &str) -> Option<String> {
    Some(Collapsed::of(value, MAX_BYTES)).filter(|title| !title.is_empty())
}

/// Whether a title adds something to the text.
pub(super) fn adds(title: &str, text: &str) -> bool {
    let letters = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let bare = letters(title);
    !bare.is_empty() && !letters(text).contains(&bare)
}

/// Appends a title after a URL.
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
