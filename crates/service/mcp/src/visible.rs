//! Removes invisible characters from text of crawled sites.
//!
//! Invisible characters can carry instructions to a model (Unicode tags, zero-width characters,
//! variation selectors) or change the reading order of a text (bidi controls). They are removed
//! from all tool results.

use serde_json::Value;

/// The value without invisible and bidi characters in texts and member names.
pub(crate) fn visible(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(visible_text(text)),
        Value::Array(items) => Value::Array(items.into_iter().map(visible).collect()),
        Value::Object(members) => Value::Object(
            members.into_iter().map(|(name, value)| (visible_text(name), visible(value))).collect(),
        ),
        other @ (Value::Null | Value::Bool(_) | Value::Number(_)) => other,
    }
}

fn visible_text(text: String) -> String {
    if text.is_ascii() && !text.bytes().any(|byte| is_hidden(byte.into())) {
        return text;
    }
    let mut kept = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        // Persian, Hindi and others spell words with joiners; emoji sequences use them too.
        let joins = matches!(c, '\u{200c}' | '\u{200d}')
            && !before.is_ascii()
            && chars.peek().is_some_and(|next| !next.is_ascii() && !is_hidden(*next));
        if joins || !is_hidden(c) {
            kept.push(c);
            before = c;
        }
    }
    kept
}

/// Whether a character is invisible or changes the order of others. Line breaks and tabs are
/// layout.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn invisible_and_bidi_characters_are_removed() {
        let smuggled: String =
            "ignore".chars().filter_map(|c| char::from_u32(0xe0000 + c as u32)).collect();
        for (text, expected) in [
            (format!("a{smuggled}b"), "ab"),
            ("in\u{200b}vis\u{2060}ible\u{feff}".to_owned(), "invisible"),
            ("\u{202e}txt.exe\u{202c} \u{2066}x\u{2069}".to_owned(), "txt.exe x"),
            ("so\u{ad}ft\u{fe0f}\u{0}\u{1b}[31m".to_owned(), "soft[31m"),
            ("line\n\ttab".to_owned(), "line\n\ttab"),
            ("می\u{200c}خواهم".to_owned(), "می\u{200c}خواهم"),
            ("a\u{200d}b".to_owned(), "ab"),
            ("Übergröße 漢字 😀".to_owned(), "Übergröße 漢字 😀"),
        ] {
            assert_eq!(visible_text(text.clone()), expected, "{text:?}");
        }
        let value = json!({"na\u{200b}me": ["\u{202e}x", {"y": "z\u{e0041}"}], "n": 1});
        assert_eq!(visible(value), json!({"name": ["x", {"y": "z"}], "n": 1}));
    }
}
