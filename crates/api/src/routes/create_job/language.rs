//! Whether a text can be a language tag.

/// The longest tag that RFC 5646 tells everybody to expect.
const LONGEST: usize = 35;

/// Whether the text has the form of a BCP 47 tag, as `en`, `pt-BR` or `zh-Hant-TW`.
pub(super) fn is_plausible(tag: &str) -> bool {
    let mut subtags = tag.split('-');
    let language = subtags.next().unwrap_or_default();
    tag.len() <= LONGEST
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
    fn tags_are_told_from_words() {
        for tag in ["en", "de-AT", "zh-Hant-TW", "gsw", "es-419", "sl-rozaj-biske"] {
            assert!(is_plausible(tag), "{tag}");
        }
        for other in ["", "e", "english", "en_US", "en-", "-en", "e1", "dé", "en-toolongtag", "*"]
        {
            assert!(!is_plausible(other), "{other}");
        }
    }
}
