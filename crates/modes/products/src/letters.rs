//! Letters of texts, for comparisons that ignore punctuation, spaces and letter case.

/// The letters and digits of a text, in lower case.
pub(crate) fn letters(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// Japanese, Chinese and Korean characters.
pub(crate) fn is_east_asian(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}
