//! Shortcodes: macros of content management systems that were not expanded, such as
//! `[gallery ids="1,2"]`.

/// Maximum length of a text that is searched for shortcodes.
const MAX_BYTES: usize = 1_024;

/// Whether a text without white space around it consists of shortcodes only.
pub(super) fn is_shortcode(text: &str) -> bool {
    let mut rest = text;
    if !rest.starts_with('[') || !rest.ends_with(']') || rest.len() > MAX_BYTES {
        return false;
    }
    while !rest.is_empty() {
        let Some((code, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        else {
            return false;
        };
        if !is_code(code) {
            return false;
        }
        rest = after.trim_ascii_start();
    }
    true
}

/// Whether the text between brackets is a macro: it closes one, has attributes, or a name with an
/// underscore, which words in brackets do not have.
fn is_code(code: &str) -> bool {
    let (name, closes) = code.strip_prefix('/').map_or((code, false), |name| (name, true));
    let end = name.find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'));
    let (name, attributes) = name.split_at(end.unwrap_or(name.len()));
    let has_attributes = attributes.starts_with(' ')
        && (attributes.contains("=\"") || attributes.contains("='") || attributes.contains("=&"));
    name.len() >= 2 && (has_attributes || attributes.is_empty() && (closes || name.contains('_')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_are_shortcodes_and_words_in_brackets_are_not() {
        for text in ["[vc_row]", "[/quote]", "[gallery ids=\"1,2\"]", "[a_b x='1'] [/a_b]"] {
            assert!(is_shortcode(text), "{text}");
        }
        for text in ["[edit]", "[1]", "[see note]", "[a_b] and more", "a [a_b]", "[]", "[A_B]"] {
            assert!(!is_shortcode(text), "{text}");
        }
    }
}
