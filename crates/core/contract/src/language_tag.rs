//! Validation of language tags (BCP 47).

use language_tags::LanguageTag;

/// Maximum length of a tag (RFC 5646, section 4.4.1).
const MAX_LENGTH: usize = 35;

/// Codes of ISO 639 without a language: undetermined, multiple, no content, uncoded.
const NO_LANGUAGE: [&str; 4] = ["und", "mul", "zxx", "mis"];

/// The error of a tag, if it is not like `en`, `pt-BR` or `zh-Hant-TW`. Every subtag is checked
/// against the BCP 47 registry, with the codes of ISO 639, ISO 15924, ISO 3166 and UN M.49.
pub(crate) fn language_tag_error(tag: &str) -> Option<String> {
    let form = || "must be a language tag, as en or pt-BR".to_owned();
    if !is_plausible(tag) {
        return Some(form());
    }
    let Ok(parsed) = LanguageTag::parse(tag) else { return Some(form()) };
    let language = parsed.primary_language().to_ascii_lowercase();
    // Codes from qaa to qtz are for private use.
    let is_private = matches!(language.as_bytes(), [b'q', b'a'..=b't', ..]);
    if is_private || NO_LANGUAGE.contains(&language.as_str()) {
        return Some(format!("{language} names no language; take one as en or pt-BR"));
    }
    if LanguageTag::parse(&language).is_ok_and(|language| language.validate().is_err()) {
        return Some(format!(
            "{language} is not known; take the shortest ISO 639 code of a language, as en or de"
        ));
    }
    if parsed.validate().is_err() {
        let known = "take a region of ISO 3166, as in pt-BR, or the language alone";
        return Some(format!("has a part that is not known; {known}"));
    }
    None
}

/// Whether the text has the form of a BCP 47 tag.
fn is_plausible(tag: &str) -> bool {
    let mut subtags = tag.split('-');
    let language = subtags.next().unwrap_or_default();
    tag.len() <= MAX_LENGTH
        && (2..=3).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_alphabetic())
        && subtags.all(|subtag| {
            (2..=8).contains(&subtag.len())
                && subtag.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registered_tags_are_accepted_and_others_rejected() {
        for tag in ["en", "EN", "de-AT", "zh-Hant-TW", "gsw", "es-419", "pt-br", "sr-Latn-RS"] {
            assert_eq!(language_tag_error(tag), None, "{tag}");
        }
        for other in [
            "",
            "e",
            "english",
            "en_US",
            "en-",
            "-en",
            "e1",
            "dé",
            "en-toolongtag",
            "*",
            "xx",
            "qq",
            "zzz",
            "eng",
            "und",
            "mul",
            "en-XQ1",
            "de-QQQ",
            "en-99",
        ] {
            assert!(language_tag_error(other).is_some(), "{other}");
        }
        assert!(
            language_tag_error("eng").is_some_and(|message| message.contains("shortest ISO 639"))
        );
    }
}
